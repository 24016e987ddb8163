"""A PyTorch module is a model like others: each feature of the product runs once on one."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import printed, run
from networks import TOPICS
from served import ask, records
from torch_texts import CLASSES, LABELS, SEVERAL, TEXTS, TRUE, bert, ids_of, recurrent, several

import whyword as ww
from whyword.batch import chunks
from whyword.batch.runs import explain_corpus, predict_corpus, summarize_corpus
from whyword.evaluation.price import evaluation_price
from whyword.evaluation.quality import MultiLabelQuality
from whyword.evaluation.sanity import input_invariance, model_randomisation
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import library_price, open_library

pytestmark = pytest.mark.slow(reason="trains and evaluates small modules")

METHODS = ["lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": TEXTS, "label": LABELS}).to_csv(path, index=False)
    topics = [";".join(one) for one in TRUE]
    pd.DataFrame({"text": SEVERAL, "topics": topics}).to_csv(tmp_path / "topics.csv", index=False)
    return path


# ---- explanations and what is made of many ------------------------------------------------------


def test_relevance_is_found_at_a_hidden_layer() -> None:
    model = bert()
    there = ww.explain(model, TEXTS[1], "all", layer="bert.encoder.layer.0")
    assert there.parameters["layer"] == "bert.encoder.layer.0"
    assert there.conserved
    assert not np.allclose(there.relevance, ww.explain(model, TEXTS[1], "all").relevance)
    with pytest.raises(ww.InputError, match="there is no layer 'lsm' in this model"):
        ww.explain(model, TEXTS[1], layer="lsm")


def test_numbers_and_signs_are_explained_if_the_tokenizer_sees_them() -> None:
    texts = [f"{text} 10 !" for text in TEXTS]
    assert "!" in ww.explain(bert(), texts[0]).words
    assert "!" not in ww.explain(recurrent(), texts[0]).words
    for symbols in (True, False):
        words = ww.class_words(bert(), texts, symbols=symbols)
        said = {entry.word for name in CLASSES for entry in words[name]}
        assert ("!" in said or "10" in said) if symbols else "!" not in said


@pytest.mark.parametrize("model", [bert, several])
def test_class_words_summaries_map_and_search(model: Any) -> None:
    texts, labels = (SEVERAL, TRUE) if model is several else (TEXTS, LABELS)
    words = ww.class_words(model(), texts, top=3)
    for name in CLASSES:
        assert {entry.word for entry in words[name]} <= {*TOPICS[name]}
    rows = ww.summarize(model(), texts, level="element")
    assert np.isfinite(rows).all()
    with pytest.raises(ww.InputError, match=r"'tfidf': each word by its rarity .* is not known"):
        ww.summarize(model(), texts, method="tfidf")
    assert len(ww.document_map(model(), texts, labels, level="element").points) == 40
    best = ww.SearchIndex(model(), texts).search(texts[3], 2)[0]
    assert (best.id, round(best.similarity, 4)) == ("3", 1)
    assert sum(word.similarity for word in best.words) == pytest.approx(1, abs=1e-4)


def test_an_evaluation_its_price_and_a_check_of_sanity() -> None:
    model = recurrent()
    found = ww.evaluate(model, TEXTS, LABELS, train=[TEXTS[0]], steps=3, least_words=6, runs=2)
    assert found.quality.accuracy >= 0.9
    assert set(found.checks) == {"lrp", "sensitivity"}
    expected = {"lrp", "lrp (ew)", "sensitivity", "sensitivity (ew)", "random", "uniform"}
    assert set(found.powers) == expected
    assert json.loads(found.to_json())["kind"] == "torch"
    several_ = ww.evaluate(several(), SEVERAL, TRUE, methods=["lrp"], steps=3, runs=1)
    assert isinstance(several_.quality, MultiLabelQuality)
    assert ww.price(model, TEXTS, "integrated_gradients", steps=7).predictions == 40 * 7
    said = evaluation_price(model, TEXTS, ["lrp", "random"], steps=3, least_words=6, runs=2)
    # predicted twice; 2 + 4 orders of 4 texts; explained for 2 targets, 2 vectors, 2 × 2 checks
    assert said.predictions == 40 * (2 + (2 + 4) * 4 + 2 + 2 + 4)
    assert library_price(model, records(TEXTS, LABELS)).predictions == 3 * 40
    before = model.identity
    assert model_randomisation(model, TEXTS[:10]).passed
    assert model.identity == before
    with pytest.raises(ww.InputError, match="shifted, which a model of kind 'torch' has not"):
        input_invariance(model, TEXTS[:10])


# ---- corpora of any size ------------------------------------------------------------------------


def relevances(folder: Path) -> list[float]:
    rows = pd.read_parquet(folder)["relevance"]
    return [float(value) for row in rows for word in row for value in np.ravel(word)]


@pytest.mark.parametrize("model", [bert, several])
def test_a_corpus_is_explained_predicted_and_summarized(
    model: Any, source: Path, tmp_path: Path
) -> None:
    explain_corpus(model(), source, tmp_path / "why", top_classes=2)
    found = ww.explain(model(), TEXTS, top=2)
    expected = [value for one in found for value in one.relevance.reshape(-1)]
    assert relevances(tmp_path / "why") == pytest.approx(expected, abs=1e-5)
    predict_corpus(model(), source, tmp_path / "said")
    said = pd.read_parquet(tmp_path / "said")["predicted"].tolist()
    assert [*map(tuple, said)] == [*map(tuple, model().predict(TEXTS))]
    summarize_corpus(model(), source, tmp_path / "vectors", level="element")
    assert len(pd.read_parquet(tmp_path / "vectors")) == 40


def test_a_run_is_resumed_if_it_is_known_which_model_it_was(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    explain_corpus(several(), source, out)
    assert explain_corpus(several(), source, out, resume=True).resumed == 40
    how: dict[str, Any] = {"pad": 0, "min_length": 2, "multilabel": True}
    renamed, nameless = (
        ww.TorchClassifier(several().module, ids_of, CLASSES, name=name, **how)
        for name in ("topics 2", None)
    )
    with pytest.raises(ww.InputError, match="was another one: model differs"):
        explain_corpus(renamed, source, out, resume=True)
    explain_corpus(nameless, source, tmp_path / "nameless")
    with pytest.raises(ww.InputError, match=r"TorchClassifier that a function .* with name=…"):
        explain_corpus(nameless, source, tmp_path / "nameless", resume=True)


@pytest.mark.parametrize("can_be_sent", [True, False])
def test_several_processes_explain_a_corpus(
    can_be_sent: bool,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(chunks, "ROWS", 20)
    model = recurrent()
    if not can_be_sent:
        model = ww.TorchClassifier(model.module, lambda text: ids_of(text), CLASSES, pad=0)
    explain_corpus(model, source, tmp_path / "why", workers=2)
    expected = [value for one in ww.explain(model, TEXTS) for value in one.relevance]
    assert relevances(tmp_path / "why") == pytest.approx(expected, abs=1e-5)
    warned = [one for one in caplog.records if one.levelno == logging.WARNING]
    said = [one.getMessage() for one in warned if "batch" in one.name]
    assert len(said) == (not can_be_sent)
    assert can_be_sent or "cannot be sent to other processes" in said[0]


# ---- the page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [bert, several])
def test_the_page_answers(model: Any) -> None:
    texts, labels = (SEVERAL, TRUE) if model is several else (TEXTS, LABELS)
    app = create_app(Engine(model()), open_library(model(), records(texts, labels), "posts"))
    about, text = ask(app, "/api/about").json["model"], texts[1]
    assert (about["kind"], about["identity"]) == ("torch", model().identity)
    assert (about["methods"], about["phrases"]) == (METHODS, False)
    assert about["multilabel"] == (model is several)
    body = {"documents": [{"text": text, "deleted": [0]}, text], "target": "all"}
    without, whole = ask(app, "/api/explain", body).json["explanations"]
    assert without["conserved"]
    assert not np.any(without["relevance"][0])
    expected = ww.explain(model(), text, "all").relevance
    np.testing.assert_allclose(whole["relevance"], expected, atol=1e-5)
    for path in ("/api/map", "/api/words", "/api/documents/1"):
        assert ask(app, path).status == 200, path
    assert len(ask(app, "/api/search", {"query": "moon", "top": 2}).json["hits"]) == 2
    assert not Engine(model()).is_quick([text])  # so that the server answers others meanwhile
    if model is bert:  # a text beyond the positions is read in windows
        answer = ask(app, "/api/explain", {"documents": ["moon " * 100, "moon"]})
        long, short = answer.json["explanations"]
        assert long["parameters"]["windows"] == 3
        assert len(long["words"]) == 100
        assert "windows" not in short["parameters"]


# ---- the command line ---------------------------------------------------------------------------


def test_the_commands(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.txt").write_text("The moon, and a goal")
    words, pieces, topics = (f"torch_texts:{name}()" for name in ("recurrent", "bert", "several"))
    assert "explained by" in printed("model", pieces)
    asked = ("explain", pieces, "mail.txt", "--format", "json")
    for options in (
        {"layer": "bert.encoder.layer.0"},
        {"attention": "attnlrp"},
        {"positions": "with words"},
        {"method": "integrated_gradients", "steps": 3},
        {"top_classes": 2},
    ):
        given = [
            part
            for name, value in options.items()
            for part in (f"--{name.replace('_', '-')}", value)
        ]
        row = json.loads(printed(*asked, *given))
        assert row["parameters"]["deletion"] == "pad"
        kept = {name: value for name, value in options.items() if name != "method"}
        assert kept.items() <= row["parameters"].items()
    refused = run(*asked, "--bias", "shared").stderr
    assert "--bias shared is the paper's rule" in refused
    assert refused.rstrip().endswith("say --bias apart")
    assert "space" in printed("predict", words, "mail.txt")
    assert "clipper" in printed("words", words, "texts.csv")
    printed("map", words, "texts.csv", "--out", "map.html")
    assert "moon" in printed("search", words, "texts.csv", "moon rocket")
    few = ("--steps", 3, "--runs", 1)
    assert "uniform" in printed("evaluate", words, "texts.csv", *few)
    labels = ("--label", "topics", "--label-separator", ";")
    assert "micro-F1" in printed("evaluate", topics, "topics.csv", *labels, *few)


def test_a_folder_is_as_good_as_the_module(tmp_path: Path) -> None:
    identity = recurrent().save(tmp_path / "kept", "torch_texts:Recurrent")
    again = ww.load_model(tmp_path / "kept", build="torch_texts:Recurrent")
    found = ww.explain(again, TEXTS[0])
    np.testing.assert_allclose(found.relevance, ww.explain(recurrent(), TEXTS[0]).relevance)
    assert re.fullmatch("[0-9a-f]{64}", identity)
    (tmp_path / "mail.txt").write_text("The moon")
    done = run("explain", tmp_path / "kept", tmp_path / "mail.txt")
    assert done.returncode == 1
    assert "which is not registered here" in done.stderr
