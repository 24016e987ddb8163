"""A model that predicts several labels works everywhere, on documents that have several."""

import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import printed, run
from networks import small_cnn
from served import ask
from toys import TopicsClassifier, several_topics

import whyword as ww
from whyword.batch.runs import explain_corpus, predict_corpus
from whyword.corpora.corpus import Part
from whyword.corpora.source import Record
from whyword.evaluation.deletion import deletion_curve
from whyword.evaluation.quality import MultiLabelQuality
from whyword.methods.predict import Tally, predict_documents
from whyword.methods.prediction_files import write_predictions
from whyword.models.loading import KINDS, register_kind
from whyword.reports.tour import write_tour
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library

TEXTS, LABELS = several_topics(60)
HELD, TRUE = several_topics(40, seed=1)
MODEL = TopicsClassifier().fit(TEXTS, LABELS)
NAMES = MODEL.classes_.tolist()
SAID = MODEL.predict(HELD)
EMPTY, TWO = (next(n for n, one in enumerate(SAID) if len(one) == k) for k in (0, 2))


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_kind(TopicsClassifier)
    yield
    del KINDS[TopicsClassifier.kind]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    MODEL.save(tmp_path / "model")
    rows = pd.DataFrame({"text": HELD, "topics": [";".join(several) for several in TRUE]})
    rows.to_csv(tmp_path / "texts.csv", index=False)
    rows.assign(topics=TRUE).to_parquet(tmp_path / "texts.parquet")
    pd.DataFrame({"text": HELD, "label": "space"}).to_csv(tmp_path / "single.csv", index=False)
    return tmp_path


# ---- explanations -----------------------------------------------------------------------------


def test_explanations_say_all_labels() -> None:
    for one, several in zip(ww.explain(MODEL, HELD), SAID, strict=True):
        assert one.predicted == several
        assert one.target == one.highest == NAMES[int(one.scores.argmax())]
        assert one.conserved
    none, two = ww.explain(MODEL, [HELD[EMPTY], HELD[TWO]], "all")
    assert "Predicted: no label." in none.to_text()
    assert "(predicted)" not in none.to_text()
    assert f"Predicted: {', '.join(two.predicted)}." in two.to_html()
    assert two.to_text().count("(predicted)") == 2
    assert two.as_list() == two.as_list(two.highest)
    without = ww.explain(MODEL, HELD[TWO], deleted=[*range(len(two.words))])
    assert without.predicted == tuple(np.array(NAMES)[MODEL.bias_ >= 0])


@pytest.mark.parametrize("number", [EMPTY, TWO])
def test_an_explanation_survives(number: int, tmp_path: Path) -> None:
    one = ww.explain(MODEL, HELD[number], "all")
    path = tmp_path / "a.parquet"
    one.to_parquet(path)
    frame = ww.Explanations([one]).to_frame(by="document")
    for again in (
        ww.Explanation.from_json(one.to_json()),
        ww.Explanations.from_parquet(path)[0],
        ww.Explanations.from_frame(frame)[0],
        pickle.loads(pickle.dumps(one)),
    ):
        assert again.predicted == one.predicted == SAID[number]
        assert again.to_json() == one.to_json()
    assert json.loads(one.to_json())["predicted"] == list(one.predicted)


def test_rows_of_one_class_have_no_such_field() -> None:
    one = ww.explain(small_cnn(), "moon orbit")
    assert "predicted" not in one.fields()
    row = json.loads(one.to_json()) | {"predicted": one.predicted}  # as the web has it
    assert ww.Explanation.from_json(json.dumps(row)).predicted == one.predicted


@pytest.mark.parametrize("wrong", [["tennis"], ["space", "space"], [None], [["space"]], [{}]])
def test_a_damaged_field(wrong: list[object]) -> None:
    row = json.loads(ww.explain(MODEL, "moon").to_json()) | {"predicted": wrong}
    with pytest.raises(ww.InputError, match="no list of its classes, each once"):
        ww.Explanation.from_json(json.dumps(row))


# ---- predictions ------------------------------------------------------------------------------


def records(labels: Callable[[int], Any]) -> Iterator[Record]:
    return (Record(str(n), text, labels(n), None) for n, text in enumerate(HELD))


