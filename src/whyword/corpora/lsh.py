"""Which documents may be copies of which: locality-sensitive hashing of MinHash signatures.

Documents whose signatures agree in all places of a band may be copies. By hand, since the packages
that do this (datasketch and others) take Python objects for every word, and minutes for what takes
seconds here.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import Ints, Offsets, compiled
from whyword.corpora.shingles import PLACES, Hashes, WordNumbers, Words

Chosen: TypeAlias = NDArray[np.intp]
Sorted: TypeAlias = tuple[Hashes, Ints, Words]  # keys, order and signatures of an LSHIndex

_ROWS = 2  # places of a signature in a band
_BANDS = PLACES // _ROWS
_BESIDE = 8  # documents of a band that are looked at, on either side of where it would stand
_AGREEING = 6  # places of the signatures that must agree for a comparison word by word
MOST_FOUND = 2 * _BESIDE * _BANDS  # documents that may be copies of one, at most


class LSHIndex:
    """Documents, different from each other, sorted in each band by their signatures.

    In a band those that agree in its places stand together, and among them those that agree in the
    next bands, too: of a thousand that are nearly the same, the nearest are beside.

    Parameters
    ----------
    known : WordNumbers
    chosen : (n,) intp
        The numbers of its documents.

    Attributes
    ----------
    signatures : (n, PLACES) uint32
    keys : (bands, n) uint64
        Sorted.
    order : (bands, n) int32
        Which of the chosen documents have them.
    """

    def __init__(self, known: WordNumbers, chosen: Chosen) -> None:
        self.known, self.chosen = known, chosen
        self.signatures = known.signatures(chosen)
        keys = band_keys(self.signatures)
        order = np.argsort(keys, axis=1, kind="stable")
        self.order = order.astype(np.int32)
        self.keys = np.take_along_axis(keys, order, axis=1)

    @property
    def sorted(self) -> Sorted:
        """What :func:`find_candidates` looks in."""
        return self.keys, self.order, self.signatures


def band_keys(signatures: Words) -> Hashes:
    """Return by what each band is sorted, (bands, documents): 32 bits of it, 16 of the next two."""
    bands = np.zeros((_BANDS, len(signatures)), np.uint64)
    for row in range(_ROWS):
        bands = (bands ^ signatures[:, row::_ROWS].T) * np.uint64(0x9E3779B97F4A7C15)
        bands ^= bands >> np.uint64(32)
    mine = (bands & np.uint64(0xFFFFFFFF)) << np.uint64(32)
    next_one = (np.roll(bands, -1, axis=0) & np.uint64(0xFFFF)) << np.uint64(16)
    keys: Hashes = mine | next_one | (np.roll(bands, -2, axis=0) & np.uint64(0xFFFF))
    return keys


@compiled
def find_candidates(
    signature: Words, keys: Hashes, index: Sorted, seen: Ints, mark: int, found: Offsets
) -> Offsets:
    """Return the documents of an index that may be copies of one, the likeliest first.

    Parameters
    ----------
    signature : (PLACES,) uint32
    keys : (bands,) uint64
        Of the document; of :func:`band_keys`.
    index : tuple
        Of :attr:`LSHIndex.sorted`, with n documents.
    seen : (n,) int32
        Room to say which were looked at, other numbers than `mark`.
    mark : int
        A number for this document.
    found : (MOST_FOUND,) int64
        Room.
    """
    sorted_keys, order, signatures = index
    agreeing = np.empty(len(found), np.int64)
    count = 0
    for band in range(len(keys)):
        for at in _beside(sorted_keys[band], keys[band]):
            candidate = order[band, at]
            if seen[candidate] != mark:
                seen[candidate] = mark
                places = _agreement(signature, signatures[candidate])
                if places >= _AGREEING:
                    found[count], agreeing[count] = candidate, places
                    count += 1
    return found[:count][np.argsort(-agreeing[:count], kind="mergesort")]


@compiled
def _beside(keys: Hashes, key: np.uint64) -> range:
    """Return the places that agree with a key in its band, not too far from where it would be."""
    middle = np.searchsorted(keys, key)
    start, stop = middle, middle
    own = key >> np.uint64(32)
    while start > 0 and middle - start < _BESIDE and keys[start - 1] >> np.uint64(32) == own:
        start -= 1
    while stop < len(keys) and stop - middle < _BESIDE and keys[stop] >> np.uint64(32) == own:
        stop += 1
    return range(start, stop)


@compiled
def _agreement(one: Words, other: Words) -> int:
    count = 0
    for place in range(PLACES):
        count += one[place] == other[place]
    return count
