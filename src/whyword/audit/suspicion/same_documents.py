"""Things that stand in the same documents, or nearly: they are found by min-wise hashing."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

SAME: Final = 0.9  # of the documents that have one of two things, those that have both, see there
_BANDS, _ROWS = 6, 3  # pairs at .9 agree in a band with probability .73, so in one of six at .9996

Numbers = NDArray[np.int64]


def same_documents(
    things: Numbers, documents: Numbers, count: int, total: int, same: float = SAME
) -> Numbers:
    """Return for each thing the number of the first that stands in about the same documents.

    Parameters
    ----------
    things, documents : (P,) int64
        Each thing with each of its documents, by thing, then by document.
    count, total : int
        How many things and documents there are.
    same : float
        From which overlap on they are the same: |A ∩ B| / |A ∪ B|, above what chance would have.

    Returns
    -------
    (count,) int64
        Itself where it is like no other.
    """
    leader = np.arange(count)
    sizes = np.bincount(things, minlength=count)
    starts = np.cumsum(sizes) - sizes
    there = np.flatnonzero(sizes > 0)
    if len(there) < 2:
        return leader
    random, leads = np.random.default_rng(0), set[int]()
    for _ in range(_BANDS):
        key = np.zeros(count, np.uint64)
        for _ in range(_ROWS):
            ranks = random.permutation(total).astype(np.uint64)
            least = np.minimum.reduceat(ranks[documents], starts[there])
            key[there] = key[there] * np.uint64(0x100000001B3) + least
        order = there[np.lexsort((-sizes[there], key[there]))]
        begins = np.append(True, key[order][1:] != key[order][:-1])
        firsts = order[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        for one, first in zip(order[~begins].tolist(), firsts[~begins].tolist(), strict=True):
            whose = int(leader[first])
            if leader[one] != one or whose == one or one in leads:
                continue  # who leads others stays: they are like it, perhaps not like its leader
            a = documents[starts[one] : starts[one] + sizes[one]]
            b = documents[starts[whose] : starts[whose] + sizes[whose]]
            if overlap_above_chance(a, b, total) >= same:
                leader[one] = whose
                leads.add(whose)
    return leader


def overlap_above_chance(a: Numbers, b: Numbers, total: int) -> float:
    """Return (J − E) / (1 − E) of two increasing lists of documents, J = |A ∩ B| / |A ∪ B|.

    E is the overlap of lists as long as these that have nothing to do with each other. It is next
    to nothing for what is rare; what is everywhere meets everywhere, and that says nothing.
    """
    both = len(np.intersect1d(a, b, assume_unique=True))
    overlap = both / (len(a) + len(b) - both)
    by_chance = len(a) * len(b) / total
    expected = by_chance / (len(a) + len(b) - by_chance)
    return (overlap - expected) / (1 - expected) if expected < 1 else 0.0
