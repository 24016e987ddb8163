"""Score = Σ relevance + padding + constant + residual, of every model by every method.

Equation (10) of docs/method.md; the residual is rounding wherever a method promises to conserve.
"""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, made_text, small_cnn, small_svm, topical
from wrapped import fitted

from whyword import ConservationError, Explanation, InputError, explain, from_pipeline
from whyword.explanation import FilterExplanation
from whyword.methods.registry import METHODS
from whyword.models.blackbox import as_classifier

TEXTS = [
    *topical(4, seed=3)[0],
    made_text([0, 1, 2, 3, 6, 4, 1, 1]),
    made_text([5, 5, 5, 5]),
    "Moon, goal! moon unheard the secret-key",
    *("wa", "", "unheard things"),
]
MODELS: dict[str, Callable[[], Any]] = {
    "cnn of width 1": lambda: made_cnn((1,), seed=1),
    "cnn of width 3": lambda: made_cnn((3,), filters=40, seed=3),
    "cnn of several widths": lambda: made_cnn((1, 2, 5), seed=4),
    "cnn of integers": lambda: made_cnn((2, 3), integers=True, seed=5),
    "trained cnn": lambda: small_cnn((1, 3)),
    "svm": small_svm,
    "svm of n-grams": lambda: small_svm(ngrams=(1, 3)),
    "svm of two classes": lambda: small_svm(2),
    "pipeline of n-grams": lambda: from_pipeline(fitted("tf-idf, SVM", 3)),
    "pipeline of characters": lambda: from_pipeline(fitted("characters", 3)),
    "pipeline of topics": lambda: from_pipeline(fitted("topics, centred, of length 1", 3)),
    "black box": Keywords,
}
RULES: dict[str, dict[str, Any]] = {
    "lrp, biases shared": {"method": "lrp", "bias": "shared"},
    "lrp, biases apart": {"method": "lrp", "bias": "apart"},
    "gradient_input": {"method": "gradient_input"},
}
CASES = [
    (name, level)
    for name in MODELS
    for level in (("word", "element", "filter") if "cnn" in name else ("word",))
    if name != "black box"
]


@cache
def model_of(name: str) -> Any:  # noqa: ANN401 - any model
    return MODELS[name]()


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


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "level"), CASES)
def test_relevance_is_conserved(name: str, level: Any, rule: str) -> None:  # noqa: ANN401
    """Of one class, several and all, of contrasts (12), and without deleted words."""
    model, apart = model_of(name), rule != "lrp, biases shared"
    first, last = str(model.classes_[0]), str(model.classes_[-1])
    constants = []
    for target in ("predicted", "all", [last, first]):
        for one in explain(model, TEXTS, target, level=level, strict=True, **RULES[rule]):
            assert_adds_up(one, apart)
            assert (getattr(one, "elements", None) is not None) == (level == "element")
            constants.append(np.abs(one.constant).max())
    assert (max(constants) > 1e-3) == apart
    options = {"level": level, **RULES[rule]}
    both = explain(model, TEXTS, [last, first], **options)
    contrasts = explain(model, TEXTS, last, against=first, strict=True, **options)
    for one, pair in zip(contrasts, both, strict=True):
        assert_adds_up(one, apart)
        limit = 1e-5 * max(1, *np.abs(pair.score))
        assert one.score == pytest.approx(pair.score[0] - pair.score[1])
        assert one.constant == pytest.approx(pair.constant[0] - pair.constant[1], abs=limit)
        assert one.padding == pytest.approx(pair.padding[0] - pair.padding[1], abs=limit)
    if level == "filter":
        return
    lengths = [len(document) for document in as_classifier(model).documents(TEXTS)]
    for step, against in ((1, None), (2, first)):  # all words, every other one
        deleted = [range(0, length, step) for length in lengths]
        options |= {"against": against, "deleted": deleted}
        for one, gone in zip(explain(model, TEXTS, "all", **options), deleted, strict=True):
            assert_adds_up(one, apart)
            assert not one.relevance[list(gone)].any()
            assert one.elements is None or not one.elements[list(gone)].any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_a_score_has_its_parts_whatever_is_promised(name: str, method: str) -> None:
    model = model_of(name)
    if name == "black box" and method not in ("occlusion", "random"):
        with pytest.raises(InputError, match="which this one is not"):
            explain(model, TEXTS, method=method)
        return
    for explanation in explain(model, TEXTS[3:], "all", method=method):
        total = explanation.relevance.sum(axis=0, dtype=np.float64)
        whole = total + explanation.padding + explanation.constant + explanation.residual
        np.testing.assert_allclose(whole, explanation.score, rtol=1e-12, atol=1e-12)
        assert explanation.conserves == (method in ("lrp", "gradient_input"))
        if not explanation.conserves and "residual" not in explanation.parameters:
            np.testing.assert_array_equal(explanation.constant, 0)


def test_what_float32_cannot_conserve_is_said() -> None:
    """Weights of millions that nearly cancel leave a score smaller than their rounding."""
    model = made_cnn((2,), seed=1)
    model.network_.output_weight[:] *= 1e9
    explanation = explain(model, made_text([0, 1, 2, 3, 4]), target="all")
    if explanation.conserved:
        explanation = dataclasses.replace(explanation, scores=explanation.scores * 1.001)
    assert not explanation.conserved
    assert "residual" in repr(explanation)
    assert "NOT conserved" in explanation.to_html()
    assert "NOT conserved" in explanation.to_text()
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        explanation.check()
