"""The model's own figures against scikit-learn's."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import made_cnn
from numpy.typing import NDArray
from sklearn import metrics
from toys import TopicsClassifier, several_topics

from whyword import InputError
from whyword.evaluation import model_quality
from whyword.evaluation.quality import classes_quality

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


@settings(max_examples=40)
@given(count=st.integers(1, 40), bins=st.integers(1, 20), seed=st.integers(0, 1_000))
def test_figures_of_classes_are_scikit_learns(count: int, bins: int, seed: int) -> None:
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
        expected = (CLASSES[n], *(row[n] for row in each), np.sum(predicted == CLASSES[n]))
        assert tuple(one) == pytest.approx(expected)
    filled = []
    confidence, right = chances.max(axis=1), predicted == labels
    for n in range(bins):
        within = (confidence > n / bins) & (confidence <= (n + 1) / bins)
        if within.any():
            filled.append((within.sum(), confidence[within].mean(), right[within].mean()))
    assert [tuple(one) for one in quality.bins] == [pytest.approx(one) for one in filled]
    error = sum(size * abs(mean - share) for size, mean, share in filled) / count
    assert quality.calibration_error == pytest.approx(error)
    assert quality.n_documents == count


def test_confidences_at_the_edges_of_bins() -> None:
    truth, chances = np.array([0, 1, 0]), np.array([[1.0, 0], [0.5, 0.5], [0.6, 0.4]])
    quality = classes_quality(["a", "b"], truth, chances, 10)
    assert [one.n_documents for one in quality.bins] == [1, 1, 1]  # (.4, .5], (.5, .6], (.9, 1]
    assert quality.calibration_error == pytest.approx((0.5 + 0.4 + 0) / 3)
    assert repr(quality) == (
        "ModelQuality(accuracy 0.6667, macro-F1 0.4000, calibration error 0.3000, 3 documents)"
    )
    whole = {"documents": 3, "accuracy": pytest.approx(2 / 3), "macro_f1": pytest.approx(0.4)}
    assert json.loads(json.dumps(quality.to_dict())) == whole | {
        "calibration_error": quality.calibration_error,
        "classes": [
            {"label": "a", "precision": 2 / 3, "recall": 1, "f1": 0.8}
            | {"documents": 2, "predicted": 3},
            {"label": "b", "precision": 0, "recall": 0, "f1": 0, "documents": 1, "predicted": 0},
        ],
        "confusion": [[2, 0], [1, 0]],
        "calibration": [
            {"documents": 1, "confidence": confidence, "accuracy": accuracy}
            for confidence, accuracy in ((0.5, 0), (0.6, 1), (1, 1))
        ],
    }
    near = np.array([[0.68, 0.3, 0.02], [0.72, 0.2, 0.08]])
    assert len(model_quality(Told(near), ["x"] * 2, ["a", "b"]).bins) == 1  # of fifteen


@settings(max_examples=20)
@given(count=st.integers(1, 20), seed=st.integers(0, 1_000))
def test_figures_of_several_labels_are_scikit_learns(count: int, seed: int) -> None:
    model = TopicsClassifier().fit(*several_topics(12))
    random = np.random.default_rng(seed)
    model.thresholds_ = random.choice([0.0, 0.5, 1.0], 3)  # labels that are always, never said
    texts, _ = several_topics(count, seed)
    truth = random.random((count, 3)) < random.choice([0.0, 0.3, 1.0])
    names = model.classes_.tolist()
    labels = [[names[n] for n in np.flatnonzero(row)] for row in truth]
    quality = model_quality(model, texts, labels)
    said = np.array([[name in several for name in names] for several in model.predict(texts)])
    each = metrics.precision_recall_fscore_support(truth, said, average=None, zero_division=0)
    for n, one in enumerate(quality.classes):
        assert tuple(one) == pytest.approx((names[n], *(row[n] for row in each), said[:, n].sum()))
    occurring = truth.any(axis=0) | said.any(axis=0)
    micro = metrics.f1_score(truth, said, average="micro", zero_division=0)
    expected: dict[str, Any] = {
        "documents": count,
        "accuracy": pytest.approx(metrics.accuracy_score(truth, said)),
        "micro_f1": pytest.approx(micro),
        "macro_f1": pytest.approx(each[2][occurring].mean() if occurring.any() else 0),
        "unlabelled": (~truth.any(axis=1)).sum(),
    }
    data = json.loads(json.dumps(quality.to_dict()))
    assert [one["label"] for one in data.pop("classes")] == names
    assert data == expected
    assert repr(quality) == (
        f"MultiLabelQuality(micro-F1 {micro:.4f}, macro-F1 {quality.macro_f1:.4f}, all labels "
        f"right {quality.accuracy:.4f}, {count} documents)"
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"texts": [], "labels": []}, "there are no texts"),
        ({"texts": ["a", "b"]}, "differ in length: 1 ≠ 2"),
        ({"labels": ["x"]}, "there is no class 'x'"),
        ({"bins": 0}, "bins must be a whole number"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        model_quality(**{"model": made_cnn(), "texts": ["a"], "labels": ["class 1"], **asked})
