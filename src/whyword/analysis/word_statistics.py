"""What is known of each word after some documents, for each class; what parts know is merged.

A word may be a phrase: whatever the model used as a unit.
"""

from array import array
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.base.errors import Argument, InputError
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
    units : {"words", "phrases"}
        What counts as a word. Phrases need explanations with ``level="phrase"``.
    placed : bool
        Keep in which documents each word occurs: eight bytes for an occurrence.
    symbols : bool
        Whether words without a letter or digit are among the occurrences that are kept.

    Attributes
    ----------
    numbers : dict from lower-cased word to its number
    is_symbol : (V,) bool
        Whether it has neither a letter nor a digit.
    strongest : (V, K) float32
    where : (V, K) int64
        The place of that occurrence among all words of all documents.
    sums, given_sums : (V, K) float64
        Over all documents, and over those alone that the model gave the class.
    counts, documents : (V,) int64
        How often each occurs, and in how many documents.
    labels : tuple of K labels
        Once there is a document.
    """

    def __init__(
        self,
        classes: int,
        occurrences: int,
        named: bool,
        units: str = "words",
        placed: bool = False,
        symbols: bool = True,
    ) -> None:
        self.occurrences, self.named, self.units = occurrences, named, units
        self.symbols, self.is_symbol = symbols, np.empty(0, np.bool_)
        self.labels: tuple[Label, ...] = ()
        self.numbers: dict[str, int] = {}
        self.strongest = np.empty((0, classes), np.float32)
        self.where = np.empty((0, classes), np.int64)
        self.sums = np.empty((0, classes))
        self.given_sums = np.empty((0, classes))
        self.counts = np.empty(0, np.int64)
        self.documents = np.empty(0, np.int64)
        self._last = np.empty(0, np.int64)  # the document in which each was met last
        self._pairs: list[NDArray[np.int32]] | None = [] if placed else None
        self.best: list[list[Occurrence]] = [[] for _ in range(classes)]
        self.names: list[str] = []
        self.starts = array("q", [0])  # ten million documents are 80 MB

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, explanations: Sequence[Explanation]) -> None:
        """Take in some documents."""
        self.labels = explanations[0].targets
        of = [units_of(explanation, self.units) for explanation in explanations]
        names = [name for units in of for name in units.names]
        numbers = np.array(
            [self.numbers.setdefault(name, len(self.numbers)) for name in names], np.int32
        )
        columns = {label: column for column, label in enumerate(self.labels)}
        documents, given, places = [], [], []
        for units, explanation in zip(of, explanations, strict=True):
            if self.named:
                self.names.append(str(explanation.id))
            count = len(units.names)
            documents.append(np.full(count, len(self), np.int64))
            given.append(np.full(count, columns.get(explanation.highest, -1), np.int64))
            places.append(units.positions + self.starts[-1])
            # characters may be units where there is no word: then they have a place, too
            self.starts.append(self.starts[-1] + max(len(explanation.spans), min(count, 1)))
        values = np.concatenate([units.values for units in of]).astype(np.float32)
        relevance = np.concatenate([units.relevance for units in of])
        where, numbered = np.concatenate(places), np.concatenate(documents)
        if self._pairs is not None:
            self._pairs.append(np.stack([numbers, numbered.astype(np.int32)]))
        self._grow()
        take_in(
            numbers,
            numbered,
            np.concatenate(given),
            where,
            values,
            relevance,
            self.strongest,
            self.where,
            self.sums,
            self.given_sums,
            self.counts,
            self.documents,
            self._last,
        )
        for column, best in enumerate(self.best if self.occurrences else ()):
            self.best[column] = self._best(best, values[:, column], numbers, where)

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
        self.given_sums[at] += others.given_sums
        self.counts[at] += others.counts
        self.documents[at] += others.documents
        for column, best in enumerate(others.best):
            new = [Occurrence(one.relevance, int(at[one.word]), one.place + first) for one in best]
            self.best[column] = self._first_of([*self.best[column], *new])
        self.names += others.names
        self.starts.extend(start + first for start in others.starts[1:])

    def _grow(self) -> None:
        more = len(self.numbers) - len(self.counts)
        if more:
            classes = self.strongest.shape[1]
            new = list(islice(reversed(self.numbers), more))[::-1]
            symbols = np.array([not any(map(str.isalnum, word)) for word in new], np.bool_)
            self.is_symbol = np.concatenate([self.is_symbol, symbols])
            self.strongest = np.concatenate(
                [self.strongest, np.full((more, classes), -np.inf, np.float32)]
            )
            self.where = np.concatenate([self.where, np.zeros((more, classes), np.int64)])
            self.sums = np.concatenate([self.sums, np.zeros((more, classes))])
            self.given_sums = np.concatenate([self.given_sums, np.zeros((more, classes))])
            none = np.zeros(more, np.int64)
            self.counts = np.concatenate([self.counts, none])
            self.documents = np.concatenate([self.documents, none])
            self._last = np.concatenate([self._last, none - 1])

    def _best(
        self,
        before: list[Occurrence],
        relevance: NDArray[np.float32],
        numbers: NDArray[np.int32],
        where: NDArray[np.int64],
    ) -> list[Occurrence]:
        """Return the strongest occurrences, those of before included; earlier ones win ties."""
        order = np.argsort(-relevance, kind="stable")
        if not self.symbols:
            order = order[~self.is_symbol[numbers[order]]]
        order = order[: self.occurrences].tolist()
        new = [Occurrence(float(relevance[n]), int(numbers[n]), int(where[n])) for n in order]
        return self._first_of([*before, *new])

    def _first_of(self, occurrences: list[Occurrence]) -> list[Occurrence]:
        return sorted(occurrences, key=lambda one: (-one.relevance, one.place))[: self.occurrences]

    def ranked(
        self, column: int, rank: str, least: int, top: int, symbols: bool = True
    ) -> list[Occurrence]:
        """Return the highest words of one class, each with its strongest occurrence's place.

        Parameters
        ----------
        column : int
            Of the class.
        rank : {"typical", "strongest", "mean", "sum"}
        least : int
            How often a word must occur.
        top : int
            At most so many; none that does not speak for the class.
        symbols : bool
            Whether words without a letter or digit are among them.
        """
        fit = (self.counts >= least) & (symbols | ~self.is_symbol)
        values = np.where(fit, self._ranks(column)[rank](), -np.inf)
        order = np.argsort(-values, kind="stable")[:top].tolist()
        return [
            Occurrence(float(values[word]), word, int(self.where[word, column]))
            for word in order
            if values[word] > 0
        ]

    def _ranks(self, column: int) -> dict[str, Callable[[], NDArray[np.float64]]]:
        """Return what computes what the words of a class are ordered by, docs/classes.md."""
        sums, given = self.sums[:, column], self.given_sums[:, column]
        return {
            "typical": lambda: given / self.documents * np.log1p(self.documents) ** 2,
            "strongest": lambda: self.strongest[:, column].astype(np.float64),
            "mean": lambda: sums / self.counts,
            "sum": lambda: sums,
        }

    def documents_of(self, words: Collection[str]) -> dict[str, list[int]]:
        """Return the numbers of the documents that have each of some words; they must be kept."""
        if self._pairs is None:
            raise ValueError("where words occur was not kept")
        names = list(words)
        slots = np.full(len(self.numbers), -1, np.int64)
        slots[[self.numbers[name] for name in names]] = range(len(names))
        keys = [
            slot[slot >= 0] * len(self) + documents[slot >= 0]
            for numbers, documents in self._pairs
            for slot in (slots[numbers],)
        ]
        result: dict[str, list[int]] = {name: [] for name in names}
        for slot, document in zip(*divmod(np.unique(np.concatenate(keys)), len(self)), strict=True):
            result[names[slot]].append(int(document))
        return result

    def locate(self, place: int) -> tuple[str | int, int]:
        """Return the document of a place, by its name or number, and the position in it."""
        document = int(np.searchsorted(self.starts, place, "right")) - 1
        return self.names[document] if self.named else document, place - self.starts[document]


class Units(NamedTuple):
    """The words or phrases of a document, each occurrence by itself.

    Attributes
    ----------
    names : list of n str
        Lower-cased.
    spans : (n, 2) int32
        In code points of the text.
    positions : (n,) int64
        Of each, or of its first word, among the document's words.
    values, relevance : (n, K)
        What the strongest is chosen by, and what is summed up.
    """

    names: list[str]
    spans: NDArray[np.int32]
    positions: NDArray[np.int64]
    values: NDArray[np.floating]
    relevance: NDArray[np.float32]


def units_of(one: Explanation, units: str) -> Units:
    """Return what is counted in a document: "words", or "phrases" if they were asked for."""
    if units == "words":
        names = [word.lower() for word in one.document.cut()]
        relevance = one.relevance.reshape(len(names), len(one.targets))
        return Units(names, one.spans, np.arange(len(names)), one.word_values(), relevance)
    if one.units is None:
        raise InputError("explanations have phrases with ", Argument("level", "phrase"), " only")
    names = [name.lower() for name in one.units.names]
    relevance = one.units.relevance.astype(np.float32).reshape(len(names), len(one.targets))
    values: NDArray[np.floating] = relevance
    if one.parameters.get("occurrences") == "equal shares":  # as word_values has it
        numbers: dict[str, int] = {}
        at = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.intp)
        sums = np.zeros((len(numbers), len(one.targets)))
        np.add.at(sums, at, relevance)
        values = sums[at]
    # an n-gram of characters may begin between words, or before all of them
    before = np.searchsorted(one.spans[:, 0], one.units.spans[:, 0], "right") - 1
    positions = np.maximum(before, 0).astype(np.int64)
    return Units(names, one.units.spans, positions, values, relevance)


@compiled
def take_in(
    numbers: NDArray[np.int32],
    documents: NDArray[np.int64],
    given: NDArray[np.int64],
    places: NDArray[np.int64],
    values: NDArray[np.float32],
    relevance: NDArray[np.float32],
    strongest: NDArray[np.float32],
    where: NDArray[np.int64],
    sums: NDArray[np.float64],
    given_sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    spread: NDArray[np.int64],
    last: NDArray[np.int64],
) -> None:
    """strongest[w, k] = max over the occurrences n of w, where[w, k] the first that attains it.

    Parameters
    ----------
    numbers : (N,) int32
        The word of each occurrence.
    documents, given, places : (N,) int64
        The number of its document, the column of the class that this was given (−1 if it is none
        of the K), and its place among all words of all documents.
    values, relevance : (N, K) float32
        What the strongest is chosen by, and what is summed up.
    strongest, where, sums, given_sums : (V, K)
    counts, spread, last : (V,)
        How often each word occurs, in how many documents, and the last of them. Updated.
    """
    for n in range(numbers.size):
        word = numbers[n]
        counts[word] += 1
        if last[word] != documents[n]:
            last[word] = documents[n]
            spread[word] += 1
        if given[n] >= 0:
            given_sums[word, given[n]] += relevance[n, given[n]]
        for k in range(relevance.shape[1]):
            value = values[n, k]
            sums[word, k] += relevance[n, k]
            if value > strongest[word, k]:
                strongest[word, k] = value
                where[word, k] = places[n]
