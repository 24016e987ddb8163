"""What a pipeline does with features on their way to its classifier, and the way back.

A step goes forward on all texts of a block at once, (n, P) sparse. Going back, every feature has a
value and a gradient: at the classifier the value it sees and its weights. Steps that keep features
hand the pair on to the same feature below, so that the value stays the one the classifier sees; a
projection makes new pairs of what it projects, the factors above it frozen. So value · gradient of
all features below, and the bias, add up to the score: docs/method.md (34).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_of, real_number, scipy_sparse
from whyword.base.errors import InputError
from whyword.models.pipeline.gradients import (
    Chosen,
    Flow,
    Matrix,
    Projected,
    Values,
    start_flow,
)
from whyword.models.stored import StoredModel, StoredSettings, largest_number

Tensors: TypeAlias = dict[str, NDArray[Any]]

NORMS = ("l1", "l2", "max")


class Step(ABC):
    """Something between features and features.

    Attributes
    ----------
    name : str
        In a stored model.
    is_factor : bool
        Whether what it makes of a feature is a factor times it, which can be frozen.
    mixes : bool
        Whether a feature of it is no longer one of the vectoriser's: a sum of them, or moved.
    """

    name: ClassVar[str]
    is_factor: ClassVar[bool] = True
    mixes: ClassVar[bool] = False

    def width(self, below: int) -> int:
        """Return how many features it makes of so many; raise if it is made for others."""
        if len(self) != below:
            raise InputError(f"{self.name} of {len(self):,} features stands over {below:,}")
        return below

    def __len__(self) -> int:
        raise TypeError(f"{self.name} takes any number of features")

    @abstractmethod
    def forward(self, matrix: Matrix) -> Matrix:
        """Return what becomes of features, (n, P) csr."""

    @abstractmethod
    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Return what comes back to the features it was given, and what is added to the bias.

        Parameters
        ----------
        flow : Flow
            What came back to what it made.
        matrix : (n, P) csr
            What it was given.
        """

    def reach(self, largest: float) -> float:
        """Return a bound of its numbers, from one of the numbers that it is given."""
        return largest

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return its tensors and its settings."""
        return {}, {}

    @classmethod
    @abstractmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again, checked; its tensors' names end so, and it is given so many features."""


class _Plain(Step):
    """A step without numbers of its own, for any number of features."""

    def width(self, below: int) -> int:
        return below

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        return cls()


class Sublinear(_Plain):
    """1 + ln of each value."""

    name = "sublinear"
    is_factor = False

    def forward(self, matrix: Matrix) -> Matrix:
        """Return 1 + ln x."""
        with np.errstate(invalid="ignore", divide="ignore"):  # as scikit-learn: NaN below 0
            return _with_data(matrix, np.log(matrix.data) + 1)

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on."""
        return flow, None


@dataclass(frozen=True, eq=False)
class Binarising(_Plain):
    """1 for what is above a threshold of at least 0."""

    threshold: float = 0.0
    name = "binarising"
    is_factor = False

    def forward(self, matrix: Matrix) -> Matrix:
        """Return 1 or nothing."""
        result = _with_data(matrix, (matrix.data > self.threshold).astype(np.float64))
        result.eliminate_zeros()
        return result

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on."""
        return flow, None

    def reach(self, largest: float) -> float:
        """Return 1."""
        return 1.0

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the threshold."""
        return {}, {"threshold": self.threshold}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        return cls(settings.take("threshold", real_number))


@dataclass(frozen=True, eq=False)
class Normalising(_Plain):
    """Rows of length 1 by a norm; those without a value stay as they are."""

    norm: str
    name = "normalising"

    def _factors(self, matrix: Matrix) -> Values:
        """Return what each row is multiplied by, (n,)."""
        sizes = np.abs(matrix.data)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        lengths = np.zeros(matrix.shape[0])
        if self.norm == "max":
            np.maximum.at(lengths, rows, sizes)
        else:
            np.add.at(lengths, rows, sizes if self.norm == "l1" else sizes**2)
        if self.norm == "l2":
            lengths = np.sqrt(lengths)
        factors: Values = 1 / np.where(lengths > 0, lengths, 1)
        return factors

    def forward(self, matrix: Matrix) -> Matrix:
        """Return the rows, each by its length."""
        each = np.repeat(self._factors(matrix), np.diff(matrix.indptr))
        return _with_data(matrix, matrix.data * each)

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on; the length is frozen."""
        return replace(flow, rows=flow.rows * self._factors(matrix)), None

    def reach(self, largest: float) -> float:
        """Return 1."""
        return 1.0

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the norm."""
        return {}, {"norm": self.norm}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        return cls(settings.take("norm", partial(one_of, choices=NORMS)))


@dataclass(frozen=True, eq=False)
class Scaling(Step):
    """Each feature times a number of its own: (P,) float64."""

    scale: Values
    name = "scaling"

    def __len__(self) -> int:
        return len(self.scale)

    def forward(self, matrix: Matrix) -> Matrix:
        """Return the values, scaled."""
        return _with_data(matrix, matrix.data * self.scale[matrix.indices])

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on."""
        return replace(flow, columns=lambda: flow.columns() * self.scale), None

    def reach(self, largest: float) -> float:
        """Return the bound, scaled."""
        finite = self.scale[np.isfinite(self.scale)]  # of words that no text had there are others
        return largest * largest_number(finite)

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the numbers."""
        return {"scale": self.scale}, {}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        return cls(stored.tensor("scale" + end, np.float64, below))


@dataclass(frozen=True, eq=False)
class Centring(Step):
    """Each feature without a number of its own, (P,) float64: what these say is the bias's."""

    shift: Values
    name = "centring"
    mixes = True

    def __len__(self) -> int:
        return len(self.shift)

    def forward(self, matrix: Matrix) -> Matrix:
        """Return the values, moved; none of them is 0 any more."""
        return scipy_sparse().csr_matrix(matrix.toarray() - self.shift)

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on without what the shift said, and return that."""
        columns = flow.columns()
        each = np.repeat(flow.rows, np.diff(matrix.indptr)) * columns[matrix.indices]
        bias = -flow.gradient.weighted(flow.rows, self.shift * columns)
        return replace(flow, values=_with_data(matrix, matrix.data * each)), bias

    def reach(self, largest: float) -> float:
        """Return the bound, moved."""
        return largest + largest_number(self.shift)

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the numbers."""
        return {"shift": self.shift}, {}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        return cls(stored.tensor("shift" + end, np.float64, below))


