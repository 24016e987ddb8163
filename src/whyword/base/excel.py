"""Excel workbooks (.xlsx) of one sheet, written row by row; no cell of them is a formula."""

import logging
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from whyword.base.errors import InputError, MissingExtraError

log = logging.getLogger(__name__)

# what a sheet may have, by Excel's own specification
MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
LONGEST_TEXT = 32_767

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML has none of them
_MOST_EXACT = 2**53  # a number of Excel's is a double


def write_excel(path: Path, rows: Iterable[Sequence[object]], most_rows: int = MOST_ROWS) -> int:
    """Write a workbook of one sheet, few rows held at a time; return how many there are.

    Texts are texts, whatever they begin with; control characters and halves of surrogate pairs,
    which no such file can hold, become U+FFFD, longer texts than a cell holds are cut, which is
    logged, and what is no number is an empty cell.

    Parameters
    ----------
    path : Path
    rows : iterable of sequences
        The first one has the headings and stays in view.
    most_rows : int
        Raise if there are more; a sheet cannot hold more than the default.
    """
    sheet = _Sheet()
    try:
        for number, row in enumerate(rows, 1):
            if number > most_rows:
                raise InputError(
                    f"a sheet of Excel holds {most_rows:,} rows, and here are more; "
                    "write .csv or .parquet"
                )
            sheet.append(row)
        sheet.save(path)
    except BaseException:
        sheet.discard()
        raise
    if sheet.n_cut:
        log.warning(
            "%s: %s texts are cut to %s characters, which is all that a cell of Excel holds",
            path.name,
            f"{sheet.n_cut:,}",
            f"{LONGEST_TEXT:,}",
        )
    return sheet.n_rows


class _Sheet:
    """The sheet of a workbook that is written as rows come."""

    def __init__(self) -> None:
        try:
            import openpyxl
        except ImportError:
            raise MissingExtraError("openpyxl", "excel") from None
        from openpyxl.cell import WriteOnlyCell

        self._cell: Any = WriteOnlyCell
        self._book: Any = openpyxl.Workbook(write_only=True)
        self._sheet: Any = self._book.create_sheet()
        self._sheet.freeze_panes = "A2"
        self.n_rows = self.n_cut = 0

    def append(self, row: Sequence[object]) -> None:
        """Write a row."""
        if len(row) > MOST_COLUMNS:
            raise InputError(
                f"a sheet of Excel holds {MOST_COLUMNS:,} columns, and here are {len(row):,}; "
                "write .csv or .parquet"
            )
        self._sheet.append([self._value(value) for value in row])
        self.n_rows += 1

    def _value(self, value: object) -> Any:  # noqa: ANN401 - whatever openpyxl takes
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, int) and abs(value) > _MOST_EXACT:
            return self._text(str(value))
        return value

    def _text(self, text: str) -> Any:  # noqa: ANN401 - whatever openpyxl takes
        if len(text) > LONGEST_TEXT:
            self.n_cut += 1
            text = text[: LONGEST_TEXT - 1] + "…"
        if not text.isprintable():
            text = _UNFIT.sub("\ufffd", text)
        if text[:1] not in ("=", "#"):
            return text
        cell = self._cell(self._sheet, text)
        cell.data_type = "s"  # neither a formula nor an error, as openpyxl takes them for
        return cell

    def save(self, path: Path) -> None:
        """Write the workbook."""
        with path.open("wb") as stream:  # a name that openpyxl may not like
            self._book.save(stream)

    def discard(self) -> None:
        """Remove what openpyxl keeps of the rows in a file of its own until it is saved."""
        with suppress(Exception):
            self._sheet.close()
        with suppress(Exception):
            self._sheet._writer.cleanup()
