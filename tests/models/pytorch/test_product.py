"""A PyTorch module is a model like others: all that can be asked of those works with it."""

import json
import logging
import pickle
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch_texts
from networks import TOPICS, topical
from served import ask, records
from starlette.types import ASGIApp
from torch_texts import CLASSES, bert, ids_of, recurrent, several
from toys import several_topics

import whyword as ww
from whyword.batch import chunks
from whyword.batch.runs import explain_corpus, predict_corpus, summarize_corpus
from whyword.cli.main import main
from whyword.corpora.corpus import Part
from whyword.evaluation.price import evaluation_price
from whyword.evaluation.quality import MultiLabelQuality
from whyword.evaluation.sanity import input_invariance, model_randomisation, seed_stability
from whyword.reports.tour import write_tour
from whyword.reports.tour_price import tour_price
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import library_price, open_library

TEXTS, LABELS = topical(40, seed=1)
SEVERAL, TRUE = several_topics(40, seed=1)
MAKERS: dict[str, Callable[[], "ww.TorchClassifier"]] = {
    "recurrent": recurrent,
    "bert": bert,
    "several": several,
}
METHODS = ("lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random")


@pytest.fixture(params=list(MAKERS))
def model(request: pytest.FixtureRequest) -> "ww.TorchClassifier":
    return MAKERS[request.param]()


def texts_of(model: "ww.TorchClassifier") -> tuple[list[str], Sequence[Any]]:
    return (SEVERAL, TRUE) if model.is_multilabel else (TEXTS, LABELS)


# ---- explanations -----------------------------------------------------------------------------


