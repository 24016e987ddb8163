"""Workbooks as a spreadsheet reads them: texts are texts, and what does not fit is logged."""

import logging
import math
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from whyword.base.errors import InputError, MissingExtraError
from whyword.base.excel import LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS, write_excel


def read(path: Path) -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(path).active.values)


def test_no_text_is_a_formula_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows = [("=1+1", "=HYPERLINK(A1)", "#N/A", "+x", "@x"), ("é \U0001f680", "", 3, 0.25, True)]
    assert write_excel(path, rows) == 2
    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert read(path) == [rows[0], ("é \U0001f680", None, 3, 0.25, True)]


def test_values_that_do_not_fit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.xlsx"
    long = "x" * LONGEST_TEXT
    row = ("a\x00b\x1b\ud800\uffff", long, long + "y", math.nan, math.inf, 2**60, np.float32(0.5))
    with caplog.at_level(logging.WARNING):
        write_excel(path, [row])
    assert read(path) == [
        ("a\ufffdb\ufffd\ufffd\ufffd", long, long[:-1] + "…", None, None, str(2**60), 0.5)
    ]
    assert caplog.messages == [
        "a.xlsx: 1 texts are cut to 32,767 characters, which is all that a cell of Excel holds"
    ]


def test_sheets_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "temporary"
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    rows = [(number, "=x") for number in range(6)]
    assert MOST_ROWS == 1_048_576
    assert write_excel(tmp_path / "a.xlsx", rows[:5], most_rows=5) == 5
    with pytest.raises(InputError, match=r"a sheet of Excel holds 5 rows.*write .csv or .parquet"):
        write_excel(tmp_path / "b.xlsx", rows, most_rows=5)
    with pytest.raises(InputError, match="holds 16,384 columns, and here are 16,385"):
        write_excel(tmp_path / "b.xlsx", [[0] * (MOST_COLUMNS + 1)])
    assert not (tmp_path / "b.xlsx").exists()
    assert list(kept.iterdir()) == []  # openpyxl's temporary files


def test_without_openpyxl(uninstall: Callable[[str], None], tmp_path: Path) -> None:
    uninstall("openpyxl")
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[excel\]'"):
        write_excel(tmp_path / "a.xlsx", [])
