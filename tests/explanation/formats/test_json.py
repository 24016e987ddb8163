"""JSON of an explanation, and back."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from explained import TARGETS, TEXT, assert_same
from networks import made_cnn

from whyword import Explanation, InputError, explain
from whyword.explanation.row import NAMES


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("text", [TEXT, "", "wa"])
def test_json_and_back(text: str, target: object, tmp_path: Path) -> None:
    made = explain(made_cnn(), text, target, against="class 2" if target == "class 1" else None)
    fields = json.loads(made.to_json())
    assert list(fields) == list(NAMES)
    assert len(fields["model"]) == 64
    assert_same(Explanation.from_json(made.to_json()), made)
    path = tmp_path / "why.json"
    assert made.to_json(path, indent=2) == str(path)
    assert_same(Explanation.from_json(path), made)


def test_the_json_of_the_contract() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    fields = json.loads(made.to_json())
    assert fields["words"] == ["wa", "wb"]
    assert fields["spans"] == [[0, 2], [3, 5]]
    assert fields["known"] == [True, True]
    assert (fields["truncated"], fields["target"], fields["method"]) == (0, "class 1", "lrp")
    assert fields["parameters"] == {"epsilon": 0.01, "bias": "shared"}
    np.testing.assert_allclose(fields["relevance"], made.relevance, rtol=1e-7)
    every = json.loads(explain(made_cnn(), "wa wb", "all").to_json())
    assert every["target"] == "all"
    assert np.shape(every["relevance"]) == (2, 3)
    assert np.shape(every["residual"]) == np.shape(every["padding"]) == (3,)


def test_what_is_no_number_is_null_in_json() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    made.relevance[0] = np.nan
    assert json.loads(made.to_json())["relevance"][0] is None
    explanation = Explanation.from_json(made.to_json())
    assert np.isnan(explanation.relevance[0])
    assert not explanation.conserved


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "this is not JSON"),
        ("{}", "this is no explanation: id, text, words"),
        ("{}\n{}", "for several lines take Explanations.from_json"),
        ('{"id": 1}', "text, words"),
        ("/no/such/file.json", "no such file"),
    ],
)
def test_damaged_json(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Explanation.from_json(content)


@pytest.mark.parametrize(
    "source", [None, 3, b"{}", "x" * 5000, '{"a":' * 100_000, "[]", "\ufeff{}"]
)
def test_what_from_json_cannot_read(source: object) -> None:
    with pytest.raises(InputError):
        Explanation.from_json(source)  # type: ignore[arg-type]


OLD_LINE = (
    '{"id": "mail", "text": "wa, wb", "words": ["wa", "wb"], "spans": [[0, 2], [4, 6]], '
    '"known": [true, true], "truncated": 0, "classes": ["ham", "spam"], "scores": [-0.5, 1.5], '
    '"target": "spam", "relevance": [1.0, 0.25], "residual": 0.0, "padding": 0.25, '
    '"method": "lrp", "parameters": {"epsilon": 0.01, "bias": "shared"}, "model": null}'
)


def test_a_line_from_before_there_were_constants() -> None:
    explanation = Explanation.from_json(OLD_LINE)
    assert (explanation.constant, explanation.conserves, explanation.residual) == (0, True, 0)
    assert explanation.conserved
    left_out = Explanation.from_json(OLD_LINE.replace("shared", "left out"))
    assert not left_out.conserves
    assert left_out.parameters["bias"] == "left out"
    every = OLD_LINE.replace('"target": "spam"', '"target": "all"')
    every = every.replace("[1.0, 0.25]", "[[0.0, 1.0], [-0.5, 0.25]]")
    every = every.replace('"padding": 0.25', '"padding": [0.0, 0.25]')
    several = Explanation.from_json(every)
    np.testing.assert_array_equal(several.constant, [0, 0])
    assert several.conserved


def test_constants_travel() -> None:
    made = explain(made_cnn(), "wa wb", "all")
    made = dataclasses.replace(made, constant=np.array([0.5, -1, 2]), conserves=True)
    fields = json.loads(made.to_json())
    assert (fields["constant"], fields["conserves"]) == ([0.5, -1, 2], True)
    assert_same(Explanation.from_json(made.to_json()), made)


def test_indents_are_numbers_or_blanks() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    assert made.to_json(indent="\t").startswith('{\n\t"id"')
    assert made.to_json(indent="  ") == made.to_json(indent=2)
    for wrong in ("--", " " * 1_001):
        with pytest.raises(InputError, match="indent may be spaces or tabs, not '") as caught:
            made.to_json(indent=wrong)
        assert caught.value.arguments == ["indent"]
