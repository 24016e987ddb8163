"""A row for each word, in plain types."""

import numpy as np
import pytest
from explained import TARGETS, TEXT
from networks import made_cnn

from whyword import InputError, explain, iter_explanations
from whyword.explanation.formats.word_rows import word_rows


def test_a_target_of_its_own_for_each_document() -> None:
    made = explain(made_cnn(), ["wa wb", "", "wg"], ids=["a", "b", None])
    headings, *rows = word_rows(made)
    assert headings == ["id", "position", "word", "start", "end", "known", "target", "relevance"]
    assert [row[:6] for row in rows] == [
        ["a", 0, "wa", 0, 2, True],
        ["a", 1, "wb", 3, 5, True],
        ["2", 0, "wg", 0, 2, False],
    ]
    assert [row[6] for row in rows] == [made[0].target] * 2 + [made[2].target]
    expected = [*made[0].relevance, *made[2].relevance]
    np.testing.assert_array_equal(np.array([row[7] for row in rows], np.float32), expected)


@pytest.mark.parametrize("target", TARGETS)
def test_rows_are_those_of_the_frame(target: object) -> None:
    made = explain(made_cnn(), [TEXT, "wa wb"], target, ids=["x\ud800", "y"])
    headings, *rows = word_rows(made)
    frame = made.to_frame()
    assert headings == list(frame.columns)
    assert [row[:6] for row in rows] == frame.iloc[:, :6].values.tolist()
    assert len(rows) > 2
    for at, heading in enumerate(headings):
        if frame[heading].dtype == np.float32:
            values = np.array([row[at] for row in rows], np.float32)
            np.testing.assert_array_equal(values, frame[heading])


def test_highest_classes_of_its_own_for_each_document() -> None:
    made = explain(made_cnn(), [TEXT, "wg", "wa wb"], top=2, ids=list("abc"))
    assert len({one.target for one in made}) > 1
    headings, *rows = word_rows(made)
    assert headings[6:] == ["target 1", "relevance 1", "target 2", "relevance 2"]
    at = 0
    for one in made:
        for values in one.relevance:
            assert rows[at][6::2] == list(one.targets)
            np.testing.assert_array_equal(np.array(rows[at][7::2], np.float32), values)
            at += 1
    assert at == len(rows)
    frame = made.to_frame()
    assert list(frame.columns) == headings
    assert frame["target 1"].tolist() == [row[6] for row in rows]
    with pytest.raises(InputError, match="differ in their targets"):
        list(word_rows([*made, *explain(made_cnn(), ["wa"], top=1)]))


def test_plain_types_only() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    made.relevance[0] = np.nan
    _, first, second = word_rows([made])
    assert first[-1] is None
    assert {type(value) for value in second} == {str, int, bool, float}


def test_nothing_has_headings_and_a_mixture_is_refused() -> None:
    assert list(word_rows([])) == [next(word_rows(explain(made_cnn(), ["wa"])))]
    one = iter_explanations(made_cnn(), ["wa"])
    every = iter_explanations(made_cnn(), ["wa"], target="all")
    with pytest.raises(InputError, match="differ in their targets"):
        list(word_rows([*one, *every]))
