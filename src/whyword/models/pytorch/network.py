"""A module as what it is here: from the ids of texts to the scores of classes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
from whyword.models.pytorch.padding import is_same_beside, is_same_padded, is_unseen_hidden
from whyword.models.pytorch.place_tables import configured_places, places_of
from whyword.models.pytorch.tables import tables_of
from whyword.models.pytorch.windows import Window, Windows
from whyword.models.pytorch.word_vectors import WordVectors

_TOKENS = 4096  # of a batch, at most
_TEXTS = 64  # of a batch, at most
_BYTES = 512 << 20  # for what a batch's pass back needs
_PADDED = 1.3  # times as many tokens as there are, at most
_SHORT = 8  # tokens, of which a convolution may need more


@dataclass(frozen=True, eq=False)
class Batch:
    """Some texts side by side.

    Attributes
    ----------
    numbers : (B,) intp
        Which of the windows in which texts are read.
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
    window : int, optional
        How many tokens of a text it reads at a time; by default as many as it has places for.

    Attributes
    ----------
    single : bool
        Whether the module gives one score s, for (−s, s).
    ends_in : str
        "softmax", "log_softmax" or "sigmoid", whose input is explained; or nothing.
    pads : bool
        Whether a text's scores are the same beside longer ones.
    hides : bool
        Whether it is all the same what stands where the attention mask hides it.
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
        window: int | None = None,
    ) -> None:
        self.module, self.classes = check_module(module), classes
        self._columns = (1, 2) if classes == 2 and one_score else (classes,)
        self.pad, self.min_length = pad, min_length
        self.window, self._asked = Window(window), window
        self.tables = tables_of(module, embeddings)
        self.takes_mask = takes_mask(module)
        self.lock = threading.RLock()
        self.single, self.ends_in, self.pads = False, "", True
        self.mixes = self.alone = self.hides = False
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

    def windows(self, texts: Sequence[Encoded]) -> Windows:
        """Return texts as they are read: what is too long, in windows."""
        return Windows.of(texts, self.window)

    def batches(self, windows: Windows, singly: bool = False) -> Iterator[Batch]:
        """Yield windows side by side, those of like lengths together; or one by one."""
        lengths = np.maximum(windows.lengths, max(self.min_length, 1))
        most, singly = self.most_tokens, singly or self.alone
        some: list[int] = []
        tokens = 0
        for number in np.argsort(lengths, kind="stable").tolist():
            longest = int(lengths[number])
            tokens += longest
            fits = not some or (
                not singly
                and (len(some) + 1) * longest <= most
                and len(some) < _TEXTS
                and (len(some) + 1) * longest <= (_PADDED * tokens if self.pads else tokens)
            )
            if not fits:
                yield self._batch(windows, some)
                some, tokens = [], longest
            some.append(number)
        if some:
            yield self._batch(windows, some)

    def batch(self, texts: Sequence[Encoded]) -> Batch:
        """Return texts side by side, none of which is longer than a window."""
        return self._batch(self.windows(texts), list(range(len(texts))))

    def _batch(self, windows: Windows, numbers: list[int]) -> Batch:
        longest = max(int(windows.lengths[numbers].max()), self.min_length, 1)
        shape = (len(numbers), longest)
        ids = np.full(shape, self.pad or 0, np.int64)
        mask, zeroed = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        of_words = np.zeros(shape, np.bool_)
        for row, text, places in windows.rows(np.array(numbers)):
            one, count = windows.texts[text], len(places)
            ids[row, :count] = one.ids[places]
            mask[row, :count] = ~one.hidden[places]
            zeroed[row, :count] = one.zeroed[places]
            of_words[row, :count] = windows.of_words[text][places]
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
                return self.checked(self.called(batch), batch)
            with WordVectors(
                self.module, batch.ids, change=batch.change, tables=self.tables
            ) as run:
                said = self.called(batch)
            return self.checked(run.before_end(said), batch)

    def called(self, batch: Batch) -> Any:  # what the module returns
        """Return what the module says of classes; raise what is wrong if it fails."""
        try:
            return logits_of(self.call(batch))
        except InputError:
            raise
        except Exception as error:
            if isinstance(error, IndexError):
                self.explain_index(batch)
            tokens = batch.ids.shape[1]
            failed = f"{type(self.module).__name__} failed ({reason(error)})"
            if tokens >= _SHORT:
                raise ModelError(failed) from error
            hint = f"; are texts of {tokens} tokens too short for it? say "
            raise ModelError(failed, hint, Argument("min_length", ...)) from error

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
        """Return the scores of texts, (texts, C): the means of their windows'."""
        windows = self.windows(texts)
        distinct, like = windows.distinct()
        result = np.empty((len(distinct.places), self.classes))
        with self.lock:
            for batch in self.batches(distinct):
                result[batch.numbers] = self.scores_of(self.outputs(batch))
        return windows.mean(result[like])

    # ---- looking at it once -------------------------------------------------------------------

    def look(self, texts: Sequence[Encoded]) -> None:
        """Find out how the module ends, how much it reads, and whether it can pad."""
        with self.lock:
            self.pads = False
            texts = self._shortened(texts)
            longest = max(texts, key=lambda one: len(one.ids))
            batch = self.batch([longest])
            with (
                torch.no_grad(),
                WordVectors(self.module, batch.ids, tables=self.tables) as run,
            ):
                said = self.called(batch)
            if not run.words:
                raise InputError(
                    f"{type(self.module).__name__} looks up no vectors of the ids that it gets; "
                    "name the table: ",
                    Argument("embeddings", "…"),
                )
            self.ends_in = run.end_of(said)
            before = self.checked(run.before_end(said), batch)
            self.single = before.shape[1] < self.classes
            read = [one for one in texts if len(one.ids) > max(self.min_length, 1)]
            short = min(read, key=lambda one: len(one.ids), default=longest)
            words = {leaf.name for leaf in run.words}
            self._limit(places_of(self, [batch, self.batch([short])], words))
            self.alone = not self._agrees(lambda: is_same_beside(self, longest))
            self.pads = self.pad is not None and not self.alone
            if self.pads:
                self.pads = self._agrees(lambda: is_same_padded(self, longest, short))
            if self.pads and self.takes_mask:
                self.hides = self._agrees(lambda: is_unseen_hidden(self, longest))

    def _shortened(self, texts: Sequence[Encoded]) -> list[Encoded]:
        """Return texts without what does not fit into a window, as far as that is known."""
        self._limit(configured_places(self.module))
        self.window = Window.of(self.window.size, texts, self.min_length)
        windows = [self.window.places(one)[0] for one in texts]
        return [
            one.part(np.isin(np.arange(len(one.ids)), places))
            for one, places in zip(texts, windows, strict=True)
        ]

    def _limit(self, places: int | None) -> None:
        """Let windows have no more tokens than there are places; raise if they were asked to."""
        if places is None:
            return
        if self._asked is not None and self._asked > places:
            raise InputError(
                Argument("window", self._asked),
                f" is too large: {type(self.module).__name__} has {places:,} places",
            )
        self.window = self.window._replace(size=min(self.window.size or places, places))

    def _agrees(self, question: Callable[[], bool]) -> bool:
        """Return the answer to a question; no, if the module fails."""
        try:
            return question()
        except ModelError as error:
            if error.__cause__ is None:  # not the module's own: a padding id outside of its table
                raise
            return False


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
