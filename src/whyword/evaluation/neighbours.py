"""The nearest vectors of each vector, found once for whatever subset is asked about later.

By hand: scikit-learn's neighbours are found anew for each split, and which of equally near ones it
takes depends on how its matrix products round; here it is a rule, the first.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.evaluation.neighbour_kernels import (
    dense_distances,
    merged_distances,
    sparse_distances,
)

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

_BLOCK_BYTES = 128 << 20  # of the distances from some vectors to all


class UnitVectors(Protocol):
    """Vectors of length 1 (or 0), dense or sparse."""

    def __len__(self) -> int:
        """Return how many there are."""

    def roughly(self, rows: Places) -> Numbers:
        """Return the squared distances from some to all, (rows, n), but for rounding."""

    def exactly(self, rows: Places, others: Places) -> Numbers:
        """Return the squared distances from some, (r,), to others of each, (r, M): (r, M)."""

    @property
    def rounding(self) -> float:
        """How far rough distances may be off."""


def unit_vectors(given: Any) -> UnitVectors:  # noqa: ANN401 - an array or a sparse matrix
    """Return vectors scaled to length 1 in float64, zero ones left as they are; raise if unfit."""
    if hasattr(given, "tocsr"):
        if len(given.shape) != 2:
            raise _wrong_shape(given.shape)
        return _Sparse.of(given)
    try:
        vectors = np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            Argument("vectors"), f" must be numbers, (documents, D), not {shown(given)}"
        ) from None
    if vectors.ndim != 2:
        raise _wrong_shape(vectors.shape)
    _check_finite(np.asarray(np.isfinite(vectors).all(axis=1)))
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    vectors /= np.where(largest > 0, largest, 1.0)  # first, so that no square overflows
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1.0)
    return _Dense(vectors)


def _wrong_shape(shape: tuple[int, ...]) -> InputError:
    return InputError(Argument("vectors"), f" have shape {shape}; (documents, D) is needed")


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

    def exactly(self, rows: Places, others: Places) -> Numbers:
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

    def exactly(self, rows: Places, others: Places) -> Numbers:
        return merged_distances(self.starts, self.columns, self.values, rows, others)

    @property
    def rounding(self) -> float:
        return 2e-15 * (int(np.diff(self.starts).max(initial=0)) + 1)


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
        Squared, to 12 digits.
    orders : dict from vector to (n,) int32
        All others by distance, of the vectors for which the M did not suffice.
    """

    vectors: UnitVectors
    nearest: Places
    distances: Numbers
    limits: Numbers
    orders: dict[int, NDArray[np.int32]] = field(default_factory=dict)

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
        neighbours = np.empty((len(rows), count), np.int64)
        chosen = within & (rank <= count) & sure[:, None]
        neighbours[sure] = self.nearest[rows][chosen].reshape(-1, count)
        unsure = np.flatnonzero(~sure)
        if len(unsure):
            neighbours[unsure] = self._search(rows[unsure], allowed, count)
        return neighbours

    def _search(self, rows: Places, allowed: NDArray[np.bool_], count: int) -> Places:
        """Return the same by looking at all of the others; what will be asked again is kept."""
        others = np.flatnonzero(allowed)
        everyone = np.arange(len(self.vectors))
        keep = 4 * len(self.vectors) * len(rows) <= _BLOCK_BYTES and len(others) * 4 > len(everyone)
        looked_at = everyone if keep else others
        neighbours = np.empty((len(rows), count), np.int64)
        new = [n for n, row in enumerate(rows.tolist()) if not keep or row not in self.orders]
        at_once = max(1, _BLOCK_BYTES // (64 * len(looked_at)))  # eight arrays of them
        for first in range(0, len(new), at_once):
            some = new[first : first + at_once]
            targets = np.ascontiguousarray(np.broadcast_to(looked_at, (len(some), len(looked_at))))
            distances = to_twelve_digits(self.vectors.exactly(rows[some], targets))
            order = looked_at[np.argsort(distances, axis=1, kind="stable")]
            if keep:
                self.orders.update(zip(rows[some].tolist(), order.astype(np.int32), strict=True))
            else:
                neighbours[some] = order[:, :count]
        if keep:
            for number, row in enumerate(rows.tolist()):
                whole = self.orders[row]
                neighbours[number] = whole[allowed[whole] & (whole != row)][:count]
        return neighbours


def to_twelve_digits(distances: Numbers) -> Numbers:
    """Return distances rounded to 40 bits, so that rounding errors are no order of equal ones."""
    fractions, exponents = np.frexp(distances)
    rounded: Numbers = np.ldexp(np.rint(fractions * 2.0**40) / 2.0**40, exponents)
    return rounded


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
            candidates = np.argpartition(rough, count - 1, axis=1)[:, :count]
            farthest = np.take_along_axis(rough, candidates, axis=1).max(axis=1)
            limits[rows] = (farthest - vectors.rounding) * (1 - 1e-11)
        else:
            candidates = np.argsort(rough, axis=1)[:, :count]  # all but itself, which is last
        candidates.sort(axis=1)
        exact = to_twelve_digits(vectors.exactly(rows, candidates))
        order = np.argsort(exact, axis=1, kind="stable")
        nearest[rows] = np.take_along_axis(candidates, order, axis=1)
        distances[rows] = np.take_along_axis(exact, order, axis=1)
    return Neighbours(vectors, nearest, distances, limits)
