"""Several labels at once: each is said, or not, by a probability of its own."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, real_number
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.models.probabilities import sigmoid
from whyword.models.protocol import Scores, TextClassifier, Trace


class MultiLabel(Trace):
    """An ability of a trace: its labels are independent, so that several are predicted, or none.

    A kind's trace has it before its others: ``class MyTrace(MultiLabel, …)``. What is
    :attr:`predicted` stays the highest label, which ``target="predicted"`` explains.

    Attributes
    ----------
    thresholds : (C,) float64
        The probability from which on each label is predicted.
    """

    thresholds: Scores

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the sigmoid of each score, (…, C); they need not sum to 1."""
        return sigmoid(scores)

    def are_predicted(self, probabilities: Scores) -> NDArray[np.bool_]:
        """Return whether labels with these probabilities are predicted, (…, C)."""
        said: NDArray[np.bool_] = probabilities >= self.thresholds
        return said

    @property
    def labels_predicted(self) -> NDArray[np.bool_]:
        """Whether each label is predicted, (n, C); of a document, perhaps none is."""
        return self.are_predicted(self.probabilities)


def is_multilabel(model: TextClassifier) -> bool:
    """Return whether a model predicts several labels at once."""
    return issubclass(model.trace_kind, MultiLabel)


def predicted_sets(trace: Trace, labels: Sequence[Label]) -> list[tuple[Label, ...]] | list[None]:
    """Return the labels predicted of each document, in the model's order.

    Of a model that predicts one class, None of each: :attr:`Trace.predicted` says which.
    """
    if not isinstance(trace, MultiLabel):
        return [None] * len(trace)
    return [chosen_labels(row, labels) for row in trace.labels_predicted]


def chosen_labels(chosen: NDArray[np.bool_], labels: Sequence[Label]) -> tuple[Label, ...]:
    """Return the labels that are chosen, (C,) bool."""
    return tuple(labels[number] for number in np.flatnonzero(chosen).tolist())


def thresholds_of(
    threshold: float | Mapping[Label, float] | Iterable[float], labels: Sequence[Label]
) -> Scores:
    """Return the threshold of each label, (C,); raise unless they are probabilities.

    Parameters
    ----------
    threshold : float, mapping from label to float, or iterable of C floats
        One for all labels, or one for each; a label that a mapping does not name has 0.5.
    labels : sequence of C labels
    """
    name = "threshold"
    if isinstance(threshold, Mapping):
        unknown = [label for label in threshold if label not in labels]
        if unknown:
            raise InputError(Argument(name), f" names {unknown[0]!r:.60}, which is no label")
        each = [threshold.get(label, 0.5) for label in labels]
    elif isinstance(threshold, Iterable):
        each = list(items(name, threshold, "a number, or one for each label"))
        if len(each) != len(labels):
            sizes = f"{len(each)} ≠ {len(labels)}"
            raise InputError(Argument(name), f" and labels differ in number: {sizes}")
    else:
        each = [threshold] * len(labels)
    numbers = np.array([real_number(name, one) for one in each])
    if (numbers > 1).any():
        raise InputError(Argument(name), f" is a probability, not {numbers.max():g}")
    return numbers
