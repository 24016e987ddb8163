"""Every form an explanation can take, and back."""

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from networks import made_cnn, made_text, topical

from whyword import (
    Explanation,
    Explanations,
    InputError,
    MissingExtraError,
    SVMClassifier,
    explain,
)

KEYS = [
    *("id", "text", "words", "spans", "known", "truncated", "classes", "scores", "target"),
    *("relevance", "residual", "padding", "method", "parameters", "model"),
]
TEXT = "wa \U0001f680 wb, wg\r\n\ud800 e\u0301 שלום"
TARGETS = ["predicted", "class 1", ["class 2", "class 0"], "all"]


def assert_equal(found: Explanation, expected: Explanation) -> None:
    assert found.text == expected.text.replace("\ud800", "\ufffd")
    assert found.words == expected.words
    np.testing.assert_array_equal(found.spans, expected.spans)
    np.testing.assert_array_equal(found.known, expected.known)
    np.testing.assert_array_equal(found.relevance, expected.relevance)
    assert found.relevance.dtype == np.float32
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.padding, expected.padding)
    np.testing.assert_allclose(found.residual, expected.residual)
    for name in ("id", "truncated", "classes", "target", "targets", "method", "model", "against"):
        assert getattr(found, name) == getattr(expected, name), name
    assert dict(found.parameters) == dict(expected.parameters)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("text", [TEXT, "", "wa"])
def test_json_and_back(text: str, target: object, tmp_path: Path) -> None:
    made = explain(made_cnn(), text, target, against="class 2" if target == "class 1" else None)
    fields = json.loads(made.to_json())
    assert list(fields) == KEYS
    assert len(fields["model"]) == 64
    assert_equal(Explanation.from_json(made.to_json()), made)
    path = tmp_path / "why.json"
    assert made.to_json(path, indent=2) == str(path)
    assert_equal(Explanation.from_json(path), made)


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


@pytest.mark.parametrize("target", TARGETS)
def test_many_as_json_lines_parquet_and_frame(target: object, tmp_path: Path) -> None:
    texts = [TEXT, "", made_text([0, 1, 2, 3])]
    made = explain(made_cnn(), texts, target, ids=["a", "b", "c"])
    path = tmp_path / "why.parquet"
    made.to_parquet(path)
    assert pq.read_schema(path).names == KEYS
    assert pq.read_schema(path).metadata[b"model"].decode() == made[0].model
    forms = [
        Explanations.from_json(made.to_json()),
        Explanations.from_parquet(path),
        Explanations.from_frame(made.to_frame(by="document")),
    ]
    for form in forms:
        assert len(form) == 3
        for found, expected in zip(form, made, strict=True):
            assert_equal(found, expected)


def test_elements_travel_too(tmp_path: Path) -> None:
    texts = ["wa wb wc", "wd"]
    for target in ("class 1", "all"):
        made = explain(made_cnn(), texts, target, elements=True)
        path = tmp_path / "why.parquet"
        made.to_parquet(path)
        for form in (Explanations.from_parquet(path), Explanations.from_json(made.to_json())):
            for found, expected in zip(form, made, strict=True):
                assert found.elements is not None
                assert expected.elements is not None
                np.testing.assert_array_equal(found.elements, expected.elements)


def test_numbers_as_labels(tmp_path: Path) -> None:
    texts, labels = topical(60)
    numbers = {"space": 1, "hockey": 2, "crypto": 3}
    model = SVMClassifier(C=1.0).fit(texts, [numbers[label] for label in labels])
    made = explain(model, ["moon", "goal"], target=1)
    made.to_parquet(tmp_path / "why.parquet")
    found = Explanations.from_parquet(tmp_path / "why.parquet")
    assert found[0].target == 1
    assert found[0].classes == (1, 2, 3)
    assert_equal(Explanation.from_json(made[0].to_json()), made[0])


def test_what_is_no_number_is_null_in_json() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    made.relevance[0] = np.nan
    assert json.loads(made.to_json())["relevance"][0] is None
    found = Explanation.from_json(made.to_json())
    assert np.isnan(found.relevance[0])
    assert not found.conserved


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
    assert list(Explanations([]).to_frame(by="document").columns) == KEYS
    with pytest.raises(InputError, match="by may be 'word' or 'document'"):
        made.to_frame(by="class")
    table = made.to_frame(by="document")
    table["parameters"] = "{'epsilon': 1}"
    with pytest.raises(InputError, match="its parameters are no JSON"):
        Explanations.from_frame(table)
    with pytest.raises(InputError, match="by='document'"):
        Explanations.from_frame(frame)


