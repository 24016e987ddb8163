from collections.abc import Callable
from dataclasses import replace
from inspect import getsource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from networks import made_cnn, small_cnn, topical

from whyword import SVMClassifier, explain
from whyword.base.errors import InputError, ModelError
from whyword.batch.runs import explain_corpus, predict_corpus
from whyword.corpora.source import Record
from whyword.methods import predict as predictions
from whyword.methods.predict import (
    Prediction,
    Tally,
    highest_labels,
    predict_documents,
    probabilities_of,
    scores_of,
)
from whyword.models.blackbox import as_classifier


def test_every_document_gets_its_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_cnn()
    texts, labels = topical(30, seed=8)
    records = [
        Record(str(number), text, label, None)
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    records.append(Record("none", "qqq zzz", None, None))
    whole = list(predict_documents(model, iter(records)))
    assert [p.id for p in whole] == [record.id for record in records]
    assert [p.predicted for p in whole] == model.predict([r.text for r in records]).tolist()
    assert (whole[-1].known_words, whole[-1].label, whole[0].label) == (0, None, labels[0])
    assert abs(whole[0].probabilities.sum() - 1) < 1e-9
    assert whole[0].probability == whole[0].probabilities.max()
    monkeypatch.setattr(predictions, "_BLOCK", 2)
    assert [p.predicted for p in predict_documents(model, records)] == [p.predicted for p in whole]
    assert list(predict_documents(model, [])) == []


class Even:
    """A model with probabilities only."""

    classes_ = ("a", "b")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.4, 0.6] for _ in texts]


def test_scores_probabilities_and_labels_of_texts() -> None:
    model = small_cnn()
    texts = [*topical(7)[0], ""]
    np.testing.assert_array_equal(scores_of(model, texts), model.class_scores(texts))
    np.testing.assert_allclose(probabilities_of(model, texts), model.predict_proba(texts))
    assert highest_labels(model, texts) == model.predict(texts).tolist()
    assert scores_of(model, []).shape == probabilities_of(model, []).shape == (0, 3)
    assert highest_labels(model, []) == []


def test_a_black_box_predicts_documents_too() -> None:
    (prediction,) = predict_documents(Even(), [Record("1", "some text", "a", None)])
    assert (prediction.predicted, prediction.label, prediction.known_words) == ("b", "a", 2)
    assert prediction.probability == 0.6
    np.testing.assert_array_equal(scores_of(as_classifier(Even()), ["x", "y"]), [[0.4, 0.6]] * 2)
    assert highest_labels(as_classifier(Even()), ["x"]) == ["b"]


OVERFLOWS = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's, which is right
NOTHING_SAID = ["zzz", "wa wb", "wc wd wa wb"]  # of an unknown word the network below says 0


def infinite_cnn() -> Any:  # noqa: ANN401 - a network whose weights are finite, and too large
    model = made_cnn()
    model.inputs_ = replace(model.inputs_, mean=0.0)
    (one,) = model.network_.convolutions
    huge = replace(one, weight=np.full_like(one.weight, 3e38), bias=np.zeros_like(one.bias))
    model.network_ = replace(model.network_, convolutions=(huge,))
    return model


def infinite_svm() -> Any:  # noqa: ANN401
    model = SVMClassifier(C=1.0).fit(["wa wb", "wc", "wd"], ["a", "b", "c"])
    model.output_weight_ = np.full_like(model.output_weight_, 1.7e308)
    return model


class SaysNaN:
    """A model that returns NaN for some texts."""

    classes_ = ("a", "b")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.4, float("nan") if "wa" in text else 0.6] for text in texts]


def rows(texts: list[str]) -> list[Record]:
    return [Record(str(number), text, None, None) for number, text in enumerate(texts)]


ASKED: dict[str, Callable[[Any], object]] = {
    "scores": lambda model: scores_of(as_classifier(model), NOTHING_SAID),
    "labels": lambda model: highest_labels(as_classifier(model), NOTHING_SAID),
    "probabilities": lambda model: probabilities_of(as_classifier(model), NOTHING_SAID),
    "documents": lambda model: list(predict_documents(model, rows(NOTHING_SAID))),
    "explain": lambda model: explain(model, NOTHING_SAID),
    "explain one class": lambda model: explain(model, NOTHING_SAID, "a", method="occlusion"),
}


@OVERFLOWS
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("make", [infinite_cnn, infinite_svm, SaysNaN])
def test_scores_that_are_no_numbers_are_refused(make: Callable[[], Any], asked: str) -> None:
    """The text's number is said; that of nothing else is computed from it."""
    model = make()
    if make is infinite_cnn:
        model.classes_ = np.array(["a", "b", "c"])
    with pytest.raises(ModelError, match=r"text 1 .*no number"):
        ASKED[asked](model)


@OVERFLOWS
@pytest.mark.parametrize("make", [infinite_cnn, infinite_svm])
def test_scores_that_are_no_numbers_in_the_models_own_methods(make: Callable[[], Any]) -> None:
    model = make()
    for method in (model.predict, model.predict_proba):
        with pytest.raises(ModelError, match="scores of text 1 are no numbers"):
            method(NOTHING_SAID)
    if make is infinite_cnn:
        with pytest.raises(ModelError, match="scores of text 1 "):
            explain(model, NOTHING_SAID, level="filter")


@OVERFLOWS
def test_a_temperature_near_zero_is_no_probability() -> None:
    model = SVMClassifier(C=1.0).fit(["wa wb", "wc", "wd"], ["a", "b", "c"])
    model.temperature_ = 5e-324
    with pytest.raises(ModelError, match="probabilities of text 0 are no numbers"):
        model.predict_proba(["wa"])
    with pytest.raises(ModelError, match="probabilities of text 0 "):
        probabilities_of(model, ["wa"])


@OVERFLOWS
@pytest.mark.slow(reason="starts processes")
def test_scores_that_are_no_numbers_over_a_corpus_and_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts.csv").write_text("text\nzzz\nwa wb\n")
    for call in (predict_corpus, explain_corpus):
        with pytest.raises(ModelError, match="are no numbers"):
            call(infinite_svm(), tmp_path / "texts.csv", tmp_path / call.__name__)
    (tmp_path / "says.py").write_text(f"{getsource(SaysNaN)}\nmodel = SaysNaN()\n")
    monkeypatch.chdir(tmp_path)
    for command in ("predict", "explain"):
        done = run(command, "py:says:model", tmp_path / "texts.csv")
        assert done.returncode != 0
        *_, line = done.stderr.strip().splitlines()
        assert line.startswith("error: SaysNaN.predict_proba gave nan for text ")
        assert "text 1 ('wa wb')" in line


@pytest.mark.parametrize("make", [infinite_cnn, infinite_svm])
def test_a_model_that_may_overflow_is_not_kept(make: Callable[[], Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="weights are so large that a score may be"):
        make().save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([None, None], ""),
        (["ham", None], "accuracy 100.00% of 1 labelled documents"),
        (["ham", "spam", "ham"], "accuracy 66.67% of 3 labelled documents"),
        (["ham", "x"], "accuracy 50.00% of 2 labelled documents (1 with no class of the model)"),
        (["x", "y", None], "none of the labels is a class of the model"),
    ],
)
def test_predictions_are_counted(labels: list[str | None], said: str) -> None:
    tally = Tally(["ham", "spam"])
    made = [Prediction("a", "ham", label, np.array([1.0, 0.0]), 1) for label in labels]
    assert list(tally.count(made)) == made
    assert tally.n_documents == len(labels)
    assert tally.accuracy_line() == said