def test_predictions_are_tuples(tmp_path: Path) -> None:
    tally = Tally(NAMES)
    said = list(tally.count(predict_documents(MODEL, records(lambda n: TRUE[n][::-1]))))
    assert [one.predicted for one in said] == SAID
    share = f"{MODEL.score(HELD, TRUE):.2%}"
    assert tally.accuracy_line() == f"exactly the right labels: {share} of 40 labelled documents"
    for format in ("csv", "excel", "jsonl", "parquet"):
        write_predictions(iter(said), NAMES, tmp_path / format, format, probabilities=True)
    lines = [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()]
    assert [tuple(one["predicted"]) for one in lines] == SAID
    table = pd.read_parquet(tmp_path / "parquet")
    assert [*map(tuple, table["predicted"])] == SAID
    assert [*map(tuple, table["label"])] == [several[::-1] for several in TRUE]
    texts = pd.read_csv(tmp_path / "csv", keep_default_na=False)["predicted"].tolist()
    assert texts == [", ".join(several) for several in SAID]
    excel = pd.read_excel(tmp_path / "excel", keep_default_na=False)["predicted"].tolist()
    assert excel == texts


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        (lambda _: "space", "the model predicts several labels, and the documents have a class"),
        (lambda _: ("tennis",), "none of the labels is a class of the model"),
        (lambda n: ("tennis",) * (n < 2), r"40 labelled documents \(2 with no class of the model"),
        (lambda _: None, "^$"),
    ],
)
def test_labels_that_do_not_fit(labels: Callable[[int], Any], line: str, tmp_path: Path) -> None:
    tally = Tally(NAMES)
    said = list(tally.count(predict_documents(MODEL, records(labels))))
    assert re.search(line, tally.accuracy_line())
    write_predictions(iter(said), NAMES, tmp_path / "a", "parquet")
    assert len(pd.read_parquet(tmp_path / "a")) == 40


def test_a_class_where_there_are_several_labels() -> None:
    tally = Tally(["space"])
    list(tally.count(predict_documents(small_cnn(), records(lambda n: TRUE[n]))))
    line = tally.accuracy_line()
    assert "the documents have several labels, and the model predicts a class" in line


# ---- what is made of many ---------------------------------------------------------------------


def test_class_words_map_and_search() -> None:
    words = ww.class_words(MODEL, TEXTS, "space", 3)["space"]
    assert words[0].word in "orbit moon rocket shuttle launch nasa".split()
    drawn = ww.document_map(MODEL, HELD, TRUE)
    assert set(drawn.groups) == {*NAMES, "several labels", "no label"}
    assert "no label" in drawn.to_html()
    assert set(ww.document_map(MODEL, HELD).groups) <= set(NAMES)
    assert len(ww.SearchIndex(MODEL, HELD).search("moon orbit", 3)) == 3


def test_evaluation() -> None:
    found = ww.evaluate(MODEL, HELD, TRUE, train=[*TEXTS, HELD[0]], steps=3, least_words=4, runs=2)
    assert found.quality.accuracy == MODEL.score(HELD, TRUE)
    assert set(found.curves) == {1, 2, 3}
    first = found.curves[1]["lrp"]
    assert first.area < found.curves[1]["random"].area
    assert first.n_documents < len(first)
    assert f"{len(first)} labels of {first.n_documents} documents" in repr(first)
    assert found.copies is not None
    rest = np.flatnonzero(~found.copies.copies.is_copy).tolist()
    assert 0 not in rest
    of_rest = MODEL.score([HELD[n] for n in rest], [TRUE[n] for n in rest])
    assert found.copies.accuracy == pytest.approx(of_rest)
    assert not found.powers
    assert any("Explanatory power needs one class of each document" in r for r in found.remarks)
    page = found.to_html()
    for said in ("micro-F1", "Each label", "Labels rightly said", f"{len(first)} labels of"):
        assert said in page
    for left_out in ("Calibration", "Confusions", "mistakes"):
        assert left_out not in page
    kept = json.loads(found.to_json())["quality"]
    assert isinstance(found.quality, MultiLabelQuality)
    assert kept["micro_f1"] == found.quality.micro_f1
    assert [one["label"] for one in kept["classes"]] == NAMES


def test_deletion_by_given_relevance_needs_a_label() -> None:
    relevance = [np.ones(len(text.split())) for text in HELD]
    with pytest.raises(ww.InputError, match="there may be several labels; name one: target="):
        deletion_curve(MODEL, HELD, TRUE, relevance=relevance)
    curve = deletion_curve(MODEL, HELD, TRUE, relevance=relevance, target="space", steps=2)
    assert set(np.asarray(curve.targets).tolist()) == {NAMES.index("space")}


def test_labels_of_the_wrong_sort_are_refused() -> None:
    with pytest.raises(ww.InputError, match=r"several labels, so the labels of each text are a li"):
        ww.evaluate(MODEL, HELD, ["space"] * 40)
    with pytest.raises(ww.InputError, match="the model predicts one class of each text"):
        ww.evaluate(small_cnn(), HELD, TRUE)
    with pytest.raises(ww.InputError, match="it learns one class for each text, not several"):
        ww.SVMClassifier().fit(TEXTS, LABELS)


def test_tour(tmp_path: Path) -> None:
    part = Part(HELD, TRUE, [str(n) for n in range(40)])
    made = write_tour(MODEL, part, tmp_path, few=30, runs=1)
    assert "in truth" in made.page.read_text()
    assert (tmp_path / "map.html").is_file()
    assert made.facts["accuracy"] == MODEL.score(HELD, TRUE)
    assert write_tour(MODEL, part, tmp_path, few=30, runs=1).kept
    with pytest.raises(ww.InputError, match="at least two classes"):
        write_tour(MODEL, Part(HELD, [("space",)] * 40, part.ids), tmp_path)


# ---- corpora of any size, the web, the command line -------------------------------------------


