"""One model of several: its numbers are those of the single instruments."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from compared import FEW, LABELS, TEXTS, compared, models
from networks import small_cnn
from torch_texts import recurrent
from toys import CentroidClassifier, TopicsClassifier, several_topics

from whyword import (
    compare_models,
    deletion_curve,
    evaluate,
    explain,
    explanatory_power,
    summarize,
)
from whyword.audit.examination import Examination, LabelledTexts, Settings
from whyword.evaluation import model_quality
from whyword.models.protocol import Decomposable, Trace

pytestmark = pytest.mark.slow(reason="compares models")

SETTINGS = Settings(None, 9, 9, 2, 4, 1, 2, 0, 0.05)


@pytest.mark.parametrize("name", ["cnn", "svm", "words"])
def test_it_finds_what_evaluate_finds(name: str) -> None:
    found, row = evaluate(models()[name], TEXTS, LABELS, **FEW), compared().models[name]
    assert row.quality.to_dict() == found.quality.to_dict()
    assert compared().settings["steps"] == found.settings["steps"]
    method = "occlusion" if name == "words" else "lrp"
    assert row.method == method
    for number, curves in found.curves.items():
        for each in (method, "random"):
            np.testing.assert_array_equal(row.curves[number][each].correct, curves[each].correct)
            assert list(row.curves[number]) == [method, "random"]
    if name != "words":
        best = "lrp (ew)" if name == "cnn" else "lrp"
        assert row.power is not None
        assert row.uniform is not None
        assert row.power.to_dict() == found.powers[best].to_dict()
        assert row.uniform.to_dict() == found.powers["uniform"].to_dict()


def test_predictions_have_the_comparisons_numbers() -> None:
    found = compared()
    assert list(found.classes) == list(models()["cnn"].classes_)
    other = found.models["words"]
    names = [found.classes[number] for number in other.numbers]
    assert names == list(models()["words"].classes_) != list(found.classes)
    said = models()["words"].predict_proba(TEXTS).argmax(axis=1)
    assert [found.classes[n] for n in other.predicted] == [names[n] for n in said]
    truth = [found.classes[n] for n in found.truth]
    assert truth == LABELS
    np.testing.assert_array_equal(other.right, other.predicted == found.truth)


def test_sizes() -> None:
    rows = compared().models
    tensors, _ = models()["svm"].to_tensors()
    assert rows["svm"].n_bytes == sum(tensor.nbytes for tensor in tensors.values())
    assert rows["words"].n_bytes is None
    assert rows["words"].lacks["size"] == "how large it is, it does not say"


def examination(model: Any, method: str | None = None, **changes: Any) -> Examination:  # noqa: ANN401
    several = LabelledTexts(
        TEXTS[:9],
        LABELS[:9],
        list("abcdefghi"),
        list(small_cnn().classes_),
        [0, 1, 2],
        True,
        [3, 4, 5],
    )
    settings = dataclasses.replace(SETTINGS, method=method, **changes)
    made = Examination("a", model, several, settings)
    made.predict()
    return made


def test_relevant_words_are_of_documents_that_are_right() -> None:
    model = small_cnn()
    made = examination(model)
    words = made.relevances()
    right = [n for n in (0, 1, 2) if made.right[n]]
    assert list(words) == right
    for n in right:
        alone = explain(model, TEXTS[n], LABELS[n], method="lrp")
        np.testing.assert_allclose(words[n].values, alone.relevance, rtol=1e-4, atol=1e-6)


def test_one_class_has_no_explanatory_power() -> None:
    alike = examination(small_cnn())
    alike.documents.power_sample[:] = [3, 4, 5, 6]
    alike.truth[:] = 1
    assert alike.powers() == (None, None)
    assert alike.lacks["explanatory power"] == "it needs documents of at least two classes"


def test_what_a_model_lacks_is_said() -> None:
    made = examination(models()["words"] and CentroidClassifier().fit(TEXTS, LABELS))
    assert made.powers() == (None, None)
    assert made.lacks["explanatory power"] == "documents of kind 'centroid' have no vectors"
    few = examination(small_cnn())
    few.documents.power_sample[:] = [1, 2, 3]
    assert few.powers() == (None, None)
    assert few.lacks["explanatory power"] == "it needs at least 4 documents of 2 words"
    long = examination(small_cnn(), least_words=99)
    assert long.deletions() == {}
    assert long.lacks["word deletion 2"] == (
        "none of the 3 texts is predicted wrong and has at least 99 words"
    )


def test_a_method_that_is_not_for_a_model() -> None:
    made = examination(CentroidClassifier().fit(TEXTS, LABELS), "sensitivity")
    assert made.lacks["explanation"] == "'sensitivity' is not for a model of kind 'centroid'"
    assert (made.method, made.relevances(), made.deletions()) == (None, {}, {})
    assert made.lacks["word deletion"] == made.lacks["explanation"]


class Fixed(CentroidClassifier):
    """Its words cannot be taken away."""

    @property
    def trace_kind(self) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Say less than there is."""
        return type("FixedTrace", (Decomposable, Trace), {"lrp": lambda *_: None})


