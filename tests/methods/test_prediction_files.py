"""Predictions as files, read again by what others read them with."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

from whyword.methods.predict import Prediction
from whyword.methods.prediction_files import (
    ENDINGS,
    prediction_fields,
    prediction_rows,
    write_predictions,
)

CLASSES = ("ham", "=spam")
PREDICTIONS = [
    Prediction("a", "=spam", "ham", np.array([0.25, 0.75]), 3),
    Prediction("=1+1", "ham", None, np.array([2 / 3, 1 / 3]), 0),
    Prediction("c\ud800\x00\n", "ham", "é", np.array([1.0, 0.0]), 1),
]
COLUMNS = ["id", "label", "predicted", "probability", "known_words"]


def rows_of(path: Path) -> list[list[Any]]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.reader(stream))
    if path.suffix == ".xlsx":
        return [list(row) for row in openpyxl.load_workbook(path).active.values]
    table = pq.read_table(path)
    return [table.column_names, *([*row.values()] for row in table.to_pylist())]


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
@pytest.mark.parametrize("probabilities", [False, True])
def test_tables(ending: str, probabilities: bool, tmp_path: Path) -> None:
    path = tmp_path / f"said{ending}"
    write_predictions(PREDICTIONS, CLASSES, path, ENDINGS[ending], probabilities)
    headings, *rows = rows_of(path)
    extra = ["probability of ham", "probability of =spam"] if probabilities else []
    assert headings == COLUMNS + extra
    quote, nothing = ("'", "") if ending == ".csv" else ("", None)
    assert [row[0] for row in rows[:2]] == ["a", f"{quote}=1+1"]
    assert rows[2][0][:2] == "c\ufffd"
    assert [row[1] for row in rows] == ["ham", nothing, "é"]
    assert [row[2] for row in rows] == [f"{quote}=spam", "ham", "ham"]
    assert [float(row[3]) for row in rows] == [0.75, 0.666667, 1.0]
    assert [int(row[4]) for row in rows] == [3, 0, 1]
    if probabilities:
        assert [float(value) for value in rows[1][5:]] == [0.666667, 0.333333]


def test_json_lines_have_all_probabilities(tmp_path: Path) -> None:
    assert ENDINGS[".jsonl"] == ENDINGS[".json"] == "jsonl"
    write_predictions(PREDICTIONS, CLASSES, tmp_path / "said.jsonl", "jsonl")
    lines = (tmp_path / "said.jsonl").read_bytes().decode().split("\n")
    assert lines.pop() == ""
    first = json.loads(lines[0])
    assert list(first) == [*COLUMNS, "probabilities"]
    assert first == prediction_fields(PREDICTIONS[0], CLASSES)
    assert first["probabilities"] == {"ham": 0.25, "=spam": 0.75}
    assert [json.loads(line)["label"] for line in lines] == ["ham", None, "é"]


def test_rows_are_made_as_they_are_asked_for(tmp_path: Path) -> None:
    taken = []

    def endless() -> Any:  # noqa: ANN401
        while True:
            taken.append(1)
            yield PREDICTIONS[0]

    rows = prediction_rows(endless(), CLASSES)
    assert [next(rows)[0], next(rows)[0], next(rows)[0]] == ["id", "a", "a"]
    assert len(taken) == 2


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
def test_no_predictions_are_headings(ending: str, tmp_path: Path) -> None:
    write_predictions([], CLASSES, tmp_path / f"said{ending}", ENDINGS[ending])
    assert rows_of(tmp_path / f"said{ending}") == [COLUMNS]
