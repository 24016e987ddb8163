"""What is read of an explanation can be written in every format; anything else is refused."""

import datetime
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from networks import made_cnn
from numpy.typing import NDArray

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
        ({"unread": [[2, 1]]}, "overlap or are out of order"),
        ({"unread": [[0, 99]]}, "leave the text"),
        ({"unread": [[0.5, 1]]}, "no whole numbers"),
        ({"unread": 3}, "spans are no pairs"),
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


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.int64(7), "7"),
        (10**70, "1" + "0" * 70),
        (np.str_("seven"), "seven"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (pd.Timestamp("2020-01-02 03:04"), "2020-01-02 03:04:00"),
        (False, "False"),
        (np.False_, "False"),
        (None, None),
        (float("nan"), None),
        (np.float32("nan"), None),
        (np.datetime64("NaT"), None),
        (pd.NaT, None),
        (pd.NA, None),
    ],
)
def test_ids_are_names(given: object, name: str | None) -> None:
    assert Explanation.from_fields(fields(id=given)).id == name


class Nameless:
    def __str__(self) -> str:
        raise KeyError("no name")


def test_ids_that_cannot_be_written() -> None:
    for given in (Nameless(), 10**5_000):
        with pytest.raises(InputError, match="this is no explanation: its id cannot be written"):
            Explanation.from_fields(fields(id=given))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int64])
@pytest.mark.parametrize("turned", [[[0, 2], [6, 8], [3, 5]], [[2, 0], [3, 5], [6, 8]]])
def test_spans_of_any_kind_of_number_are_in_order(kind: type, turned: list[list[int]]) -> None:
    spans: NDArray[Any] = np.array(turned).astype(kind)
    words = ["wa wb wc"[start:end] for start, end in turned]
    with pytest.raises(InputError, match="overlap or are out of order"):
        Explanation.from_fields(fields(spans=spans, words=words))
    explanation = Explanation.from_fields(fields(spans=np.array([[0, 2], [3, 5], [6, 8]], kind)))
    assert explanation.spans.dtype == np.int32


def test_spans_beyond_any_text() -> None:
    for last in (2**63 + 1, 2**64 - 1):
        spans = np.array([[0, 2], [3, 5], [6, last]], np.uint64)
        with pytest.raises(InputError, match="leave the text"):
            Explanation.from_fields(fields(spans=spans))


@pytest.mark.parametrize("known", [[1, 1, 0], np.array([1, 1, 0], np.int8), [1.0, 1.0, 0.0]])
def test_columns_of_numbers_for_flags_and_counts(known: object) -> None:
    explanation = Explanation.from_fields(fields(truncated=2.0, known=known))
    assert explanation.truncated == 2
    assert explanation.known.tolist() == [True, True, False]
    assert Explanation.from_fields(fields(truncated=np.float64(0))).truncated == 0
    for wrong in ([1, 2, 0], [1.0, float("nan"), 0.0]):
        with pytest.raises(InputError, match="true or false"):
            Explanation.from_fields(fields(known=wrong))


def test_arrays_of_arrays_are_numbers() -> None:
    """As frames and Parquet files have them, with null among them."""
    rows = np.empty(3, object)
    rows[:] = [np.array([1, 2, 3], np.float32), [None, 2.0, 3.0], (1, 2, 3)]
    explanation = Explanation.from_fields(fields(of="all", relevance=rows))
    np.testing.assert_array_equal(explanation.relevance, [[1, 2, 3], [np.nan, 2, 3], [1, 2, 3]])
    assert np.isnan(Explanation.from_fields(fields(padding=None)).padding)


@pytest.mark.parametrize("name", ["method", "model"])
def test_names_that_no_file_can_hold(name: str) -> None:
    fields = explain(made_cnn(), "wa").fields()
    with pytest.raises(InputError, match=f"its {name} is no string"):
        Explanation.from_fields({**fields, name: "half \ud800"})


def test_a_nan_that_signals_is_a_quiet_one() -> None:
    """Computing with it would warn: a damaged file may hold one."""
    signals = np.array([0x7FF4_0000_0000_0000], np.uint64).view(np.float64)[0]
    made = fields("all")
    scores = np.array([*made["scores"][:-1], signals])
    one = Explanation.from_fields(made | {"scores": scores})
    assert np.isnan(one.residual).tolist() == [False] * (len(scores) - 1) + [True]
    assert not one.conserved
