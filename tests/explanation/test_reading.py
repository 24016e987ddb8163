"""What is read of an explanation can be written in every format; anything else is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn

from whyword import Explanation, InputError, explain


def fields(of: object = "class 1", **changed: object) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(explain(made_cnn(), "wa wb wc", of).to_json())
    return made | changed


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"text": None}, "its text is no string"),
        ({"spans": [[0, 2, 3, 5, 6, 8]]}, "its spans are no pairs"),
        ({"spans": [[0, 2], [6, 8], [3, 5]]}, "overlap or are out of order"),
        ({"spans": [[-2, 2], [3, 5], [6, 8]]}, "leave the text"),
        ({"spans": [[0, 2], [3, 5], [6, 10**30]]}, "no whole numbers"),
        ({"truncated": -1}, "truncated"),
        ({"truncated": 2**31}, "truncated"),
        ({"truncated": 1.5}, "cannot be interpreted as an integer"),
        ({"classes": ["class 1"] * 3}, "name one twice"),
        ({"classes": ["class 1", 2, None]}, "all strings or all numbers"),
        ({"classes": ["class 1", "\ud800", "b"]}, "surrogate"),
        ({"classes": "class 1"}, "no list"),
        ({"target": "nobody"}, "none of its classes"),
        ({"target": ["class 1"]}, "targets and padding differ"),
        ({"target": {}}, "none of its classes"),
        ({"known": ["yes", "no", "no"]}, "true or false"),
        ({"relevance": ["1", "2", "3"]}, "are no numbers"),
        ({"relevance": [1, 2, 1e300]}, "beyond"),
        ({"scores": [1e306, 0, 0]}, "beyond"),
        ({"padding": [0.0, 0.0]}, "targets and padding differ"),
        ({"padding": 0.0, "constant": [[0.0]]}, "padding and constant differ"),
        ({"parameters": {"against": "nobody"}}, "none of its classes"),
        ({"parameters": {"against": ["class 1"]}}, "none of its classes"),
        ({"parameters": "[" * 100_000}, "nested beyond reason"),
        ({"parameters": json.loads("[" * 500 + "]" * 500)}, "no object"),
        ({"parameters": {"a": json.loads("[" * 500 + "]" * 500)}}, "nested beyond reason"),
        ({"method": None}, "its method is no string"),
        ({"model": 3}, "its model is no string"),
        ({"elements": [[1.0], [2.0]]}, "elements differ in number"),
        ({"left_out": "many"}, "left_out is no number"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=f"this is no explanation: .*{reason}") as caught:
        Explanation.from_fields(fields(**changed))
    assert len(str(caught.value).splitlines()) == 1


def test_an_explanation_of_which_no_word_is_left(tmp_path: Path) -> None:
    """The model read none of the words: pictures looked for the last one."""
    nothing: dict[str, Any] = {"words": [], "spans": [], "known": [], "relevance": []}
    explanation = Explanation.from_fields(fields(truncated=3, **nothing))
    explanation.to_png(tmp_path / "why.png")
    for content in (explanation.to_svg(), explanation.to_html(), explanation.to_text()):
        assert "wc" in content
    assert explanation.truncated == 3


def test_what_is_no_number_is_read_as_such() -> None:
    explanation = Explanation.from_fields(fields(relevance=[None, 1.0, float("inf")]))
    np.testing.assert_array_equal(explanation.relevance, [np.nan, 1.0, np.nan])


def test_several_targets_of_no_words() -> None:
    nothing: dict[str, Any] = {
        "words": [],
        "spans": [],
        "known": [],
        "relevance": [],
        "elements": [],
    }
    explanation = Explanation.from_fields(fields(of="all", **nothing))
    assert explanation.relevance.shape == (0, 3)
    assert explanation.elements is not None
    assert explanation.elements.shape == (0, 0, 3)


def test_the_labels_of_files_are_plain() -> None:
    named = {"classes": np.array([1, 2, 3]), "target": np.int64(2)}
    explanation = Explanation.from_fields(fields(**named))
    assert (explanation.classes, explanation.target) == ((1, 2, 3), 2)
    assert json.loads(explanation.to_json())["target"] == 2
