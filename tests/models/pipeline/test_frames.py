"""Frames and arrays of which one column is the text."""

import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, from_pipeline
from whyword.models.pipeline.frames import Frames, frames_of

TABLE = pd.DataFrame(
    {"size": [1, 2, 3], "text": ["a moon", "a goal", "a key"], "place": list("xyz")}
)
LABELS = ["s", "h", "c"]


def fitted(*parts: tuple[str, object, object], **settings: object) -> object:
    made = make_pipeline(ColumnTransformer(list(parts), **settings), LogisticRegression())
    return made.fit(TABLE, LABELS)


def test_texts_become_frames() -> None:
    table = Frames("text", ("size", "text"), 2)(["a", "b"])
    assert table["text"].tolist() == ["a", "b"]
    assert list(table.columns) == ["size", "text"]
    array = Frames(1, None, 3)(["a", "b"])
    assert array.tolist() == [["", "a", ""], ["", "b", ""]]
    assert Frames(1, ("size", "text"), 2).text_column == "text"


def test_the_column_is_deduced() -> None:
    frames = frames_of(fitted(("words", CountVectorizer(), "text")), None)
    assert frames == Frames("text", ("size", "text", "place"), 3)
    assert frames_of(fitted(("words", CountVectorizer(), 1)), "text") == Frames(
        1, ("size", "text", "place"), 3
    )
    twice = fitted(("words", CountVectorizer(), 1), ("letters", CountVectorizer(), "text"))
    assert frames_of(twice, None) is not None


def test_columns_without_names() -> None:
    parts = ColumnTransformer([("words", CountVectorizer(), 1)])
    made = make_pipeline(parts, LogisticRegression()).fit(TABLE.to_numpy(), LABELS)
    model = from_pipeline(made)
    assert model.predict(["a goal"]).tolist() == ["h"]


@pytest.mark.parametrize(
    "parts",
    [
        [("words", CountVectorizer(), "text"), ("size", "passthrough", ["size"])],
        [("words", CountVectorizer(), "text"), ("more", CountVectorizer(), "place")],
        [("size", "passthrough", ["size"])],
    ],
)
def test_other_columns_are_refused(parts: list[tuple[str, object, object]]) -> None:
    parts = [
        (name, CountVectorizer(analyzer="char") if column == "place" else part, column)
        for name, part, column in parts
    ]
    with pytest.raises(InputError, match="only one that reads a text and no other column"):
        frames_of(fitted(*parts), None)
