"""The bag-of-words classifier: TF-IDF and one linear SVM per class.

The notation, and the numbers of equations, are those of docs/method.md.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import strings
from whyword.base.errors import InputError, MissingExtraError
from whyword.models.estimator import (
    Estimator,
    check_training_data,
    class_weights,
    stored_class_weight,
    stored_parameters,
)
from whyword.models.linear.bag import FeatureRow
from whyword.models.linear.stored import CHECKS, from_stored, to_stored
from whyword.models.linear.tfidf import fit_tfidf
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.linear.trace import LinearLayer, LinearTrace
from whyword.models.probabilities import softmax
from whyword.models.protocol import Positions, Reading, Trained
from whyword.models.store import training_provenance
from whyword.models.stored import StoredModel, largest_number, positive_number
from whyword.models.stored_reader import reader_argument
from whyword.words.document import Document, Text
from whyword.words.reader import Reader

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_GRID = (0.1, 0.3, 1.0, 3.0, 10.0)
_TEMPERATURES = np.geomspace(0.02, 50, 200)


class SVMClassifier(Estimator, Reading, Trained):
    """TF-IDF of unit length and a one-vs-rest linear SVM.

    Parameters
    ----------
    C : float or None
        Weight of errors against the margin; None chooses it by cross-validation.
    folds : int
        Of the cross-validation that chooses `C` and fits the probabilities.
    sublinear : bool
        Whether a word that occurs m times counts 1 + ln m rather than m.
    class_weight : None, "balanced" or dict
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int

    Attributes
    ----------
    classes_ : (C,) array
    features_ : TfIdf
    output_weight_ : (V, C) float64
        w[i, k].
    output_bias_ : (C,) float64
        b[k].
    temperature_ : float
        θ of equation (5): scores are divided by it before the softmax.
    provenance_ : dict
    """

    kind = "svm"

    def __init__(
        self,
        *,
        C: float | None = None,  # noqa: N803 - scikit-learn's name
        folds: int = 10,
        sublinear: bool = True,
        class_weight: str | Mapping[Any, float] | None = None,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
    ) -> None:
        self.C = C
        self.folds = folds
        self.sublinear = sublinear
        self.class_weight = class_weight
        self.max_words = max_words
        self.reader = reader
        self.seed = seed

    # ---- training -----------------------------------------------------------------------------

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        """Train on texts and their labels."""
        start = time.perf_counter()
        checked, classes, numbers = check_training_data(texts, labels)
        CHECKS["C"]("C", self.C)
        sublinear = CHECKS["sublinear"]("sublinear", self.sublinear)
        seed = CHECKS["seed"]("seed", self.seed)
        weights = class_weights(self.class_weight, classes, numbers)
        reader = Reader.of(self.reader, self.max_words)
        documents = list(reader.documents(checked))
        features = fit_tfidf(documents, reader, sublinear)
        if not features.words:
            raise InputError("the texts to train on have no words")
        rows = [features.row_of(features.read(document)) for document in documents]
        matrix = _matrix(rows, len(features.words))
        trainer = _Trainer(matrix, numbers, weights, seed)
        folds = min(CHECKS["folds"]("folds", self.folds), int(np.bincount(numbers).min()))
        grid = _GRID if self.C is None else (float(self.C),)
        chosen, accuracy, scores = trainer.cross_validate(grid, folds)
        self.output_weight_, self.output_bias_ = trainer.train(chosen)
        self.classes_ = classes
        self.features_ = features
        self.temperature_ = 1.0 if scores is None else fit_temperature(scores, numbers)
        self.provenance_ = training_provenance(
            checked, numbers.tolist(), start, C=chosen, validation_accuracy=accuracy
        )
        return self

    # ---- predicting ---------------------------------------------------------------------------

    @property
    def _layer(self) -> LinearLayer:
        self.check_fitted()
        return LinearLayer(
            self.features_, self.output_weight_, self.output_bias_, self.temperature_
        )

    def class_scores(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the scores x[k] of equation (14), (documents, C); (−s, s) for two classes."""
        layer, features = self._layer, self.features_
        checked = strings("texts", texts)
        return layer.scores([features.row_of(features.read(text)) for text in checked])

    @property
    def reader_(self) -> Reader:
        """How it reads."""
        self.check_fitted()
        return self.features_.reader

    @property
    def trace_kind(self) -> type[LinearTrace]:
        """The class of its traces."""
        return TfIdfTrace

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the features stand for."""
        return self.features_.read_documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 1,
        elements: bool = False,
    ) -> Iterator[LinearTrace]:
        """Yield the texts in blocks; bags are made anew without deleted words."""
        return self.trace_kind.blocks(self._layer, texts, deleted)

    def _temperature(self) -> float:
        return self.temperature_

    def input_matrix(self, text: str) -> "csr_matrix":
        """Return exactly what the classifier sees, (1, V) sparse."""
        self.check_fitted()
        features = self.features_
        row = features.row_of(features.read(text))
        return _matrix([row], len(self.output_weight_))

    @property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """``output_weight`` (V, C) and ``output_bias`` (C,)."""
        self.check_fitted()
        return {"output_weight": self.output_weight_, "output_bias": self.output_bias_}

    @property
    def training_words(self) -> frozenset[str]:
        """The lower-cased words, or n-grams, of the training texts."""
        return frozenset(word.lower() for word in self.features_.words)

    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy with weights in random order."""
        model = copy(self)
        random = np.random.default_rng(seed)
        weight = random.permutation(self.output_weight_.ravel())
        model.output_weight_ = weight.reshape(self.output_weight_.shape)
        return model

    # ---- keeping ------------------------------------------------------------------------------

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        tensors, described = to_stored(self.features_)
        tensors |= {"output_weight": self.output_weight_, "output_bias": self.output_bias_}
        configuration = {
            "kind": self.kind,
            "classes": self.classes_.tolist(),
            "parameters": {
                name: value
                for name, value in stored_parameters(self.get_params()).items()
                if name != "reader"  # told with the features
            },
            "temperature": self.temperature_,
            "features": described,
            "provenance": self.provenance_,
        }
        return tensors, configuration

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""
        classes = stored.classes()
        model = cls(**stored.parameters({**CHECKS, "class_weight": stored_class_weight(classes)}))
        model.classes_ = classes
        model.features_ = from_stored(stored)
        model.reader = reader_argument(model.features_.reader, model.max_words)
        model.output_weight_ = stored.tensor("output_weight", np.float64, "V", "C")
        model.output_bias_ = stored.tensor("output_bias", np.float64, "C")
        stored.check_range(_largest(model))
        model.temperature_ = stored.settings.take("temperature", positive_number)
        model.provenance_ = stored.provenance()
        return model


