"""Words of a text to numbers, without a Python object for each word."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.words.scan import code_points

Codes = NDArray[np.uint32]
Ints = NDArray[np.int32]

MISSING = -1
_FULL = 2  # times as many slots as words, at least


@dataclass(frozen=True, eq=False)
class WordHashes:
    """A table of words and their numbers, by open addressing.

    Attributes
    ----------
    slots : (S,) int32
        The word that is there, or −1; S is a power of 2.
    hashes : (words,) uint64
    codes : (·,) uint32
        The words' code points, one word after the other.
    ends : (words + 1,) int64
        Where each one begins.
    numbers : (words,) int32
    """

    slots: Ints
    hashes: NDArray[np.uint64]
    codes: Codes
    ends: NDArray[np.int64]
    numbers: Ints

    @classmethod
    def of(cls, words: Sequence[str], numbers: Sequence[int]) -> "WordHashes":
        """Return the table of distinct words and their numbers, none of them negative."""
        codes = code_points("".join(words))
        ends = np.cumsum([0, *map(len, words)]).astype(np.int64)
        size = 1 << max(4, (_FULL * len(words)).bit_length())
        slots, hashes = np.full(size, MISSING, np.int32), np.empty(len(words), np.uint64)
        _put_in(codes, ends, slots, hashes)
        return cls(slots, hashes, codes, ends, np.array(numbers, np.int32))

    def __len__(self) -> int:
        return len(self.numbers)

    def look_up(self, text: str, spans: Ints) -> Ints:
        """Return the number of each word of a text, (T,); −1 for words that are not there."""
        table = (self.slots, self.hashes, self.codes, self.ends, self.numbers)
        return _look_up(code_points(text), spans, *table)


@compiled
def _hash(codes: Codes, start: int, end: int) -> np.uint64:
    """FNV-1a of codes[start:end], its high bits mixed into the low ones."""
    value = np.uint64(0xCBF29CE484222325)
    for i in range(start, end):
        value = (value ^ np.uint64(codes[i])) * np.uint64(0x100000001B3)
    return value ^ (value >> np.uint64(32))


@compiled
def _put_in(codes: Codes, ends: NDArray[np.int64], slots: Ints, hashes: NDArray[np.uint64]) -> None:
    """Give each word the first free slot from its hash on."""
    mask = np.uint64(len(slots) - 1)
    for word in range(len(hashes)):
        hashes[word] = _hash(codes, ends[word], ends[word + 1])
        at = hashes[word] & mask
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = word


@compiled
def _look_up(
    text: Codes,
    spans: Ints,
    slots: Ints,
    hashes: NDArray[np.uint64],
    codes: Codes,
    ends: NDArray[np.int64],
    numbers: Ints,
) -> Ints:
    result = np.full(len(spans), np.int32(MISSING), np.int32)
    mask = np.uint64(len(slots) - 1)
    for t in range(len(spans)):
        start, end = spans[t, 0], spans[t, 1]
        hashed = _hash(text, start, end)
        at = hashed & mask
        while slots[at] >= 0:
            word = slots[at]
            if hashes[word] == hashed and ends[word + 1] - ends[word] == end - start:
                same = True
                for i in range(end - start):
                    if codes[ends[word] + i] != text[start + i]:
                        same = False
                        break
                if same:
                    result[t] = numbers[word]
                    break
            at = (at + np.uint64(1)) & mask
    return result