def test_words_that_cannot_be_taken_away() -> None:
    made = examination(CentroidClassifier().fit(TEXTS, LABELS))
    made.model = Fixed().fit(TEXTS, LABELS)
    assert made.deletions() == {}
    assert made.lacks["word deletion"] == "words cannot be taken from documents of kind 'centroid'"


def test_one_method_for_all() -> None:
    found = compare_models(models(), TEXTS[:12], LABELS[:12], method="random", **FEW)
    for row in found.models.values():
        assert row.method == "random"
        assert row.gain(1) is None
        assert list(row.curves[1]) == ["random"]
    assert all(pair.deletion is None for pair in found.pairs)


def test_several_labels() -> None:
    texts, labels = several_topics(40, seed=1)
    one, other = (TopicsClassifier().fit(*several_topics(n)) for n in (60, 12))
    found = compare_models({"a": one, "b": other}, texts, labels, steps=3, least_words=4, **FEW)
    for model, row in zip((one, other), found.models.values(), strict=True):
        assert row.quality.to_dict() == model_quality(model, texts, labels).to_dict()
        assert row.right.tolist() == [
            set(said) == set(true) for said, true in zip(model.predict(texts), labels, strict=True)
        ]
        assert row.lacks["explanatory power"].startswith("it needs one class of each document")
        assert row.curves[1]["lrp"].n_documents < len(row.curves[1]["lrp"])
    (pair,) = found.pairs
    said = [model.predict(texts) for model in (one, other)]
    assert pair.same == sum(set(a) == set(b) for a, b in zip(*said, strict=True))
    assert pair.words is not None
    assert pair.deletion is not None
    page = found.to_html()
    assert "micro-F1" in page
    assert "exactly the right labels" in page
    assert "calibration" not in page


def test_a_pytorch_module_beside_ours() -> None:
    """By the same numbers as alone, although its words are those of another reader."""
    model, texts, labels = recurrent(), TEXTS[:20], LABELS[:20]
    found = compare_models({"lstm": model, "cnn": small_cnn()}, texts, labels, steps=3, **FEW)
    row = found.models["lstm"]
    assert row.quality.accuracy == np.mean(model.predict(texts) == np.array(labels))
    assert row.n_bytes == model.n_bytes
    curve = deletion_curve(model, texts, labels, "lrp", steps=3, least_words=6, sufficiency=False)
    np.testing.assert_array_equal(row.curves[1]["lrp"].correct, curve.correct)
    vectors = summarize(model, texts, "lrp", "element")
    power = explanatory_power(vectors, labels, 3, range(1, 11), seed=4)
    assert row.power is not None
    assert row.power.to_dict() == power.to_dict()
    assert found.pairs[0].words is not None
    assert "lstm" in found.to_html()
