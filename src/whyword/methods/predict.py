"""Documents in, their predicted classes out, a block at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from whyword.corpora.source import Record
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier

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


def predict_documents(
    model: CNNClassifier | SVMClassifier, records: Iterable[Record]
) -> Iterator[Prediction]:
    """Yield the prediction for each document, in order."""
    remaining = iter(records)
    while block := list(islice(remaining, _BLOCK)):
        texts = [record.text for record in block]
        probabilities = model.predict_proba(texts)
        known = model.known_words(texts)
        for record, row, count in zip(block, probabilities, known.tolist(), strict=True):
            predicted = str(model.classes_[row.argmax()])
            yield Prediction(record.id, predicted, record.label, row, count)
