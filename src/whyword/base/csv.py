"""CSV that a spreadsheet may open: no cell of it is a formula."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

# what Excel, LibreOffice and Google Sheets take for a formula's beginning
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def write_csv(stream: TextIO, rows: Iterable[Sequence[object]], end: str = "\r\n") -> None:
    """Write rows; a text that a spreadsheet would compute gets an apostrophe before it.

    Parameters
    ----------
    stream : text file
    rows : iterable of sequences
        Numbers stay numbers, also those that are texts.
    end : str
        Of a line.
    """
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([plain_cell(cell) for cell in row] for row in rows)


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines that :func:`write_csv` writes, one for each row."""
    for row in rows:
        line = io.StringIO()
        write_csv(line, [row])
        yield line.getvalue()


def plain_cell(cell: object) -> object:
    """Return what to write into a cell: a text that looks like a formula behind an apostrophe."""
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def typed_cell(cell: str) -> str:
    """Return what stood in a cell before :func:`plain_cell`: without an apostrophe of its."""
    return cell[1:] if cell[:1] == "'" and plain_cell(cell[1:]) == cell else cell
