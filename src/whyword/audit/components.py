"""Rows of any width to few numbers each: the directions in which they differ most."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.models.protocol import Rows

_POWERS = 4  # products that turn random directions into the leading ones
_SPARE = 10  # directions more than are wanted, for the last of those


class Components(NamedTuple):
    """The principal components of rows.

    Attributes
    ----------
    points : (n, K) float64
        The rows from their mean, along the K directions of most variance, most first.
    shares : (K,) float64
        Of the variance, that of each direction; 0 where rows do not differ at all.
    """

    points: NDArray[np.float64]
    shares: NDArray[np.float64]


def principal_components(rows: Rows, most: int, seed: int = 0) -> Components:
    """Return the leading principal components, by products with the rows alone.

    Random directions are multiplied by the rows' covariance until they are the leading ones, so
    that a sparse matrix stays sparse. Where rows or columns are no more than `most` + 10, that is
    exact.

    Parameters
    ----------
    rows : (n, D) array or sparse matrix
    most : int
        At most so many components: K is this, n or D.
    seed : int
    """
    matrix = rows.astype(np.float64)
    mean = np.asarray(matrix.mean(axis=0), np.float64).reshape(-1)
    count, width = matrix.shape
    drawn = min(most + _SPARE, count, width)

    def forwards(directions: NDArray[np.float64]) -> NDArray[np.float64]:
        moved: NDArray[np.float64] = np.asarray(matrix @ directions) - mean @ directions
        return moved

    def backwards(basis: NDArray[np.float64]) -> NDArray[np.float64]:
        moved: NDArray[np.float64] = np.asarray(matrix.T @ basis)
        return moved - np.outer(mean, basis.sum(axis=0))

    basis = forwards(np.random.default_rng(seed).normal(size=(width, drawn)))
    for _ in range(_POWERS):
        basis = forwards(np.linalg.qr(backwards(np.linalg.qr(basis)[0]))[0])
    basis = np.linalg.qr(basis)[0]
    left, lengths, directions = np.linalg.svd(backwards(basis).T, full_matrices=False)
    kept = min(most, drawn)
    # of two directions that are opposite to each other, the one whose largest part is positive
    strongest = np.abs(directions[:kept]).argmax(axis=1)
    signs = np.sign(directions[np.arange(kept), strongest])
    points = (basis @ left[:, :kept]) * (lengths[:kept] * np.where(signs < 0, -1.0, 1.0))
    squares = matrix.multiply(matrix) if not isinstance(matrix, np.ndarray) else matrix**2
    whole = float(squares.sum()) - count * float(mean @ mean)
    shares = lengths[:kept] ** 2 / whole if whole > 1e-9 * count * float(mean @ mean) else 0
    return Components(points, np.minimum(1.0, np.zeros(kept) + shares))
