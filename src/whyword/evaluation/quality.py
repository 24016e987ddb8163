"""How good the model itself is: an explanation of nonsense explains nonsense.

The measures are scikit-learn's, in a few lines: they come with every install, which it does not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, strings, whole_number
from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.methods.predict import predicted_matrix, probabilities_of
from whyword.methods.targets import class_numbers, label_matrix
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel

_BINS = 15  # of the calibration error


class ClassQuality(NamedTuple):
    """How well one class is found.

    Attributes
    ----------
    label : label
    precision : float
        Share of the documents predicted so that are so; 0 if there are none.
    recall : float
        Share of the documents that are so that are predicted so; 0 if there are none.
    f1 : float
        Their harmonic mean.
    n_documents, predicted : int
        How many are so, and how many are predicted so.
    """

    label: Label
    precision: float
    recall: float
    f1: float
    n_documents: int
    predicted: int


class Bin(NamedTuple):
    """Predictions of similar confidence: how many, how confident, how often right."""

    n_documents: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, eq=False, repr=False)
class ModelQuality:
    """How well a model predicts labelled texts.

    Attributes
    ----------
    accuracy : float
    macro_f1 : float
        Mean F1 of the classes that occur among labels or predictions.
    calibration_error : float
        Mean distance between confidence and accuracy, over bins of equal width.
    classes : list of ClassQuality
    confusion : (C, C) int64
        Documents by true class (rows) and predicted class.
    bins : list of Bin
        Those that are not empty, by confidence.
    """

    accuracy: float
    macro_f1: float
    calibration_error: float
    classes: list[ClassQuality]
    confusion: NDArray[np.int64]
    bins: list[Bin]

    def __repr__(self) -> str:
        return (
            f"ModelQuality(accuracy {self.accuracy:.4f}, macro-F1 {self.macro_f1:.4f}, calibration "
            f"error {self.calibration_error:.4f}, {self.n_documents:,} documents)"
        )

    @property
    def n_documents(self) -> int:
        """How many documents were predicted."""
        return int(self.confusion.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "documents": self.n_documents,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "calibration_error": self.calibration_error,
            "classes": [_plain(one) for one in self.classes],
            "confusion": self.confusion.tolist(),
            "calibration": [_plain(one) for one in self.bins],
        }


@dataclass(frozen=True, eq=False, repr=False)
class MultiLabelQuality:
    """How well a model predicts the several labels of texts.

    Attributes
    ----------
    accuracy : float
        Share of the texts of which exactly the right labels are predicted.
    micro_f1 : float
        F1 of all decisions about a text and a label together.
    macro_f1 : float
        Mean F1 of the labels that occur, or are predicted.
    classes : list of ClassQuality
        Each label by itself.
    n_documents : int
    unlabelled : int
        How many texts have none of the labels.
    """

    accuracy: float
    micro_f1: float
    macro_f1: float
    classes: list[ClassQuality]
    n_documents: int
    unlabelled: int

    def __repr__(self) -> str:
        return (
            f"MultiLabelQuality(micro-F1 {self.micro_f1:.4f}, macro-F1 {self.macro_f1:.4f}, all "
            f"labels right {self.accuracy:.4f}, {self.n_documents:,} documents)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "documents": self.n_documents,
            "accuracy": self.accuracy,
            "micro_f1": self.micro_f1,
            "macro_f1": self.macro_f1,
            "unlabelled": self.unlabelled,
            "classes": [_plain(one) for one in self.classes],
        }


def _plain(row: ClassQuality | Bin) -> dict[str, Any]:
    """Return a row under the names that files have: a count is "documents" there."""
    return {name.removeprefix("n_"): value for name, value in row._asdict().items()}


def model_quality(
    model: object, texts: Iterable[str], labels: Iterable[Any], bins: int = _BINS
) -> Any:  # noqa: ANN401 - of several labels it has other figures
    """Return how well a model predicts the labels of texts.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
    labels : iterable
        The true class of each text; for a model that predicts several labels, a list for each.
    bins : int
        Of the calibration error.

    Returns
    -------
    ModelQuality, or MultiLabelQuality of a model that predicts several labels
    """
    traced = as_classifier(model)
    bins = whole_number("bins", bins)
    names = labels_of(traced)
    several = strings("texts", texts)
    given = one_each("labels", labels, len(several))
    if not several:
        raise InputError("there are no texts to judge the model by")
    if is_multilabel(traced):
        wanted = label_matrix(names, given)
        return labels_quality(names, wanted, predicted_matrix(traced, several))
    truth = class_numbers(names, given)
    return classes_quality(names, truth, probabilities_of(traced, several), bins)


def classes_quality(
    names: Sequence[Label],
    truth: NDArray[np.intp],
    chances: NDArray[np.float64],
    bins: int = _BINS,
) -> ModelQuality:
    """Return how good predictions of a class are.

    Parameters
    ----------
    names : sequence of C labels
    truth : (texts,) intp
    chances : (texts, C) float64
        The probabilities that were predicted; of at least one text.
    bins : int
    """
    predicted = chances.argmax(axis=1)
    confusion = np.zeros((len(names), len(names)), np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    classes = [_class_quality(label, n, confusion) for n, label in enumerate(names)]
    occurring = [one.f1 for one in classes if one.n_documents or one.predicted]
    filled = _bins(chances.max(axis=1), predicted == truth, bins)
    error = sum(one.n_documents * abs(one.confidence - one.accuracy) for one in filled)
    return ModelQuality(
        accuracy=float(np.mean(predicted == truth)),
        macro_f1=float(np.mean(occurring)),
        calibration_error=error / len(truth),
        classes=classes,
        confusion=confusion,
        bins=filled,
    )


def labels_quality(
    names: Sequence[Label], truth: NDArray[np.bool_], predicted: NDArray[np.bool_]
) -> MultiLabelQuality:
    """Return how good predictions of several labels are.

    Parameters
    ----------
    names : sequence of C labels
    truth, predicted : (texts, C) bool
    """
    right, true, said = (one.sum(axis=0).tolist() for one in (truth & predicted, truth, predicted))
    classes = [_label_quality(*one) for one in zip(names, right, true, said, strict=True)]
    occurring = [one.f1 for one in classes if one.n_documents or one.predicted]
    return MultiLabelQuality(
        accuracy=float((truth == predicted).all(axis=1).mean()),
        micro_f1=2 * sum(right) / max(1, sum(true) + sum(said)),
        macro_f1=float(np.mean(occurring)) if occurring else 0.0,
        classes=classes,
        n_documents=len(truth),
        unlabelled=int((~truth.any(axis=1)).sum()),
    )


def _class_quality(label: Label, number: int, confusion: NDArray[np.int64]) -> ClassQuality:
    right = int(confusion[number, number])
    n_documents, predicted = int(confusion[number].sum()), int(confusion[:, number].sum())
    return _label_quality(label, right, n_documents, predicted)


def _label_quality(label: Label, right: int, n_documents: int, predicted: int) -> ClassQuality:
    return ClassQuality(
        label=label,
        precision=right / max(1, predicted),
        recall=right / max(1, n_documents),
        f1=2 * right / max(1, n_documents + predicted),
        n_documents=n_documents,
        predicted=predicted,
    )


def _bins(confidence: NDArray[np.float64], right: NDArray[np.bool_], bins: int) -> list[Bin]:
    number = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    return [
        Bin(
            int(np.sum(number == one)),
            float(confidence[number == one].mean()),
            float(right[number == one].mean()),
        )
        for one in np.unique(number)
    ]
