"""The explanatory power index: how well documents are told apart by what explains them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.evaluation.neighbour_kernels import predicted_by_count
from whyword.evaluation.neighbours import Neighbours, nearest_neighbours, unit_vectors

MOST_SPLITS = 10_000
_MOST_HELD = 1_000  # neighbours of each document
_NEIGHBOURS = 30  # that are tried, where there are so many

Split = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False, repr=False)
class ExplanatoryPower:
    """How well K nearest neighbours know a document's class by its summary vector.

    Attributes
    ----------
    epi : float
        Accuracy, mean of the splits, at the best number of neighbours.
    k : int
        That number; of several equally good ones the smallest.
    accuracies : (splits, K) float64
        Of each split, for each number of neighbours.
    neighbours : (K,) int64
        Those numbers.
    splits : list of (train, test)
        The documents' numbers, increasing.
    """

    epi: float
    k: int
    accuracies: NDArray[np.float64]
    neighbours: NDArray[np.int64]
    splits: list[Split]

    def __repr__(self) -> str:
        return f"ExplanatoryPower(epi={self.epi:.4f} ± {self.deviation:.4f}, k={self.k})"

    @property
    def curve(self) -> NDArray[np.float64]:
        """Accuracy for each number of neighbours, mean of the splits: (K,)."""
        mean: NDArray[np.float64] = self.accuracies.mean(axis=0)
        return mean

    @property
    def by_split(self) -> NDArray[np.float64]:
        """Accuracy of each split with the best number of neighbours, (splits,)."""
        best: NDArray[np.float64] = self.accuracies[:, list(self.neighbours).index(self.k)]
        return best

    @property
    def deviation(self) -> float:
        """Standard deviation of those; 0 for a single split."""
        return float(self.by_split.std(ddof=1)) if len(self.splits) > 1 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data; the splits themselves by their sizes."""
        return {
            "epi": self.epi,
            "k": self.k,
            "deviation": self.deviation,
            "neighbours": self.neighbours.tolist(),
            "curve": self.curve.tolist(),
            "accuracies": self.accuracies.tolist(),
            "train": [len(train) for train, _ in self.splits],
            "test": [len(test) for _, test in self.splits],
        }


def explanatory_power(
    vectors: Any,  # noqa: ANN401 - an array or a sparse matrix
    labels: Iterable[Any],
    splits: int | Iterable[Sequence[Any]] = 10,
    neighbours: Iterable[int] = range(1, 31),
    seed: int = 0,
) -> ExplanatoryPower:
    """Classify documents by the nearest summary vectors: the better, the more they tell.

    docs/method.md (25).

    Vectors are scaled to unit length. The rule: distances are euclidean, in float64, to 12 digits
    (what rounding makes of equal ones is no order); equally near documents count in their order; of
    labels with equally many votes, the smallest (first in sorted order) wins.

    Parameters
    ----------
    vectors : (documents, D) array or sparse matrix
        Such as :func:`~whyword.summarize` returns.
    labels : iterable
        The class of each document.
    splits : int, or iterable of (train, test)
        How many random halves; or the documents' numbers for each split.
    neighbours : iterable of int
        The numbers K of neighbours to try.
    seed : int
        Of the random halves: the same for every set of vectors, so that they can be compared.

    Returns
    -------
    ExplanatoryPower
    """
    units = unit_vectors(vectors)
    classes, numbers = _class_numbers(one_each("labels", labels, len(units), "vector"))
    counts = _counts(neighbours)
    halves = random_halves(len(units), splits, seed) if _is_count(splits) else None
    chosen = halves or _checked_splits(splits, len(units))
    smallest = min(len(train) for train, _ in chosen)
    if smallest < counts[-1]:
        raise InputError(
            f"{counts[-1]} neighbours need as many documents to choose from; a split has "
            f"{smallest}: give more documents, or ",
            Argument("neighbours", range(1, smallest + 1)),
        )
    share = smallest / len(units)
    most = int(counts[-1])
    # so many that hardly any document lacks some; where few are to choose from, all are searched
    held = min(_MOST_HELD, int(np.ceil((most + 6 * most**0.5 + 6) / share)))
    nearest = nearest_neighbours(units, held)
    accuracies = np.array(
        [_accuracies(nearest, split, numbers, len(classes), counts) for split in chosen]
    )
    means = accuracies.mean(axis=0)
    best = int(means.round(12).argmax())  # rounding does not choose among equals
    return ExplanatoryPower(float(means[best]), int(counts[best]), accuracies, counts, chosen)


