"""A PyTorch module in corpora of any size, behind the page, on the command line, in a folder."""

import json
import logging
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch_texts
from served import ask, records
from starlette.types import ASGIApp
from torch_texts import (
    CLASSES,
    LABELS,
    MAKERS,
    SEVERAL,
    TEXTS,
    TRUE,
    bert,
    ids_of,
    recurrent,
    several,
    texts_of,
)

import whyword as ww
from whyword.batch import chunks
from whyword.batch.runs import explain_corpus, predict_corpus, summarize_corpus
from whyword.cli.main import main
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library

pytestmark = pytest.mark.slow("processes, a server, the command line")

METHODS = ("lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random")


@pytest.fixture(params=list(MAKERS))
def model(request: pytest.FixtureRequest) -> "ww.TorchClassifier":
    return MAKERS[request.param]()


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
    records = [one for one in caplog.records if "batch" in one.name]
    said = [one.getMessage() for one in records if one.levelno == logging.WARNING]
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
    """In windows, which the page can say."""
    answer = ask(served_app(bert()), "/api/explain", {"documents": ["moon " * 100, "moon"]})
    long, short = answer.json["explanations"]
    assert long["conserved"]
    assert long["parameters"]["windows"] == 3
    assert len(long["words"]) == 100
    assert "windows" not in short["parameters"]


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
        assert row["parameters"]["deletion"] == "pad"
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
