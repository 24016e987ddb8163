"""Gradient × input as a method; the formulas are tested beside the models."""

import numpy as np
import pytest
from networks import made_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods.gradient_input import GRADIENT_INPUT
from whyword.methods.registry import METHODS, Cost
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Differentiable, Trace


def test_it_is_registered() -> None:
    assert METHODS["gradient_input"] is GRADIENT_INPUT
    assert (GRADIENT_INPUT.needs, GRADIENT_INPUT.cost) == (Differentiable, Cost.SINGLE)
    assert GRADIENT_INPUT.element_sums is not None
    assert GRADIENT_INPUT.filters is not None


@pytest.mark.parametrize("kind", [CNNTrace, TfIdfTrace, PipelineTrace])
def test_what_it_promises(kind: type[Trace]) -> None:
    assert GRADIENT_INPUT.settings(kind, {}) == {}
    assert GRADIENT_INPUT.conserves(kind, {}) is True


def test_it_needs_gradients() -> None:
    assert not GRADIENT_INPUT.is_for(BlackBoxTrace)
    with pytest.raises(InputError, match="'gradient_input' needs a model that is differentiable"):
        GRADIENT_INPUT.settings(BlackBoxTrace, {})


def test_it_has_no_parameters() -> None:
    with pytest.raises(
        InputError, match="'gradient_input' has no parameter 'epsilon'; it has: none"
    ):
        explain(made_cnn(), "wa", method="gradient_input", epsilon=0.1)


def test_what_explanations_record() -> None:
    explanation = explain(made_cnn(), "wa wb", method="gradient_input")
    assert explanation.parameters == {}
    assert explanation.conserves is True
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    explanation = explain(svm, "moon moon", method="gradient_input")
    assert explanation.parameters == {"occurrences": "equal shares"}
    assert explanation.relevance[0] == explanation.relevance[1]


@pytest.mark.parametrize("level", ["element", "filter"])
def test_it_goes_through_the_layers(level: str) -> None:
    model = made_cnn()
    explanation = explain(model, "wa wb", "all", method="gradient_input", level=level)  # type: ignore[call-overload]
    assert np.isfinite(explanation.relevance).all()
    assert explanation.method == "gradient_input"


def test_a_piecewise_linear_model_is_needed_to_conserve() -> None:
    class Smooth(CNNTrace):
        is_piecewise_linear = False

    assert not GRADIENT_INPUT.conserves(Smooth, {})
    assert not GRADIENT_INPUT.conserves(BlackBoxTrace, {})
