"""Explanations of several documents, in every form and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from explained import TARGETS, TEXT, assert_same
from networks import made_cnn, made_text

from whyword import Explanations, InputError, explain
from whyword.explanation.row import NAMES


@pytest.mark.parametrize("target", TARGETS)
def test_many_as_json_lines_parquet_and_frame(target: object, tmp_path: Path) -> None:
    texts = [TEXT, "", made_text([0, 1, 2, 3])]
    made = explain(made_cnn(), texts, target, ids=["a", "b", "c"])
    path = tmp_path / "why.parquet"
    made.to_parquet(path)
    assert pq.read_schema(path).names == list(NAMES)
    assert pq.read_schema(path).metadata[b"model"].decode() == made[0].model
    forms = [
        Explanations.from_json(made.to_json()),
        Explanations.from_parquet(path),
        Explanations.from_frame(made.to_frame(by="document")),
    ]
    for form in forms:
        assert len(form) == 3
        for explanation, expected in zip(form, made, strict=True):
            assert_same(explanation, expected)


def test_explanations_of_different_kinds_are_not_mixed(tmp_path: Path) -> None:
    model = made_cnn()
    one, several = explain(model, "wa"), explain(model, "wa", "all")
    turned = explain(model, "wa", ["class 1", "class 0"])
    more = explain(model, "wa", ["class 0", "class 1"])
    detailed = explain(model, "wa", level="element")
    for pair in ((one, several), (turned, more), (one, detailed)):
        mixed = Explanations(pair)
        with pytest.raises(InputError, match="differ in their targets, elements or phrases"):
            mixed.to_frame()
        with pytest.raises(InputError, match="differ in their targets, elements or phrases"):
            mixed.to_parquet(tmp_path / "why.parquet")


def test_ids_of_any_kind(tmp_path: Path) -> None:
    made = explain(made_cnn(), ["wa", "wb", "wc"], ids=[5, None, "\ud800"])
    assert [one.id for one in made] == ["5", None, "\ud800"]
    made.to_html()
    made.to_frame()
    made.to_parquet(tmp_path / "why.parquet")
    again = Explanations.from_frame(made.to_frame(by="document"))
    assert [one.id for one in again] == ["5", None, "\ufffd"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rule", [{"bias": "apart"}, {"method": "gradient_input"}], ids=str)
def test_what_biases_kept_travels_too(rule: dict[str, Any], target: object, tmp_path: Path) -> None:
    made = explain(made_cnn(), [TEXT, made_text([0, 1, 2, 3])], target, **rule)
    assert all(np.abs(one.constant).max() > 1e-3 and one.conserves for one in made)
    made.to_parquet(tmp_path / "why.parquet")
    for form in (
        Explanations.from_json(made.to_json()),
        Explanations.from_parquet(tmp_path / "why.parquet"),
        Explanations.from_frame(made.to_frame(by="document")),
    ):
        for explanation, expected in zip(form, made, strict=True):
            assert_same(explanation, expected)
            assert explanation.conserved


def test_highest_classes_there_and_back(tmp_path: Path) -> None:
    texts = [TEXT, "wg", "wa wb", ""]
    made = explain(made_cnn(), texts, top=2, against="class 0")
    assert len({one.target for one in made}) > 1
    made.to_parquet(tmp_path / "why.parquet")
    for back in (
        Explanations.from_parquet(tmp_path / "why.parquet"),
        Explanations.from_json(made.to_json()),
        Explanations.from_frame(made.to_frame(by="document")),
    ):
        assert [one.target for one in back] == [one.target for one in made]
        for one, other in zip(made, back, strict=True):
            np.testing.assert_array_equal(one.relevance, other.relevance)
            assert other.parameters["top_classes"] == 2
    assert made.to_html().count("rather than class 0") >= 7
    with pytest.raises(InputError, match="differ in their targets"):
        Explanations([*made, *explain(made_cnn(), ["wa"], ["class 1", "class 2"])]).to_csv()
