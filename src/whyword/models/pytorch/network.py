"""A module as what it is here: from the ids of texts to the scores of classes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from whyword.base.errors import Argument, InputError, ModelError
from whyword.base.printable import reason, shown
from whyword.models.protocol import Scores
from whyword.models.pytorch.encoding import Encoded
from whyword.models.pytorch.module_checks import check_evaluating, check_module, takes_mask
from whyword.models.pytorch.tables import tables_of
from whyword.models.pytorch.word_vectors import WordVectors, too_long

_TOKENS = 4096  # of a batch, at most
_TEXTS = 64  # of a batch, at most
_BYTES = 512 << 20  # for what a batch's pass back needs
_PADDED = 1.3  # times as many tokens as there are, at most
_DRAWN = 16  # texts by which it is seen whether padding makes a difference
_SHORT = 8  # tokens, of which a convolution may need more
_TOLERANCE = 1e-4  # of a score with and without padding, relative to max(1, |score|)


@dataclass(frozen=True, eq=False)
class Batch:
    """Some texts side by side.

    Attributes
    ----------
    numbers : (B,) intp
        Which of the texts.
    ids : (B, T) int64
    mask : (B, T) int64
        0 where nothing is to be seen.
    zeroed : (B, T) bool
        Whose vectors are zeros.
    of_words : (B, T) bool, or None
        What is of words, where that is known; else special tokens and padding.
    """

    numbers: NDArray[np.intp]
    ids: Tensor
    mask: Tensor
    zeroed: Tensor
    of_words: Tensor | None = None

    def change(self, vectors: Tensor, tokens: Tensor) -> Tensor:
        """Return the words' vectors, those of deleted ones zero."""
        gone = self.zeroed.reshape(-1)[tokens.clamp(min=0)] & (tokens >= 0)
        return vectors.masked_fill(gone.unsqueeze(-1), 0.0)

    def part(self, rows: slice) -> "Batch":
        """Return some of the texts."""
        words = None if self.of_words is None else self.of_words[rows]
        return Batch(self.numbers[rows], self.ids[rows], self.mask[rows], self.zeroed[rows], words)

    def other_ids(self) -> Tensor | None:
        """Return the ids with other words in the place of words, (B, T); None without others."""
        if self.of_words is None:
            return None
        distinct = torch.unique(self.ids[self.of_words])
        if len(distinct) < 2:
            return None
        places = torch.searchsorted(distinct, self.ids.contiguous())
        return torch.where(self.of_words, distinct[(places + 1) % len(distinct)], self.ids)

    @property
    def has_zeros(self) -> bool:
        """Whether some words are deleted."""
        return bool(self.zeroed.any())


