"""The row: its order, its types, its arithmetic, and what files did not say before."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from whyword import ConservationError, InputError
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


def test_the_contract() -> None:
    assert list(NAMES) == [
        *("id", "text", "words", "spans", "known", "truncated", "unread", "classes", "scores"),
        *("target", "relevance", "residual", "padding", "constant", "conserves", "method"),
        *("parameters", "model"),
    ]


def test_the_docs_have_every_field_in_this_order() -> None:
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
    ],
)
def test_types(name: str, shown: str, json_type: object, one: str, several: str) -> None:
    field = BY_NAME[name]
    assert field.type == shown
    assert field.json_type == json_type
    assert str(field.arrow_type(pa.int64(), several=False)) == one
    assert str(field.arrow_type(pa.int64(), several=True)) == several


# ---- how it adds up ---------------------------------------------------------------------------


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
        alone = residual_of(chosen[at], total, padding[at], constant[at])
        np.testing.assert_allclose(residual[at], alone, rtol=1e-12, atol=1e-12)


def test_nothing_has_sums() -> None:
    assert relevance_sums(np.empty((0, 2), np.float32), np.array([0])).shape == (0, 2)
    check_conserved(np.empty((0, 2)), np.empty((0, 2)), "lrp")


def test_what_is_conserved() -> None:
    parts, scores = [9e-5, 2e-4, -2e-4, -9e-4, np.nan], [0.1, 0.1, 1.0, -10.0, 1.0]
    assert is_conserved(np.array(parts), np.array(scores)).tolist() == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert is_conserved(9e-5, 0.5)
    check_conserved(np.array([[1e-5], [9e-4]]), np.array([[0.0], [10.0]]), "lrp")
    check_conserved(1e-5, 0.0, "lrp")
    with pytest.raises(ConservationError, match=r"^post: .* residual is 0.2, .*'lrp'"):
        check_conserved(-0.2, 1.0, "lrp", "post")
    # the largest of those that are too large, not of them all
    with pytest.raises(
        ConservationError, match=r"^relevance is not conserved: the residual is 0\.5"
    ):
        check_conserved(np.array([[0.5], [9.0]]), np.array([[1.0], [1e6]]), "occlusion")
    with pytest.raises(ConservationError, match="nan"):
        check_conserved(np.array([[np.nan]]), np.array([[1.0]]), "lrp")


# ---- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "parameters", "expected"),
    [
        ("lrp", {"epsilon": 0.01, "bias": "shared"}, True),
        ("lrp", '{"epsilon": 0.01, "bias": "shared"}', True),
        ("lrp", {"epsilon": 0.01, "bias": "left out"}, False),
        ("lrp", {}, False),
        ("gradient_input", {}, False),
        ("occlusion", {"output": "score"}, False),
    ],
)
def test_files_from_before(method: str, parameters: object, expected: bool) -> None:
    row = read_row(OLD | {"method": method, "parameters": parameters})
    assert (row["constant"], row["conserves"]) == (0, expected)
    assert isinstance(row["parameters"], dict)
    several = read_row(OLD | {"target": "all", "padding": [0.1, 0.2], "relevance": [[1.0, 2.0]]})
    np.testing.assert_array_equal(several["constant"], [0, 0])


def test_old_and_new_rows_in_one_table() -> None:
    """Tables fill in what the old rows lack: null, or what pandas has for it."""
    for nothing in (None, float("nan")):
        row = read_row(OLD | {"constant": nothing, "conserves": nothing})
        assert (row["constant"], row["conserves"]) == (0, True)
    row = read_row(OLD | {"constant": None, "conserves": True})
    assert row["constant"] is None  # a number that was none, as JSON has it


def test_what_top_left_out_is_padding() -> None:
    assert read_row(OLD | {"left_out": 0.5})["padding"] == 0.75
    assert OLD["padding"] == 0.25
    assert read_row(OLD | {"left_out": None})["padding"] == 0.25


def test_what_is_no_row() -> None:
    with pytest.raises(InputError, match="an explanation is a JSON object, not list"):
        read_row([])
    with pytest.raises(InputError, match="this is no explanation: words, model missing"):
        read_row({name: OLD[name] for name in OLD if name not in ("words", "model")})
    with pytest.raises(InputError, match="its parameters are no JSON"):
        read_row(OLD | {"parameters": "{"})


def test_which_targets_are_a_documents_own() -> None:
    assert has_own_targets(("a", "b"), {"top_classes": 2})
    assert has_own_targets(["a"], {"top_classes": 1})
    assert not has_own_targets(("a", "b"), {})
    assert not has_own_targets("all", {"top_classes": 2})  # somebody's file
