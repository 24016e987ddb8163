"""Score = Σ relevance + padding + constant + residual, of every model by every method.

Equation (10) of docs/method.md; the residual is rounding wherever a method promises to conserve.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from whyword import Explanation, InputError, SVMClassifier, explain, from_pipeline
from whyword.explanation import FilterExplanation
from whyword.methods.registry import METHODS
from whyword.models.blackbox import as_classifier
from whyword.models.pipeline.classifier import PipelineClassifier

TEXTS = [
    *topical(4, seed=3)[0],
    made_text([0, 1, 2, 3, 6, 4, 1, 1]),
    made_text([5, 5, 5, 5]),
    "Moon, goal! moon unheard the secret-key",
    "wa",
    "",
    "unheard things",
]


class Shouting:
    """Somebody's model: the more capitals, the angrier."""

    classes_ = ("angry", "calm", "asleep")

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        angry = np.array([sum(c.isupper() for c in text) / 100 for text in texts])
        return np.stack([angry, (1 - angry) / 2, (1 - angry) / 2], axis=1)


def wrapped(vectorizer: CountVectorizer, classifier: object) -> PipelineClassifier:
    wrapping: PipelineClassifier = from_pipeline(
        make_pipeline(vectorizer, classifier).fit(*topical(60))
    )
    return wrapping


NETWORKS = {
    "cnn of width 1": lambda: made_cnn((1,), seed=1),
    "cnn of width 2": lambda: made_cnn((2,), seed=2),
    "cnn of width 3": lambda: made_cnn((3,), filters=40, seed=3),
    "cnn of several widths": lambda: made_cnn((1, 2, 5), seed=4),
    "cnn of integers": lambda: made_cnn((2, 3), integers=True, seed=5),
    "trained cnn": lambda: small_cnn((1, 2)),
}
BAGS = {
    "svm": lambda: SVMClassifier(C=1.0).fit(*topical(60)),
    "svm of n-grams": lambda: SVMClassifier(C=1.0, ngrams=(1, 3)).fit(*topical(60)),
    "svm of two classes": lambda: SVMClassifier(C=1.0).fit(*topical(60, 2)),
    "pipeline of n-grams": lambda: wrapped(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC()),
    "pipeline of characters": lambda: wrapped(
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)), LogisticRegression()
    ),
    "pipeline of counts": lambda: wrapped(CountVectorizer(), LogisticRegression()),
}
OTHERS = {"predict_proba": Shouting}
MAKERS = {**NETWORKS, **BAGS, **OTHERS}

RULES: dict[str, dict[str, Any]] = {
    "lrp, biases shared": {"method": "lrp", "bias": "shared"},
    "lrp, biases apart": {"method": "lrp", "bias": "apart"},
    "gradient_input": {"method": "gradient_input"},
}
LEVELS = ("word", "element", "filter")
CASES = [(name, level) for name in NETWORKS for level in LEVELS] + [(name, "word") for name in BAGS]


@cache
def model_of(name: str) -> Any:  # noqa: ANN401 - any model
    return MAKERS[name]()


def assert_adds_up(explanation: Explanation | FilterExplanation, apart: bool) -> None:
    """Hold an explanation to the contract, every target by itself."""
    score, residual = np.atleast_1d(explanation.score), np.atleast_1d(explanation.residual)
    total = np.atleast_1d(explanation.relevance.sum(axis=0, dtype=np.float64))
    whole = total + explanation.padding + explanation.constant + residual
    np.testing.assert_allclose(whole, score, rtol=1e-12, atol=1e-12)
    assert (np.abs(residual) <= 1e-4 * np.maximum(1, np.abs(score))).all()
    assert explanation.conserves
    assert explanation.conserved
    assert explanation.check() is explanation
    if not apart:
        np.testing.assert_array_equal(explanation.constant, 0)
    elements = getattr(explanation, "elements", None)
    if elements is not None:
        limit = 1e-4 * max(1, np.abs(explanation.relevance).max(initial=0))
        np.testing.assert_allclose(elements.sum(axis=1), explanation.relevance, atol=limit)


