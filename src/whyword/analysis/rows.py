"""Vectors of documents or words, a row each: an array, or a sparse matrix where there are many.

What differs between the two is said here, and nowhere else in this room.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import scipy_sparse
from whyword.models.protocol import Rows


def stack(parts: Sequence[Rows]) -> Rows:
    """Return rows below each other; there must be at least one part."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return scipy_sparse().vstack(parts, format="csr")


def lengths_of(rows: Rows) -> NDArray[np.float64]:
    """Return the euclidean length of each row, (n,)."""
    if isinstance(rows, np.ndarray):
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    else:
        squares = np.asarray(rows.multiply(rows).sum(axis=1), np.float64).ravel()
    return np.sqrt(squares)


def unit_vectors(rows: Rows, lengths: NDArray[np.float64] | None = None) -> Rows:
    """Return the rows scaled to length 1; those of length 0 stay.

    Parameters
    ----------
    rows : (n, D)
    lengths : (n,) float64, optional
        Where they are known already.
    """
    known = lengths_of(rows) if lengths is None else lengths
    factors = (1 / np.where(known > 0, known, 1)).astype(np.float32)
    if isinstance(rows, np.ndarray):
        return rows * factors[:, None]
    return rows.multiply(factors[:, None]).tocsr()


def products(rows: Rows, vector: Rows) -> NDArray[np.float32]:
    """Return the scalar product of each row with a vector, (n,).

    Parameters
    ----------
    rows : (n, D)
    vector : (D,) array, or (1, D) sparse: what ``rows[number]`` is
    """
    if isinstance(rows, np.ndarray):
        dense: NDArray[np.float32] = rows @ vector
        return dense
    sparse: NDArray[np.float32] = (rows @ vector.T).toarray()[:, 0]
    return sparse


def sums_over(rows: Rows, ranges: Sequence[tuple[int, int]]) -> Rows:
    """Return the sum of the rows from each first to before each last, a row for each range."""
    if isinstance(rows, np.ndarray):
        sums = [rows[first:last].sum(axis=0) for first, last in ranges]
        return np.array(sums, np.float32).reshape(len(ranges), rows.shape[1])
    pairs = [(number, row) for number, (a, b) in enumerate(ranges) for row in range(a, b)]
    numbers, chosen = np.array(pairs, np.intp).reshape(-1, 2).T
    ones = np.ones(len(chosen), np.float32)
    shape = (len(ranges), rows.shape[0])
    return (scipy_sparse().csr_matrix((ones, (numbers, chosen)), shape) @ rows).tocsr()