class Network:
    """A module that is called with ids.

    Parameters
    ----------
    module : nn.Module
    classes : int
        How many scores there must be.
    pad : int or None
        The padding id.
    min_length : int
        How many tokens a text has at least.
    embeddings : str, nn.Module or None
        The table of the words' vectors, where it is not found by itself.
    one_score : bool
        Whether a single score may stand for two classes.

    Attributes
    ----------
    single : bool
        Whether the module gives one score s, for (−s, s).
    ends_in : str
        "softmax", "log_softmax" or "sigmoid", whose input is explained; or nothing.
    pads : bool
        Whether a text's scores are the same beside longer ones.
    alone : bool
        Whether a text's scores change beside others of its length: then it is read by itself.
    mixes : bool
        Whether the texts of a batch cannot be told apart on the way, so that they go one by one.
    """

    def __init__(
        self,
        module: nn.Module,
        classes: int,
        pad: int | None,
        min_length: int,
        embeddings: object,
        one_score: bool = True,
    ) -> None:
        self.module, self.classes = check_module(module), classes
        self._columns = (1, 2) if classes == 2 and one_score else (classes,)
        self.pad, self.min_length = pad, min_length
        self.tables = tables_of(module, embeddings)
        self.takes_mask = takes_mask(module)
        self.lock = threading.RLock()
        self.single, self.ends_in, self.pads = False, "", True
        self.mixes = self.alone = False
        self.width = sum(_outputs(part) for part in module.modules()) or 1024

    def adopt(self, module: nn.Module, before: nn.Module) -> None:
        """Take a copy of the module instead of it."""
        self.tables = self.tables.of_copy(module, before)
        self.module, self.lock = module, threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock behind: another process has its own."""
        return self.__dict__ | {"lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"lock": threading.RLock()})

    # ---- batches ------------------------------------------------------------------------------

    @property
    def most_tokens(self) -> int:
        """How many tokens are kept with what their way back needs; a text may have more."""
        return max(64, min(_TOKENS, _BYTES // (4 * self.width)))

    def batches(self, texts: Sequence[Encoded]) -> Iterator[Batch]:
        """Yield texts side by side, those of like lengths together."""
        lengths = np.array([max(len(one.ids), self.min_length, 1) for one in texts], np.intp)
        most = self.most_tokens
        some: list[int] = []
        for number in np.argsort(lengths, kind="stable").tolist():
            longest = int(lengths[number])
            tokens = int(lengths[some].sum()) + longest
            fits = not some or (
                not self.alone
                and (len(some) + 1) * longest <= most
                and len(some) < _TEXTS
                and (len(some) + 1) * longest <= (_PADDED * tokens if self.pads else tokens)
            )
            if not fits:
                yield self._batch(texts, some)
                some = []
            some.append(number)
        if some:
            yield self._batch(texts, some)

    def _batch(self, texts: Sequence[Encoded], numbers: list[int]) -> Batch:
        longest = max(max(len(texts[one].ids) for one in numbers), self.min_length, 1)
        shape = (len(numbers), longest)
        ids = np.full(shape, self.pad or 0, np.int64)
        mask, zeroed = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        of_words = np.zeros(shape, np.bool_)
        for row, number in enumerate(numbers):
            one = texts[number]
            count = len(one.ids)
            ids[row, :count] = one.ids
            mask[row, :count] = ~one.hidden
            zeroed[row, :count] = one.zeroed
            of_words[row, :count] = one.pieces.of_words
            if not mask[row].any():
                mask[row, 0] = 1  # of nothing at all there is no mean
        return Batch(
            np.array(numbers, np.intp),
            torch.from_numpy(ids),
            torch.from_numpy(mask),
            torch.from_numpy(zeroed),
            torch.from_numpy(of_words),
        )

    # ---- scores -------------------------------------------------------------------------------

    def call(self, batch: Batch) -> Any:  # what the module returns
        """Return what the module says."""
        given = {"attention_mask": batch.mask} if self.takes_mask else {}
        with as_it_was(self.module):
            return self.module(batch.ids, **given)

    def outputs(self, batch: Batch) -> Tensor:
        """Return the scores as the module gives them, (B, C) or (B, 1)."""
        check_evaluating(self.module)
        with torch.no_grad():
            if not batch.has_zeros and not self.ends_in:
                return self.checked(logits_of(self._called(batch)), batch)
            with WordVectors(
                self.module, batch.ids, change=batch.change, tables=self.tables
            ) as run:
                said = logits_of(self._called(batch))
            return self.checked(run.before_end(said), batch)

    def _called(self, batch: Batch) -> Any:
        try:
            return self.call(batch)
        except InputError:
            raise
        except Exception as error:
            if isinstance(error, IndexError):
                self.explain_index(batch)
            self.check_length(batch)
            tokens = batch.ids.shape[1]
            failed = f"{type(self.module).__name__} failed ({reason(error)})"
            if tokens >= _SHORT:
                raise ModelError(failed) from error
            hint = f"; are texts of {tokens} tokens too short for it? say "
            raise ModelError(failed, hint, Argument("min_length", ...)) from error

    def check_length(self, batch: Batch) -> None:
        """Raise if a text has more tokens than the module has places."""
        config = getattr(self.module, "config", None)
        most = getattr(config, "max_position_embeddings", None)
        if isinstance(most, int) and batch.ids.shape[1] > most > 0:
            raise too_long(batch.ids, most)

    def explain_index(self, batch: Batch) -> None:
        """Raise what is wrong with an index, if it is one of a table."""
        with torch.no_grad(), WordVectors(self.module, batch.ids, tables=self.tables):
            self.call(batch)

    def checked(self, said: object, batch: Batch) -> Tensor:
        """Return scores of the right shape, (B, C) or (B, 1)."""
        count = len(batch.ids)
        wanted = f"({count}, {self.classes})"
        if not isinstance(said, Tensor):
            raise ModelError(
                f"{type(self.module).__name__} returned {shown(said)}; {wanted} scores are needed"
            )
        if said.shape == (count,):
            said = said.unsqueeze(1)
        if said.dim() != 2 or len(said) != count or said.shape[1] not in self._columns:
            raise ModelError(
                f"{type(self.module).__name__} returned {tuple(said.shape)} for {count} texts; for "
                f"{self.classes} classes it must return {wanted}"
            )
        return said

    def scores_of(self, outputs: Tensor) -> Scores:
        """Return the scores of all classes, (B, C); (−s, s) of a single one."""
        numbers: Scores = outputs.detach().double().numpy()
        return np.concatenate([-numbers, numbers], axis=1) if self.single else numbers

    def scores(self, texts: Sequence[Encoded]) -> Scores:
        """Return the scores of texts, (texts, C)."""
        result = np.empty((len(texts), self.classes))
        with self.lock:
            for batch in self.batches(texts):
                result[batch.numbers] = self.scores_of(self.outputs(batch))
        return result

    # ---- looking at it once -------------------------------------------------------------------

    def look(self, texts: Sequence[Encoded]) -> None:
        """Find out how the module ends, and whether it can pad, by a long and a short text."""
        with self.lock:
            self.pads = False
            longest = max(texts, key=lambda one: len(one.ids))
            (batch,) = self.batches([longest])
            with (
                torch.no_grad(),
                WordVectors(self.module, batch.ids, tables=self.tables) as run,
            ):
                said = logits_of(self._called(batch))
            if not run.words:
                raise InputError(
                    f"{type(self.module).__name__} looks up no vectors of the ids that it gets; "
                    "name the table: ",
                    Argument("embeddings", "…"),
                )
            self.ends_in = run.end_of(said)
            before = self.checked(run.before_end(said), batch)
            self.single = before.shape[1] < self.classes
            self.alone = not self._agrees(lambda: self._beside(longest))
            self.pads = self.pad is not None and not self.alone
            if self.pads:
                read = [one for one in texts if len(one.ids) > self.min_length]
                short = min(read, key=lambda one: len(one.ids), default=longest)
                self.pads = self._agrees(lambda: self._pads(longest, short))

    def _agrees(self, question: Callable[[], bool]) -> bool:
        """Return the answer to a question; no, if the module fails."""
        try:
            return question()
        except ModelError as error:
            if error.__cause__ is None:  # not the module's own: a padding id outside of its table
                raise
            return False

    def _beside(self, text: Encoded) -> bool:
        """Whether a text's scores are the same before and after another of its length."""
        alone = self.scores_of(self.outputs(self._batch([text], [0])))
        three = [text, _one_word_again(text), text]
        beside = self.scores_of(self.outputs(self._batch(three, [0, 1, 2])))[::2]
        return _are_close(alone, beside)

    def _pads(self, longest: Encoded, short: Encoded) -> bool:
        """Whether a text's scores are the same beside longer ones, whatever its words are.

        Of some words a padding shows that loses against others, so they are drawn at random.
        """
        if len(short.ids) == len(longest.ids):
            return False  # nobody knows
        several = [short] * _DRAWN
        alone = self._drawn(self._batch(several, list(range(_DRAWN))), len(short.ids))
        beside = self._batch([*several, longest], list(range(_DRAWN + 1)))
        return _are_close(alone, self._drawn(beside, len(short.ids))[:_DRAWN])

    def _drawn(self, batch: Batch, length: int) -> Scores:
        """Return scores of texts with vectors drawn at random, but the first one's."""
        scales: list[float] = []

        def draw(vectors: Tensor, tokens: Tensor) -> Tensor:
            random = torch.Generator().manual_seed(0)
            shape = (_DRAWN, length, vectors.shape[-1])
            drawn = torch.randn(shape, generator=random, dtype=vectors.dtype)
            text = torch.div(tokens, batch.ids.shape[1], rounding_mode="floor")
            place = tokens - text * batch.ids.shape[1]
            if not scales:
                scales.append(float(vectors[(text == 0) & (place < length)].abs().mean()) or 1.0)
            drawn *= torch.logspace(-1, 1, _DRAWN).reshape(-1, 1, 1) * scales[0]
            own = (text > 0) & (text < _DRAWN) & (place < length)
            changed = vectors.clone()
            changed[own] = drawn[text[own], place[own]]
            return changed

        with (
            torch.no_grad(),
            WordVectors(self.module, batch.ids, change=draw, tables=self.tables) as run,
        ):
            said = logits_of(self._called(batch))
        return self.scores_of(self.checked(run.before_end(said), batch))


