"""Rows of explanations from files: those that fit can be written everywhere, others are refused."""

import datetime
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from networks import made_cnn
from numpy.typing import NDArray

from whyword import ConservationError, Explanation, InputError, explain
from whyword.base.labels import Label
from whyword.explanation.row import (
    BY_NAME,
    FIELDS,
    NAMES,
    OPTIONAL,
    check_conserved,
    has_own_targets,
    is_conserved,
    read_row,
    relevance_sums,
    residual_of,
    target_scores,
)

DOCS = Path(__file__).parents[2] / "docs/explanations.md"
NOTHING: dict[str, Any] = {"words": [], "spans": [], "known": [], "relevance": []}


def fields(of: object = "class 1", **changed: object) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(explain(made_cnn(), "wa wb wc", of).to_json())
    return made | changed


def nested(depth: int) -> Any:  # noqa: ANN401
    return json.loads("[" * depth + "]" * depth)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"text": None}, "its text is no string"),
        ({"words": ["wa", "other", "wc"]}, "its words are not those at its spans"),
        ({"spans": [[0, 2, 3, 5, 6, 8]]}, "its spans are no pairs"),
        ({"spans": "no"}, "its spans are no pairs"),
        ({"spans": [[0, 2], [6, 8], [3, 5]]}, "overlap or are out of order"),
        ({"spans": [[0, 3], [2, 5], [6, 8]]}, "overlap or are out of order"),
        ({"spans": [[-2, 2], [3, 5], [6, 8]]}, "leave the text"),
        ({"spans": [[0, 2], [3, 5], [6, 9]]}, "leave the text"),
        ({"spans": [[0, 2], [3, 5], [6, 10**30]]}, "no whole numbers"),
        ({"unread": [[2, 1]]}, "overlap or are out of order"),
        ({"unread": [[0, 99]]}, "leave the text"),
        ({"unread": [[0.5, 1]]}, "no whole numbers"),
        ({"truncated": -1}, "its number of truncated words is none"),
        ({"truncated": 2**31}, "its number of truncated words is none"),
        ({"truncated": 1.5}, "cannot be interpreted as an integer"),
        ({"classes": ["class 1"] * 3}, "name one twice"),
        ({"classes": ["class 1", 2, None]}, "all strings or all numbers"),
        ({"classes": []}, "all strings or all numbers"),
        ({"classes": ["class 1", "\ud800", "b"]}, "surrogate"),
        ({"classes": "class 1"}, "no list"),
        ({"classes": [0, 1, 2**63], "target": 1}, "its classes are too large"),
        ({"classes": [0.5, 1.0, 2.0**54], "target": 1.0}, "its classes are too large"),
        ({"classes": ["class 1", "b"]}, "scores and classes differ in number"),
        ({"target": "nobody"}, "none of its classes"),
        ({"target": ["class 1"]}, "targets and padding differ"),
        ({"target": {}}, "none of its classes"),
        ({"target": "class 1", "padding": [0.0, 0.0, 0.0]}, "targets and padding differ"),
        ({"known": ["yes", "no", "no"]}, "true or false"),
        ({"known": [1, 2, 0]}, "true or false"),
        ({"known": [1.0, float("nan"), 0.0]}, "true or false"),
        ({"known": [True]}, "its words differ in number"),
        ({"relevance": [1, 2]}, "its words differ in number"),
        ({"relevance": [[1], [2], [3]]}, "relevance and padding differ in shape"),
        ({"relevance": ["1", "2", "3"]}, "are no numbers"),
        ({"relevance": [1, 2, 1e300]}, r"its relevance are beyond ±3.4e\+38"),
        ({"scores": [1e306, 0, 0]}, r"its scores are beyond ±1e\+300"),
        ({"scores": ["x"]}, "its scores are no numbers"),
        ({"padding": 0.0, "constant": [[0.0]]}, "padding and constant differ"),
        ({"conserves": 1}, "conserves is neither true nor false"),
        ({"parameters": {"against": "nobody"}}, "none of its classes"),
        ({"parameters": {"against": ["class 1"]}}, "none of its classes"),
        ({"parameters": 3}, "its parameters are no object but 3"),
        ({"parameters": "[" * 100_000}, "nested beyond reason"),
        ({"parameters": {"a": nested(20)}}, "nested beyond reason"),
        ({"method": None}, "its method is no string"),
        ({"method": "half \ud800"}, "its method is no string"),
        ({"model": 3}, "its model is no string"),
        ({"model": "half \ud800"}, "its model is no string"),
        ({"elements": [[1.0], [2.0]]}, "elements differ in number"),
        ({"elements": [1.0, 2.0, 3.0]}, "elements differ in number"),
        ({"left_out": "many"}, "left_out is no number"),
        ({"predicted": ["nobody"]}, "what is predicted is no list of its classes"),
        ({"predicted": ["class 1", "class 1"]}, "no list of its classes, each once"),
        ({"id": 10**5_000}, "its id cannot be written"),
    ],
)
def test_rows_that_are_refused(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=f"this is no explanation: .*{reason}") as caught:
        Explanation.from_fields(fields(**changed))
    assert len(str(caught.value).splitlines()) == 1


