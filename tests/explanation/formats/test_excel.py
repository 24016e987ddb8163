"""Workbooks of words."""

from pathlib import Path

import numpy as np
import openpyxl
import pytest
from explained import TEXT
from networks import made_cnn

from whyword import InputError, explain


def test_a_row_for_each_word(tmp_path: Path) -> None:
    made = explain(made_cnn(), [TEXT, "wa wb"], "all", ids=["=1+1", "b\x00"])
    made.to_excel(tmp_path / "why.xlsx")
    headings, *rows = openpyxl.load_workbook(tmp_path / "why.xlsx").active.values
    frame = made.to_frame()
    assert list(headings) == list(frame.columns)
    assert [row[2] for row in rows] == list(frame["word"])
    assert {row[0] for row in rows} == {"=1+1", "b\ufffd"}
    for at, name in enumerate(("class 0", "class 1", "class 2"), len(headings) - 3):
        values = np.array([row[at] for row in rows], np.float32)
        np.testing.assert_array_equal(values, frame[name])


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    one, every = (explain(made_cnn(), ["wa"], target) for target in ("class 1", "all"))
    mixed = type(one)([*one, *every])
    for write in (mixed.to_excel, mixed.to_csv):
        with pytest.raises(InputError, match="differ in their targets"):
            write(tmp_path / "why.xlsx")
    assert list(tmp_path.iterdir()) == []
