"""What is written of a chunk is what explain, predict and summarize say."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text
from served import TEXTS, model

from whyword import ConservationError, Explanation, InputError, explain, summarize, tokenize
from whyword.batch.tasks import ExplainTask, PredictTask, SummarizeTask, Task
from whyword.corpora.source import Record
from whyword.explanation.formats.parquet import read as read_parquet
from whyword.models.blackbox import BlackBox

ODD = [*TEXTS[:12], "", "nobody knows", "ün𝔘 \ud800 moon", "moon"]
RECORDS = [Record(f"post {n}", text, None, None) for n, text in enumerate(ODD)]


class Coin:
    """A model that is not ours."""

    classes_ = np.array(["heads", "tails"])

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        """Return the probabilities."""
        return [[0.25, 0.75] if "moon" in text else [0.5, 0.5] for text in texts]


def fields(explanation: Explanation) -> dict[str, Any]:
    """Return the fields as Parquet has them."""
    made = explanation.fields()
    made["text"] = made["text"].replace("\ud800", "\ufffd")
    return made


def check_same(row: dict[str, Any], one: Explanation) -> None:
    """Compare a row with an explanation."""
    expected = fields(one)
    for name in ("id", "text", "words", "truncated", "classes", "target", "method", "model"):
        assert row[name] == expected[name], name
    for name in ("spans", "known"):
        assert row[name] == expected[name].tolist(), name
    for name in ("scores", "relevance", "padding", "constant"):
        np.testing.assert_allclose(
            np.array(row[name], float).ravel(), np.ravel(expected[name]), rtol=1e-5, atol=1e-6
        )
    np.testing.assert_allclose(row["residual"], expected["residual"], atol=1e-5)


@pytest.mark.parametrize("kind", ["cnn", "svm", "pipeline", "numbers"])
@pytest.mark.parametrize(
    ("target", "against"), [("predicted", None), ("all", None), (0, None), ([0, 1], None), (0, 1)]
)
def test_explanations(kind: str, target: Any, against: Any) -> None:  # noqa: ANN401
    chosen = model(kind)
    labels = chosen.classes_.tolist()
    if isinstance(target, list):
        target = [labels[number] for number in target]
    elif isinstance(target, int):
        target = labels[target]
    against = None if against is None else labels[against]
    table = ExplainTask(chosen, target, "lrp", {}, against).table(RECORDS)
    expected = explain(chosen, ODD, target, against=against, ids=[r.id for r in RECORDS])
    rows = table.to_pylist()
    assert len(rows) == len(expected)
    for row, one in zip(rows, expected, strict=True):
        check_same(row, one)


def test_a_file_is_what_to_parquet_writes(tmp_path: Any) -> None:  # noqa: ANN401
    import pyarrow.parquet as pq

    table = ExplainTask(model("cnn"), "all", "lrp", {"epsilon": 0.1}).table(RECORDS)
    expected = explain(model("cnn"), ODD[:3], "all", epsilon=0.1, ids=["a", "b", "c"])
    expected.to_parquet(tmp_path / "a.parquet")
    pq.write_table(table, tmp_path / "b.parquet")
    schemas = [pq.read_schema(tmp_path / f"{name}.parquet") for name in "ab"]
    assert schemas[0].equals(schemas[1], check_metadata=True)
    again = [Explanation.from_fields(row) for row in read_parquet(tmp_path / "b.parquet")]
    assert [one.id for one in again] == [record.id for record in RECORDS]
    assert all(one.conserved for one in again)
    assert again[0].parameters == expected[0].parameters


def test_somebody_elses_model() -> None:
    table = ExplainTask(Coin(), "predicted", "occlusion", {}).table(RECORDS)
    for row, one in zip(
        table.to_pylist(),
        explain(Coin(), ODD, method="occlusion", ids=[r.id for r in RECORDS]),
        strict=True,
    ):
        check_same(row, one)


@pytest.mark.parametrize("target", ["predicted", "all"])
def test_the_strongest_words_only(target: str, tmp_path: Any) -> None:  # noqa: ANN401
    import pyarrow.parquet as pq

    whole = ExplainTask(model("cnn"), target, "lrp", {}).table(RECORDS).to_pylist()
    table = ExplainTask(model("cnn"), target, "lrp", {}, top=3).table(RECORDS)
    assert table.schema.metadata[b"top"] == b"3"
    for row, one in zip(table.to_pylist(), whole, strict=True):
        assert len(row["words"]) == min(3, len(one["words"]))
        kept = {tuple(span) for span in row["spans"]}
        at = [n for n, span in enumerate(one["spans"]) if tuple(span) in kept]
        assert row["words"] == [one["words"][n] for n in at]
        assert row["relevance"] == [one["relevance"][n] for n in at]
        assert row["residual"] == one["residual"]
        if not at:
            continue
        size = np.abs(np.array(one["relevance"])).reshape(len(one["words"]), -1)
        rest = np.delete(size, at, axis=0)
        if len(rest):
            assert size[at].max(axis=1).min() >= rest.max()
        total = np.array(row["relevance"], float).sum(axis=0) + row["left_out"]
        expected = np.array(one["relevance"], float).sum(axis=0)
        np.testing.assert_allclose(total, expected, atol=1e-5)
    # read again, what is left out is counted with what landed on no word
    pq.write_table(table, tmp_path / "top.parquet")
    assert all(
        Explanation.from_fields(row).conserved for row in read_parquet(tmp_path / "top.parquet")
    )


@pytest.mark.parametrize(
    ("method", "parameters", "expected"),
    [
        ("lrp", {}, True),
        ("lrp", {"bias": "apart"}, True),
        ("gradient_input", {}, True),
        ("sensitivity", {}, False),
    ],
)
def test_what_the_method_promises(method: str, parameters: Any, expected: bool) -> None:  # noqa: ANN401
    table = ExplainTask(model("cnn"), "all", method, parameters).table(RECORDS)
    assert table["conserves"].to_pylist() == [expected] * len(RECORDS)


def test_strict_and_unfit() -> None:
    broken = made_cnn((2,))
    records = [Record("1", made_text([0, 1]), None, None)]
    ExplainTask(broken, "all", "lrp", {}, strict=True).table(records)
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        ExplainTask(broken, "all", "sensitivity", {}, strict=True).table(records)
    with pytest.raises(InputError, match="no class 'nothing'"):
        ExplainTask(broken, "nothing", "lrp", {}).about()
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        SummarizeTask(Coin(), None, "word", "predicted").about()
    with pytest.raises(InputError, match="level"):
        SummarizeTask(broken, "lrp", "letter", "predicted").about()


@pytest.mark.parametrize("kind", ["cnn", "svm", "pipeline", "numbers"])
def test_predictions(kind: str) -> None:
    chosen = model(kind)
    labelled = [record._replace(label="x") for record in RECORDS[:1]] + RECORDS[1:]
    rows = PredictTask(chosen).table(labelled).to_pylist()
    assert [row["id"] for row in rows] == [record.id for record in RECORDS]
    assert [row["label"] for row in rows] == ["x"] + [None] * (len(RECORDS) - 1)
    assert [row["predicted"] for row in rows] == chosen.predict(ODD).tolist()
    np.testing.assert_allclose([r["probabilities"] for r in rows], chosen.predict_proba(ODD))
    assert [row["known_words"] for row in rows] == chosen.known_words(ODD).tolist()
    assert rows[0]["probability"] == max(rows[0]["probabilities"])
    assert rows[0]["classes"] == chosen.classes_.tolist()


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_summaries(kind: str) -> None:
    chosen = model(kind)
    rows = SummarizeTask(chosen, "lrp", "word", "predicted").table(RECORDS).to_pylist()
    expected = summarize(chosen, ODD)
    for at, row in enumerate(rows):
        assert row["id"] == RECORDS[at].id
        if kind == "cnn":
            np.testing.assert_allclose(row["vector"], expected[at], rtol=1e-5, atol=1e-6)
        else:
            dense = np.zeros(expected.shape[1])
            dense[row["places"]] = row["values"]
            np.testing.assert_allclose(dense, expected[at].toarray()[0], rtol=1e-5, atol=1e-6)


def test_predictions_of_somebody_elses_model() -> None:
    assert PredictTask(Coin()).about() == {"task": "predict", "model": None}
    rows = PredictTask(Coin()).table(RECORDS).to_pylist()
    for row, text in zip(rows, ODD, strict=True):
        assert row["predicted"] == ("tails" if "moon" in text else "heads")
        assert row["probabilities"] == row["scores"] == Coin().predict_proba([text])[0]
        assert row["known_words"] == len(tokenize(text))
        assert row["classes"] == ["heads", "tails"]


@pytest.mark.parametrize(
    "task", [ExplainTask(Coin(), "all", None, {}), PredictTask(Coin())], ids=["explain", "predict"]
)
def test_what_a_model_is_is_asked_once(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again for what a run is, nor for each chunk."""

    def ask(self: BlackBox, model: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(BlackBox, "__init__", ask)
    assert task.about()["model"] is None
    assert [task.table(RECORDS).num_rows for _ in range(2)] == [len(RECORDS)] * 2
    assert replace(task).model is task.model


def test_the_method_is_recorded_by_its_name() -> None:
    for kind in (None, "lrp"):
        assert SummarizeTask(model("svm"), kind, "word", "predicted").about()["method"] == "lrp"
    assert ExplainTask(Coin(), "predicted", None, {}).about()["method"] == "occlusion"
