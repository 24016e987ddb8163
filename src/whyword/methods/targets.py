"""Which classes are asked about: one, several, all, the predicted one, one per document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, names_meant, whole_number
from whyword.base.errors import Advice, Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown

PREDICTED, ALL = "predicted", "all"
_SEVERAL = (list, tuple, set, frozenset, np.ndarray)  # that labels of one text may be


def class_number(classes: Sequence[Label], label: object, argument: str = "target") -> int:
    """Return which class is meant, by its label or the label's text; raise with close matches."""
    for number, own in enumerate(classes):
        if type(own) is type(label) and own == label:
            return number
    names = [str(own) for own in classes]
    if isinstance(label, np.generic):
        label = label.item()
    said = label if isinstance(label, str) else shown(label)
    if isinstance(label, Label) and said in names:
        return names.index(said)
    hint = names_meant(said, names)
    raise InputError(f"there is no class {shown(label, 80)}; {hint}", about=[argument])


def class_numbers(classes: Sequence[Label], labels: Iterable[Any]) -> NDArray[np.intp]:
    """Return the number of each label's class, (labels,); raise if there is no such class."""
    known: dict[Any, int] = {}
    numbers = []
    for label in labels:
        if _is_several(label):
            raise InputError(
                f"the labels are several each, as {shown(label)}, and the model predicts one class "
                "of each text"
            )
        if not isinstance(label, Label | np.generic):
            raise InputError(f"a label must be a string or a number, not {shown(label)}")
        if label not in known:
            known[label] = class_number(classes, label, "labels")
        numbers.append(known[label])
    return np.array(numbers, np.intp)


def _is_several(label: object) -> bool:
    """Return whether it is a list of labels, as a text may have several."""
    return isinstance(label, _SEVERAL) and getattr(label, "ndim", 1) == 1


def label_matrix(classes: Sequence[Label], labels: Iterable[Any]) -> NDArray[np.bool_]:
    """Return which classes each text's labels are, (texts, C); raise if there is no such class.

    Parameters
    ----------
    classes : sequence of C labels
    labels : iterable of lists, tuples, sets or arrays of labels
        A list for each text; it may be empty.
    """
    known: dict[Any, int] = {}
    rows = []
    for several in labels:
        if not _is_several(several):
            raise InputError(
                "the model predicts several labels, so the labels of each text are a list of them, "
                f"not {shown(several)}",
                Advice("; a column of texts is taken apart by ", Argument("label_separator", ",")),
            )
        row = np.zeros(len(classes), np.bool_)
        for label in several:
            if not isinstance(label, Label | np.generic):
                raise InputError(f"a label must be a string or a number, not {shown(label)}")
            if label not in known:
                known[label] = class_number(classes, label, "labels")
            row[known[label]] = True
        rows.append(row)
    return np.array(rows, np.bool_).reshape(len(rows), len(classes))


@dataclass(frozen=True)
class Target:
    """Whose scores are to be explained, for each document.

    Attributes
    ----------
    labels : tuple of C labels
        Of all classes.
    columns : tuple of int, or None
        The classes explained of every document; None if that depends on the document.
    each : iterator of int, or None
        One class per document.
    against : int or None
    single : bool
        Whether there is one target per document, so that relevance is (T,).
    all : bool
        Whether "all" was asked for.
    top : int or None
        So many classes of each document, those with its highest scores.
    """

    labels: tuple[Label, ...]
    columns: tuple[int, ...] | None
    each: Iterator[int] | None
    against: int | None
    single: bool
    all: bool = False
    top: int | None = None

    @property
    def count(self) -> int:
        """How many columns are computed per document, that of the contrast included."""
        columns = (self.top or 1) if self.columns is None else len(self.columns)
        return columns + (self.against is not None)

    def numbers(
        self, predicted: NDArray[np.intp], scores: NDArray[np.float64]
    ) -> NDArray[np.int32]:
        """Return the class numbers for a block of documents, (documents, count).

        Parameters
        ----------
        predicted : (documents,) intp
        scores : (documents, C) float64
        """
        documents = len(predicted)
        if self.columns is not None:
            chosen = np.tile(np.array(self.columns, np.int32), (documents, 1))
        elif self.top is not None:  # of equal scores the first, as for the predicted class
            chosen = np.argsort(-scores, axis=1, kind="stable")[:, : self.top].astype(np.int32)
        elif self.each is not None:
            each = list(islice(self.each, documents))
            if len(each) < documents:
                raise InputError("there are fewer ", Argument("targets"), " than texts")
            chosen = np.array(each, np.int32)[:, None]
        else:
            chosen = predicted.astype(np.int32)[:, None]
        if self.against is None:
            return np.ascontiguousarray(chosen)
        other = np.full((documents, 1), self.against, np.int32)
        return np.concatenate([chosen, other], axis=1)

    def labels_for(self, numbers: Sequence[int]) -> Label | tuple[Label, ...]:
        """Return what the explanation records as its target."""
        if self.all:
            return ALL
        if self.single:
            return self.labels[numbers[0]]
        return tuple(self.labels[number] for number in numbers)