def usual_neighbours(n_documents: int) -> range:
    """Return the numbers of neighbours to try where half the documents are to choose from."""
    return range(1, min(_NEIGHBOURS, n_documents - n_documents // 2) + 1)


def random_halves(n_documents: int, splits: Any, seed: int) -> list[Split]:  # noqa: ANN401 - checked
    """Return random halves of the documents: (train, test), the odd one for training."""
    count = whole_number("splits", splits, most=MOST_SPLITS)
    if n_documents < 2:
        raise InputError(f"there are {n_documents} documents; two halves need at least 2")
    random = np.random.default_rng(whole_number("seed", seed, least=0))
    halves = []
    for _ in range(count):
        order = random.permutation(n_documents)
        cut = n_documents - n_documents // 2
        halves.append((np.sort(order[:cut]), np.sort(order[cut:])))
    return halves


def _is_count(splits: object) -> bool:
    return not isinstance(splits, Iterable) or (isinstance(splits, np.ndarray) and splits.ndim == 0)


def _checked_splits(splits: Any, n_documents: int) -> list[Split]:  # noqa: ANN401 - checked here
    result: list[Split] = []
    for number, pair in enumerate(splits):
        try:
            train, test = (np.unique(np.asarray(part)) for part in pair)
        except (TypeError, ValueError):
            raise InputError(f"split {number} is no pair of documents' numbers") from None
        for name, part in (("train", train), ("test", test)):
            if part.dtype.kind not in "iu" or not len(part):
                raise InputError(f"split {number}: {name} must be some documents' numbers")
            if part[0] < 0 or part[-1] >= n_documents:
                raise InputError(
                    f"split {number}: {name} names document "
                    f"{part[0] if part[0] < 0 else part[-1]}; there are {n_documents}, from 0 on"
                )
        both = np.intersect1d(train, test)
        if len(both):
            raise InputError(f"split {number}: document {both[0]} is in train and in test")
        result.append((train.astype(np.int64), test.astype(np.int64)))
    if not result:
        raise InputError(Argument("splits"), " is empty; give a number, or (train, test) pairs")
    return result


def _class_numbers(labels: list[Any]) -> tuple[list[Label], NDArray[np.int64]]:
    """Return the sorted classes and the number of each label; raise if they are unfit."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for number, label in enumerate(plain):
        if label is None or (isinstance(label, float) and np.isnan(label)):
            raise InputError(f"label {number} is missing ({label!r})")
        if not isinstance(label, Label):
            raise InputError(f"label {number} must be a string or a number, not {shown(label)}")
    try:
        classes = sorted(set(plain))
    except TypeError:
        raise InputError(Argument("labels"), " must be all strings or all numbers") from None
    numbers = {label: number for number, label in enumerate(classes)}
    return classes, np.array([numbers[label] for label in plain], np.int64)


def _counts(neighbours: Iterable[int]) -> NDArray[np.int64]:
    counts = [neighbours] if _is_count(neighbours) else list(neighbours)
    if not counts:
        raise InputError(Argument("neighbours"), " is empty; give at least one number")
    return np.unique([whole_number("neighbours", count) for count in counts]).astype(np.int64)


def _accuracies(
    neighbours: Neighbours,
    split: Split,
    labels: NDArray[np.int64],
    classes: int,
    counts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the accuracy on one split for each number of neighbours, (K,)."""
    train, test = split
    allowed = np.zeros(len(labels), np.bool_)
    allowed[train] = True
    nearest = neighbours.among(test, allowed, int(counts[-1]))
    votes = predicted_by_count(nearest, labels, classes)[:, counts - 1]
    right: NDArray[np.float64] = (votes == labels[test][:, None]).mean(axis=0)
    return right