def _are_close(some: Scores, others: Scores) -> bool:
    """Return whether scores are the same but for rounding; no, if they are no numbers."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(some - others)
    return bool(np.all(apart <= _TOLERANCE * np.maximum(1, np.abs(some))))


def _one_word_again(text: Encoded) -> Encoded:
    """Return a text of the same length and ends with one word again and again."""
    ids = text.ids.copy()
    ids[1:-1] = ids[len(ids) // 2] if len(ids) else 0
    return replace(text, ids=ids)


@contextmanager
def as_it_was(module: nn.Module) -> Iterator[None]:
    """Let a module keep nothing of what it sees: many do, for somebody's plots."""
    kept = [(part, dict(vars(part))) for part in module.modules()]
    try:
        yield
    finally:
        for part, before in kept:
            for name in vars(part).keys() - before.keys():
                del vars(part)[name]
            vars(part).update(before)


def logits_of(said: Any) -> Any:  # what a module returned
    """Return the scores in what a module returned."""
    if isinstance(said, Tensor):
        return said
    if isinstance(said, dict) and "logits" in said:
        return said["logits"]
    return getattr(said, "logits", said)


def _outputs(part: nn.Module) -> int:
    """Return how many numbers a layer gives of each token, about."""
    names = ("out_features", "out_channels", "nf", "hidden_size")
    return next(
        (getattr(part, name) for name in names if isinstance(getattr(part, name, None), int)), 0
    )
