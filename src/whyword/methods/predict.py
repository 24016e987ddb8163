"""Documents in, their predicted classes out, a block at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label, Labels
from whyword.corpora.source import Record
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import predicted_sets
from whyword.models.probabilities import check_finite
from whyword.models.protocol import Scores, TextClassifier
from whyword.words.document import Text

_BLOCK = 1_000  # documents held at a time


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a model says of one document.

    Attributes
    ----------
    id : str
    predicted : str or tuple of str
        The class; of a model with several labels those that it predicts, perhaps none.
    label : str, tuple of str or None
        The true class, or labels, where the source has them.
    probabilities : (C,) float64
    known_words : int
        How many of its words the model knows; with 0 the prediction says nothing of the text.
    """

    id: str
    predicted: Labels
    label: Labels | None
    probabilities: NDArray[np.float64]
    known_words: int

    @property
    def probability(self) -> float:
        """The probability of the predicted class, or the highest of the labels'."""
        return float(self.probabilities.max())

    @property
    def is_right(self) -> bool | None:
        """Whether all is predicted that is true, and nothing else; None if nobody knows."""
        if not self.is_comparable:
            return None
        if isinstance(self.predicted, tuple):
            return set(self.predicted) == set(self.label or ())
        return self.label == self.predicted

    @property
    def is_comparable(self) -> bool:
        """Whether there is a true class, or there are true labels, as the model predicts them."""
        return type(self.label) is type(self.predicted)


class Tally:
    """How many predictions there were, and how many were right, of those with a true class.

    Parameters
    ----------
    classes : sequence of labels
        Of the model.
    """

    def __init__(self, classes: Sequence[Label]) -> None:
        self._names = frozenset(map(str, classes))
        self.n_documents = self.labelled = self.right = self.foreign = self.unlike = 0
        self._of_labels = False

    def count(self, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
        """Yield the predictions, counted."""
        for one in predictions:
            self.n_documents += 1
            self.labelled += one.label is not None
            self.right += one.is_right is True
            self.unlike += one.label is not None and not one.is_comparable
            self.foreign += self._is_foreign(one.label)
            self._of_labels = isinstance(one.predicted, tuple)
            yield one

    def _is_foreign(self, label: Labels | None) -> bool:
        """Return whether there is a label that is no class of the model."""
        several = (label,) if isinstance(label, str) else label or ()
        return not self._names.issuperset(several)

    def accuracy_line(self) -> str:
        """Return the accuracy, of how many; nothing if no document has a label."""
        if not self.labelled:
            return ""
        if self.unlike:
            return (
                "the model predicts several labels, and the documents have a class each: no "
                "accuracy"
                if self._of_labels
                else "the documents have several labels, and the model predicts a class: no "
                "accuracy"
            )
        if self.foreign == self.labelled:
            return "none of the labels is a class of the model"
        share = self.right / self.labelled
        what = "exactly the right labels:" if self._of_labels else "accuracy"
        line = f"{what} {share:.2%} of {self.labelled:,} labelled documents"
        return line + (f" ({self.foreign:,} with no class of the model)" if self.foreign else "")


def predict_documents(model: object, records: Iterable[Record]) -> Iterator[Prediction]:
    """Yield the prediction for each document, in order."""
    classifier = as_classifier(model)
    names = [str(label) for label in labels_of(classifier)]
    remaining, done = iter(records), 0
    while block := list(islice(remaining, _BLOCK)):
        waiting = iter(block)
        for trace in classifier.trace([record.text for record in block]):
            rows = zip(
                trace.predicted_from(done).tolist(),
                predicted_sets(trace, names),
                trace.probabilities,
                trace.known_words.tolist(),
                strict=True,
            )
            for best, several, row, count in rows:
                record = next(waiting)
                said: Any = names[best] if several is None else several
                yield Prediction(record.id, said, record.label, row, count)
            done += len(trace)


def scores_of(model: TextClassifier, texts: Iterable[str]) -> Scores:
    """Return the scores of all classes, (texts, C)."""
    none = np.empty((0, len(model.classes_)))
    return check_finite(np.concatenate([none, *(one.scores for one in model.trace(texts))]))


def highest_labels(model: TextClassifier, texts: Iterable[str]) -> list[Label]:
    """Return the class, or the highest label, of each text."""
    labels, best = labels_of(model), scores_of(model, texts).argmax(axis=1)
    return [labels[number] for number in best.tolist()]


def predicted_matrix(model: TextClassifier, texts: Iterable[Text]) -> NDArray[np.bool_]:
    """Return which labels a model with several predicts, (texts, C)."""
    rows = [np.empty((0, len(model.classes_)), np.bool_)]
    first = 0
    for trace in model.trace(texts):
        trace.predicted_from(first)  # raises where there is no score
        first += len(trace)
        rows.append(trace.labels_predicted)  # type: ignore[attr-defined]  # it is MultiLabel
    return np.concatenate(rows)


def probabilities_of(model: TextClassifier, texts: Iterable[Text]) -> Scores:
    """Return the probabilities of all classes, (texts, C)."""
    none, first = np.empty((0, len(model.classes_))), 0
    chances = [none]
    for trace in model.trace(texts):
        trace.predicted_from(first)  # raises where there is no class
        first += len(trace)
        chances.append(trace.probabilities)
    return np.concatenate(chances)
