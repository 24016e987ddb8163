"""What pages of figures have in common: tables; ``templates/parts.html`` lays them out."""

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """Cells of a table, and whether they are the best."""

    cells: Sequence[str]
    best: bool


class Table(NamedTuple):
    """The names of columns, and rows."""

    head: Sequence[str]
    rows: list[Row]


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], best: Sequence[bool] | None = None
) -> Table:
    """Return a table, the best row marked."""
    marks = best or [False] * len(rows)
    return Table(head, [Row(cells, mark) for cells, mark in zip(rows, marks, strict=True)])
