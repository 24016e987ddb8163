"""The nearest vectors of each vector, found once for whatever subset is asked about later."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from whyword.errors import InputError
from whyword.evaluation.neighbour_kernels import dense_distances, sparse_distances

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

_BLOCK_BYTES = 128 << 20  # of the distances from some vectors to all


class UnitVectors(Protocol):
    """Vectors of length 1 (or 0), dense or sparse."""

    def __len__(self) -> int:
        """Return how many there are."""

    def roughly(self, rows: Places) -> Numbers:
        """Return the squared distances from some to all, (rows, n), but for rounding."""

    def exactly(self, rows: Places, others: Places, rough: Numbers | None = None) -> Numbers:
        """Return the squared distances from some to others of each, (rows, M).

        Parameters
        ----------
        rows : (r,) int64
        others : (r, M) int64
        rough : (r, n) float64, optional
            What :meth:`roughly` gave for the same rows.
        """

    @property
    def rounding(self) -> float:
        """How far rough distances may be off."""


def unit_vectors(given: Any) -> UnitVectors:  # noqa: ANN401 - an array or a sparse matrix
    """Return vectors scaled to length 1 in float64, zero ones left as they are; raise if unfit."""
    if hasattr(given, "tocsr"):
        return _Sparse.of(given)
    try:
        vectors = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"vectors must be numbers, (documents, D), not {given!r:.60}") from None
    if vectors.ndim != 2:
        raise InputError(f"vectors have shape {vectors.shape}; (documents, D) is needed")
    _check_finite(np.asarray(np.isfinite(vectors).all(axis=1)))
    return _Dense(vectors / _scales(vectors))


def _scales(vectors: Numbers) -> Numbers:
    """Return what rows are divided by, (n, 1): their length, or 1 if that is 0."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    largest[largest == 0] = 1.0
    lengths = largest * np.linalg.norm(vectors / largest, axis=1, keepdims=True)
    scales: Numbers = np.where(lengths > 0, lengths, 1.0)
    return scales


def _check_finite(fine: NDArray[np.bool_]) -> None:
    if not fine.all():
        raise InputError(
            f"vector {int(np.argmin(fine))} has an element that is no finite number "
            f"({int((~fine).sum()):,} of {len(fine):,} vectors do)"
        )


@dataclass(frozen=True, eq=False)
class _Dense:
    vectors: Numbers

    def __len__(self) -> int:
        return len(self.vectors)

    def roughly(self, rows: Places) -> Numbers:
        squares = np.einsum("ij,ij->i", self.vectors, self.vectors)
        products = self.vectors[rows] @ self.vectors.T
        products *= -2
        products += squares[rows][:, None]
        products += squares
        return products

    def exactly(self, rows: Places, others: Places, rough: Numbers | None = None) -> Numbers:
        return dense_distances(self.vectors, rows, others)

    @property
    def rounding(self) -> float:
        return 2e-15 * (int(self.vectors.shape[1]) + 1)


@dataclass(frozen=True, eq=False)
class _Sparse:
    starts: Places
    columns: Places
    values: Numbers
    width: int

    @classmethod
    def of(cls, given: Any) -> "_Sparse":  # noqa: ANN401 - scipy has no types
        matrix = given.tocsr().astype(np.float64)
        matrix.sum_duplicates()  # and sort the columns of each row
        starts, values = matrix.indptr.astype(np.int64), matrix.data.copy()
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(starts))
        fine = np.ones(matrix.shape[0], np.bool_)
        fine[rows[~np.isfinite(values)]] = False
        _check_finite(fine)
        largest = np.zeros(matrix.shape[0])
        np.maximum.at(largest, rows, np.abs(values))
        largest[largest == 0] = 1.0
        values /= largest[rows]
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=matrix.shape[0]))
        values /= np.where(lengths > 0, lengths, 1.0)[rows]
        return cls(starts, matrix.indices.astype(np.int64), values, matrix.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def roughly(self, rows: Places) -> Numbers:
        return sparse_distances(self.starts, self.columns, self.values, self.width, rows)

    def exactly(self, rows: Places, others: Places, rough: Numbers | None = None) -> Numbers:
        exact = self.roughly(rows) if rough is None else rough
        return np.take_along_axis(exact, others, axis=1)

    @property
    def rounding(self) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The M nearest of each vector, itself left out: by distance, then by number.

    Attributes
    ----------
    vectors : UnitVectors
    nearest : (n, M) int64
    limits : (n,) float64
        Whatever is nearer than this is among the M.
    distances : (n, M) float64
    """

    vectors: UnitVectors
    nearest: Places
    distances: Numbers
    limits: Numbers

    def among(self, rows: Places, allowed: NDArray[np.bool_], count: int) -> Places:
        """Return the nearest of some vectors among those allowed, (rows, count).

        Parameters
        ----------
        rows : (r,) int64
        allowed : (n,) bool
        count : int
        """
        within = allowed[self.nearest[rows]]
        rank = within.cumsum(axis=1)
        enough = rank[:, -1] >= count
        last = np.argmax(rank >= count, axis=1)  # where the count is reached
        far = self.distances[rows, last]
        sure = enough & (far < self.limits[rows])
        found = np.empty((len(rows), count), np.int64)
        chosen = within & (rank <= count) & sure[:, None]
        found[sure] = self.nearest[rows][chosen].reshape(-1, count)
        open_ = np.flatnonzero(~sure)
        if len(open_):
            found[open_] = self._searched(rows[open_], np.flatnonzero(allowed), count)
        return found

    def _searched(self, rows: Places, others: Places, count: int) -> Places:
        """Return the same by looking at all of the others."""
        at_once = max(1, _BLOCK_BYTES // (8 * max(1, len(self.vectors))))
        found = []
        for first in range(0, len(rows), at_once):
            some = rows[first : first + at_once]
            everyone = np.broadcast_to(others, (len(some), len(others)))
            distances = self.vectors.exactly(some, np.ascontiguousarray(everyone))
            found.append(others[np.argsort(distances, axis=1, kind="stable")[:, :count]])
        return np.concatenate(found)


def nearest_neighbours(vectors: UnitVectors, count: int) -> Neighbours:
    """Return the nearest `count` of each vector."""
    total = len(vectors)
    count = min(count, total - 1)
    nearest = np.empty((total, count), np.int64)
    distances, limits = np.empty((total, count)), np.full(total, np.inf)
    at_once = max(1, _BLOCK_BYTES // (8 * total))
    for first in range(0, total, at_once):
        rows = np.arange(first, min(total, first + at_once))
        rough = vectors.roughly(rows)
        rough[np.arange(len(rows)), rows] = np.inf  # not itself
        if count < total - 1:
            found = np.argpartition(rough, count - 1, axis=1)[:, :count]
            farthest = np.take_along_axis(rough, found, axis=1).max(axis=1)
            limits[rows] = farthest - vectors.rounding
        else:
            found = np.argsort(rough, axis=1)[:, :count]  # all but itself, which is last
        found.sort(axis=1)
        exact = vectors.exactly(rows, found, rough)
        order = np.argsort(exact, axis=1, kind="stable")
        nearest[rows] = np.take_along_axis(found, order, axis=1)
        distances[rows] = np.take_along_axis(exact, order, axis=1)
    return Neighbours(vectors, nearest, distances, limits)
