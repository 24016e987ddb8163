"""Which decisions of a model are looked at while words go, and whether they are right.

A model that predicts a class decides once about each text. One that predicts several labels decides
about each text and label, so that a text may take part with several labels: in rounds, one label of
each text at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label
from whyword.evaluation.curves import TRUE
from whyword.evaluation.trajectories import target_values
from whyword.methods.targets import PREDICTED, class_number, class_numbers, label_matrix
from whyword.models.multilabel import MultiLabel, is_multilabel
from whyword.models.protocol import Erasable, Erased, TextClassifier, Trace

CORRECT, WRONG, EVERY = SUBSETS = ("correct", "wrong", "all")
Truth = NDArray[Any]  # (documents,) numbers of classes, or (documents, C) of labels


class Round(NamedTuple):
    """Decisions about some documents of a block, one of each.

    Attributes
    ----------
    chosen : (n,) intp
        Which of the block's documents.
    targets : (documents, 1) int32
        The class that is looked at, of all documents of the block.
    """

    chosen: NDArray[np.intp]
    targets: NDArray[np.int32]


class Decisions(ABC):
    """What is true of texts, and what a model's decisions about them are.

    Attributes
    ----------
    classes : sequence of C labels
    truth : (texts,) intp, or (texts, C) bool
    """

    def __init__(self, classes: Sequence[Label], truth: Truth) -> None:
        self.classes, self.truth = classes, truth

    @abstractmethod
    def rounds(
        self, trace: Trace, first: int, target: object, subset: str, least_words: int
    ) -> Iterator[Round]:
        """Yield the decisions that take part.

        Parameters
        ----------
        trace : Trace
        first : int
            The number of its first text.
        target : "true", "predicted" or a class
        subset : {"correct", "wrong", "all"}
            Whether they are right.
        least_words : int
            That a document must have.
        """

    @abstractmethod
    def right(self, trace: Trace, first: int, one: Round, erased: Erased) -> NDArray[np.bool_]:
        """Return whether decisions of a round are right after each step, (n, R, K + 1)."""


class OfClasses(Decisions):
    """One decision about each text."""

    def rounds(
        self, trace: Trace, first: int, target: object, subset: str, least_words: int
    ) -> Iterator[Round]:
        """Yield all decisions at once."""
        truth = self.truth[first : first + len(trace)]
        if isinstance(target, str) and target == TRUE:
            numbers = truth
        elif isinstance(target, str) and target == PREDICTED:
            numbers = trace.predicted
        else:
            numbers = np.full(len(truth), class_number(self.classes, target))
        within = _has_words(trace, least_words)
        if subset != EVERY:
            within &= (trace.predicted == truth) == (subset == CORRECT)
        yield Round(np.flatnonzero(within), np.ascontiguousarray(numbers[:, None], np.int32))

    def right(self, trace: Trace, first: int, one: Round, erased: Erased) -> NDArray[np.bool_]:
        """Return whether the class is the true one."""
        true = self.truth[first + one.chosen][:, None, None]
        same: NDArray[np.bool_] = cast(Erasable, trace).decided(erased) == true
        return same


class OfLabels(Decisions):
    """A decision about each text and label."""

    def rounds(
        self,
        trace: Trace,
        first: int,
        target: object,
        subset: str,
        least_words: int,
    ) -> Iterator[Round]:
        """Yield a label of each text that has one left."""
        truth = self.truth[first : first + len(trace)]
        said = cast(MultiLabel, trace).labels_predicted
        if isinstance(target, str) and target == TRUE:
            pairs = truth.copy()
        elif isinstance(target, str) and target == PREDICTED:
            pairs = said.copy()
        else:
            pairs = np.zeros(truth.shape, np.bool_)
            pairs[:, class_number(self.classes, target)] = True
        if subset != EVERY:
            pairs &= (said == truth) == (subset == CORRECT)
        pairs &= _has_words(trace, least_words)[:, None]
        place = np.cumsum(pairs, axis=1) * pairs  # the first label of a text is 1, the next 2
        for number in range(1, int(place.max(initial=0)) + 1):
            now = place == number
            targets = now.argmax(axis=1).astype(np.int32)[:, None]
            yield Round(np.flatnonzero(now.any(axis=1)), targets)

    def right(
        self,
        trace: Trace,
        first: int,
        one: Round,
        erased: Erased,
    ) -> NDArray[np.bool_]:
        """Return whether the label is said where it is true, and not said where it is not."""
        labels = one.targets[one.chosen, 0]
        chances = target_values(erased.probabilities, labels)
        said = chances >= cast(MultiLabel, trace).thresholds[labels][:, None, None]
        same: NDArray[np.bool_] = said == self.truth[first + one.chosen, labels][:, None, None]
        return same


def _has_words(trace: Trace, least_words: int) -> NDArray[np.bool_]:
    return np.array([len(document) >= least_words for document in trace.documents], np.bool_)


def decisions_of(
    model: TextClassifier, classes: Sequence[Label], labels: Sequence[Any]
) -> Decisions:
    """Return the decisions about texts with these labels; raise if they are none of the model's."""
    if is_multilabel(model):
        return OfLabels(classes, label_matrix(classes, labels))
    return OfClasses(classes, class_numbers(classes, labels))
