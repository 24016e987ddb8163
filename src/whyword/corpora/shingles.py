"""Documents as numbers that are quickly compared: their words, and runs of two words.

The words are those a tokeniser found, in lower case. What is kept of a document is a number for
each word, and a MinHash signature of its shingles (runs of :data:`RUN` words): the share of equal
places in two signatures estimates the share of shingles that two documents have in common.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import Ints, Offsets, compiled
from whyword.base.threads import in_threads
from whyword.words.document import Document
from whyword.words.scan import Codes, code_points

Words: TypeAlias = NDArray[np.uint32]
Hashes: TypeAlias = NDArray[np.uint64]

RUN = 2  # words of a shingle
PLACES = 64  # of a signature

_random = np.random.default_rng(20)  # the same signatures everywhere, always
_FACTORS = _random.integers(1 << 32, size=PLACES, dtype=np.uint32) | np.uint32(1)
_SHIFTS = _random.integers(1 << 32, size=PLACES, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class WordNumbers:
    """The words of several documents as numbers, one document after the other.

    Attributes
    ----------
    words : (words,) uint32
        Equal for equal words, lower case; different ones are equal once in four thousand millions.
    ends : (documents + 1,) int64
        Where each document begins.
    whole : (documents,) uint64
        A hash of all words in their order; 64 bits make a clash negligible.
    """

    words: Words
    ends: Offsets
    whole: Hashes

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "WordNumbers":
        """Return the words of documents, which are read one by one and not kept."""
        numbers, hashes = [], []
        for document in documents:
            words, whole = _numbers(code_points(_lowered(document.text)), document.spans)
            numbers.append(words)
            hashes.append(whole)
        ends = np.cumsum([0, *map(len, numbers)], dtype=np.int64)
        words = np.concatenate(numbers) if numbers else np.empty(0, np.uint32)
        return cls(words, ends, np.array(hashes, np.uint64))

    @property
    def lengths(self) -> Offsets:
        """How many words each document has, (documents,) int64."""
        return np.diff(self.ends)

    def __len__(self) -> int:
        return len(self.whole)

    def signatures(self, chosen: NDArray[np.intp]) -> Words:
        """Return the MinHash signatures of some documents' shingles, (chosen, PLACES) uint32.

        Of fewer than :data:`RUN` words there is no shingle: all places are the largest number.
        """
        result = np.full((len(chosen), PLACES), 0xFFFFFFFF, np.uint32)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            _sign(self.words, self.ends, chosen[part], _FACTORS, _SHIFTS, result[part])

        in_threads(work, len(chosen))
        return result


def _lowered(text: str) -> str:
    """Return the text in lower case, as long as before, so that spans still fit."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    each = ((letter, letter.lower()) for letter in text)  # İ becomes two characters
    return "".join(lower if len(lower) == 1 else letter for letter, lower in each)


@compiled
def _numbers(codes: Codes, spans: Ints) -> tuple[Words, np.uint64]:
    """Return a number for each word, and a hash of all."""
    words = np.empty(len(spans), np.uint32)
    whole = np.uint64(len(spans))
    for t in range(len(spans)):
        value = np.uint64(0xCBF29CE484222325)  # FNV-1a
        for i in range(spans[t, 0], spans[t, 1]):
            value = (value ^ np.uint64(codes[i])) * np.uint64(0x100000001B3)
        value ^= value >> np.uint64(32)
        words[t] = np.uint32(value & np.uint64(0xFFFFFFFF))
        whole = (whole ^ value) * np.uint64(0x9E3779B97F4A7C15)
        whole ^= whole >> np.uint64(29)
    return words, whole


@compiled
def shingle(words: Words, at: int) -> np.uint64:
    """Return the hash of the shingle that begins at a word."""
    value = np.uint64(0)
    for i in range(at, at + RUN):
        value = (value ^ np.uint64(words[i])) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
    return value


@compiled
def _sign(
    words: Words,
    ends: Offsets,
    chosen: NDArray[np.intp],
    factors: Words,
    shifts: Words,
    result: Words,
) -> None:
    for n in range(len(chosen)):
        document = chosen[n]
        lowest = result[n]
        for at in range(ends[document], ends[document + 1] - RUN + 1):
            value = np.uint32(shingle(words, at) >> np.uint64(32))
            for place in range(PLACES):
                hashed = np.uint32((value ^ shifts[place]) * factors[place])
                if hashed < lowest[place]:
                    lowest[place] = hashed


@compiled
def common_share(one: Words, other: Words, least: float) -> float:
    """Return the share of two documents' words that stand in a shingle which both have.

    At most what a one-to-one match of the words allows: a text repeated is no copy of itself. If
    that is less than is wanted, it is not looked for, and 0.

    Parameters
    ----------
    one, other : (words,) uint32
        Of :data:`RUN` words at least.
    least : float
        From which share on it is wanted.
    """
    both = len(one) + len(other)
    most = 2 * min(len(one), len(other)) / both
    if most < least:
        return 0.0
    first, second = _shingles(one), _shingles(other)
    common = _covered(first, np.sort(second)) + _covered(second, np.sort(first))
    return min(common / both, most)


@compiled
def _shingles(words: Words) -> Hashes:
    result = np.empty(len(words) - RUN + 1, np.uint64)
    for at in range(len(result)):
        result[at] = shingle(words, at)
    return result


@compiled
def _covered(shingles: Hashes, others: Hashes) -> int:
    """Return how many words stand in a shingle that is among the others, which are sorted."""
    count, end = 0, 0
    for at in range(len(shingles)):
        place = np.searchsorted(others, shingles[at])
        if place < len(others) and others[place] == shingles[at]:
            count += at + RUN - max(end, at)
            end = at + RUN
    return count