@dataclass(frozen=True, eq=False)
class Selecting(Step):
    """Some of `below` features: (P,) places in increasing order."""

    chosen: NDArray[np.intp]
    below: int
    name = "selecting"

    def __len__(self) -> int:
        return self.below

    def width(self, below: int) -> int:
        """Return how many are chosen."""
        super().width(below)
        return len(self.chosen)

    def forward(self, matrix: Matrix) -> Matrix:
        """Return their columns; how many there are in all costs nothing."""
        found = np.minimum(np.searchsorted(self.chosen, matrix.indices), len(self.chosen) - 1)
        kept = self.chosen[found] == matrix.indices
        ends = np.append(0, np.cumsum(kept))[matrix.indptr]
        parts = matrix.data[kept], found[kept], ends
        return scipy_sparse().csr_matrix(parts, (matrix.shape[0], len(self.chosen)))

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Hand the pairs on to those that were chosen; the others have none."""
        old = flow.values
        parts = (old.data, self.chosen[old.indices], old.indptr)
        values = scipy_sparse().csr_matrix(parts, (old.shape[0], self.below))

        def columns() -> Values:
            every = np.zeros(self.below)
            every[self.chosen] = flow.columns()
            return every

        return replace(
            flow, values=values, gradient=Chosen(flow.gradient, self.chosen), columns=columns
        ), None

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the places."""
        return {"chosen": self.chosen.astype(np.int64)}, {}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        name = "chosen" + end
        chosen = stored.counts(name, np.int64, name, most=below - 1)
        if not len(chosen) or (np.diff(chosen) <= 0).any():
            raise stored.fault(f"{name} are no places in increasing order")
        return cls(chosen.astype(np.intp), below)


@dataclass(frozen=True, eq=False)
class Projecting(Step):
    """Sums of P features: Σ_i components[k, i] · x[i], (K, P) float64."""

    components: Values
    name = "projecting"
    mixes = True

    def __len__(self) -> int:
        return int(self.components.shape[1])

    def width(self, below: int) -> int:
        """Return K."""
        super().width(below)
        return len(self.components)

    def forward(self, matrix: Matrix) -> Matrix:
        """Return the sums."""
        return scipy_sparse().csr_matrix(matrix @ self.components.T)

    def back(self, flow: Flow, matrix: Matrix) -> tuple[Flow, Values | None]:
        """Make pairs of what was projected, the factors above frozen."""
        gradient = Projected(flow.gradient, self.components, flow.rows, flow.columns())
        return start_flow(matrix, gradient), None

    def reach(self, largest: float) -> float:
        """Return the bound of what one feature adds."""
        return largest * largest_number(self.components)

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return the components."""
        return {"components": self.components}, {}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str, below: int) -> Self:
        """Make it again."""
        name = "components" + end
        return cls(stored.tensor(name, np.float64, name, below))


STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (Sublinear, Binarising, Normalising, Scaling, Centring, Selecting, Projecting)
}


def _with_data(matrix: Matrix, data: Values) -> Matrix:
    """Return a matrix with other numbers at the same places."""
    parts = (data, matrix.indices, matrix.indptr)
    return scipy_sparse().csr_matrix(parts, matrix.shape, copy=True)
