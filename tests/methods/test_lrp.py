"""LRP as a method: parameters and promises; its formulas are tested beside the models."""

import dataclasses

import pytest
from networks import made_cnn, made_text, topical

from whyword import ConservationError, InputError, SVMClassifier, explain
from whyword.methods.lrp import LRP
from whyword.methods.registry import METHODS, Cost
from whyword.models.blackbox import BlackBox
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Decomposable


def test_it_is_registered() -> None:
    assert METHODS["lrp"] is LRP
    assert (LRP.needs, LRP.cost) == (Decomposable, Cost.SINGLE)
    assert LRP.element_sums is not None
    assert LRP.filters is not None


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 100.0])
def test_epsilon_is_a_parameter(epsilon: float) -> None:
    model, text = made_cnn((2,), integers=True, seed=3), made_text([0, 1, 2, 3, 2])
    explanation = explain(model, text, target="class 1", epsilon=epsilon)
    assert explanation.parameters == {"epsilon": epsilon, "bias": "shared"}
    assert explanation.conserved


@pytest.mark.parametrize("kind", [CNNTrace, TfIdfTrace, PipelineTrace])
def test_it_conserves_under_all_its_parameters(kind: type[CNNTrace]) -> None:
    for bias in ("shared", "apart"):
        assert LRP.conserves(kind, LRP.settings(kind, {"bias": bias}))


def test_a_rule_without_hidden_layers_has_no_epsilon() -> None:
    assert LRP.settings(CNNTrace, {}) == {"epsilon": 0.01, "bias": "shared"}
    assert LRP.settings(TfIdfTrace, {}) == {"bias": "shared"}
    model = SVMClassifier(C=1.0).fit(*topical(60))
    assert explain(model, "moon").parameters == {"bias": "shared", "occurrences": "equal shares"}
    with pytest.raises(InputError, match="no parameter 'epsilon' for this model; it has: bias"):
        explain(model, "moon", epsilon=0.1)


def test_a_black_box_has_no_layers_to_go_through() -> None:
    with pytest.raises(InputError, match="'lrp' needs a model that is decomposable"):
        LRP.check_kind(BlackBox.trace_kind)


def test_what_float32_cannot_conserve_is_said_loudly() -> None:
    """Weights of millions that nearly cancel leave a score smaller than their rounding."""
    model = made_cnn((2,), seed=1)
    model.network_.output_weight[:] *= 1e9
    text = made_text([0, 1, 2, 3, 4])
    explanation = explain(model, text, target="all")
    if explanation.conserved:  # whatever is left of the score, let it be wrong by a thousandth
        explanation = dataclasses.replace(explanation, scores=explanation.scores * 1.001)
    assert not explanation.conserved
    assert "residual" in repr(explanation)
    assert "NOT conserved" in explanation.to_html()
    assert "NOT conserved" in explanation.to_text()
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        explanation.check()
