"""CSV cells that a spreadsheet would take for formulas are written as texts."""

import csv
import io

import pytest

from whyword.base.csv import csv_lines, plain_cell, typed_cell, write_csv


@pytest.mark.parametrize(
    "text", ["=1+1", "+x", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "－1+cmd", "=", "--5", "-5%"]
)
def test_a_formula_is_a_text(text: str) -> None:
    assert plain_cell(text) == f"'{text}"
    assert typed_cell(f"'{text}") == text


@pytest.mark.parametrize(
    "cell", ["", "a", "a=b", "'=1", "-5", "+0.25", "-1.5e-7", "-.5", -0.5, 3, None, True]
)
def test_other_cells_stay(cell: object) -> None:
    assert plain_cell(cell) is cell


def test_rows_as_they_are_read() -> None:
    stream = io.StringIO()
    write_csv(stream, [("id", "score"), ('=HYPERLINK("x","y")', -0.5), ("a,b", "-0.5")], "\n")
    read = list(csv.reader(io.StringIO(stream.getvalue())))
    assert read == [["id", "score"], ['\'=HYPERLINK("x","y")', "-0.5"], ["a,b", "-0.5"]]


def test_lines_one_by_one() -> None:
    assert list(csv_lines([("a", 1), ("=x", 'y"')])) == ["a,1\r\n", '\'=x,"y"""\r\n']


@pytest.mark.parametrize("cell", ["", "'", "'s", "-5", "'-5", "a", "=1"])
def test_an_apostrophe_that_was_typed_stays(cell: str) -> None:
    assert typed_cell(cell) == cell
