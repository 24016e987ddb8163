"""Several labels at once: probabilities, thresholds, what is predicted."""

from typing import Any

import numpy as np
import pytest
from networks import made_cnn
from toys import TopicsClassifier, TopicTrace, several_topics

from whyword import InputError
from whyword.models.multilabel import (
    MultiLabel,
    chosen_labels,
    is_multilabel,
    predicted_sets,
    thresholds_of,
)
from whyword.models.probabilities import sigmoid

TEXTS, LABELS = several_topics(60)
MODEL = TopicsClassifier().fit(TEXTS, LABELS)


def test_multilabel_models_are_known_from_their_class() -> None:
    assert is_multilabel(MODEL)
    assert not is_multilabel(made_cnn())
    assert issubclass(TopicTrace, MultiLabel)


def test_sigmoids_are_probabilities_of_their_own() -> None:
    scores = np.array([-1e6, -30.0, -1.0, 0.0, 0.5, 30.0, 1e6])
    chances = sigmoid(scores)
    np.testing.assert_allclose(chances[1:-1], 1 / (1 + np.exp(-scores[1:-1])), rtol=1e-12)
    assert (chances[0], chances[-1]) == (0, 1)
    np.testing.assert_allclose(sigmoid(-scores), 1 - chances, atol=1e-12)


def test_predicted_labels() -> None:
    for trace, text in zip(MODEL.trace(TEXTS), TEXTS, strict=True):
        assert isinstance(trace, MultiLabel)
        np.testing.assert_allclose(trace.probabilities, MODEL.predict_proba([text]))
        above = trace.probabilities >= 0.5
        np.testing.assert_array_equal(trace.labels_predicted, above)
        assert predicted_sets(trace, MODEL.classes_.tolist()) == MODEL.predict([text])
        assert trace.predicted[0] == trace.scores[0].argmax()  # whom "predicted" explains
    sums = MODEL.predict_proba(TEXTS).sum(axis=1)
    assert sums.min() < 0.2
    assert sums.max() > 2  # nothing says that they sum to 1
    assert {len(several) for several in MODEL.predict(TEXTS)} == {0, 1, 2, 3}


def test_a_threshold_of_each_label() -> None:
    model = TopicsClassifier().fit(TEXTS, LABELS)
    model.thresholds_ = np.array([0.0, 1.0, 0.5])
    crypto, hockey, _ = model.classes_.tolist()
    predicted = model.predict(TEXTS)
    assert all(crypto in several for several in predicted)
    assert not any(hockey in several for several in predicted)
    assert model.identity != MODEL.identity


def test_the_score_of_an_estimator_is_of_all_labels() -> None:
    right = [
        set(said) == set(true) for said, true in zip(MODEL.predict(TEXTS), LABELS, strict=True)
    ]
    assert MODEL.score(TEXTS, LABELS) == np.mean(right)
    turned = [tuple(reversed(several)) for several in LABELS]
    assert MODEL.score(TEXTS, turned) == np.mean(right)
    with pytest.raises(InputError, match="labels takes a list, not str"):
        MODEL.score(TEXTS[:1], ["space"])


def test_chosen_labels() -> None:
    assert chosen_labels(np.array([True, False, True]), ["a", "b", "c"]) == ("a", "c")
    assert chosen_labels(np.zeros(3, np.bool_), ["a", "b", "c"]) == ()
    (trace,) = made_cnn().trace(TEXTS[:3])
    assert predicted_sets(trace, ["a", "b", "c"]) == [None] * 3  # one class has no sets


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.5, [0.5, 0.5]),
        (1, [1, 1]),
        ({"b": 0.2}, [0.5, 0.2]),
        ([0.1, 0.9], [0.1, 0.9]),
        (np.array([0.1, 0.9]), [0.1, 0.9]),
    ],
)
def test_thresholds(threshold: Any, expected: list[float]) -> None:  # noqa: ANN401
    assert thresholds_of(threshold, ["a", "b"]).tolist() == expected


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        (1.5, "threshold is a probability, not 1.5"),
        (-0.1, "threshold must be at least 0"),
        (float("nan"), "threshold must be a number"),
        ("half", "threshold takes a number, or one for each label, not str"),
        ([0.5], "threshold and labels differ in number: 1 ≠ 2"),
        ({"c": 0.5}, "threshold names 'c', which is no label"),
        (None, "threshold must be a number, not None"),
    ],
)
def test_unfit_thresholds(threshold: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        thresholds_of(threshold, ["a", "b"])
