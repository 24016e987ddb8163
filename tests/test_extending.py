"""A kind of model and a method of somebody's own work everywhere, and the package is not touched.

The toy kind (nearest centroid) and the toy method (the length of words) stand in ``toys.py``.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import printed
from networks import topical
from served import ask, records
from toys import LENGTH, CentroidClassifier, RuledClassifier

import whyword as ww
from whyword.batch.class_words import class_words_corpus
from whyword.batch.runs import explain_corpus, predict_corpus
from whyword.evaluation.deletion import deletion_curve
from whyword.methods.registry import METHODS, register
from whyword.models.loading import KINDS, register_kind
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library

TEXTS, LABELS = topical(60)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_kind(CentroidClassifier)
    register(LENGTH)
    yield
    del KINDS[CentroidClassifier.kind], METHODS[LENGTH.name]


@pytest.fixture
def model() -> CentroidClassifier:
    return CentroidClassifier().fit(TEXTS, LABELS)


@pytest.fixture
def folder(model: CentroidClassifier, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    rows = pd.DataFrame({"text": TEXTS, "label": LABELS})
    rows.to_csv(tmp_path / "texts.csv", index=False)
    return tmp_path


def test_saved_and_loaded(model: CentroidClassifier, folder: Path) -> None:
    loaded = ww.load_model(folder / "model")
    assert isinstance(loaded, CentroidClassifier)
    assert loaded.identity == model.identity
    assert loaded.score(TEXTS, LABELS) > 0.9


def test_explain(model: CentroidClassifier) -> None:
    for text in ("moon orbit the goal unheard", "", "unheard"):
        for bias in ("shared", "apart"):
            one = ww.explain(model, text, "all", bias=bias)
            assert one.conserves
            assert one.conserved
            np.testing.assert_allclose(one.scores, model.class_scores([text])[0])
    assert ww.explain(model, "moon orbit the").as_list()[0][0] in ("moon", "orbit")
    without = ww.explain(model, "moon orbit the", deleted=[0])
    np.testing.assert_allclose(without.scores, model.class_scores(["orbit the"])[0])
    lost = ww.explain(model, "moon orbit the", method="occlusion").relevance
    np.testing.assert_allclose(lost[0], (ww.explain(model, "moon orbit the").score - without.score))
    with pytest.raises(ww.InputError, match="'sensitivity' needs a model that is differentiable"):
        ww.explain(model, "moon", method="sensitivity")
    with pytest.raises(ww.InputError, match="no parameter 'epsilon' for this model; it has: bias"):
        ww.explain(model, "moon", epsilon=0.1)


def test_a_method(model: CentroidClassifier) -> None:
    one = ww.explain(model, "the moon", method="length", power=2)
    assert one.relevance.tolist() == [9.0, 16.0]
    assert (one.method, one.parameters, one.conserves) == ("length", {"power": 2.0}, False)
    with pytest.raises(ww.InputError, match=r"choose from lrp, .*length"):
        ww.explain(model, "the moon", method="width")


@pytest.mark.parametrize("method", [None, "length"])
def test_class_words(model: CentroidClassifier, method: str | None) -> None:
    words = ww.class_words(model, TEXTS, "space", 3, method=method)["space"]
    assert len(words) == 3
    assert all(entry.seen is None for entry in words)
    if method is None:
        assert words[0].word in "orbit moon rocket shuttle launch nasa".split()


def test_evaluate_and_deletion(model: CentroidClassifier) -> None:
    found = ww.evaluate(model, TEXTS, LABELS, steps=4, runs=2)
    assert found.quality.accuracy > 0.9
    assert set(found.curves[1]) == {"lrp", "random", "random_known"}
    assert found.curves[1]["lrp"].area < found.curves[1]["random"].area
    assert not found.powers
    assert any("vectors" in remark for remark in found.remarks)
    assert "<html" in found.to_html()
    curve = deletion_curve(model, TEXTS, LABELS, "length", steps=4, power=1.5)
    assert curve.method == "length"


def test_batch(model: CentroidClassifier, folder: Path) -> None:
    for method in (None, "length"):
        out = folder / f"why-{method}"
        assert explain_corpus(model, folder / "texts.csv", out, method=method).n_documents == 60
        table = pd.read_parquet(out)
        assert set(table["method"]) == {method or "lrp"}
        expected = ww.explain(model, TEXTS[7], method=method)
        np.testing.assert_allclose(table["relevance"][7], expected.relevance, rtol=1e-6)
    predict_corpus(model, folder / "texts.csv", folder / "predicted")
    assert (pd.read_parquet(folder / "predicted")["predicted"] == LABELS).mean() > 0.9


def test_serve(model: CentroidClassifier) -> None:
    app = create_app(Engine(model), open_library(model, records(TEXTS, LABELS), "texts"))
    about = ask(app, "/api/about").json["model"]
    assert about["kind"] == "centroid"
    assert "length" in about["methods"]
    assert "sensitivity" not in about["methods"]
    for method in ("lrp", "length"):
        body = {"documents": ["the moon and the goal"], "target": "all", "method": method}
        (one,) = ask(app, "/api/explain", body).json["explanations"]
        assert one["method"] == method
        assert len(one["relevance"]) == 5


def test_command_line(folder: Path) -> None:
    (folder / "one.txt").write_text("the moon")
    model, texts = folder / "model", folder / "texts.csv"
    options = ("--method", "length", "--power", 2, "--format", "json")
    explained = json.loads(printed("explain", model, folder / "one.txt", *options))
    assert explained["relevance"] == [9.0, 16.0]
    assert "--power" in printed("explain", "--help")
    assert "moon" in printed("explain", model, folder / "one.txt")
    assert "space" in printed("predict", model, texts)
    assert "orbit" in printed("words", model, texts, "--target", "space")
    assert "accuracy" in printed("evaluate", model, texts, "--steps", 4, "--runs", 1)
    printed("explain", model, texts, "--out", folder / "why")
    assert len(pd.read_parquet(folder / "why")) == 60


# ---- a kind with a rule and units of its own ---------------------------------------------------

SYMBOLS = {"space": "🚀", "hockey": "!!!", "crypto": "###"}


@pytest.fixture
def ruled() -> RuledClassifier:
    texts = [
        f"{text} {SYMBOLS[label]} {SYMBOLS[label]}"
        for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    return RuledClassifier().fit(texts, LABELS)


RULED = [f"{text} {SYMBOLS[label]}" for text, label in zip(TEXTS, LABELS, strict=True)]


@pytest.mark.slow(reason="half a second and more")
def test_a_rule_of_its_own_everywhere(ruled: RuledClassifier, tmp_path: Path) -> None:
    one = ww.explain(ruled, RULED[0], top=2, layer="encoder.layer.2", strict=True)
    assert one.parameters == {
        "deletion": "cut",
        "bias": "apart",
        "attention": "fixed",
        "positions": "apart",
        "layer": "encoder.layer.2",
        "top_classes": 2,
    }
    lost = ww.explain(ruled, RULED[0], method="occlusion")
    assert len(lost.relevance) == len(lost.words) == 17
    assert ww.price(ruled, RULED[:5], "occlusion").predictions == 5 * 18
    curve = deletion_curve(ruled, RULED, LABELS, steps=8, attention="attnlrp")
    assert curve.area < deletion_curve(ruled, RULED, LABELS, "random", steps=8).area
    found = ww.evaluate(ruled, RULED, LABELS, steps=4, runs=2)
    assert found.quality.accuracy > 0.9
    rows = pd.DataFrame({"text": RULED})
    rows.to_csv(tmp_path / "texts.csv", index=False)
    out = tmp_path / "why"
    explain_corpus(ruled, tmp_path / "texts.csv", out, top_classes=2, layer="bag", workers=1)
    table = pd.read_parquet(out)
    assert json.loads(table["parameters"][0])["layer"] == "bag"
    for number in (0, 1, 59):
        same = ww.explain(ruled, RULED[number], top=2, layer="bag")
        assert tuple(table["target"][number]) == same.target
        np.testing.assert_allclose(np.stack(table["relevance"][number]), same.relevance, rtol=1e-6)


def test_symbols_are_no_class_words_unless_asked(ruled: RuledClassifier, tmp_path: Path) -> None:
    every: list[dict[str, Any]] = [
        {},
        {"per": "occurrence"},
        {"rank": "sum"},
        {"rank": "strongest"},
    ]
    for options in every:
        plain = ww.class_words(ruled, RULED, top=4, **options)
        whole = ww.class_words(ruled, RULED, top=4, symbols=True, **options)
        for label, symbol in SYMBOLS.items():
            assert len(plain[label]) == len(whole[label]) == 4
            assert symbol not in {entry.word for entry in plain[label]}
            assert symbol in {entry.word for entry in whole[label]}
    pd.DataFrame({"text": RULED}).to_csv(tmp_path / "texts.csv", index=False)
    for symbols in (False, True):
        expected = ww.class_words(ruled, RULED, top=4, symbols=symbols)
        actual = class_words_corpus(
            ruled, tmp_path / "texts.csv", top=4, symbols=symbols, workers=1
        )
        for label in SYMBOLS:
            assert [e.word for e in actual[label]] == [e.word for e in expected[label]]
    with pytest.raises(ww.InputError, match="symbols"):
        ww.class_words(ruled, RULED, symbols="some")  # type: ignore[arg-type]


@pytest.mark.slow(reason="half a second and more")
def test_symbols_by_the_api(ruled: RuledClassifier) -> None:
    app = create_app(Engine(ruled), open_library(ruled, records(RULED, LABELS), "texts"))
    for symbols in (False, True):
        answer = ask(app, f"/api/words?target=space&top=5&symbols={str(symbols).lower()}").json
        assert answer["symbols"] is True
        words = [entry["word"] for entry in answer["classes"][0]["words"]]
        expected = ww.class_words(ruled, RULED, "space", 5, symbols=symbols)["space"]
        assert words == [entry.word for entry in expected]
    documents = ask(app, "/api/words/documents?target=space&word=%F0%9F%9A%80").json
    assert documents["found"] == LABELS.count("space")
    assert documents["documents"][0]["said"] == "🚀"
