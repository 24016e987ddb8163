"""Training torch networks: one loop for all of them.

A batch is drawn at random; those of its texts that are about as long go through the network
together, in parts that bound the memory, and their gradients are added up. So batches stay fair and
next to nothing is padded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from whyword.base.checks import one_of, real_number, share, whole_number
from whyword.models.epochs import OnShare, held_out_count
from whyword.models.pytorch.draws import Draws
from whyword.models.pytorch.network import Batch, Network, logits_of
from whyword.models.pytorch.short_attention import ShortAttention
from whyword.models.pytorch.word_vectors import WordVectors
from whyword.models.stored import Check, optional

FLOAT32, BFLOAT16 = PRECISIONS = ("float32", "bfloat16")
_TOKENS = 4096  # of a part, at most, with padding
_PADDED = 1.15  # times as many tokens as there are, at most
_CLIP = 1.0  # the longest gradient
_REPORTS = 50  # of an epoch


# from the classifiers' arguments to what is made of them; raise if they are unfit
CHECKS: dict[str, Check[Any]] = {
    "epochs": whole_number,
    "batch_size": whole_number,
    "learning_rate": partial(real_number, above=0),
    "l2": real_number,
    "warmup": share,
    "patience": optional(whole_number),
    "word_dropout": share,
    "seed": partial(whole_number, least=0),
    "precision": optional(partial(one_of, choices=PRECISIONS)),
    "validation": held_out_count,
    "max_words": optional(whole_number),
    "length": optional(whole_number),
}


@dataclass(frozen=True)
class Settings:
    """How to train; see :class:`whyword.TransformerClassifier`."""

    epochs: int
    batch_size: int
    learning_rate: float
    l2: float
    patience: int | None
    word_dropout: float
    seed: int
    precision: str | None = None
    warmup: float = 0.1  # share of the steps in which the rate grows

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Settings":
        """Return the settings that a classifier's arguments are; raise if they are unfit."""
        given = [one.name for one in fields(cls) if one.name in parameters]
        return cls(**{name: CHECKS[name](name, parameters[name]) for name in given})

    @contextmanager
    def casting(self) -> Iterator[None]:
        """Let passes forth compute in the precision that was chosen."""
        chosen = self.precision or (BFLOAT16 if _has_bfloat16() else FLOAT32)
        fast = chosen == BFLOAT16
        with torch.autocast("cpu", torch.bfloat16, enabled=fast), ShortAttention():
            yield


def _has_bfloat16() -> bool:
    """Return whether the processor multiplies bfloat16; others only pretend to, slowly."""
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


@dataclass(frozen=True, eq=False)
class Window:
    """What is read at a time of a text that is trained on.

    Attributes
    ----------
    ids : (T,) int64
    words : (T,) intp
        The number of each one's word, by which they are dropped together; −1 for special tokens.
    hidden, zeroed : (T,) bool, or None
        What the mask hides, and whose vectors are zeros, of words that are ignored; None: nothing.
    """

    ids: NDArray[np.int64]
    words: NDArray[np.intp]
    hidden: NDArray[np.bool_] | None = None
    zeroed: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts and the number of each one's class: of each text its windows, one at least."""

    texts: Sequence[Sequence[Window]]
    classes: NDArray[np.intp]


