"""Occlusion as a method; what each model makes of it is tested beside the model."""

import numpy as np
import pytest
from networks import made_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods.occlusion import OCCLUSION
from whyword.methods.registry import METHODS, Cost
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Erasable, Trace


def test_it_is_registered() -> None:
    assert METHODS["occlusion"] is OCCLUSION
    assert (OCCLUSION.needs, OCCLUSION.cost) == (Erasable, Cost.PER_WORD)
    assert OCCLUSION.of_output


@pytest.mark.parametrize("kind", [CNNTrace, TfIdfTrace, PipelineTrace, BlackBoxTrace])
def test_it_is_for_all_and_promises_nothing(kind: type[Trace]) -> None:
    assert OCCLUSION.is_for(kind)
    assert OCCLUSION.settings(kind, {}) == {}
    assert not OCCLUSION.conserves(kind, {})


def test_it_records_what_changed() -> None:
    explanation = explain(made_cnn(), "wa wb", method="occlusion")
    assert explanation.parameters == {"output": "score"}
    assert (explanation.conserves, explanation.constant, explanation.padding) == (False, 0, 0)
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    assert explain(svm, "moon", method="occlusion").parameters == {"output": "score"}


def test_a_word_that_changes_nothing_has_none() -> None:
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    explanation = explain(svm, "moon unheard", "all", method="occlusion")
    np.testing.assert_array_equal(explanation.relevance[1], 0)
    assert explanation.relevance[0].any()


@pytest.mark.parametrize("level", ["element", "filter"])
def test_it_stops_at_words(level: str) -> None:
    with pytest.raises(InputError, match="not 'occlusion' of a model of kind 'cnn'; say level='wo"):
        explain(made_cnn(), "wa", method="occlusion", level=level)  # type: ignore[call-overload]
