"""Classifiers: their weights are taken only if their own scores say so."""

from typing import Any

import numpy as np
import pytest
from networks import topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from wrapped import NOT_LINEAR_SCORES, fit, fitted, words

from whyword import InputError, from_pipeline
from whyword.models.pipeline.graph import Graph
from whyword.models.pipeline.heads import linear_of
from whyword.models.pipeline.probes import NotLinearError


@pytest.mark.parametrize("name", NOT_LINEAR_SCORES)
def test_what_is_not_linear_says_so(name: str) -> None:
    with pytest.raises(NotLinearError, match=r"its (SVC|OneVsOneClassifier) is not linear"):
        linear_of(fitted(name, 3), None, Graph())


@pytest.mark.parametrize("classes", [2, 3])
def test_naive_bayes_has_joint_log_probabilities_without_their_mean(classes: int) -> None:
    pipeline = fit(make_pipeline(words(), MultinomialNB()), classes)
    model, texts = from_pipeline(pipeline), ["moon goal", ""]
    joint = pipeline[-1].predict_joint_log_proba(pipeline[0].transform(texts))
    scores = model.class_scores(texts)
    np.testing.assert_allclose(scores, joint - joint.mean(axis=1, keepdims=True), atol=1e-9)
    if classes == 2:
        np.testing.assert_allclose(scores[:, 0], -scores[:, 1], atol=1e-12)


def test_a_classifier_for_other_features() -> None:
    texts, labels = topical(30)
    few = make_pipeline(CountVectorizer(max_features=3), LogisticRegression()).fit(texts, labels)
    few.steps[0] = ("more", CountVectorizer().fit(texts))
    with pytest.raises(InputError, match=r"makes \d+ features, and it has weights for 3"):
        from_pipeline(few)


def test_scores_that_are_not_its_weights() -> None:
    class Bent(LinearSVC):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            return np.tanh(super().decision_function(X))

    class Broken(LinearSVC):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            raise RuntimeError("no\nmore")

    for kind, said in (
        (Bent, "not linear in its features"),
        (Broken, r"failed \(RuntimeError: no\)"),
    ):
        with pytest.raises(NotLinearError, match=said):
            linear_of(fit(make_pipeline(words(), kind()), 3), None, Graph())


def test_a_regression_is_no_classifier() -> None:
    made = make_pipeline(words(), Ridge()).fit(["a bc", "cd e"], [0.0, 1.0])
    with pytest.raises(NotLinearError, match="its Ridge is not linear"):
        linear_of(made, None, Graph())
