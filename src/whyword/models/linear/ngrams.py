"""Words and n-grams of adjacent words as numbers: no string is made for an n-gram but its name.

An n-gram is known by its code: the place of its first n − 1 words among the n-grams of that length,
times the number of words, plus the place of its last word. Codes of a length are kept in increasing
order, so that a binary search finds the n-grams of a whole text at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.words.document import Document

LONGEST = 5  # words of an n-gram
UNKNOWN, LEFT_OUT = -1, -2  # what stands between its neighbours, and what does not

Codes = NDArray[np.int64]
Places = NDArray[np.intp]


class Found(NamedTuple):
    """The n-grams of one length in a sequence of words.

    Attributes
    ----------
    length : int
    starts : (O,) intp
        The number, in the sequence, of each one's first word.
    places : (O,) intp
        The place of each among the features.
    """

    length: int
    starts: Places
    places: Places


@dataclass(frozen=True, eq=False)
class Ngrams:
    """Which n-grams are features: those of the shortest length first.

    Attributes
    ----------
    words : list of W str
        Lower-cased; of texts' words, those that can be in an n-gram.
    lengths : tuple of int
        How many words the shortest and the longest have.
    codes : tuple of (V_n,) int64
        Of the n-grams of 2, 3, … words, in increasing order.
    stop_words : frozenset of str
        Lower-cased; texts are read as if these were not in them.
    """

    words: list[str]
    lengths: tuple[int, int] = (1, 1)
    codes: tuple[Codes, ...] = ()
    stop_words: frozenset[str] = frozenset()

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each word, or that it is left out."""
        places = {word: place for place, word in enumerate(self.words)}
        return places | dict.fromkeys(self.stop_words, LEFT_OUT)

    @cached_property
    def sizes(self) -> list[int]:
        """How many n-grams there are of each length, from 1 on."""
        return [len(self.words), *map(len, self.codes)]

    @cached_property
    def _firsts(self) -> list[int]:
        """The place of the first feature of each length, as if all lengths were features."""
        skipped = sum(self.sizes[: self.lengths[0] - 1])
        return [sum(self.sizes[:number]) - skipped for number in range(len(self.sizes))]

    def __len__(self) -> int:
        return sum(self.sizes[self.lengths[0] - 1 :])

    def find(self, numbers: Places) -> list[Found]:
        """Return the features in a sequence of words, length by length.

        Parameters
        ----------
        numbers : (T,) intp
            The words' places, −1 for those that are not known and between texts.
        """
        least, most = self.lengths
        starts = np.flatnonzero(numbers >= 0)
        places = numbers[starts]
        found = [Found(1, starts, places)] if least == 1 else []
        for length in range(2, most + 1):
            starts, codes = _longer(numbers, starts, places, length, len(self.words))
            known = self.codes[length - 2]
            places = np.searchsorted(known, codes)
            is_known = np.append(known, -1)[places] == codes
            starts, places = starts[is_known], places[is_known]
            if length >= least:
                found.append(Found(length, starts, places + self._firsts[length - 1]))
        return found

    def name(self, place: int) -> str:
        """Return what a feature is called: its words, a blank between them."""
        length = max(n for n in range(*_reach(self.lengths)) if place >= self._firsts[n - 1])
        place -= self._firsts[length - 1]
        words = []
        for codes in reversed(self.codes[: length - 1]):
            place, last = divmod(int(codes[place]), len(self.words))
            words.append(self.words[last])
        return " ".join([self.words[place], *reversed(words)])


@dataclass(frozen=True, eq=False)
class Names(Sequence[str]):
    """What features are called, each name made when it is asked for."""

    ngrams: Ngrams
    places: Places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]  # nobody takes slices
        return self.ngrams.name(int(self.places[number]))


class TrainingWords(NamedTuple):
    """The words of training documents as numbers, document after document.

    Attributes
    ----------
    words : list of W str
        Those of enough documents, sorted.
    numbers : (N,) intp
        Their places; −1 for the others, and behind each document.
    documents : (N,) int64
        The number of each one's document.
    stop_words : frozenset of str
        What was left out.
    """

    words: list[str]
    numbers: Places
    documents: NDArray[np.int64]
    stop_words: frozenset[str]


