"""The compiled loop that takes words away, or puts them in, one after the other.

Zeroing a word changes the H windows that hold it; all other responses stand. A filter's maximum is
looked for again only if it stood in one of those windows and fell. Equations are those of
docs/method.md.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import Floats, Ints, Offsets, compiled
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import Numbers

_AT_ONCE = 64  # filters done together: their responses to a text stay near the processor
_FEW = 6  # of those whose maxima are looked for one by one; more are looked for together


def scores_of_changes(
    activations: Activations,
    weight: Floats,
    documents: Offsets,
    orders: NDArray[np.int32],
    insert: bool,
    steps: Offsets,
    padding: int,
    scores: Numbers,
    pooled: Floats | None = None,
) -> None:
    """Run :func:`change_words` on some documents, on all cores."""
    kept = np.empty((0, 0, 0, 0), np.float32) if pooled is None else pooled

    def work(first: int, last: int) -> None:
        todo = slice(first, last)
        change_words(
            activations,
            weight,
            documents[todo],
            orders[todo],
            insert,
            steps,
            padding,
            scores[todo],
            kept[todo],
        )

    in_threads(work, len(documents))


@compiled
def change_words(
    activations: Activations,
    weight: Floats,
    documents: Offsets,
    orders: NDArray[np.int32],
    insert: bool,
    steps: Offsets,
    padding: int,
    scores: Numbers,
    pooled: Floats,
) -> None:
    """scores[d, r, i, k] += Σ_j x[j]·w2[j, k], without the first steps[i] words of order r: (27).

    x[j] = max(0, max_t z[t, j]), with responses summed in the order of
    :func:`~whyword.models.cnn.kernels.max_pool`, so that they are what that would find, bit for
    bit. A word adds (x[j] − x[j] before it)·w2[j, k] of the filters that it changed, in float64.

    Parameters
    ----------
    activations : Activations
    weight : (F, C) float32
        w2[j, k].
    documents : (n,) int64
        Those to do.
    orders : (n, R, K) int32
        Positions of words in each document, in R orders; −1 changes nothing.
    insert : bool
        Begin with all words zeroed, and put them in instead.
    steps : (S,) int64
        Increasing numbers of words, K at most.
    padding : int
        The row of the table that stands for a zero vector.
    scores : (n, R, S, C) float64
        Added to.
    pooled : (n, R, S, F) float32, or empty
        If there is room, x[j] is written there.
    """
    ids, offsets, table = activations.ids, activations.offsets, activations.table
    width, filters, classes = table.shape[1], table.shape[2], weight.shape[1]
    response, highest = np.zeros(_AT_ONCE, np.float32), np.empty(_AT_ONCE, np.float32)
    best, before = np.empty(_AT_ONCE, np.float32), np.empty(_AT_ONCE, np.float32)
    fallen, total, at_first_total = (
        np.zeros(_AT_ONCE, np.bool_),
        np.empty(classes),
        np.empty(classes),
    )
    for d in range(len(documents)):
        start, end = offsets[documents[d]], offsets[documents[d] + 1]
        windows = end - start - width + 1
        at_first = np.full(end - start, padding, np.int32) if insert else ids[start:end].copy()
        intact = np.zeros((windows, _AT_ONCE), np.float32)
        z, now = np.empty_like(intact), np.empty_like(at_first)
        for low in range(0, filters, _AT_ONCE):
            high = min(filters, low + _AT_ONCE)
            for t in range(windows):
                respond(at_first, table, t, low, high, intact[t])
            maxima(intact, highest)
            at_first_total[:] = 0
            for j in range(low, high):
                for k in range(classes):
                    at_first_total[k] += highest[j - low] * np.float64(weight[j, k])
            for run in range(orders.shape[1]):
                now[:] = at_first
                z[:] = intact
                best[:] = highest
                total[:] = at_first_total
                done = 0
                for at in range(steps.size):
                    for step in range(done, steps[at]):
                        word = orders[d, run, step]
                        if word < 0:
                            continue
                        before[:] = best
                        fallen[:] = False
                        now[word] = ids[start + word] if insert else padding
                        for t in range(max(0, word - width + 1), min(windows, word + 1)):
                            respond(now, table, t, low, high, response)
                            row = z[t]
                            for j in range(_AT_ONCE):
                                fallen[j] |= (row[j] >= best[j]) & (response[j] < row[j])
                                row[j] = response[j]
                                best[j] = response[j] if response[j] > best[j] else best[j]
                        look_again(z, fallen, best)
                        for j in range(low, high):
                            change = np.float64(best[j - low]) - np.float64(before[j - low])
                            if change != 0:
                                for k in range(classes):
                                    total[k] += change * weight[j, k]
                    done = steps[at]
                    record(best, total, low, high, scores[d, run, at], d, run, at, pooled)


@compiled
def record(
    best: Floats,
    total: Numbers,
    low: int,
    high: int,
    scores: Numbers,
    document: int,
    run: int,
    step: int,
    pooled: Floats,
) -> None:
    """Add some filters' part of the scores, and write their maxima if there is room."""
    for k in range(total.size):
        scores[k] += total[k]
    if pooled.size:
        for j in range(low, high):
            pooled[document, run, step, j] = best[j - low]


@compiled
def respond(words: Ints, table: Floats, t: int, low: int, high: int, response: Floats) -> None:
    """response[j − low] = Σ_τ table[words[t + τ], τ, j] for low ≤ j < high."""
    row = table[words[t], 0, low:high]
    if table.shape[1] == 1:
        for j in range(row.size):
            response[j] = row[j]
        return
    after = table[words[t + 1], 1, low:high]
    for j in range(row.size):
        response[j] = row[j] + after[j]
    for tau in range(2, table.shape[1]):
        after = table[words[t + tau], tau, low:high]
        for j in range(row.size):
            response[j] += after[j]


@compiled
def look_again(z: Floats, fallen: NDArray[np.bool_], best: Floats) -> None:
    """best[j] = max(0, max_t z[t, j]) where a maximum fell."""
    count = 0
    for j in range(_AT_ONCE):
        count += fallen[j]
    if count > _FEW:
        maxima(z, best)
    elif count:
        for j in range(_AT_ONCE):
            if fallen[j]:
                a, b = np.float32(0), np.float32(0)  # two at a time: neither waits for the other
                for t in range(0, z.shape[0] - 1, 2):
                    a = z[t, j] if z[t, j] > a else a
                    b = z[t + 1, j] if z[t + 1, j] > b else b
                last = z[z.shape[0] - 1, j]
                best[j] = max(a, b, last)


@compiled
def maxima(z: Floats, best: Floats) -> None:
    """best[j] = max(0, max_t z[t, j])."""
    best[:] = 0
    for t in range(z.shape[0]):
        row = z[t]
        for j in range(_AT_ONCE):
            best[j] = row[j] if row[j] > best[j] else best[j]
