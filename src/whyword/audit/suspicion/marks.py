"""What people said of suspects in a table, which is not lost when the table is written again."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from whyword.audit.suspicion.row import MARK_COLUMN, Suspect, joined_entries
from whyword.audit.suspicion.word_table import read_word_table
from whyword.base.errors import Argument, InputError

Marks: TypeAlias = dict[frozenset[str], str]


def read_marks(path: Path) -> Marks:
    """Return what a table says in the column ``artefact``, by the entries of its rows.

    A table that is not there, or has no such column, says nothing.
    """
    if not path.is_file() or not path.stat().st_size:
        return {}
    rows = read_word_table(path).rows or []
    return {frozenset(row.entries): row.mark for row in rows if row.mark}


def check_unmarked(path: Path, force: bool) -> Marks:
    """Return the marks of a table that is to be written again; raise if there are, without `force`.

    Parameters
    ----------
    path : Path
    force : bool
    """
    marks = read_marks(path)
    if marks and not force:
        rows = "1 row" if len(marks) == 1 else f"{len(marks):,} rows"
        raise InputError(
            f"{path}: somebody filled in the column {MARK_COLUMN!r} of {rows}; name another "
            "folder, or say ",
            Argument("force", True),
            " to write it anew: what is found again keeps its mark",
        )
    return marks


def marks_of(rows: Iterable[Suspect], marks: Marks) -> tuple[dict[int, str], list[str]]:
    """Return the marks of rows that have the same entries, by their numbers, and all others' words.

    Parameters
    ----------
    rows : iterable of Suspect
    marks : Marks
    """
    numbers = {frozenset(row.entries): number for number, row in enumerate(rows)}
    kept = {numbers[entries]: mark for entries, mark in marks.items() if entries in numbers}
    gone = [joined_entries(sorted(entries)) for entries in marks if entries not in numbers]
    return kept, gone