def test_it_has_learned(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    pairs = zip(model.predict(texts), labels, strict=True)
    assert sum(said == true for said, true in pairs) >= 36


@pytest.mark.parametrize("method", METHODS)
def test_every_method_explains_all_classes(model: "ww.TorchClassifier", method: str) -> None:
    texts, _ = texts_of(model)
    found = ww.explain(model, texts[:5], "all", method=method)
    for one, text, scores in zip(found, texts, model.class_scores(texts[:5]), strict=False):
        assert one.relevance.shape == (len(text.split()), 3)
        assert one.scores == pytest.approx(scores, abs=1e-5)
        assert one.parameters["deletion"] == "zero"
        assert one.conserved or method != "lrp"
        again = ww.Explanation.from_json(one.to_json())
        assert again.to_json() == one.to_json()
    assert [one.predicted for one in found] == list(model.predict(texts[:5]))
    each = [ww.explain(model, text, "all", method=method) for text in texts[:5]]
    if method != "random":
        for one, alone in zip(found, each, strict=True):
            np.testing.assert_allclose(one.relevance, alone.relevance, atol=2e-4)


def test_the_ways_to_ask(model: "ww.TorchClassifier") -> None:
    texts, _ = texts_of(model)
    every = ww.explain(model, texts[1], "all")
    two = ww.explain(model, texts[1:3], top=2)[0]
    assert two.targets == tuple(np.array(CLASSES)[np.argsort(-every.scores)[:2]])
    contrast = ww.explain(model, texts[1], "space", against="hockey")
    column = [CLASSES.index(name) for name in ("space", "hockey")]
    expected = every.relevance[:, column[0]] - every.relevance[:, column[1]]
    np.testing.assert_allclose(contrast.relevance, expected, atol=1e-5)
    assert contrast.conserved
    assert contrast.relevance.shape == expected.shape
    fine = ww.explain(model, texts[1], "all", level="element")
    assert fine.elements is not None
    np.testing.assert_allclose(fine.elements.sum(1), every.relevance, atol=1e-4)
    lazily = list(ww.iter_explanations(model, iter(texts)))
    assert [one.predicted for one in lazily] == list(model.predict(texts))


def test_a_deleted_word_bears_nothing(model: "ww.TorchClassifier") -> None:
    texts, _ = texts_of(model)
    whole, without = (ww.explain(model, texts[1], "all", deleted=gone) for gone in ([], [0, 2]))
    assert not without.relevance[[0, 2]].any()
    assert not without.known[[0, 2]].any()
    assert without.conserved
    assert np.abs(without.scores - whole.scores).max() > 1e-3
    occluded = ww.explain(model, texts[1], "all", method="occlusion")
    alone = ww.explain(model, texts[1], "all", deleted=[0])
    np.testing.assert_allclose(occluded.relevance[0], whole.scores - alone.scores, atol=1e-4)


LAYERS = {"recurrent": "lstm", "bert": "bert.encoder.layer.0", "several": "embedding"}


@pytest.mark.parametrize("name", LAYERS)
def test_a_hidden_layer(name: str) -> None:
    model, layer = MAKERS[name](), LAYERS[name]
    text = texts_of(model)[0][1]
    there = ww.explain(model, text, "all", layer=layer)
    assert (there.parameters["layer"], there.conserved) == (layer, True)
    words = ww.explain(model, text, "all")
    assert np.allclose(there.relevance, words.relevance, atol=1e-5) == (layer == "embedding")
    with pytest.raises(ww.InputError, match="there is no layer 'lsm' in this model"):
        ww.explain(model, text, layer="lsm")
    with pytest.raises(ww.InputError, match="has no vector for each of the"):
        ww.explain(model, text, layer=model.layers[-1])


def test_numbers_and_signs_are_seen_if_the_tokenizer_sees_them() -> None:
    texts = [f"{text} 10 !" for text in TEXTS]
    assert "!" in ww.explain(bert(), texts[0]).words
    assert "!" not in ww.explain(recurrent(), texts[0]).words
    words = ww.class_words(bert(), texts, symbols=True)
    assert {entry.word for name in CLASSES for entry in words[name]} & {"10", "!"}
    plain = ww.class_words(bert(), texts)
    assert not {entry.word for name in CLASSES for entry in plain[name]} & {"!"}


# ---- what is made of many ---------------------------------------------------------------------


def test_class_words_summaries_map_and_search(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    words = ww.class_words(model, texts, top=3)
    for name in CLASSES:
        assert {entry.word for entry in words[name]} <= {*TOPICS[name]}
    width = ww.explain(model, texts[0], level="element").elements.shape[1]  # type: ignore[union-attr]
    for options in ({}, {"level": "element"}, {"method": "uniform"}):
        rows = ww.summarize(model, texts, **options)
        assert rows.shape == (40, width)
        assert np.isfinite(rows).all()
    with pytest.raises(ww.InputError, match=r"'tfidf': each word by its rarity .* is not known"):
        ww.summarize(model, texts, method="tfidf")
    drawn = ww.document_map(model, texts, labels, level="element")
    assert len(drawn.points) == 40
    index = ww.SearchIndex(model, texts)
    best = index.search(texts[3], 2)[0]
    assert (best.id, round(best.similarity, 4)) == ("3", 1)
    assert sum(word.similarity for word in best.words) == pytest.approx(1, abs=1e-4)


def test_explanatory_power() -> None:
    by_relevance = ww.summarize(recurrent(), TEXTS, level="element")
    by_chance = ww.summarize(recurrent(), TEXTS, method="uniform")
    power, uniform = (
        ww.explanatory_power(vectors, LABELS, 4, range(1, 6))
        for vectors in (by_relevance, by_chance)
    )
    assert power.epi > 0.9
    assert ww.compare(power, uniform).difference == pytest.approx(power.epi - uniform.epi)


def test_deletion(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    by_relevance, by_chance = (
        ww.deletion_curve(model, texts, labels, method, steps=4, least_words=8)
        for method in ("lrp", "random")
    )
    assert by_relevance.area < by_chance.area
    if model.is_multilabel:
        assert len(by_relevance) > by_relevance.n_documents


@pytest.mark.parametrize("layers", ["all", "output"])
def test_sanity(layers: str) -> None:
    before = recurrent().identity
    check = model_randomisation(recurrent(), TEXTS[:10], layers=layers)
    assert check.passed
    assert recurrent().identity == before
    assert seed_stability(recurrent(), bert(), TEXTS[:10]).agreement.overlap > 0.2
    with pytest.raises(ww.InputError, match="shifted, which a model of kind 'torch' has not"):
        input_invariance(recurrent(), TEXTS[:10])


def test_evaluation(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    found = ww.evaluate(model, texts, labels, train=[texts[0]], steps=3, least_words=6, runs=2)
    assert found.quality.accuracy >= 0.9
    assert found.copies is not None
    assert set(found.checks) == {"lrp", "sensitivity"}
    assert len(found.checks["lrp"]) == 2
    assert isinstance(found.quality, MultiLabelQuality) == model.is_multilabel
    expected = {"lrp", "lrp (ew)", "sensitivity", "sensitivity (ew)", "random", "uniform"}
    assert set(found.powers) == (set() if model.is_multilabel else expected)
    page = found.to_html()
    assert "tfidf</td>" not in page
    assert json.loads(found.to_json())["kind"] == "torch"


def test_a_tour(tmp_path: Path) -> None:
    ids = [str(number) for number in range(40)]
    for one, name in ((recurrent(), "a"), (several(), "b")):
        part = Part(*texts_of(one), ids)  # type: ignore[arg-type]
        made = write_tour(one, part, tmp_path / name, few=30, runs=1)
        assert (made.kept, (tmp_path / name / "map.html").is_file()) == (False, True)
        assert write_tour(one, part, tmp_path / name, few=30, runs=1).kept


def test_prices() -> None:
    model = recurrent()
    words = sum(len(text.split()) for text in TEXTS)
    assert ww.price(model, TEXTS).predictions == 40
    assert ww.price(model, TEXTS, "occlusion").predictions == 40 + words
    assert ww.price(model, TEXTS, "integrated_gradients", steps=7).predictions == 40 * 7
    said = evaluation_price(model, TEXTS, ["lrp", "random"], steps=3, least_words=6, runs=2)
    # predicted twice; 2 + 4 orders of 4 texts; explained for 2 targets, 2 vectors, 2 × 2 checks
    assert said.predictions == 40 * (2 + (2 + 4) * 4 + 2 + 2 + 4)
    part = Part(TEXTS, LABELS, [str(number) for number in range(40)])
    assert tour_price(model, part, 40).predictions > said.predictions
    assert library_price(model, records(TEXTS, LABELS)).predictions == 3 * 40


# ---- corpora of any size ----------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": TEXTS, "label": LABELS}).to_csv(path, index=False)
    topics = [";".join(one) for one in TRUE]
    pd.DataFrame({"text": SEVERAL, "topics": topics}).to_csv(tmp_path / "topics.csv", index=False)
    return path


def relevances(folder: Path) -> list[float]:
    rows = pd.read_parquet(folder)["relevance"]
    return [float(value) for row in rows for word in row for value in np.ravel(word)]


def test_a_corpus(model: "ww.TorchClassifier", source: Path, tmp_path: Path) -> None:
    explain_corpus(model, source, tmp_path / "why", top_classes=2)
    expected = [
        value for one in ww.explain(model, TEXTS, top=2) for value in one.relevance.reshape(-1)
    ]
    assert relevances(tmp_path / "why") == pytest.approx(expected, abs=1e-5)
    predict_corpus(model, source, tmp_path / "said")
    said = pd.read_parquet(tmp_path / "said")["predicted"].tolist()
    if model.is_multilabel:
        said = [*map(tuple, said)]
    assert said == list(model.predict(TEXTS))
    summarize_corpus(model, source, tmp_path / "vectors", level="element")
    assert len(pd.read_parquet(tmp_path / "vectors")) == 40


def test_a_run_is_resumed_if_it_is_known_which_model_it_was(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    explain_corpus(several(), source, out)
    assert explain_corpus(several(), source, out, resume=True).resumed == 40
    renamed, nameless = (
        ww.TorchClassifier(
            several().module, ids_of, CLASSES, pad=0, min_length=2, multilabel=True, name=name
        )
        for name in ("topics 2", None)
    )
    with pytest.raises(ww.InputError, match="was another one: model differs"):
        explain_corpus(renamed, source, out, resume=True)
    explain_corpus(nameless, source, tmp_path / "nameless")
    assert nameless.identity is None
    with pytest.raises(ww.InputError, match=r"TorchClassifier that a function .* with name=…"):
        explain_corpus(nameless, source, tmp_path / "nameless", resume=True)


def test_other_processes_that_cannot_have_it(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(chunks, "ROWS", 20)
    model = ww.TorchClassifier(recurrent().module, lambda text: ids_of(text), CLASSES, pad=0)
    explain_corpus(model, source, tmp_path / "why", workers=2)
    said = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert len(said) == 1
    assert "cannot be sent to other processes, so this one does all the work" in said[0]
    assert len(relevances(tmp_path / "why")) == sum(len(text.split()) for text in TEXTS)


@pytest.mark.slow("begins processes that import torch")
def test_several_processes(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(chunks, "ROWS", 20)
    explain_corpus(recurrent(), source, tmp_path / "why", workers=2)
    expected = [value for one in ww.explain(recurrent(), TEXTS) for value in one.relevance]
    assert relevances(tmp_path / "why") == pytest.approx(expected, abs=1e-5)
    assert not [one for one in caplog.records if one.levelno == logging.WARNING]


def test_it_is_pickled(model: "ww.TorchClassifier") -> None:
    texts, _ = texts_of(model)
    again = pickle.loads(pickle.dumps(model))
    assert again.identity == model.identity
    np.testing.assert_allclose(
        ww.explain(again, texts[0]).relevance, ww.explain(model, texts[0]).relevance, atol=1e-6
    )


# ---- the page ---------------------------------------------------------------------------------


def served_app(model: "ww.TorchClassifier") -> ASGIApp:
    texts, labels = texts_of(model)
    return create_app(Engine(model), open_library(model, records(texts, labels), "posts"))


def test_served(model: "ww.TorchClassifier") -> None:
    app, text = served_app(model), texts_of(model)[0][1]
    about = ask(app, "/api/about").json["model"]
    assert (about["kind"], about["identity"]) == ("torch", model.identity)
    assert (about["methods"], about["phrases"]) == ([*METHODS], False)
    assert about["multilabel"] == model.is_multilabel
    body = {"documents": [{"text": text, "deleted": [0]}, text], "target": "all"}
    without, whole = ask(app, "/api/explain", body).json["explanations"]
    assert without["conserved"]
    assert not np.any(without["relevance"][0])
    assert whole["relevance"] == pytest.approx(ww.explain(model, text, "all").relevance, abs=1e-5)
    for asked in ({"target": "space", "against": "hockey"}, {"top_classes": 2}, {"method": "lrp"}):
        said = ask(app, "/api/explain", {"documents": [text], **asked}).json["explanations"][0]
        assert said["conserved"]
    for path in ("/api/map", "/api/words", "/api/documents/1"):
        assert ask(app, path).status == 200, path
    assert len(ask(app, "/api/search", {"query": "moon", "top": 2}).json["hits"]) == 2
    said = ask(app, "/api/predict", {"documents": [text]}).json["predictions"][0]["predicted"]
    assert said == (list(model.predict([text])[0]) if model.is_multilabel else "hockey")
    assert not Engine(model).is_quick([text])  # so that the server answers others meanwhile


def test_a_text_beyond_the_positions() -> None:
    answer = ask(served_app(bert()), "/api/explain", {"documents": ["moon " * 100]})
    assert answer.status == 422
    assert "102" in answer.problem
    assert "64" in answer.problem


# ---- the command line -------------------------------------------------------------------------

Run = Callable[..., str]


@pytest.fixture
def run(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.txt").write_text("The moon, and a goal")

    def whyword(*arguments: object, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["whyword", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert ended.value.code == code, err
        return err if code else out

    return whyword


RECURRENT, BERT, TOPICAL = (f"{torch_texts.__name__}:{name}()" for name in MAKERS)
FEW = ("--steps", 3, "--runs", 1)


def test_explained_from_the_command_line(run: Run, tmp_path: Path) -> None:
    assert "explained by" in run("model", BERT)
    asked = ("explain", BERT, "mail.txt", "--format", "json")
    for options, parameter in (
        (("--layer", "bert.encoder.layer.0"), ("layer", "bert.encoder.layer.0")),
        (("--attention", "attnlrp"), ("attention", "attnlrp")),
        (("--positions", "with words"), ("positions", "with words")),
        (("--method", "integrated_gradients", "--steps", 3), ("steps", 3)),
        (("--top-classes", 2), ("top_classes", 2)),
    ):
        row = json.loads(run(*asked, *options))
        assert row["parameters"][parameter[0]] == parameter[1]
        assert row["parameters"]["deletion"] == "zero"
    refused = run(*asked, "--bias", "shared", code=1)
    assert "--bias shared is the paper's rule" in refused
    assert refused.rstrip().endswith("say --bias apart")
    assert "there is no layer 'encoder'" in run(*asked, "--layer", "encoder", code=1)
    run("explain", BERT, "texts.csv", "--out", "why")
    assert len(pd.read_parquet("why")) == 40


def test_looked_at_from_the_command_line(run: Run) -> None:
    assert "space" in run("predict", RECURRENT, "mail.txt")
    run("predict", RECURRENT, "texts.csv", "--out", "said")
    assert pd.read_parquet("said")["predicted"].tolist() == list(recurrent().predict(TEXTS))
    assert "clipper" in run("words", RECURRENT, "texts.csv")
    run("map", RECURRENT, "texts.csv", "--out", "map.html")
    assert "moon" in run("search", RECURRENT, "texts.csv", "moon rocket")


def test_evaluated_from_the_command_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    monkeypatch.setattr("whyword.cli.evaluate.say_price", lambda what, *_: said.append(what))
    monkeypatch.setattr("whyword.cli.tour.say_price", lambda what, *_: said.append(what))
    assert "uniform" in run("evaluate", RECURRENT, "texts.csv", *FEW)
    labels = ("--label", "topics", "--label-separator", ";")
    assert "micro-F1" in run("evaluate", TOPICAL, "topics.csv", *labels, *FEW)
    run("tour", RECURRENT, "texts.csv", "--out", "pages", "--limit", 20)
    assert Path("pages/index.html").is_file()
    assert said == ["the evaluation", "the evaluation", "the tour"]


# ---- kept as a folder -------------------------------------------------------------------------


def test_a_folder_is_as_good_as_the_module(tmp_path: Path, run: Run) -> None:
    identity = recurrent().save(tmp_path / "kept", "torch_texts:Recurrent")
    again = ww.load_model(tmp_path / "kept", build="torch_texts:Recurrent")
    found = ww.explain(again, TEXTS[0])
    np.testing.assert_allclose(found.relevance, ww.explain(recurrent(), TEXTS[0]).relevance)
    assert re.fullmatch("[0-9a-f]{64}", identity)
    said = run("explain", tmp_path / "kept", "mail.txt", code=1)
    assert "which is not registered here" in said
