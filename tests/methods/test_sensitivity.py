"""Sensitivity as a method; the formulas are tested beside the models."""

import numpy as np
import pytest
from networks import made_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods.registry import METHODS, Cost
from whyword.methods.sensitivity import SENSITIVITY
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Differentiable, Trace


def test_it_is_registered() -> None:
    assert METHODS["sensitivity"] is SENSITIVITY
    assert (SENSITIVITY.needs, SENSITIVITY.cost) == (Differentiable, Cost.SINGLE)
    assert SENSITIVITY.element_sums is not None
    assert SENSITIVITY.filters is not None


@pytest.mark.parametrize("kind", [CNNTrace, TfIdfTrace, PipelineTrace])
def test_what_it_promises(kind: type[Trace]) -> None:
    assert SENSITIVITY.settings(kind, {}) == {}
    assert SENSITIVITY.conserves(kind, {}) is False


def test_it_needs_gradients() -> None:
    assert not SENSITIVITY.is_for(BlackBoxTrace)
    with pytest.raises(InputError, match="'sensitivity' needs a model that is differentiable"):
        SENSITIVITY.settings(BlackBoxTrace, {})


def test_it_has_no_parameters() -> None:
    with pytest.raises(InputError, match="'sensitivity' has no parameter 'epsilon'; it has: none"):
        explain(made_cnn(), "wa", method="sensitivity", epsilon=0.1)


def test_what_explanations_record() -> None:
    explanation = explain(made_cnn(), "wa wb", method="sensitivity")
    assert explanation.parameters == {}
    assert explanation.conserves is False
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    explanation = explain(svm, "moon moon", method="sensitivity")
    assert explanation.parameters == {"occurrences": "equal shares"}
    assert explanation.relevance[0] == explanation.relevance[1]


@pytest.mark.parametrize("level", ["element", "filter"])
def test_it_goes_through_the_layers(level: str) -> None:
    model = made_cnn()
    explanation = explain(model, "wa wb", "all", method="sensitivity", level=level)  # type: ignore[call-overload]
    assert np.isfinite(explanation.relevance).all()
    assert explanation.method == "sensitivity"


def test_squares_have_no_sign_and_no_constant() -> None:
    explanation = explain(made_cnn(), "wa wb wc", "all", method="sensitivity")
    assert (explanation.relevance >= 0).all()
    np.testing.assert_array_equal(explanation.constant, 0)
