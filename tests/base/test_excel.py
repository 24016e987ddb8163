"""Workbooks as a spreadsheet reads them: texts are texts, and what they cannot hold is said."""

import logging
import math
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.base.errors import InputError, MissingExtraError
from whyword.base.excel import LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS, write_excel


def read(path: Path) -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(path).active.values)


def types(path: Path) -> list[str]:
    return [cell.data_type for row in openpyxl.load_workbook(path).active for cell in row]


def test_rows_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows = [("word", "n", "x"), ("Mars é \U0001f680", 3, 0.25), ("", None, True)]
    assert write_excel(path, rows) == 3
    assert read(path) == [rows[0], rows[1], (None, None, True)]
    assert openpyxl.load_workbook(path).active.freeze_panes == "A2"
    assert write_excel(path, []) == 0
    assert read(path) == []


@pytest.mark.parametrize("text", ["=1+1", "=HYPERLINK(A1)", "#N/A", "#REF!", "+x", "-x", "@x", "="])
def test_no_text_is_a_formula_or_an_error(text: str, tmp_path: Path) -> None:
    write_excel(tmp_path / "a.xlsx", [("id",), (text,)])
    sheet = zipfile.ZipFile(tmp_path / "a.xlsx").read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert sheet.count('t="inlineStr"') == 2
    assert read(tmp_path / "a.xlsx")[1] == (text,)


def test_what_a_cell_cannot_hold(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
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


@given(st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=5))
@pytest.mark.slow(reason="many cases")
def test_any_text_is_held(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.xlsx")
        write_excel(path, [texts])
        (row,) = read(path) or [()]
        assert "f" not in types(path)
    for text, held in zip(texts, row, strict=False):
        if text.isprintable():
            assert (held or "") == text


def rows_of(count: int) -> Iterator[tuple[int, str]]:
    return ((number, "=x") for number in range(count))


def test_more_than_a_sheet_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "temporary"
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    assert MOST_ROWS == 1_048_576
    assert write_excel(tmp_path / "a.xlsx", rows_of(5), most_rows=5) == 5
    with pytest.raises(InputError, match=r"a sheet of Excel holds 5 rows.*write .csv or .parquet"):
        write_excel(tmp_path / "b.xlsx", rows_of(6), most_rows=5)
    with pytest.raises(InputError, match="holds 16,384 columns, and here are 16,385"):
        write_excel(tmp_path / "b.xlsx", [[0] * (MOST_COLUMNS + 1)])
    assert not (tmp_path / "b.xlsx").exists()
    assert list(kept.iterdir()) == []  # what openpyxl had there


def test_an_error_on_the_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def rows() -> Iterator[list[str]]:
        yield ["a"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_excel(tmp_path / "a.xlsx", rows())
    assert list(tmp_path.iterdir()) == []


def test_without_openpyxl(uninstall: Callable[[str], None], tmp_path: Path) -> None:
    uninstall("openpyxl")
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[excel\]'"):
        write_excel(tmp_path / "a.xlsx", [])
