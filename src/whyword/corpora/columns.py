"""Which columns of a table hold the parts of a document."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from whyword.base.checks import join_names
from whyword.base.columns import candidates, only
from whyword.base.errors import Advice, Argument, InputError, Part
from whyword.corpora.tables import Table


class Columns(NamedTuple):
    """The columns of a table that hold the parts of a document; `groups` are those to be kept."""

    text: str
    label: str | None
    id: str | None
    split: str | None
    groups: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that are read, each once."""
        every = (self.text, self.label, self.id, self.split, *self.groups)
        return list(dict.fromkeys(name for name in every if name is not None))

    def choices(self, text: str | None, label: str | None) -> Iterator[str]:
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
    label: str | None,
    labelled: bool,
    groups: tuple[str, ...] = (),
    split: bool = False,
) -> Columns:
    """Return the columns of a table, guessed where they are not said; raise if that cannot be.

    Parameters
    ----------
    table : Table
    text, label : str, optional
        The columns' names; None to guess.
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
    others = [name for name in table.columns if name not in (*taken.values(), *groups)]
    if label is None:
        label = _column_for(table, "label")
    if text is None:
        text = _column_for(table, "text") or only([name for name in others if name != label])
    if label is None and (labelled or split):
        label = only([name for name in others if name != text])
    for role, name in (("text", text), ("label", label), *(("group", name) for name in groups)):
        if name is None and (labelled or role == "text"):
            raise InputError(f"{table.path}: ", *_no_column(table, role))
        if name is not None and name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}; there are {join_names(table.columns)}"
            )
    return Columns(str(text), label, taken["id"], taken["split"], groups)


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
