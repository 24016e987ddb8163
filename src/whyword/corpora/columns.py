"""Which columns of a table hold the parts of a document."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from whyword.base.checks import join_names
from whyword.base.columns import candidates, only
from whyword.base.errors import Advice, Argument, InputError, Part
from whyword.corpora.tables import Table


class Columns(NamedTuple):
    """The columns of a table that hold the parts of a document.

    `groups` are those to be kept, `labels` those that are a label each, instead of `label`;
    `separator` is what stands between several labels in one.
    """

    text: str
    label: str | None
    id: str | None
    split: str | None
    groups: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    separator: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns that are read, each once."""
        every = (self.text, self.label, self.id, self.split, *self.groups, *self.labels)
        return list(dict.fromkeys(name for name in every if name is not None))

    def choices(self, text: str | None, label: object) -> Iterator[str]:
        """Yield what was guessed, given what the user had said."""
        if text is None:
            yield f"text column: {self.text!r}"
        if label is None and self.label is not None:
            yield f"label column: {self.label!r}"
        if self.split is not None:
            yield f"train and test as column {self.split!r} says"


def choose_columns(
    table: Table,
    text: str | None,
    label: str | tuple[str, ...] | None,
    labelled: bool,
    groups: tuple[str, ...] = (),
    split: bool = False,
) -> Columns:
    """Return the columns of a table, guessed where they are not said; raise if that cannot be.

    Parameters
    ----------
    table : Table
    text, label : str, optional
        The columns' names; None to guess. Several are a label each.
    labelled : bool
        Whether there must be a label.
    groups : tuple of str
        Further columns that are wanted.
    split : bool
        Whether it will be split by classes: then a label is looked for as in training, where it
        must be, so that the parts are the same.
    """
    repeated = [name for name, count in Counter(table.columns).items() if count > 1]
    if repeated:
        raise InputError(f"{table.path}: two columns are called {min(repeated)!r:.60}")
    taken = {role: _column_for(table, role) for role in ("id", "split")}
    labels = label if isinstance(label, tuple) else ()
    label = None if isinstance(label, tuple) else label
    used = (*taken.values(), *groups, *labels)
    others = [name for name in table.columns if name not in used]
    if label is None and not labels:
        label = _column_for(table, "label")
    if text is None:
        text = _column_for(table, "text") or only([name for name in others if name != label])
    if label is None and not labels and (labelled or split):
        label = only([name for name in others if name != text])
    named = [("text", text), *(("label", name) for name in labels or (label,))]
    for role, name in (*named, *(("group", name) for name in groups)):
        if name is None and (labelled or role == "text"):
            raise InputError(f"{table.path}: ", *_no_column(table, role))
        if name is not None and name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}; there are {join_names(table.columns)}"
            )
    return Columns(str(text), label, taken["id"], taken["split"], groups, labels)


def _no_column(table: Table, role: str) -> list[Part]:
    likely = candidates(table.columns, role)
    if len(likely) > 1:
        first, second, *_ = likely
        both = f"both {first!r} and {second!r} could be the {role}"
        return [both, "; say which: ", Argument(role, ...)]
    without = Advice(", or ", Argument("labelled", False), " if there is none")
    return [
        f"no {role} column among {join_names(table.columns)}; say which one it is: ",
        Argument(role, ...),
        without if role == "label" else "",
        "" if isinstance(table.path, str) else " (is the header line missing?)",
    ]


def _column_for(table: Table, role: str) -> str | None:
    """Return the only column whose name speaks for the role, or None."""
    return only(candidates(table.columns, role))
