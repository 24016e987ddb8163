"""What a model says of a corpus's documents, beside what is true of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.document_map import map_group
from whyword.base.errors import InputError
from whyword.base.labels import Label, Labels
from whyword.base.printable import storable
from whyword.methods.predict import Prediction
from whyword.methods.targets import class_number, label_matrix


@dataclass(frozen=True, eq=False)
class Judged:
    """Predictions and labels of documents.

    Attributes
    ----------
    classes : list of labels
        The model's.
    labels : list of str, tuple of str or None
        The true classes, or labels, where the corpus has them.
    predicted : (documents,) intp
        Numbers of classes; of a model with several labels, the highest.
    chances : (documents,) float64
        The probability of these.
    probabilities : (documents, C)
        Of all classes.
    said : list of tuples of labels, or None
        What a model with several labels predicts; None of one that predicts a class.
    """

    classes: list[Label]
    labels: list[Labels | None]
    predicted: NDArray[np.intp]
    chances: NDArray[np.float64]
    probabilities: NDArray[Any]
    said: list[tuple[Label, ...]] | None = None

    @classmethod
    def of(
        cls,
        classes: list[Label],
        labels: Sequence[Labels | None],
        predictions: Sequence[Prediction],
    ) -> "Judged":
        """Return the predictions of a model with these classes, and the labels."""
        by_name = {str(label): label for label in classes}
        several = any(isinstance(one.predicted, tuple) for one in predictions)
        return cls(
            classes=classes,
            labels=[_storable(label) for label in labels],
            predicted=np.array([one.probabilities.argmax() for one in predictions], np.intp),
            chances=np.array([one.probability for one in predictions]),
            probabilities=np.array([one.probabilities for one in predictions]),
            said=[tuple(map(by_name.__getitem__, one.predicted)) for one in predictions]
            if several
            else None,
        )

    @property
    def n_labelled(self) -> int:
        """How many documents have labels."""
        return sum(label is not None for label in self.labels)

    @property
    def accuracy(self) -> float | None:
        """The share of these of which all that is predicted is right; None if there are none."""
        right = sum(self.is_right(number) is True for number in range(len(self.labels)))
        return right / self.n_labelled if self.n_labelled else None

    def is_right(self, number: int) -> bool | None:
        """Return whether a prediction is right; None if nobody knows."""
        label = self.labels[number]
        if label is None:
            return None
        return set(_each(label)) == set(map(str, _each(self.prediction(number))))

    def prediction(self, number: int) -> Any:  # noqa: ANN401 - a label, or a tuple of labels
        """Return what is predicted of a document."""
        return self.classes[self.predicted[number]] if self.said is None else self.said[number]

    @property
    def outputs(self) -> NDArray[Any]:
        """The probabilities; of a model with several labels which are predicted, (documents, C)."""
        return self.probabilities if self.said is None else label_matrix(self.classes, self.said)

    def truth(self, number: int) -> Any:  # noqa: ANN401 - a label, or a tuple of labels
        """Return a document's label as the model could have said it; None if it could not."""
        label = self.labels[number]
        if label is None or (self.said is None and isinstance(label, tuple)):
            return None
        by_name = {str(own): own for own in self.classes}
        several = tuple(by_name[one] for one in _each(label) if one in by_name)
        if len(several) < len(_each(label)):
            return None
        return several[0] if self.said is None else several

    @property
    def labels_are_foreign(self) -> bool:
        """Whether there are labels, and none of them is a class of the model."""
        labels = {one for label in self.labels if label is not None for one in _each(label)}
        return bool(labels) and labels.isdisjoint(map(str, self.classes))

    def names(self) -> list[str]:
        """Return what documents are grouped by: the model's classes, then labels it does not know.

        That there are several labels, or none, is a name as well; those predicted come first.
        """
        own = [str(label) for label in self.classes]
        said = sorted({str(map_group(several)) for several in self.said or ()} - set(own))
        labels = sorted({str(map_group(one)) for one in self.labels if one is not None})
        return list(dict.fromkeys([*own, *said, *labels]))

    def groups(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Return, of some documents, which of the names they are labelled and predicted as."""
        names = self.names()
        at = {name: place for place, name in enumerate(names)}
        labels = (self.labels[number] for number in numbers)
        return {
            "predicted": [at[str(map_group(self.prediction(number)))] for number in numbers],
            "label_names": names,
            "labels": [-1 if one is None else at[str(map_group(one))] for one in labels],
            "right": [self.is_right(number) for number in numbers],
        }

    def confusion(self) -> dict[str, Any]:
        """Return how often each label was predicted as each class."""
        if not self.n_labelled:
            raise InputError("the documents have no labels, so that nobody knows which are wrong")
        if self.said is not None:
            raise InputError(
                "the model predicts several labels, each by itself, so that none is taken for "
                "another; whyword evaluate says how well each is found"
            )
        names = self.names()
        counts: Counter[tuple[str, int]] = Counter()
        for label, predicted in zip(self.labels, self.predicted.tolist(), strict=True):
            if label is not None:
                counts[str(map_group(label)), predicted] += 1
        rows = [[counts[name, column] for column in range(len(self.classes))] for name in names]
        return {"labels": names, "classes": self.classes, "counts": rows}

    def select(self, label: str | None, predicted: str | None) -> NDArray[np.intp]:
        """Return the documents with this label and this prediction, the surest first."""
        chosen = np.ones(len(self.labels), np.bool_)
        if label is not None:
            chosen &= np.array([label in _each(one) for one in self.labels], np.bool_)
        if predicted is not None:
            number = class_number(self.classes, predicted, "predicted")
            said = self.predicted == number
            if self.said is not None:
                said = np.array([self.classes[number] in one for one in self.said], np.bool_)
            chosen &= said
        numbers = np.flatnonzero(chosen)
        return numbers[np.argsort(-self.chances[numbers], kind="stable")]


def _storable(label: Labels | None) -> Labels | None:
    """Return labels that an answer can hold; an empty text is none."""
    if isinstance(label, tuple):
        return tuple(map(storable, label))
    return storable(label) if label else None


def _each(label: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a label, several, or None
    """Return a document's labels; its class is one."""
    return label if isinstance(label, tuple) else (label,)
