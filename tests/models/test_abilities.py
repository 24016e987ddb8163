"""Which models are able to what, beyond the protocol."""

from collections.abc import Mapping
from typing import Any, ClassVar

from networks import topical
from toys import RuledClassifier

from whyword import CNNClassifier, SVMClassifier, explain
from whyword.methods.request import Request
from whyword.models.abilities import (
    Caching,
    Layered,
    Reading,
    Recorded,
    Shiftable,
    Trained,
    Weighed,
    removal_by_source,
)
from whyword.models.blackbox import BlackBox
from whyword.words.reader import Reader


def test_abilities_of_the_models() -> None:
    assert issubclass(CNNClassifier, Trained)
    assert issubclass(CNNClassifier, Shiftable)
    assert issubclass(CNNClassifier, Caching)
    assert issubclass(SVMClassifier, Trained)
    for ability in (Shiftable, Caching):
        assert not issubclass(SVMClassifier, ability)
        assert not issubclass(BlackBox, ability)
    assert not issubclass(BlackBox, Trained)
    assert issubclass(CNNClassifier, Weighed)
    assert issubclass(SVMClassifier, Weighed)
    assert not issubclass(BlackBox, Weighed)


def test_what_a_source_removes_for_a_model() -> None:
    assert issubclass(SVMClassifier, Reading)
    assert removal_by_source(object()) is None
    model = SVMClassifier(C=1.0).fit(*topical(30))
    assert removal_by_source(model) is None
    told = SVMClassifier(C=1.0, reader=Reader(remove=())).fit(*topical(30))
    assert removal_by_source(told) == ()


def test_what_a_model_records_is_in_every_explanation() -> None:
    model = RuledClassifier().fit(*topical(60))
    assert isinstance(model, Recorded)
    for method in ("lrp", "occlusion", "random"):
        assert explain(model, "moon", method=method).parameters["deletion"] == "cut"
    request = Request.of(model, "predicted", against="space")
    assert request.recorded["deletion"] == "cut"
    assert model.recorded == {"deletion": "cut"}  # and nothing is added to it


def test_a_method_s_own_parameter_is_recorded_rather_than_the_models() -> None:
    class Odd(RuledClassifier):
        recorded: ClassVar[Mapping[str, Any]] = {"bias": "odd", "seed": -1}

    model = Odd().fit(*topical(60))
    assert explain(model, "moon").parameters["bias"] == "apart"
    assert explain(model, "moon", method="random", seed=3).parameters == {"bias": "odd", "seed": 3}


def test_layers_of_a_model() -> None:
    assert issubclass(RuledClassifier, Layered)
    for kind in (CNNClassifier, SVMClassifier, BlackBox):
        assert not issubclass(kind, Layered)
        assert not issubclass(kind, Recorded)
