"""What can be asked of a wrapped pipeline's trace, beyond what linear models share."""

import numpy as np
import pytest
from wrapped import fitted

from whyword import explain, from_pipeline
from whyword.models.erasure import text_without

TEXTS = ["the rocket and the moon", "goal", ""]


@pytest.mark.parametrize(
    "name", ["calibrated", "topics, centred, of length 1", "hashed", "one column"]
)
def test_words_that_go(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    (trace,) = model.trace(TEXTS[:1], deleted=iter([np.array([2])]))
    document = trace.documents[0]
    orders = np.array([[[0, 4, -1]]], np.int32)
    erased = trace.erase(np.array([0]), orders, False, np.arange(4))
    gone = np.zeros(len(document), np.bool_)
    gone[2] = True
    for step, word in enumerate([None, 0, 4, None]):
        if word is not None:
            gone[word] = True
        text = text_without(document, gone)
        np.testing.assert_allclose(erased.scores[0, 0, step], model.class_scores([text])[0])
        np.testing.assert_allclose(erased.probabilities[0, 0, step], model.predict_proba([text])[0])


def test_its_own_probabilities_are_of_what_is_left() -> None:
    model = from_pipeline(fitted("calibrated", 3))
    (trace,) = model.trace(["rocket moon"], deleted=iter([np.array([0])]))
    np.testing.assert_allclose(trace.probabilities, model.predict_proba(["       moon"]))
    assert model.classes_[trace.predicted].tolist() == model.predict(["moon"]).tolist()


def test_one_name_at_one_place_is_one_phrase() -> None:
    model = from_pipeline(fitted("calibrated pipelines", 3))
    (trace,) = model.trace(["the moon and the moon"])
    (phrases,) = trace.lrp_phrases(np.array([[0]], np.int32), bias="apart")
    keys = list(zip(phrases.names, map(tuple, phrases.spans.tolist()), strict=True))
    assert len(set(keys)) == len(keys)
    assert ("moon", (4, 8)) in keys
    assert ("moon", (17, 21)) in keys
    assert len(model.features_.graph.vectorizers) == 3


@pytest.mark.parametrize("name", ["topics", "parts with steps"])
def test_sensitivity_is_the_squared_gradient(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    (trace,) = model.trace(TEXTS)
    targets = np.array([[0, 2]] * 3, np.int32)
    for number, units in enumerate(trace.sensitivity(targets).units or ()):
        np.testing.assert_allclose(units, trace.gradient(number)[:, [0, 2]] ** 2)


def test_vectors_are_as_wide_as_all_vectorisers() -> None:
    model = from_pipeline(fitted("words and characters", 3))
    (trace,) = model.trace(TEXTS)
    rows = trace.summary(trace.lrp(np.array([[0]] * 3, np.int32), bias="shared"))
    assert rows.shape == (3, trace.width)
    assert trace.width == sum(one.width for one in model.features_.graph.vectorizers)


def test_without_a_known_word_the_bias_is_padding() -> None:
    model = from_pipeline(fitted("topics, centred, of length 1", 3))
    one = explain(model, "", "all", strict=True)
    np.testing.assert_allclose(one.padding, one.scores, atol=1e-9)
