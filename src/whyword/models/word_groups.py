"""Groups of words, many of them for each document: what is taken out of it, one group at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.words.document import Document

_AT_ONCE = 1 << 20  # words of the orders that are handed out together


@dataclass(frozen=True, eq=False)
class WordGroups:
    """Some groups of words of each of n documents, G in all; checked when it is made.

    A group may be empty, and a word may be in several.

    Attributes
    ----------
    offsets : (n + 1,) int64
        Document d has the groups ``offsets[d]`` … ``offsets[d + 1] − 1``.
    starts : (G + 1,) int64
        Group g has the words ``positions[starts[g]:starts[g + 1]]``.
    positions : (P,) int32
        Where the words stand in their document, increasing within a group.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    positions: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name, dtype in (("offsets", np.int64), ("starts", np.int64), ("positions", np.int32)):
            object.__setattr__(self, name, _integers(name, getattr(self, name), dtype))
        _check_ends("offsets", self.offsets, len(self.starts) - 1)
        _check_ends("starts", self.starts, len(self.positions))
        falls = np.diff(self.positions) <= 0
        falls[self.starts[(self.starts > 0) & (self.starts < len(self.positions))] - 1] = False
        if falls.any() or (self.positions < 0).any():
            raise InputError(
                "the words of a group must be different positions from 0 on, in increasing order",
                about=["groups"],
            )

    @classmethod
    def of(cls, documents: Iterable[Iterable[Iterable[int]]]) -> Self:
        """Return the groups of documents: for each a list of groups, each the words' positions."""
        offsets, starts, words = [0], [0], [np.zeros(0, np.int64)]
        for groups in documents:
            for group in groups:
                words.append(np.unique(_integers("positions", list(group), np.int64)))
                starts.append(starts[-1] + len(words[-1]))
            offsets.append(len(starts) - 1)
        return cls(np.array(offsets), np.array(starts), np.concatenate(words))

    @classmethod
    def alike(cls, numbers: Sequence[NDArray[np.integer[Any]]]) -> tuple[Self, NDArray[np.int64]]:
        """Return a group for each different number that words of a document have.

        Parameters
        ----------
        numbers : sequence of n (T,) integers
            Of each document's words; those below 0 are in no group.

        Returns
        -------
        groups : WordGroups
        values : (G,) int64
            The number of each group, increasing within a document.
        """
        lengths = np.array([len(each) for each in numbers], np.int64)
        every = np.concatenate([np.zeros(0, np.int64), *numbers]).astype(np.int64)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        positions = np.arange(len(every)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen = np.flatnonzero(every >= 0)
        order = chosen[np.lexsort((every[chosen], owners[chosen]))]
        every, owners = every[order], owners[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (every[1:] != every[:-1]) | (owners[1:] != owners[:-1])
        first = np.flatnonzero(is_new)
        offsets = np.searchsorted(owners[first], np.arange(len(lengths) + 1))
        starts = np.append(first, len(order))
        return cls(offsets, starts, positions[order].astype(np.int32)), every[first]

    def __len__(self) -> int:
        """Return the number of groups, G."""
        return len(self.starts) - 1

    @property
    def documents(self) -> int:
        """How many documents there are, n."""
        return len(self.offsets) - 1

    @property
    def owners(self) -> NDArray[np.int64]:
        """The number of each group's document, (G,)."""
        return np.repeat(np.arange(self.documents), np.diff(self.offsets))

    def between(self, first: int, last: int) -> "WordGroups":
        """Return the groups of the documents ``first`` … ``last − 1``, numbered anew from 0."""
        offsets = self.offsets[first : last + 1]
        starts = self.starts[offsets[0] : offsets[-1] + 1]
        positions = self.positions[starts[0] : starts[-1]]
        return WordGroups(offsets - offsets[0], starts - starts[0], positions)

    def check(self, documents: Sequence[Document]) -> None:
        """Raise if these are not the documents whose words are grouped."""
        if len(documents) != self.documents:
            raise InputError(
                f"there are groups of words of {self.documents:,} documents, "
                f"but {len(documents):,} documents",
                about=["groups"],
            )
        lengths = np.array([len(document) for document in documents], np.int64)
        beyond = self.positions >= np.repeat(lengths[self.owners], np.diff(self.starts))
        if beyond.any():
            at = int(np.flatnonzero(beyond)[0])
            owner = self.owners[np.searchsorted(self.starts, at, "right") - 1]
            raise InputError(
                f"a group has word {self.positions[at]} of document {owner}, "
                f"which has {lengths[owner]:,} words",
                about=["groups"],
            )

    def orders(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield the groups of one document after the other, a bounded number of words at a time.

        Yields
        ------
        document : int
        orders : (R, K) int32
            The words of R groups; −1 where a group has fewer than the others.
        """
        sizes = np.diff(self.starts)
        for document, (first, last) in enumerate(pairwise(self.offsets.tolist())):
            while first < last:
                longest = np.maximum.accumulate(sizes[first:last])
                fits = longest * np.arange(1, last - first + 1) <= _AT_ONCE  # falls once
                end = first + max(1, int(fits.sum()))
                within = np.arange(longest[end - first - 1]) < sizes[first:end, None]
                orders = np.full(within.shape, -1, np.int32)
                orders[within] = self.positions[self.starts[first] : self.starts[end]]
                yield document, orders
                first = end


def _integers(name: str, values: Any, dtype: type) -> NDArray[Any]:  # noqa: ANN401
    """Return a line of whole numbers as an array of a type; raise if they are none."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"the groups' {name} must be a list of whole numbers", about=["groups"])
    if array.size and (array.min() < 0 or array.max() > np.iinfo(dtype).max):
        raise InputError(
            f"the groups' {name} must be from 0 to {np.iinfo(dtype).max}", about=["groups"]
        )
    return np.ascontiguousarray(array, dtype)


def _check_ends(name: str, ends: NDArray[np.int64], count: int) -> None:
    if not len(ends) or ends[0] != 0 or ends[-1] != count or (np.diff(ends) < 0).any():
        raise InputError(
            f"the groups' {name} must go up from 0 to {max(count, 0):,}, which they cut up",
            about=["groups"],
        )
