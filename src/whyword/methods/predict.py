"""Documents in, their predicted classes out, a block at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label
from whyword.corpora.source import Record
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.probabilities import check_finite
from whyword.models.protocol import Scores, TextClassifier

_BLOCK = 1_000  # documents held at a time


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a model says of one document.

    Attributes
    ----------
    id : str
    predicted : str
    label : str or None
        The true class, where the source has it.
    probabilities : (C,) float64
    known_words : int
        How many of its words the model knows; with 0 the prediction says nothing of the text.
    """

    id: str
    predicted: str
    label: str | None
    probabilities: NDArray[np.float64]
    known_words: int

    @property
    def probability(self) -> float:
        """The probability of the predicted class."""
        return float(self.probabilities.max())


class Tally:
    """How many predictions there were, and how many were right, of those with a true class.

    Parameters
    ----------
    classes : sequence of labels
        Of the model.
    """

    def __init__(self, classes: Sequence[Label]) -> None:
        self._names = frozenset(map(str, classes))
        self.n_documents = self.labelled = self.right = self.foreign = 0

    def count(self, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
        """Yield the predictions, counted."""
        for one in predictions:
            self.n_documents += 1
            self.labelled += one.label is not None
            self.right += one.label == one.predicted
            self.foreign += one.label is not None and one.label not in self._names
            yield one

    def accuracy_line(self) -> str:
        """Return the accuracy, of how many; nothing if no document has a label."""
        if not self.labelled:
            return ""
        if self.foreign == self.labelled:
            return "none of the labels is a class of the model"
        share = self.right / self.labelled
        line = f"accuracy {share:.2%} of {self.labelled:,} labelled documents"
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
                trace.probabilities,
                trace.known_words.tolist(),
                strict=True,
            )
            for predicted, row, count in rows:
                record = next(waiting)
                yield Prediction(record.id, names[predicted], record.label, row, count)
            done += len(trace)


def scores_of(model: TextClassifier, texts: Iterable[str]) -> Scores:
    """Return the scores of all classes, (texts, C)."""
    none = np.empty((0, len(model.classes_)))
    return check_finite(np.concatenate([none, *(one.scores for one in model.trace(texts))]))


def predicted_labels(model: TextClassifier, texts: Iterable[str]) -> list[Label]:
    """Return the class of each text."""
    labels, best = labels_of(model), scores_of(model, texts).argmax(axis=1)
    return [labels[number] for number in best.tolist()]


def probabilities_of(model: TextClassifier, texts: Iterable[str]) -> Scores:
    """Return the probabilities of all classes, (texts, C)."""
    none, first = np.empty((0, len(model.classes_))), 0
    chances = [none]
    for trace in model.trace(texts):
        trace.predicted_from(first)  # raises where there is no class
        first += len(trace)
        chances.append(trace.probabilities)
    return np.concatenate(chances)
