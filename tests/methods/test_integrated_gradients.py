"""Integrated gradients as a method; its formulas are tested beside the models."""

from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text, topical
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, SVMClassifier, explain, price
from whyword.methods.integrated_gradients import INTEGRATED_GRADIENTS
from whyword.methods.registry import METHODS, Cost
from whyword.models.blackbox import BlackBox
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.protocol import Integrable

TEXTS, LABELS = topical(60)


def test_it_is_registered() -> None:
    assert METHODS["integrated_gradients"] is INTEGRATED_GRADIENTS
    assert (INTEGRATED_GRADIENTS.needs, INTEGRATED_GRADIENTS.cost) == (Integrable, Cost.PER_STEP)
    assert INTEGRATED_GRADIENTS.settings(CNNTrace, {}) == {"steps": 50}
    assert not INTEGRATED_GRADIENTS.conserves(CNNTrace, {"steps": 50})


@pytest.mark.parametrize("steps", [0, -1, 1_001, 2.5, "many", True, None])
def test_unfit_steps(steps: Any) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match="steps must be a whole number from 1 to 1,000, not"):
        explain(made_cnn(), "wa", method="integrated_gradients", steps=steps)


def test_a_black_box_has_no_gradients() -> None:
    with pytest.raises(InputError, match="needs a model that is integrable"):
        INTEGRATED_GRADIENTS.check_kind(BlackBox.trace_kind)


def test_a_linear_model_takes_no_step() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    for model in (SVMClassifier(C=1.0).fit(TEXTS, LABELS), pipeline):
        for text in ("moon orbit the goal unheard", "", "unheard"):
            ours = explain(model, text, "all", method="integrated_gradients")
            product = explain(model, text, "all", method="gradient_input")
            np.testing.assert_array_equal(ours.relevance, product.relevance)
            np.testing.assert_array_equal(ours.constant, product.constant)
            assert ours.conserved


def test_what_is_missed_is_said() -> None:
    text = made_text([0, 1, 2, 3, 6, 4, 1, 1])
    found = explain(made_cnn((1, 2), seed=8), text, "all", method="integrated_gradients", steps=1)
    assert found.parameters == {"steps": 1, "residual": "missed between the steps"}
    assert not found.conserves
    assert not found.conserved
    assert "missed between the steps" in found.to_text()
    assert "Relevance does not add up here" in found.to_html()


def test_what_it_costs() -> None:
    assert INTEGRATED_GRADIENTS.predictions(CNNTrace, 9, {"steps": 20}) == 20
    assert INTEGRATED_GRADIENTS.predictions(TfIdfTrace, 9, {"steps": 20}) == 1
    said = price(made_cnn(), TEXTS[:10], "integrated_gradients", steps=7)
    assert said.predictions == 70
    assert said.seconds > 0
    assert price(made_cnn(), TEXTS[:10], "integrated_gradients").predictions == 500
