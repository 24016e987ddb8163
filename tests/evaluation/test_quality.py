"""The model's figures against scikit-learn's."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import small_cnn, topical
from numpy.typing import NDArray
from sklearn import metrics
from toys import TopicsClassifier, several_topics

from whyword import InputError
from whyword.evaluation import model_quality

CLASSES = ["a", "b", "c"]


class Told:
    """A model that says what it was told to say."""

    classes_ = np.array(CLASSES)

    def __init__(self, chances: NDArray[np.float64]) -> None:
        self.chances = chances
        self.told = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        self.told += len(texts)
        return self.chances[self.told - len(texts) : self.told]


@settings(max_examples=50)
@given(count=st.integers(1, 40), bins=st.integers(1, 20), seed=st.integers(0, 1_000))
def test_equals_scikit_learn(count: int, bins: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    chances = random.dirichlet([0.5] * 3, count)
    labels = random.choice(CLASSES[: 1 + seed % 3], count)
    quality = model_quality(Told(chances), ["x"] * count, labels, bins)
    predicted = np.array(CLASSES)[chances.argmax(axis=1)]
    assert quality.accuracy == pytest.approx(metrics.accuracy_score(labels, predicted))
    macro = metrics.f1_score(labels, predicted, average="macro", zero_division=0)
    assert quality.macro_f1 == pytest.approx(macro)
    np.testing.assert_array_equal(
        quality.confusion, metrics.confusion_matrix(labels, predicted, labels=CLASSES)
    )
    each = metrics.precision_recall_fscore_support(
        labels, predicted, labels=CLASSES, zero_division=0
    )
    for n, one in enumerate(quality.classes):
        assert (one.precision, one.recall, one.f1) == pytest.approx(
            tuple(row[n] for row in each[:3])
        )
        assert one.n_documents == each[3][n]
    error = 0.0
    confidence, right = chances.max(axis=1), predicted == labels
    for n in range(bins):
        within = (confidence > n / bins) & (confidence <= (n + 1) / bins)
        if within.any():
            error += within.mean() * abs(confidence[within].mean() - right[within].mean())
    assert quality.calibration_error == pytest.approx(error)


def test_a_trained_model() -> None:
    texts, labels = topical(30, seed=5)
    quality = model_quality(small_cnn(), texts, labels)
    assert quality.accuracy == small_cnn().score(texts, labels)
    assert quality.n_documents == 30
    data = json.loads(json.dumps(quality.to_dict()))
    assert data["confusion"] == quality.confusion.tolist()
    assert sum(one["documents"] for one in data["calibration"]) == 30
    assert sum(one["documents"] for one in data["classes"]) == 30


def test_bad_questions() -> None:
    model = small_cnn()
    with pytest.raises(InputError, match="there are no texts"):
        model_quality(model, [], [])
    with pytest.raises(InputError, match="differ in length: 1 ≠ 2"):
        model_quality(model, ["a", "b"], ["space"])
    with pytest.raises(InputError, match="there is no class 'x'"):
        model_quality(model, ["a"], ["x"])
    with pytest.raises(InputError, match="bins must be a whole number"):
        model_quality(model, ["a"], ["space"], bins=0)


# ---- several labels ---------------------------------------------------------------------------


@settings(max_examples=30)
@given(count=st.integers(1, 30), seed=st.integers(0, 1_000))
def test_several_labels_equal_scikit_learn(count: int, seed: int) -> None:
    model = TopicsClassifier().fit(*several_topics(60))
    random = np.random.default_rng(seed)
    model.thresholds_ = random.choice([0.0, 0.5, 1.0], 3)  # labels that are always, never said
    texts, _ = several_topics(count, seed)
    truth = random.random((count, 3)) < random.choice([0.0, 0.3, 1.0])
    names = model.classes_.tolist()
    labels = [[names[n] for n in np.flatnonzero(row)] for row in truth]
    quality = model_quality(model, texts, labels)
    said = np.array([[name in several for name in names] for several in model.predict(texts)])
    assert quality.accuracy == pytest.approx(metrics.accuracy_score(truth, said))
    micro = metrics.f1_score(truth, said, average="micro", zero_division=0)
    assert quality.micro_f1 == pytest.approx(micro)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        truth, said, average=None, zero_division=0
    )
    np.testing.assert_allclose([one.precision for one in quality.classes], precision)
    np.testing.assert_allclose([one.recall for one in quality.classes], recall)
    np.testing.assert_allclose([one.f1 for one in quality.classes], f1)
    assert [one.n_documents for one in quality.classes] == support.tolist()
    occurring = truth.any(axis=0) | said.any(axis=0)
    assert quality.macro_f1 == pytest.approx(f1[occurring].mean() if occurring.any() else 0)
    assert quality.unlabelled == (~truth.any(axis=1)).sum()
    assert json.loads(json.dumps(quality.to_dict()))["micro_f1"] == quality.micro_f1


def test_several_labels_are_shown_in_short() -> None:
    texts, labels = several_topics(60)
    quality = model_quality(TopicsClassifier().fit(texts, labels), texts, labels)
    assert repr(quality).startswith("MultiLabelQuality(micro-F1 0.9")
    with pytest.raises(InputError, match="there are no texts"):
        model_quality(TopicsClassifier().fit(texts, labels), [], [])
