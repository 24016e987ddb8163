"""Rules of a kind of model: its own defaults, parameters, layers and promises."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from networks import topical
from toys import RuledClassifier, RuledTrace

from whyword import (
    ConservationError,
    InputError,
    class_words,
    deletion_curve,
    explain,
)
from whyword.base.errors import Argument
from whyword.methods.lrp import LRP
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace


@cache
def ruled() -> RuledClassifier:
    return RuledClassifier().fit(*topical(60))


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ({}, {"bias": "apart"}),
        ({"bias": "shared"}, {"epsilon": 0.01, "bias": "shared"}),
        ({"bias": "shared", "epsilon": 1}, {"epsilon": 1.0, "bias": "shared"}),
    ],
)
def test_a_kind_has_defaults_of_its_own_and_drops_what_it_does_not_use(
    given: dict[str, Any], settings: dict[str, Any]
) -> None:
    settings = settings | {"attention": "fixed", "positions": "apart", "layer": None}
    assert LRP.settings(RuledTrace, given) == settings
    defaults = {one.name: one.default for one in LRP.parameters_for(RuledTrace)}
    assert defaults["bias"] == "apart"
    assert {one.name: one.default for one in LRP.parameters}["bias"] == "shared"
    model = ruled()
    recorded = {name: value for name, value in settings.items() if value is not None}
    assert explain(model, "moon", **given).parameters == {"deletion": "cut"} | recorded


def test_a_kind_refuses_what_does_not_go_together() -> None:
    with pytest.raises(InputError, match="epsilon is for bias='shared'") as raised:
        LRP.settings(RuledTrace, {"epsilon": 0.1})
    assert raised.value.parts[0] == Argument("epsilon", of="lrp")
    with pytest.raises(InputError, match="attention may be 'fixed' or 'attnlrp', not 'free'"):
        LRP.settings(RuledTrace, {"attention": "free"})
    with pytest.raises(InputError, match="positions may be 'apart' or 'with words'"):
        LRP.settings(RuledTrace, {"positions": "shared"})
    for kind in (CNNTrace, TfIdfTrace, PipelineTrace):
        for name in ("attention", "positions"):
            with pytest.raises(InputError, match=f"no parameter '{name}' for this model"):
                LRP.settings(kind, {name: "apart"})


def test_whether_it_conserves_is_the_kinds_to_say() -> None:
    model, text = ruled(), "moon orbit the goal"
    exact = explain(model, text, "all", positions="with words")
    assert exact.conserves
    assert exact.conserved
    assert "residual" not in exact.parameters
    leaking = explain(model, text, "all", attention="attnlrp", strict=False)
    assert not leaking.conserves
    assert not leaking.conserved
    assert leaking.parameters["residual"] == "lost by the rule"
    words = explain(model, text, "all").relevance.sum(axis=0, dtype=float)
    np.testing.assert_allclose(leaking.residual, words / 4, rtol=1e-6)
    for shown in (leaking.to_text(), leaking.to_html()):
        assert "lost by the rule" in shown
        assert "Relevance does not add up here" in shown
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        leaking.check()


def test_relevance_at_a_hidden_layer() -> None:
    model = ruled()
    for text in ("moon orbit the goal", "", "unheard"):
        inputs = explain(model, text, "all")
        for layer in model.layer_names:
            there = explain(model, text, "all", layer=layer)
            assert there.parameters["layer"] == layer
            assert there.conserves
            assert there.conserved
        if inputs.words:
            np.testing.assert_allclose(there.constant, inputs.constant / 2)
    assert "layer" not in inputs.parameters
    several = explain(model, ["moon", "goal"], top=2, layer="encoder.layer.2", strict=True)
    assert [one.parameters["layer"] for one in several] == ["encoder.layer.2"] * 2


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ("encoder.layer.3", "no layer 'encoder.layer.3' in this model; did you mean encoder.lay"),
        ("layer", "did you mean encoder.layer.1 or encoder.layer.2?"),
        ("", "there is no layer '' in this model; there are bag, encoder.layer.1, encoder.layer.2"),
        ("x" * 100_000, "there are bag"),
        ("\ud800\0", "there are bag"),
        (3, "layer must be the name of a layer, not 3"),
        (["bag"], "layer must be the name of a layer"),
        (b"bag", "layer must be the name of a layer"),
    ],
)
def test_an_unknown_layer(layer: Any, message: str) -> None:  # noqa: ANN401
    model = ruled()
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        explain(model, "moon", layer=layer)
    assert len(str(raised.value)) < 400
    assert "layer" in raised.value.arguments
    texts, labels = topical(9)
    with pytest.raises(InputError, match=re.escape(message)):
        class_words(model, texts, layer=layer)
    with pytest.raises(InputError, match=re.escape(message)):
        deletion_curve(model, texts, labels, layer=layer)


def test_models_without_named_layers() -> None:
    for kind in (CNNTrace, TfIdfTrace, PipelineTrace):
        with pytest.raises(InputError, match="no parameter 'layer' for this model"):
            LRP.settings(kind, {"layer": "bag"})
    with pytest.raises(InputError, match="method 'occlusion' has no parameter 'layer'"):
        explain(ruled(), "moon", method="occlusion", layer="bag")