def targets_of(name: str) -> list[Any]:
    first, last = (
        str(label) for label in (model_of(name).classes_[0], model_of(name).classes_[-1])
    )
    return ["predicted", "all", last, [last, first]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", [*NETWORKS, *BAGS])
def test_conserved(name: str, rule: str, level: str) -> None:
    model, apart = model_of(name), rule != "lrp, biases shared"
    if name in BAGS and level != "word":
        with pytest.raises(InputError, match=f"level='{level}' needs"):
            explain(model, TEXTS, level=level, **RULES[rule])  # type: ignore[call-overload]
        return
    constants = []
    for target in targets_of(name):
        for explanation in explain(model, TEXTS, target, level=level, strict=True, **RULES[rule]):  # type: ignore[call-overload]
            assert_adds_up(explanation, apart)
            assert (getattr(explanation, "elements", None) is not None) == (level == "element")
            constants.append(np.abs(explanation.constant).max())
    assert (max(constants) > 1e-3) == apart


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "level"), CASES)
def test_conserved_against_a_class(name: str, level: str, rule: str) -> None:
    """Equation (12): a contrast conserves the difference of the scores."""
    model, apart = model_of(name), rule != "lrp, biases shared"
    first, last = str(model.classes_[0]), str(model.classes_[-1])
    options = {"level": level, **RULES[rule]}
    pairs = zip(
        explain(model, TEXTS, last, **options),
        explain(model, TEXTS, first, **options),
        strict=True,
    )
    contrasts = explain(model, TEXTS, last, against=first, strict=True, **options)
    for explanation, (one, other) in zip(contrasts, pairs, strict=True):
        assert_adds_up(explanation, apart)
        limit = 1e-5 * max(1, abs(one.score), abs(other.score))
        assert explanation.score == pytest.approx(one.score - other.score)
        assert explanation.constant == pytest.approx(one.constant - other.constant, abs=limit)
        assert explanation.padding == pytest.approx(one.padding - other.padding, abs=limit)
    for explanation in explain(model, TEXTS, "all", against=first, strict=True, **options):
        assert_adds_up(explanation, apart)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "level"), [case for case in CASES if case[1] != "filter"])
def test_conserved_without_deleted_words(name: str, level: str, rule: str) -> None:
    model, apart = model_of(name), rule != "lrp, biases shared"
    lengths = [len(document) for document in as_classifier(model).documents(TEXTS)]
    first = str(model.classes_[0])
    for step in (1, 2, 3):
        deleted = [range(0, length, step) for length in lengths]  # all, every other, every third
        for against in (None, first):
            options = {"against": against, "deleted": deleted, "level": level, **RULES[rule]}
            for explanation, gone in zip(
                explain(model, TEXTS, "all", strict=True, **options),
                deleted,
                strict=True,
            ):
                assert_adds_up(explanation, apart)
                assert not explanation.relevance[list(gone)].any()
                assert explanation.elements is None or not explanation.elements[list(gone)].any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MAKERS)
def test_what_is_promised(name: str, method: str) -> None:
    """Methods that conserve say so, others do not and have no constant; a score has its parts."""
    model = model_of(name)
    if name in OTHERS and method not in ("occlusion", "random"):
        with pytest.raises(InputError, match="which this one is not"):
            explain(model, TEXTS, method=method)
        return
    for explanation in explain(model, TEXTS, "all", method=method):
        total = explanation.relevance.sum(axis=0, dtype=np.float64)
        whole = total + explanation.padding + explanation.constant + explanation.residual
        np.testing.assert_allclose(whole, explanation.score, rtol=1e-12, atol=1e-12)
        assert explanation.conserves == (method in ("lrp", "gradient_input"))
        if not explanation.conserves and "residual" not in explanation.parameters:
            np.testing.assert_array_equal(explanation.constant, 0)