def test_rows_that_are_unusual_but_fit(tmp_path: Path) -> None:
    """No word is left, numbers are null, labels are NumPy's, flags are numbers."""
    explanation = Explanation.from_fields(fields(truncated=2**31 - 1, **NOTHING))
    explanation.to_png(tmp_path / "why.png")
    for content in (explanation.to_svg(), explanation.to_html(), explanation.to_text()):
        assert "wc" in content
    assert explanation.truncated == 2**31 - 1
    every = Explanation.from_fields(fields(of="all", elements=[], **NOTHING))
    assert every.relevance.shape == (0, 3)
    assert every.elements is not None
    assert every.elements.shape == (0, 0, 3)
    missing = Explanation.from_fields(fields(relevance=[None, 1.0, float("inf")], padding=None))
    np.testing.assert_array_equal(missing.relevance, [np.nan, 1.0, np.nan])
    assert np.isnan(missing.padding)
    named = Explanation.from_fields(fields(classes=np.array([1, 2, 3]), target=np.int64(2)))
    assert (named.classes, named.target, named.predicted) == ((1, 2, 3), 2, named.highest)
    assert json.loads(named.to_json())["target"] == 2
    labels = Explanation.from_fields(fields(predicted=["class 2", "class 0"]))
    assert labels.predicted == ("class 2", "class 0")
    assert Explanation.from_fields(fields(parameters={"a": nested(19)})).parameters["a"]
    for known in ([1, 1, 0], np.array([1, 1, 0], np.int8), [1.0, 1.0, 0.0]):
        flags = Explanation.from_fields(fields(truncated=2.0, known=known))
        assert (flags.truncated, flags.known.tolist()) == (2, [True, True, False])
    rows = np.empty(3, object)  # as frames and Parquet files have them
    rows[:] = [np.array([1, 2, 3], np.float32), [None, 2.0, 3.0], (1, 2, 3)]
    several = Explanation.from_fields(fields(of="all", relevance=rows))
    np.testing.assert_array_equal(several.relevance, [[1, 2, 3], [np.nan, 2, 3], [1, 2, 3]])


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.int64(7), "7"),
        (10**70, "1" + "0" * 70),
        (np.str_("seven"), "seven"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (pd.Timestamp("2020-01-02 03:04"), "2020-01-02 03:04:00"),
        (np.False_, "False"),
        *((nothing, None) for nothing in (None, float("nan"), np.datetime64("NaT"), pd.NaT, pd.NA)),
    ],
)
def test_ids_are_names(given: object, name: str | None) -> None:
    assert Explanation.from_fields(fields(id=given)).id == name


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int8, np.int64])
def test_spans_of_any_kind_of_number_are_in_order(kind: type) -> None:
    for turned in ([[0, 2], [6, 8], [3, 5]], [[2, 0], [3, 5], [6, 8]]):
        spans: NDArray[Any] = np.array(turned).astype(kind)
        words = ["wa wb wc"[start:end] for start, end in turned]
        with pytest.raises(InputError, match="overlap or are out of order"):
            Explanation.from_fields(fields(spans=spans, words=words))
    explanation = Explanation.from_fields(fields(spans=np.array([[0, 2], [3, 5], [6, 8]], kind)))
    assert explanation.spans.dtype == np.int32
    beyond = np.array([[0, 2], [3, 5], [6, 2**63 + 1]], np.uint64)
    with pytest.raises(InputError, match="leave the text"):
        Explanation.from_fields(fields(spans=beyond))


