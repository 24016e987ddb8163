"""Texts that are longer than a module can read, in windows, equation (40) of docs/method.md.

The score of a text is the mean of its windows', and so is whatever adds up to it: what was found of
windows becomes what is said of texts here, and nowhere else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import Argument, InputError
from whyword.models.pytorch.encoding import Encoded


def window_places(count: int, before: int, after: int, size: int) -> list[NDArray[np.intp]]:
    """Return the windows of a text: which of its pieces each has.

    What fits is one window. Else each begins half a window after the one before, and the last is
    moved back so that it is full.

    Parameters
    ----------
    count : int
        The text's pieces, special tokens included.
    before, after : int
        How many of them are special tokens at its beginning and its end: every window has them.
    size : int
        The pieces of a window, special tokens included; more than `before` + `after`.
    """
    if count <= size:
        return [np.arange(count)]
    room, own = size - before - after, count - before - after
    starts = [*range(0, own - room, max(1, room // 2)), own - room]
    begin, end = np.arange(before), np.arange(count - after, count)
    return [
        np.concatenate([begin, np.arange(before + start, before + start + room), end])
        for start in starts
    ]


class Window(NamedTuple):
    """How much of a text is read at a time.

    Attributes
    ----------
    size : int or None
        So many tokens, special ones included; None for all there are.
    before, after : int
        How many special tokens every text begins and ends with.
    """

    size: int | None = None
    before: int = 0
    after: int = 0

    @classmethod
    def of(cls, size: int | None, texts: Sequence[Encoded], min_length: int) -> "Window":
        """Return a window of some size for texts such as these; raise if they do not fit in."""
        ends = [_ends(one) for one in texts]
        before, after = (min(some) for some in zip(*ends, strict=True))
        least = max(before + after + 1, min_length)
        if size is not None and size < least:
            raise InputError(
                Argument("window", size),
                f" is too small: it must be at least {least:,} tokens, special ones included",
            )
        return cls(size, before, after)

    def places(self, text: Encoded) -> list[NDArray[np.intp]]:
        """Return the windows of a text: which of its pieces each has."""
        count = len(text.ids)
        if self.size is None or count <= self.size:
            return [np.arange(count)]
        before, after = _ends(text)  # what a text has more of them is cut like the rest
        return window_places(count, min(before, self.before), min(after, self.after), self.size)

    def tokens(self, text: Encoded) -> int:
        """Return how many tokens are read of a text, about: most are in two windows."""
        count = len(text.ids)
        return count if self.size is None or count <= self.size else 2 * count


def _ends(text: Encoded) -> tuple[int, int]:
    """Return how many special tokens a text begins and ends with; none if it has no others."""
    own = np.flatnonzero(~text.special)
    return (int(own[0]), len(text.ids) - 1 - int(own[-1])) if len(own) else (0, 0)


@dataclass(frozen=True, eq=False)
class Windows:
    """The W windows in which n texts are read: one of each that fits in, several of others.

    Attributes
    ----------
    texts : list of n Encoded
    owner : (W,) intp
        Whose each is.
    places : list of W (tokens,) intp
        Which of its text's pieces each has.
    """

    texts: Sequence[Encoded]
    owner: NDArray[np.intp]
    places: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, texts: Sequence[Encoded], window: Window) -> "Windows":
        """Return the windows of texts."""
        each = [window.places(one) for one in texts]
        owner = np.repeat(np.arange(len(texts)), [len(one) for one in each])
        return cls(texts, owner, [places for one in each for places in one])

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many windows each text has, (n,)."""
        return np.bincount(self.owner, minlength=len(self.texts))

    @cached_property
    def of_words(self) -> list[NDArray[np.bool_]]:
        """Which pieces of each text touch a word, (P,)."""
        return [one.pieces.of_words for one in self.texts]

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """How many tokens each has, (W,)."""
        return np.array([len(one) for one in self.places], np.intp)

    def distinct(self) -> tuple["Windows", NDArray[np.intp]]:
        """Return windows of which no two are read alike, and which of them each is like, (W,).

        Of a text without a word, most windows are those of the whole text.
        """
        if len(self.places) == len(self.texts):
            return self, np.arange(len(self.texts))
        first: dict[tuple[bytes, ...], int] = {}
        chosen: list[int] = []
        like = np.empty(len(self.places), np.intp)
        for number, (owner, places) in enumerate(zip(self.owner, self.places, strict=True)):
            text = self.texts[owner]
            parts = (text.ids, text.hidden, text.zeroed)
            like[number] = first.setdefault(
                tuple(one[places].tobytes() for one in parts), len(chosen)
            )
            if like[number] == len(chosen):
                chosen.append(number)
        return Windows(self.texts, self.owner[chosen], [self.places[one] for one in chosen]), like

    # ---- from windows to texts ----------------------------------------------------------------

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means of what windows have, (W, …) → (n, …)."""
        sums = np.zeros((len(self.texts), *values.shape[1:]))
        self.add(sums, np.arange(len(values)), values)
        return sums

    def add(
        self, sums: NDArray[np.float64], numbers: NDArray[np.intp], values: NDArray[np.float64]
    ) -> None:
        """Add what some windows have, (B, …), to what their texts have, (n, …): a share of each."""
        owner = self.owner[numbers]
        shares = self.counts[owner].reshape(-1, *[1] * (values.ndim - 1))
        np.add.at(sums, owner, values / shares)

    def add_pieces(
        self,
        sums: Sequence[NDArray[Any]],
        numbers: NDArray[np.intp],
        values: NDArray[Any],
        beyond: NDArray[np.float64] | None = None,
    ) -> None:
        """Add what the tokens of windows have, (B, T, …), to their texts' pieces, (P, …) each.

        What is behind the end of a window, where it was filled up, is added to `beyond`, (n, …).
        """
        for row, text, places in self.rows(numbers):
            count, share = len(places), int(self.counts[text])
            sums[text][places] += values[row, :count] / share
            if beyond is not None:
                beyond[text] += values[row, count:].sum(0) / share

    def rows(self, numbers: NDArray[np.intp]) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
        """Yield a row for each of some windows: its number, its text's, and its places there."""
        for row, number in enumerate(numbers.tolist()):
            yield row, int(self.owner[number]), self.places[number]

    def nothing(self, *shape: int, dtype: type[np.floating] = np.float64) -> list[NDArray[Any]]:
        """Return zeros for each text's pieces, (P, …) each."""
        return [np.zeros((len(one.ids), *shape), dtype) for one in self.texts]
