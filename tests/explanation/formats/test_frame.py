"""Frames of words and of documents, and back."""

import pandas as pd
import pytest
from networks import made_cnn, topical

from whyword import Explanations, InputError, SVMClassifier, explain
from whyword.explanation.row import NAMES


def test_a_frame_of_words() -> None:
    made = explain(made_cnn(), ["wa wb", "", "wg"], "class 1", ids=["a", "b", "c"])
    frame = made.to_frame()
    assert list(frame.columns) == [
        *("id", "position", "word", "start", "end", "known", "target", "relevance"),
    ]
    assert list(frame["word"]) == ["wa", "wb", "wg"]
    assert list(frame["id"]) == ["a", "a", "c"]
    assert list(frame["known"]) == [True, True, False]
    assert set(frame["target"]) == {"class 1"}
    assert list(explain(made_cnn(), ["wa wb", "wc"]).to_frame()["id"]) == ["0", "0", "1"]
    several = explain(made_cnn(), "wa wb", "all").to_frame()
    assert list(several.columns[-3:]) == ["class 0", "class 1", "class 2"]
    assert len(Explanations([]).to_frame()) == 0
    assert list(Explanations([]).to_frame(by="document").columns) == list(NAMES)
    with pytest.raises(InputError, match="by may be 'word' or 'document'"):
        made.to_frame(by="class")
    table = made.to_frame(by="document")
    table["parameters"] = "{'epsilon': 1}"
    with pytest.raises(InputError, match="its parameters are no JSON"):
        Explanations.from_frame(table)
    with pytest.raises(InputError, match="by='document'"):
        Explanations.from_frame(frame)


def test_a_table_column_is_not_overwritten_by_a_class_of_its_name() -> None:
    texts, labels = topical(60, 2)
    names = {"space": "word", "hockey": "known"}
    model = SVMClassifier(C=1.0).fit(texts, [names[label] for label in labels])
    frame = explain(model, "moon", "all").to_frame()
    assert list(frame["word"]) == ["moon"]
    assert list(frame.columns[-2:]) == ["relevance of known", "relevance of word"]


def test_a_frame_from_before_there_were_constants() -> None:
    made = explain(made_cnn(), ["wa wb", "wc"], "all")
    new = made.to_frame(by="document")
    old = new.drop(columns=["constant", "conserves"])
    mixed = pd.concat([old, new.assign(conserves=True)])
    for table in (old, mixed):
        explanations = Explanations.from_frame(table)
        assert explanations.conserved
        assert all(one.conserves for one in explanations)
        assert [one.constant.tolist() for one in explanations] == [[0, 0, 0]] * len(table)