def test_a_signaling_nan_is_read_as_a_quiet_one() -> None:
    """Computing with it would warn: a damaged file may hold one."""
    signals = np.array([0x7FF4_0000_0000_0000], np.uint64).view(np.float64)[0]
    made = fields("all")
    scores = np.array([*made["scores"][:-1], signals])
    one = Explanation.from_fields(made | {"scores": scores})
    assert np.isnan(one.residual).tolist() == [False] * (len(scores) - 1) + [True]
    assert not one.conserved


# ---- the row ------------------------------------------------------------------------------------


def test_the_fields_of_the_contract() -> None:
    assert list(NAMES) == [
        *("id", "text", "words", "spans", "known", "truncated", "unread", "classes", "scores"),
        *("target", "relevance", "residual", "padding", "constant", "conserves", "method"),
        *("parameters", "model"),
    ]
    table = [
        f"| `{field.name}` | {field.type} | {field.meaning} |" for field in (*FIELDS, *OPTIONAL)
    ]
    assert "\n".join(table) in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "shown", "json_type", "one", "several"),
    [
        ("id", "string or null", str | None, "string", "string"),
        ("words", "string (T,)", list[str], "list<item: string>", "list<item: string>"),
        ("truncated", "int32", int, "int32", "int32"),
        ("classes", "label (C,)", list[Label], "list<item: int64>", "list<item: int64>"),
        ("target", "label (K,)", Label | list[Label], "int64", "list<item: int64>"),
        (
            *("padding", "float64 (K,)", float | None | list[float | None]),
            *("double", "list<item: double>"),
        ),
        (
            *("relevance", "float32 (T, K)", list[float | None] | list[list[float | None]]),
            *("list<item: float>", "list<item: list<item: float>>"),
        ),
        ("parameters", "json", dict[str, Any], "string", "string"),
        ("conserves", "bool", bool, "bool", "bool"),
    ],
)
def test_types_of_fields(name: str, shown: str, json_type: object, one: str, several: str) -> None:
    field = BY_NAME[name]
    assert field.type == shown
    assert field.json_type == json_type
    assert str(field.arrow_type(pa.int64(), several=False)) == one
    assert str(field.arrow_type(pa.int64(), several=True)) == several


@pytest.mark.parametrize("against", [None, 1])
def test_a_block_is_its_documents(against: int | None) -> None:
    random = np.random.default_rng(0)
    scores, targets = random.normal(size=(3, 4)), random.integers(0, 4, (3, 2))
    relevance = random.normal(size=(9, 2)).astype(np.float32)
    padding, constant = random.normal(size=(2, 3, 2))
    firsts = np.array([0, 5, 5, 9])
    chosen = target_scores(scores, targets, against)
    sums = relevance_sums(relevance, firsts)
    residual = residual_of(chosen, sums, padding, constant)
    for at in range(3):
        expected = [
            scores[at, k] - (0 if against is None else scores[at, against]) for k in targets[at]
        ]
        np.testing.assert_array_equal(chosen[at], expected)
        np.testing.assert_array_equal(target_scores(scores[at], targets[at], against), expected)
        total = relevance[firsts[at] : firsts[at + 1]].sum(axis=0, dtype=np.float64)
        np.testing.assert_allclose(sums[at], total, rtol=1e-12, atol=1e-12)
        alone = expected - total - padding[at] - constant[at]
        np.testing.assert_allclose(residual[at], alone, rtol=1e-12, atol=1e-12)
    assert relevance_sums(np.empty((0, 2), np.float32), np.array([0])).shape == (0, 2)
    check_conserved(np.empty((0, 2)), np.empty((0, 2)), "lrp")


