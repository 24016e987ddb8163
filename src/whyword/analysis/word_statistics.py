"""What is known of each word after some documents, for each class; what parts know is merged."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.base.labels import Label
from whyword.explanation.explanation import Explanation


class Occurrence(NamedTuple):
    """A word at a place.

    Attributes
    ----------
    relevance : float
    word : int
        Its number.
    place : int
        Among all words of all documents.
    """

    relevance: float
    word: int
    place: int


class WordStatistics:
    """What is known of each word so far, for K classes.

    Parameters
    ----------
    classes : int
        K.
    occurrences : int
        How many of the strongest occurrences are kept of each class.
    named : bool
        Whether documents have names; else they are known by their numbers.

    Attributes
    ----------
    numbers : dict from lower-cased word to its number
    strongest : (V, K) float32
    where : (V, K) int64
        The place of that occurrence among all words of all documents.
    sums : (V, K) float64
    counts : (V,) int64
    labels : tuple of K labels
        Once there is a document.
    """

    def __init__(self, classes: int, occurrences: int, named: bool) -> None:
        self.occurrences, self.named = occurrences, named
        self.labels: tuple[Label, ...] = ()
        self.numbers: dict[str, int] = {}
        self.strongest = np.empty((0, classes), np.float32)
        self.where = np.empty((0, classes), np.int64)
        self.sums = np.empty((0, classes))
        self.counts = np.empty(0, np.int64)
        self.best: list[list[Occurrence]] = [[] for _ in range(classes)]
        self.names: list[str] = []
        self.starts = array("q", [0])  # ten million documents are 80 MB

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, explanations: Sequence[Explanation]) -> None:
        """Take in some documents."""
        self.labels = explanations[0].targets
        ids, first = [], self.starts[-1]
        for explanation in explanations:
            if self.named:
                self.names.append(str(explanation.id))
            self.starts.append(self.starts[-1] + len(explanation.spans))
            ids += [
                self.numbers.setdefault(word.lower(), len(self.numbers))
                for word in explanation.document.cut()
            ]
        numbers = np.array(ids, np.int32)
        relevance = np.concatenate([explanation.relevance for explanation in explanations])
        values = np.concatenate([one.word_values() for one in explanations]).astype(np.float32)
        self._grow()
        take_in(
            numbers, values, relevance, first, self.strongest, self.where, self.sums, self.counts
        )
        for column, best in enumerate(self.best if self.occurrences else ()):
            self.best[column] = self._best(best, values[:, column], numbers, first)

    def merge(self, others: "WordStatistics") -> None:
        """Take in what was gathered of documents that come after these, in the same way."""
        self.labels = others.labels or self.labels
        first = self.starts[-1]
        at = np.array(
            [self.numbers.setdefault(word, len(self.numbers)) for word in others.numbers], np.intp
        )
        self._grow()
        stronger = others.strongest > self.strongest[at]
        self.strongest[at] = np.where(stronger, others.strongest, self.strongest[at])
        self.where[at] = np.where(stronger, others.where + first, self.where[at])
        self.sums[at] += others.sums
        self.counts[at] += others.counts
        for column, best in enumerate(others.best):
            new = [Occurrence(one.relevance, int(at[one.word]), one.place + first) for one in best]
            self.best[column] = self._first_of([*self.best[column], *new])
        self.names += others.names
        self.starts.extend(start + first for start in others.starts[1:])

    def _grow(self) -> None:
        more = len(self.numbers) - len(self.counts)
        if more:
            classes = self.strongest.shape[1]
            self.strongest = np.concatenate(
                [self.strongest, np.full((more, classes), -np.inf, np.float32)]
            )
            self.where = np.concatenate([self.where, np.zeros((more, classes), np.int64)])
            self.sums = np.concatenate([self.sums, np.zeros((more, classes))])
            self.counts = np.concatenate([self.counts, np.zeros(more, np.int64)])

    def _best(
        self,
        before: list[Occurrence],
        relevance: NDArray[np.float32],
        numbers: NDArray[np.int32],
        first: int,
    ) -> list[Occurrence]:
        """Return the strongest occurrences, those of before included; earlier ones win ties."""
        order = np.argsort(-relevance, kind="stable")[: self.occurrences].tolist()
        new = [Occurrence(float(relevance[n]), int(numbers[n]), first + n) for n in order]
        return self._first_of([*before, *new])

    def _first_of(self, occurrences: list[Occurrence]) -> list[Occurrence]:
        return sorted(occurrences, key=lambda one: (-one.relevance, one.place))[: self.occurrences]

    def ranked(self, column: int, rank: str, least: int, top: int) -> list[Occurrence]:
        """Return the highest words of one class, each with its strongest occurrence's place.

        Parameters
        ----------
        column : int
            Of the class.
        rank : {"strongest", "mean", "sum"}
        least : int
            How often a word must occur.
        top : int
            At most so many.
        """
        values = {
            "strongest": self.strongest[:, column].astype(np.float64),
            "sum": self.sums[:, column],
            "mean": self.sums[:, column] / np.maximum(self.counts, 1),
        }[rank]
        values = np.where(self.counts >= least, values, -np.inf)
        order = np.argsort(-values, kind="stable")[:top].tolist()
        return [
            Occurrence(float(values[word]), word, int(self.where[word, column]))
            for word in order
            if np.isfinite(values[word])
        ]

    def locate(self, place: int) -> tuple[str | int, int]:
        """Return the document of a place, by its name or number, and the position in it."""
        document = int(np.searchsorted(self.starts, place, "right")) - 1
        return self.names[document] if self.named else document, place - self.starts[document]


@compiled
def take_in(
    numbers: NDArray[np.int32],
    values: NDArray[np.float32],
    relevance: NDArray[np.float32],
    first: int,
    strongest: NDArray[np.float32],
    where: NDArray[np.int64],
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> None:
    """strongest[w, k] = max over the occurrences n of w, where[w, k] the first n that attains it.

    Parameters
    ----------
    numbers : (N,) int32
        The word of each occurrence.
    values, relevance : (N, K) float32
        What the strongest is chosen by, and what is summed up.
    first : int
        The place of the first of them among all.
    strongest, where, sums : (V, K)
    counts : (V,)
        Updated.
    """
    for n in range(numbers.size):
        word = numbers[n]
        counts[word] += 1
        for k in range(relevance.shape[1]):
            value = values[n, k]
            sums[word, k] += relevance[n, k]
            if value > strongest[word, k]:
                strongest[word, k] = value
                where[word, k] = first + n
