"""Documents in, their predicted classes out, a block at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label
from whyword.corpora.source import Record
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Scores, TextClassifier, checked_traces

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


def predict_documents(model: object, records: Iterable[Record]) -> Iterator[Prediction]:
    """Yield the prediction for each document, in order."""
    classifier = as_classifier(model)
    names = [str(label) for label in labels_of(classifier)]
    remaining, done = iter(records), 0
    while block := list(islice(remaining, _BLOCK)):
        waiting = iter(block)
        traces = classifier.trace([record.text for record in block])
        for trace in checked_traces(traces, done):
            rows = zip(
                trace.predicted.tolist(),
                trace.probabilities,
                trace.known_words.tolist(),
                strict=True,
            )
            for predicted, row, count in rows:
                record = next(waiting)
                yield Prediction(record.id, names[predicted], record.label, row, count)
        done += len(block)


def scores_of(model: TextClassifier, texts: Iterable[str]) -> Scores:
    """Return the scores of all classes, (texts, C)."""
    traces, none = checked_traces(model.trace(texts)), np.empty((0, len(model.classes_)))
    return np.concatenate([none, *(trace.scores for trace in traces)])


def predicted_labels(model: TextClassifier, texts: Iterable[str]) -> list[Label]:
    """Return the class of each text."""
    labels, traces = labels_of(model), checked_traces(model.trace(texts))
    return [labels[number] for trace in traces for number in trace.predicted.tolist()]


def probabilities_of(model: TextClassifier, texts: Iterable[str]) -> Scores:
    """Return the probabilities of all classes, (texts, C)."""
    traces, none = checked_traces(model.trace(texts)), np.empty((0, len(model.classes_)))
    return np.concatenate([none, *(trace.probabilities for trace in traces)])