class _Numbers(dict[str, int]):
    """From a word, as it is written, to the number of its lower-cased form, given on sight."""

    def __init__(self) -> None:
        super().__init__()
        self.lowered: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self.lowered.setdefault(word.lower(), len(self.lowered))
        return number


def count_words(
    documents: Sequence[Document], least: int = 1, stop_words: frozenset[str] = frozenset()
) -> TrainingWords:
    """Return the words of training documents, those that at least so many of them have."""
    seen = _Numbers()
    pieces = [np.fromiter(map(seen.__getitem__, one.cut_read()), np.intp) for one in documents]
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    numbers = np.full(int(lengths.sum()) + len(pieces), len(seen.lowered), np.intp)
    owners = np.repeat(np.arange(len(pieces)), lengths + 1)
    is_word = np.ones(len(numbers), np.bool_)
    is_word[np.cumsum(lengths + 1) - 1] = False
    numbers[is_word] = np.concatenate(pieces) if pieces else 0
    is_kept = np.ones(len(seen.lowered), np.bool_)
    if least > 1:
        found, frequencies, _ = _group(numbers[is_word], owners[is_word])
        is_kept[found] = frequencies >= least
    kept = sorted(
        word for word, number in seen.lowered.items() if is_kept[number] and word not in stop_words
    )
    place_of = np.full(len(seen.lowered) + 1, UNKNOWN, np.intp)  # the last: between documents
    place_of[[seen.lowered[word] for word in stop_words if word in seen.lowered]] = LEFT_OUT
    place_of[[seen.lowered[word] for word in kept]] = np.arange(len(kept))
    numbers = place_of[numbers]
    read = numbers != LEFT_OUT
    return TrainingWords(kept, numbers[read], owners[read], stop_words)


def learn_ngrams(
    training: TrainingWords, lengths: tuple[int, int], least: int
) -> tuple[Ngrams, list[Found]]:
    """Return the n-grams of training documents, and where they stand in these.

    Parameters
    ----------
    training : TrainingWords
    lengths : tuple of int
        Of how many words, from and to.
    least : int
        Of several words, those that at least so many documents have.
    """
    numbers, words = training.numbers, len(training.words)
    starts = np.flatnonzero(numbers >= 0)
    places = numbers[starts]
    learned, by_length = [], [Found(1, starts, places)]
    for length in range(2, lengths[1] + 1):
        starts, codes = _longer(numbers, starts, places, length, words)
        known, frequencies, places = _group(codes, training.documents[starts])
        kept = frequencies >= least
        learned.append(known[kept])
        places = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)[places]
        starts, places = starts[places >= 0], places[places >= 0]
        by_length.append(Found(length, starts, places))
    ngrams = Ngrams(training.words, lengths, tuple(learned), training.stop_words)
    found = [
        one._replace(places=one.places + first)
        for one, first in zip(by_length, ngrams._firsts, strict=True)
    ]
    return ngrams, found[lengths[0] - 1 :]


def _longer(
    numbers: Places, starts: Places, places: Places, length: int, words: int
) -> tuple[Places, Codes]:
    """Return where n-grams with one more known word stand, and their codes."""
    last = np.append(numbers, UNKNOWN)[starts + length - 1]
    goes_on = last >= 0
    return starts[goes_on], places[goes_on] * np.int64(words) + last[goes_on]


def _group(codes: Codes, documents: NDArray[np.int64]) -> tuple[Codes, NDArray[np.intp], Places]:
    """Return the different codes in order, how many documents have each, and each one's number.

    One stable sort says it all: the documents are in order, and stay so within a code.
    """
    order = np.argsort(codes, kind="stable")
    ordered, owners = codes[order], documents[order]
    is_new = np.ones(len(codes), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    of_another = is_new.copy()
    of_another[1:] |= owners[1:] != owners[:-1]
    number = np.cumsum(is_new) - 1
    numbers = np.empty(len(codes), np.intp)
    numbers[order] = number
    known = ordered[is_new]
    return known, np.bincount(number[of_another], minlength=len(known)), numbers


def _reach(lengths: tuple[int, int]) -> tuple[int, int]:
    return lengths[0], lengths[1] + 1
