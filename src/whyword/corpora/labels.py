"""What a row of a table says of its document's class, or of its several labels."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from whyword.base.checks import strings
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Labels
from whyword.base.printable import shown, storable
from whyword.corpora.columns import Columns

Row: TypeAlias = Sequence[object]

_LISTS = (list, tuple, set, frozenset, np.ndarray)
_NEEDED = "every document needs a label: fill it in, or delete the row"
_FLAGS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


class NoLabel(NamedTuple):
    """Why a row has no label."""

    reason: str


class RowLabels:
    """Reads the labels of rows, one after the other; they are all a class, or all several labels.

    Several stand in a list, in one text with something between them, or in a column each. What
    the first row has is what the others must have.

    Parameters
    ----------
    columns : Columns
    """

    def __init__(self, columns: Columns) -> None:
        names = columns.names
        self._columns, self._separator = columns, columns.separator
        self._at = None if columns.label is None else names.index(columns.label)
        self._flags = [(name, names.index(name)) for name in columns.labels]
        self._several: bool | None = None

    def __call__(self, values: Row) -> Labels | NoLabel | None:
        """Return the labels of a row of :attr:`Columns.names`; None if there is no such column."""
        if self._flags:
            return self._of_columns(values)
        if self._at is None:
            return None
        value = values[self._at]
        name = self._columns.label
        if self._separator is not None and (value is None or isinstance(value, str)):
            return _distinct((value or "").split(self._separator))
        several = isinstance(value, _LISTS)
        label = self._of_list(value) if several else one_label(value)
        if label is None:
            return NoLabel(f"{name!r} is {kind_of(value)}; {_NEEDED}")
        if isinstance(label, NoLabel) or self._separator is not None:
            return (label,) if isinstance(label, str) else label
        if self._several is None:
            self._several = several
        if self._several != several:
            one, other = ("a list", "one label") if several else ("one label", "a list")
            return NoLabel(f"{name!r} is {one}: {kind_of(value)}; before it was {other}")
        return label

    def _of_list(self, values: object) -> Labels | NoLabel:
        labels = []
        for value in values:  # type: ignore[attr-defined]  # one of _LISTS
            label = one_label(value)
            if label is None:
                shown_value = kind_of(value)
                return NoLabel(f"{self._columns.label!r} holds {shown_value}, which is no label")
            labels.append(label)
        return _distinct(labels)

    def _of_columns(self, values: Row) -> Labels | NoLabel:
        chosen = []
        for name, at in self._flags:
            flag = _flag(values[at])
            if flag is None:
                return NoLabel(f"{name!r} is {kind_of(values[at])}; a label's column has 0 or 1")
            if flag:
                chosen.append(storable(name))
        return tuple(chosen)


def one_label(value: object) -> str | None:
    """Return a label as a text; None if the value is none."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | int | float) and str(value).strip() and value == value:  # not NaN
        return storable(str(value))
    return None


def _flag(value: object) -> bool | None:
    """Return whether a label's column says that a document has it; None if it does not say."""
    if isinstance(value, str):
        return _FLAGS.get(value.strip().lower())
    if isinstance(value, bool | int | float | np.generic) and value in (0, 1):
        return bool(value)
    return None


def _distinct(labels: Iterable[str]) -> tuple[str, ...]:
    """Return each label once, without the blanks around it."""
    bare = (label.strip() for label in labels)
    return tuple(dict.fromkeys(storable(label) for label in bare if label))


def kind_of(value: object) -> str:
    """Return what a value is, for a message."""
    if isinstance(value, _LISTS):
        return f"{type(value).__name__} {shown(value, 40)}"
    if value in (None, ""):
        return "null" if value is None else "empty"
    return f"{type(value).__name__} {value!r:.40}"


def check_label(
    label: str | Collection[str] | None, separator: str | None
) -> str | tuple[str, ...] | None:
    """Return the column of labels that is named, or several that are a label each.

    Raise if the separator is none, or not for such columns.
    """
    if separator is not None and (not isinstance(separator, str) or not separator):
        raise InputError(
            Argument("label_separator"),
            f" is what stands between labels, not {shown(separator)}",
        )
    if label is None or isinstance(label, str):
        return label
    several = tuple(strings("label", label))
    if not several or len(set(several)) < len(several):
        raise InputError(Argument("label"), " names no columns, or one of them twice")
    if separator is not None:
        raise InputError(
            "columns that are a label each are 0 or 1: leave ", Argument("label_separator"), " out"
        )
    return several


def several_labels(labels: Iterable[Labels | None] | None) -> bool:
    """Return whether documents have several labels, or none, and not a class each."""
    return any(isinstance(label, tuple) for label in labels or ())


def rarest_labels(labels: Sequence[Labels | None]) -> list[str | None]:
    """Return, of each document, its class or the rarest of its labels: what parts are made by."""
    counts: dict[str, int] = {}
    for several in labels:
        for label in several if isinstance(several, tuple) else ():
            counts[label] = counts.get(label, 0) + 1
    return [
        min(each, key=lambda label: counts[label], default="") if isinstance(each, tuple) else each
        for each in labels
    ]
