"""The table of words that people fill in, and tables of their own: what it names, and marks."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from whyword.audit.suspicion.row import MARK_COLUMN, WORDS_COLUMN, split_entries
from whyword.base.csv import typed_cell
from whyword.corpora.tables import open_table

WORD_COLUMN = "word"  # of a table of somebody's own


class WordRow(NamedTuple):
    """A row: words that go together, and what somebody said of them.

    Attributes
    ----------
    entries : tuple of str
        Words, phrases and /patterns/; none if the row has none.
    mark : str
        What the column ``artefact`` says, if there is one.
    """

    entries: tuple[str, ...]
    mark: str


class WordTable(NamedTuple):
    """A table of words.

    Attributes
    ----------
    columns : sequence of str
        All of its columns.
    rows : list of WordRow, or None
        None if no column holds words.
    has_marks : bool
        Whether there is a column ``artefact``.
    """

    columns: Sequence[str]
    rows: list[WordRow] | None
    has_marks: bool


def read_word_table(path: Path) -> WordTable:
    """Return what a table says; capitals and blanks of its columns' names do not count."""
    table = open_table(path)
    named = {name.strip().lower(): name for name in reversed(table.columns)}
    columns = [named[name] for name in (WORDS_COLUMN, WORD_COLUMN) if name in named]
    marks = [named[MARK_COLUMN]] if MARK_COLUMN in named else []
    if not columns:
        return WordTable(table.columns, None, bool(marks))
    several = [name for name in columns if name == named.get(WORDS_COLUMN)]
    rows = []
    for _, cells in table.rows([*columns, *marks]):
        said = list(map(str, cells))
        pairs = zip(columns, said, strict=False)
        entries = tuple(_entries((name in several, cell) for name, cell in pairs))
        rows.append(WordRow(entries, said[-1].strip() if marks else ""))
    return WordTable(table.columns, rows, bool(marks))


def _entries(cells: Iterator[tuple[bool, str]]) -> Iterator[str]:
    """Yield the words of a row: those that go together, else the one that it is of."""
    for has_several, cell in cells:
        if cell.strip():
            said = typed_cell(cell.strip())
            yield from split_entries(said) if has_several else [said]
            return
