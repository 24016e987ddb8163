"""The compiled loop that takes words away, or puts them in, one after the other.

Zeroing a word changes the H windows that hold it; all other responses stand. A filter's maximum is
looked for again only if it stood in one of those windows and fell.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.compiled import compiled
from whyword.kernels import Floats, Ints, Offsets, in_threads

_AT_ONCE = 64  # filters done together: their responses to a text stay near the processor


def pooled_by_step(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    documents: Offsets,
    orders: NDArray[np.int32],
    insert: bool,
    padding: int,
) -> Floats:
    """Run :func:`change_words` on some documents, on all cores: (n, R, K + 1, F) float32."""
    runs, steps = orders.shape[1:]
    pooled = np.empty((len(documents), runs, steps + 1, table.shape[2]), np.float32)

    def work(first: int, last: int) -> None:
        change_words(ids, offsets, table, documents, orders, insert, padding, first, last, pooled)

    in_threads(work, len(documents))
    return pooled


@compiled
def change_words(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    documents: Offsets,
    orders: NDArray[np.int32],
    insert: bool,
    padding: int,
    first: int,
    last: int,
    pooled: Floats,
) -> None:
    """pooled[d, r, k, j] = max(0, max_t z[j, t]) after the first k words of order r were zeroed.

    Parameters
    ----------
    ids : (N,) int32
    offsets : (documents + 1,) int64
    table : (rows, H, F) float32
    documents : (n,) int64
        Those to do, of which this call does first…last − 1.
    orders : (n, R, K) int32
        Positions of words in each document, in R orders; −1 changes nothing.
    insert : bool
        Begin with all words zeroed, and put them in instead.
    padding : int
        The row of the table that stands for a zero vector.
    pooled : (n, R, K + 1, F) float32
        Written. Responses are summed in the order of :func:`~whyword.kernels.max_pool`.
    """
    width, filters = table.shape[1], table.shape[2]
    answer = np.zeros(_AT_ONCE, np.float32)
    for d in range(first, last):
        start, end = offsets[documents[d]], offsets[documents[d] + 1]
        windows = end - start - width + 1
        at_first = np.full(end - start, padding, np.int32) if insert else ids[start:end].copy()
        intact = np.zeros((windows, _AT_ONCE), np.float32)
        z, now = np.empty_like(intact), np.empty_like(at_first)
        highest, best = np.empty(_AT_ONCE, np.float32), np.empty(_AT_ONCE, np.float32)
        for low in range(0, filters, _AT_ONCE):
            high = min(filters, low + _AT_ONCE)
            for t in range(windows):
                respond(at_first, table, t, low, high, intact[t])
            maxima(intact, highest)
            for run in range(orders.shape[1]):
                now[:] = at_first
                z[:] = intact
                best[:] = highest
                for j in range(low, high):
                    pooled[d, run, 0, j] = best[j - low]
                for k in range(orders.shape[2]):
                    word = orders[d, run, k]
                    fallen = np.int32(0)
                    if word >= 0:
                        now[word] = ids[start + word] if insert else padding
                        for t in range(max(0, word - width + 1), min(windows, word + 1)):
                            respond(now, table, t, low, high, answer)
                            row = z[t]
                            for j in range(_AT_ONCE):
                                held = (row[j] >= best[j]) & (answer[j] < row[j])
                                fallen |= np.int32(held)
                                row[j] = answer[j]
                                best[j] = answer[j] if answer[j] > best[j] else best[j]
                    if fallen:
                        maxima(z, best)
                    for j in range(low, high):
                        pooled[d, run, k + 1, j] = best[j - low]


@compiled
def respond(words: Ints, table: Floats, t: int, low: int, high: int, answer: Floats) -> None:
    """answer[j − low] = Σ_τ table[words[t + τ], τ, j] for low ≤ j < high."""
    row = table[words[t], 0]
    for j in range(low, high):
        answer[j - low] = row[j]
    for tau in range(1, table.shape[1]):
        row = table[words[t + tau], tau]
        for j in range(low, high):
            answer[j - low] += row[j]


@compiled
def maxima(z: Floats, best: Floats) -> None:
    """best[j] = max(0, max_t z[t, j])."""
    best[:] = 0
    for t in range(z.shape[0]):
        row = z[t]
        for j in range(_AT_ONCE):
            best[j] = row[j] if row[j] > best[j] else best[j]
