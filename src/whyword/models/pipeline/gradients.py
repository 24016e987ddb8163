"""What comes back to the features of a pipeline: values, and gradients with respect to them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any  # (n, P) csr: scipy has no types


class Gradient(ABC):
    """Of the C scores with respect to P values, which may differ from document to document."""

    @abstractmethod
    def at(self, document: int, places: NDArray[np.intp]) -> Values:
        """Return the gradient with respect to some values of a document, (places, C)."""

    @abstractmethod
    def weighted(self, rows: Values, coefficients: Values) -> Values:
        """Return rows[d] · Σ_p coefficients[p] · gradient[d, p] for (n,) and (P,): (n, C)."""


@dataclass(frozen=True, eq=False)
class Weights(Gradient):
    """The classifier's own: (P, C), the same for all documents."""

    weight: Values

    def at(self, document: int, places: NDArray[np.intp]) -> Values:
        """Return their weights."""
        return self.weight[places]

    def weighted(self, rows: Values, coefficients: Values) -> Values:
        """Return one sum, times what each row has."""
        return np.outer(rows, coefficients @ self.weight)


@dataclass(frozen=True, eq=False)
class Chosen(Gradient):
    """Of what a step chose from: (P,) places, in increasing order."""

    above: Gradient
    chosen: NDArray[np.intp]

    def at(self, document: int, places: NDArray[np.intp]) -> Values:
        """Return the gradient of places, 0 of those that were not chosen."""
        found = np.minimum(np.searchsorted(self.chosen, places), len(self.chosen) - 1)
        is_chosen = self.chosen[found] == places
        result: Values = self.above.at(document, found) * is_chosen[:, None]
        return result

    def weighted(self, rows: Values, coefficients: Values) -> Values:
        """Return the sum over those that were chosen."""
        return self.above.weighted(rows, coefficients[self.chosen])


@dataclass(frozen=True, eq=False)
class Part(Gradient):
    """Of those of `size` values that stand together from `start` on."""

    above: Gradient
    start: int
    size: int

    def at(self, document: int, places: NDArray[np.intp]) -> Values:
        """Return their gradient."""
        return self.above.at(document, places + self.start)

    def weighted(self, rows: Values, coefficients: Values) -> Values:
        """Return the sum over them."""
        every = np.zeros(self.size)
        every[self.start : self.start + len(coefficients)] = coefficients
        return self.above.weighted(rows, every)


@dataclass(frozen=True, eq=False)
class Projected(Gradient):
    """Of what is projected: Σ_k components[k, i] · factors[d, k] · gradient[d, k].

    Attributes
    ----------
    above : Gradient
        With respect to what the K projections became.
    components : (K, P) float64
    rows, columns : (n,) and (K,) float64
        The factors by which they became that, frozen: rows[d] · columns[k].
    """

    above: Gradient
    components: Values
    rows: Values
    columns: Values

    def at(self, document: int, places: NDArray[np.intp]) -> Values:
        """Return the gradient with respect to some of a document's values."""
        inner = self.above.at(document, np.arange(len(self.components)))
        factors = self.rows[document] * self.columns
        result: Values = self.components[:, places].T @ (factors[:, None] * inner)
        return result

    def weighted(self, rows: Values, coefficients: Values) -> Values:
        """Return the sum over the components' own sums."""
        return self.above.weighted(
            rows * self.rows, (self.components @ coefficients) * self.columns
        )


@dataclass(frozen=True, eq=False)
class Flow:
    """What comes back to the P features of a step.

    Attributes
    ----------
    values : (n, P) csr
        What the classifier, or the next projection above, sees of them.
    gradient : Gradient
        With respect to these values.
    rows : (n,) float64
    columns : function that returns (P,) float64
        A value is rows[d] · columns[p] · the feature here; made only where it is needed.
    """

    values: Matrix
    gradient: Gradient
    rows: Values
    columns: Callable[[], Values]


def start_flow(matrix: Matrix, gradient: Gradient) -> Flow:
    """Return what comes back to features that are seen as they are."""
    count, width = matrix.shape
    return Flow(matrix, gradient, np.ones(count), lambda: np.ones(width))