def test_which_residuals_are_rounding() -> None:
    parts, scores = [9e-5, 1e-4, 2e-4, -9e-4, np.nan], [0.1, 1.0, 0.1, -10.0, 1.0]
    conserved = [True, True, False, True, False]
    assert is_conserved(np.array(parts), np.array(scores)).tolist() == conserved
    check_conserved(np.array([[1e-5], [9e-4]]), np.array([[0.0], [10.0]]), "lrp")
    with pytest.raises(ConservationError, match=r"^post: .* residual is 0.2, .*'lrp'"):
        check_conserved(-0.2, 1.0, "lrp", "post")
    # the largest of those that are too large, not of them all
    with pytest.raises(ConservationError, match=r"^relevance is not .* the residual is 0\.5"):
        check_conserved(np.array([[0.5], [9.0]]), np.array([[1.0], [1e6]]), "occlusion")
    with pytest.raises(ConservationError, match="nan"):
        check_conserved(np.array([[np.nan]]), np.array([[1.0]]), "lrp")


# ---- files from before --------------------------------------------------------------------------

OLD: dict[str, Any] = {
    "id": "a",
    "text": "wa",
    "words": ["wa"],
    "spans": [[0, 2]],
    "known": [True],
    "truncated": 0,
    "classes": ["x", "y"],
    "scores": [1.0, 2.0],
    "target": "x",
    "relevance": [0.75],
    "residual": 0.0,
    "padding": 0.25,
    "method": "lrp",
    "parameters": {"epsilon": 0.01, "bias": "shared"},
    "model": None,
}


@pytest.mark.parametrize(
    ("method", "parameters", "expected"),
    [
        ("lrp", {"epsilon": 0.01, "bias": "shared"}, True),
        ("lrp", '{"epsilon": 0.01, "bias": "shared"}', True),
        ("lrp", {"epsilon": 0.01, "bias": "left out"}, False),
        ("gradient_input", {"bias": "shared"}, False),
    ],
)
def test_rows_from_before(method: str, parameters: object, expected: bool) -> None:
    row = read_row(OLD | {"method": method, "parameters": parameters})
    assert (row["constant"], row["conserves"], row["unread"]) == (0, expected, [])
    assert isinstance(row["parameters"], dict)
    several = read_row(OLD | {"target": "all", "padding": [0.1, 0.2], "relevance": [[1.0, 2.0]]})
    np.testing.assert_array_equal(several["constant"], [0, 0])


def test_old_and_new_rows_in_one_table() -> None:
    """Tables fill in what the old rows lack: null, or what pandas has for it."""
    for nothing in (None, float("nan")):
        row = read_row(OLD | {"constant": nothing, "conserves": nothing, "unread": nothing})
        assert (row["constant"], row["conserves"], row["unread"]) == (0, True, [])
    row = read_row(OLD | {"constant": None, "conserves": True})
    assert row["constant"] is None  # a number that was none, as JSON has it
    assert read_row(OLD | {"left_out": 0.5})["padding"] == 0.75
    assert read_row(OLD | {"left_out": None})["padding"] == OLD["padding"] == 0.25


def test_objects_that_are_no_row() -> None:
    with pytest.raises(InputError, match="an explanation is a JSON object, not list"):
        read_row([])
    with pytest.raises(InputError, match="this is no explanation: words, model missing"):
        read_row({name: OLD[name] for name in OLD if name not in ("words", "model")})
    with pytest.raises(InputError, match="its parameters are no JSON"):
        read_row(OLD | {"parameters": "{"})
    assert has_own_targets(("a", "b"), {"top_classes": 2})
    assert has_own_targets(["a"], {"top_classes": 1})
    assert not has_own_targets(("a", "b"), {})
    assert not has_own_targets("all", {"top_classes": 2})
