"""CSV of words, as a spreadsheet or pandas reads it."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
from explained import TEXT
from networks import made_cnn, topical

from whyword import SVMClassifier, explain


def test_a_row_for_each_word(tmp_path: Path) -> None:
    made = explain(made_cnn(), [TEXT, "wa, wb"], "class 1", ids=["=1+1", 'a "b",\nc'])
    path = tmp_path / "why.csv"
    assert made.to_csv(path) == str(path)
    text = path.read_bytes().decode()
    assert text == made.to_csv()
    assert text.startswith("id,position,word,start,end,known,target,relevance\r\n'=1+1,0,wa,0,2,")
    frame, read = made.to_frame(), pd.read_csv(io.StringIO(text))
    assert list(read["word"]) == list(frame["word"])
    assert list(read["start"]) == list(frame["start"])
    np.testing.assert_array_equal(read["relevance"].astype(np.float32), frame["relevance"])
    assert set(read["id"]) == {"'=1+1", 'a "b",\nc'}  # a formula is none


def test_a_column_for_each_target() -> None:
    texts, labels = topical(60, 2)
    names = {"space": "=cmd", "hockey": "a,b"}
    model = SVMClassifier(C=1.0).fit(texts, [names[label] for label in labels])
    rows = list(csv.reader(io.StringIO(explain(model, ["moon", "puck"], "all").to_csv())))
    assert rows[0][-2:] == ["'=cmd", "a,b"]
    assert [row[2] for row in rows[1:]] == ["moon", "puck"]
    assert explain(model, ["", ""]).to_csv().count("\n") == 1
