"""A task writes of a chunk what explain, predict and summarize return."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from networks import made_cnn, made_text
from served import TEXTS, model

from whyword import (
    BlackBox,
    ConservationError,
    Explanation,
    InputError,
    Reader,
    explain,
    summarize,
    tokenize,
)
from whyword.batch.tasks import ExplainTask, PredictTask, SummarizeTask
from whyword.corpora.source import Record
from whyword.explanation.formats.parquet import read as read_parquet
from whyword.models.blackbox import as_classifier, labels_of
from whyword.words.tokenizer import Tokenizer

ODD = [*TEXTS[:6], "", "nobody knows", "ün𝔘 \ud800 moon", "moon", "the moon, the old moon"]
RECORDS = [Record(f"post {n}", text, None, None) for n, text in enumerate(ODD)]
IDS = [record.id for record in RECORDS]


class Coin:
    """A model of another library."""

    classes_ = np.array(["heads", "tails"])

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        """Return the probabilities."""
        return [[0.25, 0.75] if "moon" in text else [0.5, 0.5] for text in texts]


def topics(texts: list[str]) -> list[list[float]]:
    """Return the probabilities of two labels, each by itself."""
    return [[0.9 if "moon" in text else 0.1, 0.6 if "goal" in text else 0.2] for text in texts]


def some_model(kind: str) -> Any:  # noqa: ANN401 - of any type
    if kind == "coin":
        return Coin()
    if kind == "labels":
        return BlackBox(topics, ["space", "hockey"], multilabel=True, name="topics")
    if kind == "reader":  # that ignores a word and cuts texts short
        return BlackBox(Coin(), reader=Reader(ignore=["old"], tokenizer=Tokenizer(max_words=4)))
    return model(kind)


def check_rows(table: Any, expected: list[Explanation]) -> None:  # noqa: ANN401 - Arrow's
    """Compare all fields."""
    for row, one in zip(table.to_pylist(), expected, strict=True):
        fields = one.fields()
        assert set(row) == set(fields)
        assert json.loads(row.pop("parameters")) == fields.pop("parameters")
        for name, value in fields.items():
            found, wanted = row[name], value.tolist() if isinstance(value, np.ndarray) else value
            if name in ("scores", "relevance", "residual", "padding", "constant"):
                np.testing.assert_allclose(
                    np.array(found, float).ravel(), np.ravel(wanted), rtol=1e-5, atol=1e-5
                )
            elif isinstance(wanted, str):
                assert found == wanted.replace("\ud800", "\ufffd"), name
            else:
                assert found == (list(wanted) if isinstance(wanted, tuple) else wanted), name


@pytest.mark.parametrize("kind", ["cnn", "svm", "numbers", "coin", "labels", "reader"])
def test_explanations(kind: str) -> None:
    used = some_model(kind)
    first, *_, last = labels_of(as_classifier(used))
    for target, against in (
        *(("predicted", None), ("all", None), (first, None), ([last, first], None)),
        *(((first, last),) if kind != "labels" else ()),
    ):
        table = ExplainTask(used, target, None, {}, against).table(RECORDS)
        check_rows(table, list(explain(used, ODD, target, against=against, ids=IDS)))
    table = ExplainTask(used, "predicted", None, {}, top_classes=2).table(RECORDS)
    check_rows(table, list(explain(used, ODD, top=2, ids=IDS)))


def test_a_file_is_what_to_parquet_writes(tmp_path: Path) -> None:
    table = ExplainTask(model("cnn"), "all", "lrp", {"epsilon": 0.1}).table(RECORDS)
    expected = explain(model("cnn"), ODD[:3], "all", epsilon=0.1, ids=["a", "b", "c"])
    expected.to_parquet(tmp_path / "a.parquet")
    pq.write_table(table, tmp_path / "b.parquet")
    schemas = [pq.read_schema(tmp_path / f"{name}.parquet") for name in "ab"]
    assert schemas[0].equals(schemas[1], check_metadata=True)
    again = [Explanation.from_fields(row) for row in read_parquet(tmp_path / "b.parquet")]
    assert [one.id for one in again] == IDS
    assert all(one.conserved for one in again)


@pytest.mark.parametrize("target", ["predicted", "all"])
def test_the_strongest_words_only(target: str, tmp_path: Path) -> None:
    whole = ExplainTask(model("cnn"), target, "lrp", {}).table(RECORDS).to_pylist()
    table = ExplainTask(model("cnn"), target, "lrp", {}, top=3).table(RECORDS)
    assert table.schema.metadata[b"top"] == b"3"
    for row, one in zip(table.to_pylist(), whole, strict=True):
        shape = len(one["words"]), np.size(row["left_out"])
        values = np.array(one["relevance"], float).reshape(shape)
        size = np.abs(values).max(axis=1, initial=0)
        kept = sorted(np.argsort(-size, kind="stable")[:3].tolist())
        for name in ("words", "spans", "known", "relevance"):
            assert row[name] == [one[name][n] for n in kept]
        assert row["residual"] == one["residual"]
        rest = np.delete(values, kept, axis=0).sum(axis=0)
        np.testing.assert_allclose(np.ravel(row["left_out"]), rest, atol=1e-5)
    # read again, what is left out is counted with what landed on no word
    pq.write_table(table, tmp_path / "top.parquet")
    assert all(
        Explanation.from_fields(row).conserved for row in read_parquet(tmp_path / "top.parquet")
    )


def test_methods() -> None:
    for method, parameters, expected in (
        *(("lrp", {}, True), ("lrp", {"bias": "apart"}, True)),
        *(("gradient_input", {}, True), ("sensitivity", {}, False)),
    ):
        task = ExplainTask(model("cnn"), "all", method, parameters)
        assert task.table(RECORDS)["conserves"].to_pylist() == [expected] * len(RECORDS)
        assert task.about()["method"] == method
    for kind in (None, "lrp"):
        assert SummarizeTask(model("svm"), kind, "word", "predicted").about()["method"] == "lrp"
    assert ExplainTask(Coin(), "predicted", None, {}).about() == {
        "task": "explain",
        "model": None,
        "method": "occlusion",
        "target": "predicted",
        "parameters": {"output": "probability"},
        "top": None,
    }


def test_strict_and_unfit() -> None:
    used = made_cnn((2,))
    records = [Record("1", made_text([0, 1]), None, None)]
    ExplainTask(used, "all", "lrp", {}, strict=True).table(records)
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        ExplainTask(used, "all", "sensitivity", {}, strict=True).table(records)
    with pytest.raises(InputError, match="no class 'nothing'"):
        ExplainTask(used, "nothing", "lrp", {}).about()
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        SummarizeTask(Coin(), None, "word", "predicted").about()
    with pytest.raises(InputError, match="level"):
        SummarizeTask(used, "lrp", "letter", "predicted").about()


@pytest.mark.parametrize("kind", ["cnn", "numbers", "coin"])
def test_predictions(kind: str) -> None:
    used = as_classifier(some_model(kind))
    labelled = [RECORDS[0]._replace(label="x"), RECORDS[1]._replace(label=("y", "z")), *RECORDS[2:]]
    task = PredictTask(used)
    assert task.about() == {"task": "predict", "model": used.identity}
    table = task.table(labelled)
    assert table.schema.metadata == {b"model": (used.identity or "").encode()}
    rows = table.to_pylist()
    assert [row["id"] for row in rows] == IDS
    assert [row["label"] for row in rows] == ["x", "y, z", *[None] * (len(RECORDS) - 2)]
    traces = list(used.trace(ODD))
    chances = np.concatenate([trace.probabilities for trace in traces])
    labels = labels_of(used)
    assert [row["predicted"] for row in rows] == [labels[n] for n in chances.argmax(axis=1)]
    np.testing.assert_allclose([row["probabilities"] for row in rows], chances)
    assert [row["probability"] for row in rows] == [max(row["probabilities"]) for row in rows]
    scores = np.concatenate([trace.scores for trace in traces])
    np.testing.assert_allclose([row["scores"] for row in rows], scores)
    known = [len(tokenize(text)) for text in ODD]
    if kind != "coin":
        known = model(kind).known_words(ODD).tolist()
    assert [row["known_words"] for row in rows] == known
    assert [row["classes"] for row in rows] == [labels] * len(rows)


def test_predictions_of_several_labels() -> None:
    labelled = [RECORDS[0]._replace(label="a\ud800"), RECORDS[1]._replace(label=("b", "c"))]
    rows = PredictTask(some_model("labels")).table([*labelled, RECORDS[6]]).to_pylist()
    assert [row["label"] for row in rows] == [["a\ufffd"], ["b", "c"], None]
    assert [row["predicted"] for row in rows] == [
        [name for name, word in (("space", "moon"), ("hockey", "goal")) if word in text]
        for text in (ODD[0], ODD[1], "")
    ]


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_summaries(kind: str) -> None:
    used = model(kind)
    table = SummarizeTask(used, "lrp", "word", "predicted").table(RECORDS)
    expected = summarize(used, ODD)
    assert {name: json.loads(said) for name, said in table.schema.metadata.items()} == {
        b"task": "summarize",
        b"model": used.identity,
        b"method": "lrp",
        b"level": "word",
        b"target": "predicted",
    }
    for at, row in enumerate(table.to_pylist()):
        assert row["id"] == IDS[at]
        if kind == "cnn":
            vector, wanted = row["vector"], expected[at]
        else:
            vector, wanted = np.zeros(expected.shape[1]), expected[at].toarray()[0]
            vector[row["places"]] = row["values"]
        np.testing.assert_allclose(vector, wanted, rtol=1e-5, atol=1e-6)
