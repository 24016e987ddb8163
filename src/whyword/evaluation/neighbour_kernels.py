"""The compiled loops of nearest neighbours, in float64, each sum in one fixed order.

So two equal vectors are exactly equally far from any third, wherever they stand; a product of
matrices does not promise that.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.base.threads import in_threads

Numbers: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]


@compiled
def squared_distance(a: Numbers, b: Numbers) -> float:
    """Σ_i (a_i − b_i)², in four sums that are added at the end."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = a.size // 4 * 4
    for i in range(0, whole, 4):
        d0, d1, d2, d3 = a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2], a[i + 3] - b[i + 3]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for i in range(whole, a.size):
        s0 += (a[i] - b[i]) * (a[i] - b[i])
    return (s0 + s1) + (s2 + s3)


def dense_distances(vectors: Numbers, rows: Places, others: Places) -> Numbers:
    """Return Σ_i (x_i − y_i)² of each of the rows to its others, (rows, M).

    Parameters
    ----------
    vectors : (n, D) float64
    rows : (r,) int64
    others : (r, M) int64
    """
    distances = np.empty(others.shape)

    def work(first: int, last: int) -> None:
        fill_dense_distances(vectors, rows, others, first, last, distances)

    in_threads(work, len(rows))
    return distances


@compiled
def fill_dense_distances(
    vectors: Numbers, rows: Places, others: Places, first: int, last: int, distances: Numbers
) -> None:
    """distances[r, m] = |vectors[rows[r]] − vectors[others[r, m]]|² for first ≤ r < last."""
    for r in range(first, last):
        own = vectors[rows[r]]
        for m in range(others.shape[1]):
            distances[r, m] = squared_distance(own, vectors[others[r, m]])


def merged_distances(
    starts: Places, columns: Places, values: Numbers, rows: Places, others: Places
) -> Numbers:
    """Return Σ_i (x_i − y_i)² of each of the rows of a sparse matrix to its others, (rows, M)."""
    distances = np.empty(others.shape)

    def work(first: int, last: int) -> None:
        fill_merged_distances(starts, columns, values, rows, others, first, last, distances)

    in_threads(work, len(rows))
    return distances


@compiled
def fill_merged_distances(
    starts: Places,
    columns: Places,
    values: Numbers,
    rows: Places,
    others: Places,
    first: int,
    last: int,
    distances: Numbers,
) -> None:
    """distances[r, m] = Σ_i (x_i − y_i)² over the columns that either row has, in their order."""
    for r in range(first, last):
        for m in range(others.shape[1]):
            a, a_end = starts[rows[r]], starts[rows[r] + 1]
            b, b_end = starts[others[r, m]], starts[others[r, m] + 1]
            total = 0.0
            while a < a_end or b < b_end:
                difference = 0.0
                take_a = b == b_end or (a < a_end and columns[a] <= columns[b])
                take_b = a == a_end or (b < b_end and columns[b] <= columns[a])
                if take_a:
                    difference += values[a]
                    a += 1
                if take_b:
                    difference -= values[b]
                    b += 1
                total += difference * difference
            distances[r, m] = total


def sparse_distances(
    starts: Places, columns: Places, values: Numbers, width: int, rows: Places
) -> Numbers:
    """Return |x|² + |y|² − 2·x·y of each of the rows to all vectors, (rows, n).

    Parameters
    ----------
    starts, columns, values
        Of a compressed sparse matrix with n rows, columns in increasing order.
    width : int
        How many columns it has.
    rows : (r,) int64
    """
    distances = np.empty((len(rows), len(starts) - 1))
    squares = np.empty(len(starts) - 1)
    fill_squares(starts, values, squares)

    def work(first: int, last: int) -> None:
        fill_sparse_distances(starts, columns, values, squares, width, rows, first, last, distances)

    in_threads(work, len(rows))
    return distances


@compiled
def fill_squares(starts: Places, values: Numbers, squares: Numbers) -> None:
    """squares[e] = Σ_i x_i² of row e."""
    for e in range(squares.size):
        squares[e] = 0.0
        for n in range(starts[e], starts[e + 1]):
            squares[e] += values[n] * values[n]


@compiled
def fill_sparse_distances(
    starts: Places,
    columns: Places,
    values: Numbers,
    squares: Numbers,
    width: int,
    rows: Places,
    first: int,
    last: int,
    distances: Numbers,
) -> None:
    """distances[r, e] = |x|² + |y|² − 2·Σ_i x_i·y_i over the columns i that e has; at least 0.

    Eight rows at a time, side by side: a column is looked up once for all of them.
    """
    own = np.zeros((width, 8))
    for low in range(first, last, 8):
        high = min(last, low + 8)
        for r in range(low, high):
            for n in range(starts[rows[r]], starts[rows[r] + 1]):
                own[columns[n], r - low] = values[n]
        for e in range(squares.size):
            p0 = p1 = p2 = p3 = p4 = p5 = p6 = p7 = 0.0
            for n in range(starts[e], starts[e + 1]):
                x, y = values[n], own[columns[n]]
                p0 += x * y[0]
                p1 += x * y[1]
                p2 += x * y[2]
                p3 += x * y[3]
                p4 += x * y[4]
                p5 += x * y[5]
                p6 += x * y[6]
                p7 += x * y[7]
            products = (p0, p1, p2, p3, p4, p5, p6, p7)
            for r in range(low, high):
                distances[r, e] = max(0.0, squares[rows[r]] + squares[e] - 2 * products[r - low])
        for r in range(low, high):
            for n in range(starts[rows[r]], starts[rows[r] + 1]):
                own[columns[n], r - low] = 0.0


def predicted_by_count(neighbours: Places, labels: Places, classes: int) -> NDArray[np.int32]:
    """Return what the first 1 … K neighbours of each document vote for, (documents, K).

    Parameters
    ----------
    neighbours : (documents, K) int64
        The nearest first.
    labels : (n,) int64
    """
    votes = np.empty(neighbours.shape, np.int32)
    count_votes(neighbours, labels, classes, votes)
    return votes


@compiled
def count_votes(neighbours: Places, labels: Places, classes: int, votes: NDArray[np.int32]) -> None:
    """votes[d, k] = the label most frequent among the first k + 1; of several, the smallest."""
    counts = np.empty(classes, np.int64)
    for d in range(neighbours.shape[0]):
        counts[:] = 0
        best = 0
        for k in range(neighbours.shape[1]):
            label = labels[neighbours[d, k]]
            counts[label] += 1
            ahead = counts[label] > counts[best]
            if ahead or (counts[label] == counts[best] and label < best):
                best = label
            votes[d, k] = best