def target_of(
    classes: Sequence[Label],
    target: object = PREDICTED,
    targets: Iterable[Any] | None = None,
    against: object = None,
    top_classes: int | None = None,
) -> Target:
    """Return which classes are asked about, their names looked up.

    Parameters
    ----------
    classes : sequence of C labels
    target : "predicted", "all", a label or several of them
        A class that is called "predicted" or "all" is asked for as ``["all"]``.
    targets : iterable of labels, optional
        One per document, instead of `target`.
    against : label, optional
    top_classes : int, optional
        The so many classes with each document's highest scores, instead of `target`.
    """
    labels = tuple(classes)
    if isinstance(target, np.ndarray) and target.ndim == 0:
        target = target.item()
    other = None if against is None else class_number(labels, against, "against")
    named = not isinstance(target, str) or target != PREDICTED
    if top_classes is not None:
        given = "target" if named else None if targets is None else "targets"
        return _top_of(labels, top_classes, given, other)
    if targets is not None:
        return _each_of(labels, targets, named, other)
    if isinstance(target, str) and target == PREDICTED:
        return Target(labels, None, None, other, single=True)
    if isinstance(target, str) and target == ALL:
        return Target(labels, tuple(range(len(labels))), None, other, single=False, all=True)
    if isinstance(target, str) or not isinstance(target, Iterable):
        column = class_number(labels, target)
        if column == other:
            raise InputError(
                Argument("target"),
                " and ",
                Argument("against"),
                f" are the same class, {labels[column]!r}",
            )
        return Target(labels, (column,), None, other, single=True)
    if isinstance(target, bytes):
        raise InputError(Argument("target"), f" must be a str, not bytes: {shown(target)}")
    chosen = list(items("target", target))
    names_all = any(isinstance(label, str) and label == ALL for label in chosen)
    if names_all and len(chosen) > 1 and ALL not in labels:
        raise InputError("'all' stands for every class: say it alone")
    columns = tuple(class_number(labels, label) for label in chosen)
    if not columns:
        raise InputError(Argument("target"), " is an empty list; name at least one class")
    if len(set(columns)) < len(columns):
        raise InputError(Argument("target"), " names a class twice")
    return Target(labels, columns, None, other, single=False)


def _each_of(
    labels: tuple[Label, ...], targets: object, named: bool, against: int | None
) -> Target:
    """Return one class for each document; raise if others are named, too."""
    if named:
        raise InputError(
            "say ",
            Argument("target", ...),
            " or ",
            Argument("targets", ...),
            " (one per document), not both",
        )
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        said = targets if isinstance(targets, str) and len(targets) < 80 else ...
        raise InputError(
            Argument("targets"),
            " takes a list, one label per document; ",
            Argument("target", said),
            "?",
        )
    each: Iterable[int] = (
        class_number(labels, label, "targets") for label in items("targets", targets)
    )
    if isinstance(targets, Sequence):  # all there: what is wrong is better said now
        each = list(each)
    return Target(labels, None, iter(each), against, single=True)


def _top_of(
    labels: tuple[Label, ...], top: object, given: str | None, against: int | None
) -> Target:
    """Return each document's highest classes; raise if others were given, too."""
    count = whole_number("top_classes", top)
    if given is not None:
        raise InputError(
            Argument("top_classes"),
            " is for each text's highest classes: leave ",
            Argument(given),
            " out",
        )
    return Target(labels, None, None, against, single=False, top=min(count, len(labels)))