def test_as_list_is_limes() -> None:
    made = explain(made_cnn(), "wa wb Wa wc", "all")
    pairs = made.as_list("class 2")
    assert {word for word, _ in pairs} == {"wa", "wb", "wc"}
    assert [abs(value) for _, value in pairs] == sorted((abs(v) for _, v in pairs), reverse=True)
    expected = float(made.relevance[0, 2]) + float(made.relevance[2, 2])
    assert dict(pairs)["wa"] == pytest.approx(expected)
    assert made.as_list() == made.as_list(made.predicted)
    with pytest.raises(InputError, match="'class 7' was not explained, only class 0, class 1"):
        made.as_list("class 7")


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_shap_and_back(target: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shap's own imports
        import shap
    made = explain(made_cnn(), ' "wa", wb  and Dr. wc!\n', target)
    values = made.to_shap()
    assert isinstance(values, shap.Explanation)
    assert "".join(values.data) == made.text
    np.testing.assert_allclose(
        values.values.sum(axis=0) + values.base_values, made.score, rtol=1e-6
    )
    found = Explanation.from_shap(values)
    assert found.words == made.words
    np.testing.assert_array_equal(found.spans, made.spans)
    np.testing.assert_array_equal(found.relevance, made.relevance)
    np.testing.assert_allclose(found.score, made.score, rtol=1e-6)
    for wrong in ("text", None, shap.Explanation(values=np.ones((2, 3, 4)))):
        with pytest.raises(InputError, match="not shap's explanation of one text"):
            Explanation.from_shap(wrong)


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
    ("name", "value"),
    [
        ("spans", [[0, 2], [3, 500]]),
        ("spans", [[0, 2]]),
        ("spans", "no"),
        ("spans", [[0, 2], [1, 5]]),
        ("spans", [[3, 5], [0, 2]]),
        ("spans", [[0.5, 2], [3, 5]]),
        ("words", ["wa", "other"]),
        ("target", "nosuch"),
        ("classes", ["class 1"]),
        ("padding", [0.0, 0.0]),
        ("padding", "none"),
        ("parameters", {"against": "nosuch"}),
        ("elements", [[1.0]]),
        ("relevance", [1]),
        ("relevance", ["a", "b"]),
        ("known", [True]),
        ("truncated", "many"),
        ("scores", ["x"]),
        ("parameters", 3),
    ],
)
def test_fields_that_do_not_fit(name: str, value: object) -> None:
    fields = json.loads(explain(made_cnn(), "wa wb", "class 1").to_json())
    fields[name] = value
    with pytest.raises(InputError, match="this is no explanation"):
        Explanation.from_json(json.dumps(fields))


def test_a_table_column_is_not_overwritten_by_a_class_of_its_name() -> None:
    texts, labels = topical(60, 2)
    names = {"space": "word", "hockey": "known"}
    model = SVMClassifier(C=1.0).fit(texts, [names[label] for label in labels])
    frame = explain(model, "moon", "all").to_frame()
    assert list(frame["word"]) == ["moon"]
    assert list(frame.columns[-2:]) == ["relevance of known", "relevance of word"]


def test_explanations_of_different_kinds_are_not_mixed(tmp_path: Path) -> None:
    model = made_cnn()
    one, several = explain(model, "wa"), explain(model, "wa", "all")
    turned = explain(model, "wa", ["class 1", "class 0"])
    more = explain(model, "wa", ["class 0", "class 1"])
    detailed = explain(model, "wa", elements=True)
    for pair in ((one, several), (turned, more), (one, detailed)):
        mixed = Explanations(pair)
        with pytest.raises(InputError, match="differ in their targets or elements"):
            mixed.to_frame()
        with pytest.raises(InputError, match="differ in their targets or elements"):
            mixed.to_parquet(tmp_path / "why.parquet")


def test_ids_of_any_kind(tmp_path: Path) -> None:
    made = explain(made_cnn(), ["wa", "wb", "wc"], ids=[5, None, "\ud800"])
    assert [one.id for one in made] == ["5", None, "\ud800"]
    made.to_html()
    made.to_frame()
    made.to_parquet(tmp_path / "why.parquet")
    again = Explanations.from_frame(made.to_frame(by="document"))
    assert [one.id for one in again] == ["5", None, "\ufffd"]


@pytest.mark.parametrize(
    "source", [None, 3, b"{}", "x" * 5000, '{"a":' * 100_000, "[]", "\ufeff{}"]
)
def test_what_from_json_cannot_read(source: object) -> None:
    with pytest.raises(InputError):
        Explanation.from_json(source)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [3, None, b"x", "a\0b", "."])
def test_what_is_no_path(path: object) -> None:
    made = explain(made_cnn(), "wa")
    with pytest.raises(InputError):
        made.to_png(path)  # type: ignore[arg-type]


def test_what_displays_cannot_show() -> None:
    made = explain(made_cnn(), "wa wb", "all")
    assert made.to_svg(targets="class 1") == made.to_svg(targets=["class 1"])
    for targets in ([], "nosuch", 5, ["class 1", "nosuch"]):
        with pytest.raises(InputError, match=r"empty list|was not explained"):
            made.to_svg(targets=targets)  # type: ignore[arg-type]
    for scale in (0, -1, "a", float("nan")):
        with pytest.raises(InputError, match="scale must be"):
            made.heatmap(scale=scale)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="shap has no explanation of nothing"):
        explain(made_cnn(), "").to_shap()


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "why.parquet"
    explain(made_cnn(), ["wa wb"] * 50).to_parquet(path)
    whole = bytearray(path.read_bytes())
    random = np.random.default_rng(0)
    for _ in range(60):
        broken = whole.copy()
        for at in random.integers(0, len(broken), 8):
            broken[at] ^= 255
        path.write_bytes(broken)
        with suppress(InputError):  # never another error
            Explanations.from_parquet(path)
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(InputError, match="damaged or no Parquet file"):
        Explanations.from_parquet(path)
    pd.DataFrame({"text": ["a"]}).to_parquet(path)
    with pytest.raises(InputError, match="no explanation: id, words"):
        Explanations.from_parquet(path)
    made = explain(made_cnn(), "wa")
    made.to_parquet(path)
    assert len(Explanations.from_parquet(path)) == 1
    with pytest.raises(InputError, match="no explanations to write"):
        Explanations([]).to_parquet(path)


@pytest.mark.parametrize("package", ["pandas", "shap"])
def test_without_the_package(package: str, uninstall: Callable[[str], None]) -> None:
    made = explain(made_cnn(), "wa")
    uninstall(package)
    with pytest.raises(MissingExtraError, match="pip install"):
        made.to_frame() if package == "pandas" else made.to_shap()