class Trainer:
    """A network, its optimiser and the random numbers of one training.

    Parameters
    ----------
    network : Network
        Its parameters that require no gradient stay as they are.
    examples : Examples
    class_weights : (C,) float32
        Weight of each class in the loss.
    settings : Settings
    blank : int or None
        What dropped words are replaced by.
    measure : callable
        Returns the accuracy on validation data, or None; the module is in eval mode.
    draws : Draws, optional
        Where torch's random numbers come from; by default those of the seed.
    """

    def __init__(
        self,
        network: Network,
        examples: Examples,
        class_weights: NDArray[np.float32],
        settings: Settings,
        blank: int | None,
        measure: Callable[[], float | None],
        draws: Draws | None = None,
    ) -> None:
        self.network, self.module, self.examples = network, network.module, examples
        self.settings, self._blank, self._measure = settings, blank, measure
        self._random = np.random.default_rng(settings.seed)
        self._draws = draws or Draws(settings.seed)
        self._weights = torch.from_numpy(class_weights)
        self._optimiser = torch.optim.AdamW(
            _groups(self.module, settings.l2), lr=settings.learning_rate, fused=True
        )
        steps = settings.epochs * -(-len(examples.texts) // settings.batch_size)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimiser, partial(_rate, steps=steps, warmup=settings.warmup)
        )

    def epoch(self, on_share: OnShare) -> float:
        """Train on every document once; return the mean loss."""
        count = len(self.examples.texts)
        order = self._random.permutation(count)
        total, told = 0.0, 0
        with training(self.module):
            for first in range(0, count, self.settings.batch_size):
                with self._draws:
                    total += self._step(order[first : first + self.settings.batch_size])
                done = min(first + self.settings.batch_size, count)
                if done * _REPORTS // count > told:
                    told = done * _REPORTS // count
                    on_share(done / count, total / done)
        return total / count

    def _step(self, documents: NDArray[np.intp]) -> float:
        """Take a step by some documents; return the sum of their losses."""
        total = 0.0
        weight = float(self._weights[self.examples.classes[documents]].sum())
        self._optimiser.zero_grad()
        for batch in self._parts(documents):
            wanted = torch.from_numpy(self.examples.classes[batch.numbers])
            with self.settings.casting():
                scores = self._scores(batch)
            loss = nn.functional.cross_entropy(scores, wanted, self._weights, reduction="sum")
            (loss / weight).backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach()) * len(documents) / weight
        nn.utils.clip_grad_norm_(self.module.parameters(), _CLIP)
        self._optimiser.step()
        self._schedule.step()
        return total

    def _scores(self, batch: Batch) -> Tensor:
        """Return the scores of both or all classes, (B, C)."""
        given = {"attention_mask": batch.mask} if self.network.takes_mask else {}
        reading: AbstractContextManager[Any] = nullcontext()
        if batch.has_zeros:
            tables = self.network.tables
            reading = WordVectors(
                self.module, batch.ids, change=batch.change, trains=True, tables=tables
            )
        with reading:
            scores: Tensor = logits_of(self.module(batch.ids, **given)).float()
        if scores.shape[1] < self.network.classes:  # one s, whose probability is σ(s)
            return torch.cat([torch.zeros_like(scores), scores], 1)
        return scores

    def _parts(self, documents: NDArray[np.intp]) -> Iterator[Batch]:
        """Yield documents side by side, texts of like lengths together."""
        drawn = [self._draw(number) for number in documents.tolist()]
        lengths = np.array([max(len(one.ids), self.network.min_length) for one in drawn])
        some: list[int] = []
        for at in np.argsort(lengths, kind="stable").tolist():
            room = (len(some) + 1) * int(lengths[at])
            tokens = int(lengths[some].sum() + lengths[at])
            if some and (room > _TOKENS or room > _PADDED * tokens):
                yield self._padded(documents[some], [drawn[one] for one in some])
                some = []
            some.append(at)
        if some:
            yield self._padded(documents[some], [drawn[one] for one in some])

    def _draw(self, number: int) -> Window:
        """Return one of a text's windows, with some of its words dropped."""
        windows = self.examples.texts[number]
        window = (
            windows[int(self._random.integers(len(windows)))] if len(windows) > 1 else windows[0]
        )
        if self._blank is None or not self.settings.word_dropout:
            return window
        count = int(window.words.max(initial=-1)) + 2  # the last is that of special tokens, −1
        dropped = self._random.random(count) < self.settings.word_dropout
        dropped[-1] = False
        return replace(window, ids=np.where(dropped[window.words], self._blank, window.ids))

    def _padded(self, numbers: NDArray[np.intp], drawn: Sequence[Window]) -> Batch:
        lengths = [len(one.ids) for one in drawn]
        shape = (len(drawn), max(*lengths, self.network.min_length, 1))
        ids = np.full(shape, self.network.pad or 0, np.int64)
        mask, zeroed = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        for row, (one, length) in enumerate(zip(drawn, lengths, strict=True)):
            ids[row, :length] = one.ids
            mask[row, :length] = 1 if one.hidden is None else ~one.hidden
            zeroed[row, :length] = False if one.zeroed is None else one.zeroed
            if not mask[row].any():
                mask[row, 0] = 1  # of nothing at all there is no mean
        return Batch(numbers, *map(torch.from_numpy, (ids, mask, zeroed)))

    def accuracy(self) -> float | None:
        """Return the accuracy on validation data, None if there are none."""
        return self._measure()

    def snapshot(self) -> dict[str, Tensor]:
        """Return a copy of what was trained, as it is now."""
        state = self.module.state_dict(keep_vars=True)
        frozen = {name for name, one in self.module.named_parameters() if not one.requires_grad}
        return {name: one.detach().clone() for name, one in state.items() if name not in frozen}


def _groups(module: nn.Module, l2: float) -> list[dict[str, Any]]:
    """Return the trained parameters: matrices are pulled towards zero, biases and scales not."""
    trained = [one for one in module.parameters() if one.requires_grad]
    return [
        {"params": [one for one in trained if one.dim() > 1], "weight_decay": l2},
        {"params": [one for one in trained if one.dim() <= 1], "weight_decay": 0.0},
    ]


def _rate(step: int, steps: int, warmup: float) -> float:
    """Return the rate's factor: it grows linearly, then falls linearly to zero."""
    first = max(1, round(warmup * steps))
    return (step + 1) / first if step < first else max(0.0, (steps - step) / max(1, steps - first))


@contextmanager
def training(module: nn.Module) -> Iterator[None]:
    """Let a module be in training mode for a while."""
    module.train()
    try:
        yield
    finally:
        module.eval()
