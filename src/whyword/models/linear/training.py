"""Linear SVMs trained, and their settings chosen by cross-validation.

Equations are those of docs/method.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import MissingExtraError
from whyword.models.probabilities import softmax

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Scores = NDArray[np.float64]

GRID = (0.1, 0.3, 1.0, 3.0, 10.0)  # of C
_MIDDLE = GRID.index(1.0)
_TEMPERATURES = np.geomspace(0.02, 50, 200)
_FEW = 20_000_000  # numbers to go through in training that take no longer than to start processes


class Choice(NamedTuple):
    """What cross-validation has chosen.

    Attributes
    ----------
    matrix : int
        The number of the features.
    C : float
    accuracy : float or None
        On held-out documents; None where there were too few to hold any out.
    scores : (documents, C) float64 or None
        Of each document by SVMs that have not seen it.
    """

    matrix: int
    C: float
    accuracy: float | None
    scores: Scores | None


class Trainer:
    """Linear SVMs for one set of labels.

    Parameters
    ----------
    numbers : (documents,) intp
        The documents' classes.
    weights : (C,) float32
        Of the classes.
    folds : int
        Of the cross-validation; below 2 there is none.
    seed : int
    """

    def __init__(
        self, numbers: NDArray[np.intp], weights: NDArray[np.float32], folds: int, seed: int
    ) -> None:
        self.numbers, self.folds, self.seed = numbers, folds, seed
        self.weights = {number: float(weight) for number, weight in enumerate(weights)}

    def _svm(self, c: float) -> Any:  # noqa: ANN401 - scikit-learn has no types
        from sklearn.svm import LinearSVC

        return LinearSVC(C=c, class_weight=self.weights, random_state=self.seed)

    def train(self, matrix: "csr_matrix", c: float) -> tuple[Scores, Scores]:
        """Return weights (V, C) and biases (C,) of SVMs trained on everything."""
        svm = self._svm(c).fit(matrix, self.numbers)
        return both_classes(svm.coef_.T, svm.intercept_)

    def choose(self, matrices: Sequence["csr_matrix"], c: float | None = None) -> Choice:
        """Return which features, and which C, do best on held-out documents.

        Features first, with C = 1 (or the given one), then C, from 1 to a neighbour, and on in that
        direction. Another one is chosen if it is right more often than the one before by more than
        a standard error: what may be chance is no reason.
        """
        start = 1.0 if c is None else c
        if self.folds < 2:
            return Choice(0, start, None, None)
        best, *others = self._held_out_scores([(matrix, start) for matrix in matrices])
        chosen = 0
        for number, scores in enumerate(others, 1):
            if self._is_better(scores, best):
                chosen, best = number, scores
        if c is not None:
            return Choice(chosen, c, self._accuracy(best), best)
        return self._choose_c(chosen, matrices[chosen], best)

    def _choose_c(self, number: int, matrix: "csr_matrix", middle: Scores) -> Choice:
        best, scores, ways = _MIDDLE, middle, (-1, 1)
        beside = self._held_out_scores([(matrix, GRID[best + way]) for way in ways])
        by_accuracy = sorted(
            zip(ways, beside, strict=True), key=lambda one: self._accuracy(one[1]), reverse=True
        )
        way, there = by_accuracy[0]
        while self._is_better(there, scores):
            best, scores = best + way, there
            if not 0 <= best + way < len(GRID):
                break
            (there,) = self._held_out_scores([(matrix, GRID[best + way])])
        return Choice(number, GRID[best], self._accuracy(scores), scores)

    def _accuracy(self, scores: Scores) -> float:
        return float(np.mean(self._right(scores)))

    def _right(self, scores: Scores) -> NDArray[np.bool_]:
        right: NDArray[np.bool_] = scores.argmax(axis=1) == self.numbers
        return right

    def _is_better(self, one: Scores, other: Scores) -> bool:
        """Return whether more becomes right than wrong, by more than a standard error (McNemar)."""
        right, before = self._right(one), self._right(other)
        gains, losses = int(np.sum(right & ~before)), int(np.sum(before & ~right))
        return gains > losses and (gains - losses) ** 2 > gains + losses

    def _held_out_scores(self, settings: Sequence[tuple["csr_matrix", float]]) -> list[Scores]:
        """Return the scores of documents by SVMs that have not seen them, for each C of a matrix.

        Processes, not threads: all of liblinear in a process draws from one source of chance.
        """
        from joblib import Parallel, delayed
        from sklearn.model_selection import StratifiedKFold

        cut = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        parts = list(cut.split(self.numbers, self.numbers))
        machines = len(self.weights) if len(self.weights) > 2 else 1
        numbers = sum(matrix.nnz for matrix, _ in settings) * self.folds * machines
        held_out = Parallel(n_jobs=1 if numbers < _FEW else -1)(
            delayed(_fit_and_score)(self._svm(c), matrix, self.numbers, train, test)
            for matrix, c in settings
            for train, test in parts
        )
        results = []
        for first in range(0, len(held_out), len(parts)):
            scores = np.empty((len(self.numbers), len(self.weights)))
            for (_, test), some in zip(parts, held_out[first : first + len(parts)], strict=True):
                scores[test] = some
            results.append(scores)
        return results


def _fit_and_score(
    svm: Any,  # noqa: ANN401 - scikit-learn has no types
    matrix: "csr_matrix",
    numbers: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> Scores:
    """Return what an SVM trained on some documents says of others; the SVM stays where it is."""
    svm.fit(matrix[train], numbers[train])
    weight, bias = both_classes(svm.coef_.T, svm.intercept_)
    scores: Scores = matrix[test] @ weight + bias
    return scores


def both_classes(weight: Scores, bias: Scores) -> tuple[Scores, Scores]:
    """Return weights (V, C) and biases (C,); a single SVM for two classes becomes (−s, s)."""
    if weight.shape[1] == 1:
        return np.concatenate([-weight, weight], axis=1), np.concatenate([-bias, bias])
    return np.ascontiguousarray(weight), np.asarray(bias)


def fit_temperature(scores: Scores, numbers: NDArray[np.intp]) -> float:
    """Return the θ of equation (5) under which held-out labels are most probable.

    Labels are softened as Platt did: of n documents of a class all are right, and yet the next may
    not be, so that (n + 1) / (n + 2) is aimed at. Else nothing would be too sure where classes are
    told apart without a mistake.
    """
    rows, others = np.arange(len(numbers)), scores.shape[1] - 1
    counts = np.bincount(numbers, minlength=scores.shape[1])[numbers]
    aim = (counts + 1) / (counts + 2)

    def loss(temperature: float) -> float:
        logs = np.log(np.maximum(softmax(scores / temperature), 1e-300))
        own = logs[rows, numbers]
        return float(-np.mean(aim * own + (1 - aim) * (logs.sum(axis=1) - own) / others))

    return float(min(_TEMPERATURES, key=loss))


def sparse_matrix(
    values: Scores, places: NDArray[np.intp], ends: NDArray[np.intp], columns: int
) -> "csr_matrix":
    """Return feature rows, one after the other, as a sparse matrix, (rows, columns)."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        raise MissingExtraError("scikit-learn", "train") from None
    return csr_matrix((values, places, ends), shape=(len(ends) - 1, columns))