def test_batch(folder: Path) -> None:
    out = folder / "why"
    explain_corpus(MODEL, folder / "texts.csv", out, top=3)
    assert [*map(tuple, pd.read_parquet(out)["predicted"])] == SAID
    (part,) = out.glob("*.parquet")
    assert [one.predicted for one in ww.Explanations.from_parquet(part)] == SAID
    predict_corpus(MODEL, folder / "texts.csv", folder / "a", label="topics", label_separator=";")
    predict_corpus(MODEL, folder / "texts.parquet", folder / "b", label="topics")
    for name in ("a", "b"):
        table = pd.read_parquet(folder / name)
        assert [*map(tuple, table["label"])] == TRUE
        assert [*map(tuple, table["predicted"])] == SAID
    predict_corpus(small_cnn(), folder / "texts.parquet", folder / "c", label="topics")
    said = pd.read_parquet(folder / "c")["label"].tolist()
    assert said == [", ".join(several) or "no label" for several in TRUE]


def test_serve() -> None:
    rows = [Record(str(n), *both, None) for n, both in enumerate(zip(HELD, TRUE, strict=True))]
    app = create_app(Engine(MODEL), open_library(MODEL, rows, "texts"))
    about = ask(app, "/api/about").json
    assert about["model"]["multilabel"]
    assert about["corpus"]["accuracy"] == MODEL.score(HELD, TRUE)
    body = {"documents": [HELD[EMPTY], HELD[TWO]]}
    expected = [list(SAID[number]) for number in (EMPTY, TWO)]
    for path, answer in (("predict", "predictions"), ("explain", "explanations")):
        said = ask(app, f"/api/{path}", body).json[answer]
        assert [one["predicted"] for one in said] == expected
        assert said[1]["probabilities"] == pytest.approx(MODEL.predict_proba([HELD[TWO]])[0])
    again = ww.Explanation.from_json(json.dumps(said[1]))
    assert list(again.predicted) == expected[1]
    one = ask(app, f"/api/documents/{TWO}").json
    assert (one["predicted"], one["label"]) == (expected[1], list(TRUE[TWO]))
    pairs = zip(TRUE, SAID, strict=True)
    both = sum("hockey" in true and "space" in several for true, several in pairs)
    assert ask(app, "/api/documents?predicted=space&label=hockey").json["found"] == both > 0
    drawn = ask(app, "/api/map").json
    names = drawn["label_names"]
    assert names[:3] == NAMES
    assert names[drawn["predicted"][EMPTY]] == "no label"
    assert names[drawn["predicted"][TWO]] == "several labels"
    assert drawn["right"] == [set(a) == set(b) for a, b in zip(TRUE, SAID, strict=True)]
    refused = ask(app, "/api/confusion")
    assert refused.status == 422
    assert "several labels, each by itself" in refused.json["detail"]


SEPARATED = ("--label", "topics", "--label-separator", ";")


def test_predicted_from_the_command_line(folder: Path) -> None:
    model, texts = folder / "model", folder / "texts.csv"
    shown = printed("predict", model, texts, *SEPARATED)
    assert "no label" in shown
    assert "exactly the right labels" in shown
    line = printed("predict", model, texts, "--format", "jsonl", *SEPARATED).splitlines()[TWO]
    assert json.loads(line)["predicted"] == list(SAID[TWO])
    assert "hockey, space" in printed("predict", model, texts, "--format", "csv")
    printed("predict", model, texts, "--out", folder / "said", *SEPARATED)
    assert [*map(tuple, pd.read_parquet(folder / "said")["label"])] == TRUE


def test_looked_at_from_the_command_line(folder: Path) -> None:
    model, texts = folder / "model", folder / "texts.csv"
    shown = printed("corpus", texts, *SEPARATED)
    assert "documents of 2 labels" in shown
    assert "label" in shown.splitlines()[0]
    printed("map", model, texts, "--out", folder / "map.html", *SEPARATED)
    assert "several labels" in (folder / "map.html").read_text()
    assert "Predicted: " in printed("explain", model, texts)
    assert "labels, several at once  3: crypto, hockey, space" in printed("model", model)
    refused = run("train", texts, "--out", folder / "new", *SEPARATED)
    assert "it learns one class for each text, not several labels" in refused.stderr


def test_evaluated_from_the_command_line(folder: Path) -> None:
    model, texts, few = folder / "model", folder / "texts.csv", ("--steps", 3, "--runs", 1)
    evaluated = printed("evaluate", model, texts, *SEPARATED, *few)
    for expected in ("micro-F1", "precision", "correct labels", "exactly the right labels"):
        assert expected in evaluated
    flags = pd.DataFrame({name: [int(name in one) for one in TRUE] for name in NAMES})
    flags.assign(text=HELD).to_csv(folder / "flags.csv", index=False)
    options = [option for name in NAMES for option in ("--label", name)]
    again = printed("evaluate", model, folder / "flags.csv", *options, *few)
    assert again.splitlines()[0] == evaluated.splitlines()[0]
    refused = run("evaluate", model, folder / "single.csv")
    assert "taken apart by --label-separator ," in refused.stderr