def _largest(model: SVMClassifier) -> float:
    """Return a bound of what one occurrence of a word may add to a score, and of the bias."""
    return largest_number(model.output_weight_) + largest_number(model.output_bias_)


def fit_temperature(scores: NDArray[np.float64], numbers: NDArray[np.intp]) -> float:
    """Return the θ of equation (5) under which held-out labels are most probable."""
    rows = np.arange(len(numbers))

    def loss(temperature: float) -> float:
        chances = softmax(scores / temperature)[rows, numbers]
        return float(-np.mean(np.log(np.maximum(chances, 1e-300))))

    return float(min(_TEMPERATURES, key=loss))


class _Trainer:
    """Linear SVMs on one matrix of features."""

    def __init__(
        self,
        matrix: "csr_matrix",
        numbers: NDArray[np.intp],
        weights: NDArray[np.float32],
        seed: int,
    ) -> None:
        self.matrix = matrix
        self.numbers = numbers
        self.weights = {number: float(weight) for number, weight in enumerate(weights)}
        self.seed = seed

    def _svm(self, c: float) -> Any:  # noqa: ANN401 - scikit-learn has no types
        from sklearn.svm import LinearSVC

        return LinearSVC(C=c, class_weight=self.weights, random_state=self.seed)

    def train(self, c: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return weights (V, C) and biases (C,) of SVMs trained on everything."""
        svm = self._svm(c).fit(self.matrix, self.numbers)
        return _both_classes(svm.coef_.T, svm.intercept_)

    def cross_validate(
        self, grid: tuple[float, ...], folds: int
    ) -> tuple[float, float | None, NDArray[np.float64] | None]:
        """Return the best C, its accuracy on held-out folds, and all held-out scores.

        Without two documents of every class there are no folds; C is then 1.
        """
        if folds < 2:
            return (grid[0] if len(grid) == 1 else 1.0), None, None
        results = [self._held_out_scores(c, folds) for c in grid]
        accuracies = [float(np.mean(s.argmax(axis=1) == self.numbers)) for s in results]
        best = int(np.argmax(accuracies))
        return grid[best], accuracies[best], results[best]

    def _held_out_scores(self, c: float, folds: int) -> NDArray[np.float64]:
        from joblib import Parallel, delayed
        from sklearn.model_selection import StratifiedKFold

        cut = StratifiedKFold(folds, shuffle=True, random_state=self.seed)
        parts = list(cut.split(self.matrix, self.numbers))
        fits = Parallel(n_jobs=-1)(
            delayed(self._svm(c).fit)(self.matrix[train], self.numbers[train]) for train, _ in parts
        )
        scores = np.empty((len(self.numbers), len(self.weights)))
        for svm, (_, test) in zip(fits, parts, strict=True):
            weight, bias = _both_classes(svm.coef_.T, svm.intercept_)
            scores[test] = self.matrix[test] @ weight + bias
        return scores


def _both_classes(
    weight: NDArray[np.float64], bias: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights (V, C) and biases (C,); a single SVM for two classes becomes (−s, s)."""
    if weight.shape[1] == 1:
        return np.concatenate([-weight, weight], axis=1), np.concatenate([-bias, bias])
    return np.ascontiguousarray(weight), np.asarray(bias)


def _matrix(rows: list[FeatureRow], columns: int) -> "csr_matrix":
    """Return feature rows as a sparse matrix, (rows, columns)."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        raise MissingExtraError("scikit-learn", "train") from None
    ends = np.cumsum([0, *(len(row.places) for row in rows)])
    places = np.concatenate([row.places for row in rows])
    values = np.concatenate([row.values for row in rows])
    return csr_matrix((values, places, ends), shape=(len(rows), columns))
