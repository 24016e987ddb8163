from collections.abc import Iterator

import numpy as np
import pytest
from networks import made_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.base.checks import whole_number
from whyword.base.errors import Argument
from whyword.methods.registry import (
    METHODS,
    Cost,
    Method,
    Parameter,
    find_method,
    method_for,
    methods_for,
    register,
)
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Filtered, Targets, Trace
from whyword.models.relevance import Relevance


def test_the_methods() -> None:
    assert list(METHODS) == [
        "lrp",
        "sensitivity",
        "gradient_input",
        "integrated_gradients",
        "occlusion",
        "random",
    ]
    assert all(find_method(name).name == name for name in METHODS)


@pytest.mark.parametrize("name", ["LIME", "", 3, ["lrp"]])
def test_an_unknown_method_lists_the_choices(name: object) -> None:
    with pytest.raises(InputError, match="choose from lrp, sensitivity, gradient_input, "):
        explain(made_cnn(), "wa", method=name)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": 0}, "epsilon must be above 0, not 0"),
        ({"epsilon": float("nan")}, "epsilon must be a number"),
        ({"epsilon": "much"}, "epsilon must be a number"),
        ({"bias": "some"}, "bias may be 'shared' or 'apart', not 'some'"),
        ({"bias": [1, 2]}, "bias may be 'shared' or 'apart'"),
        ({"alpha": 1}, "method 'lrp' has no parameter 'alpha'; it has: epsilon, bias"),
        ({"method": "sensitivity", "epsilon": 1.0}, "no parameter 'epsilon'; it has: none"),
        ({"method": "random", "seed": -1}, "seed must be a whole number"),
        ({"elements": True}, "method 'lrp' has no parameter 'elements'; it has: epsilon, bias"),
        ({"method": "occlusion", "level": "element"}, "level='element' needs a model of word vec"),
        ({"level": "deep"}, "level may be 'word' or 'phrase' or 'element' or 'filter', not 'deep'"),
        (
            {"level": ["filter", "element"]},
            "level may be 'word' or 'phrase' or 'element' or 'filter'",
        ),
        ({"level": "filter", "method": "random"}, "level='filter' needs a network with filters"),
    ],
)
def test_unfit_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), "wa", **given)  # type: ignore[call-overload]


def test_a_bag_of_words_has_no_epsilon_no_elements_and_no_filters() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    with pytest.raises(InputError, match="no parameter 'epsilon' for this model; it has: bias"):
        explain(model, "moon", epsilon=0.1)
    with pytest.raises(InputError, match="needs a model of word vectors"):
        explain(model, "moon", level="element")
    with pytest.raises(InputError, match="needs a network with filters"):
        explain(model, "moon", level="filter")


def test_somebodys_model_is_told_what_works() -> None:
    class Bare:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.5, 0.5] for _ in texts]

    with pytest.raises(InputError, match="what works here: 'occlusion', 'random'"):
        explain(Bare(), "text", method="lrp")
    assert explain(Bare(), "text").method == "occlusion"


@pytest.mark.parametrize("model", [None, "models/cnn2", 3])
def test_what_is_no_model(model: object) -> None:
    with pytest.raises(
        InputError, match="is no model: one of whyword's, or anything with predict_proba"
    ):
        explain(model, "text")


def test_an_untrained_model() -> None:
    with pytest.raises(InputError, match="not trained yet"):
        explain(SVMClassifier(), "text")


# ---- which method for which model -------------------------------------------------------------

EVERY = ["lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random"]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (CNNTrace, EVERY),
        (TfIdfTrace, EVERY),
        (PipelineTrace, EVERY),
        (BlackBoxTrace, ["occlusion", "random"]),
        (Trace, ["random"]),
    ],
)
def test_methods_for_a_kind_the_best_first(kind: type[Trace], names: list[str]) -> None:
    assert list(methods_for(kind)) == names
    assert method_for(kind, None).name == names[0]
    assert method_for(kind, "random") is METHODS["random"]


def test_a_named_method_is_found_even_if_it_does_not_fit() -> None:
    """Whoever asks for it is told what it needs, instead of getting another."""
    method = method_for(BlackBoxTrace, "lrp")
    assert method is METHODS["lrp"]
    with pytest.raises(InputError, match=r"decomposable.*; what works here: 'occlusion', 'random'"):
        method.settings(BlackBoxTrace, {})
    with pytest.raises(InputError, match="there is no method 'LIME'"):
        method_for(CNNTrace, "LIME")


def test_settings_are_defaults_and_what_was_given_checked() -> None:
    lrp = METHODS["lrp"]
    assert lrp.settings(CNNTrace, {}) == {"epsilon": 0.01, "bias": "shared"}
    assert lrp.settings(CNNTrace, {"epsilon": 1}) == {"epsilon": 1.0, "bias": "shared"}
    assert lrp.settings(TfIdfTrace, {"bias": "apart"}) == {"bias": "apart"}
    assert [one.name for one in lrp.parameters_for(TfIdfTrace)] == ["bias"]
    assert lrp.parameters_for(CNNTrace) == lrp.parameters[:2]
    assert METHODS["sensitivity"].settings(CNNTrace, {}) == {}


def test_costs_are_in_passes() -> None:
    assert {name: str(one.cost) for name, one in METHODS.items()} == {
        "lrp": "one pass",
        "sensitivity": "one pass",
        "gradient_input": "one pass",
        "integrated_gradients": "one pass for each step",
        "occlusion": "one pass for each word",
        "random": "one pass",
    }


# ---- a method of one's own --------------------------------------------------------------------


def by_length(trace: Trace, targets: Targets, power: int) -> Relevance:
    """Return how long the words are."""
    columns = targets.shape[1]
    words = [
        np.array([[len(w) ** power] * columns for w in d.words], float).reshape(-1, columns)
        for d in trace.documents
    ]
    return Relevance(words, np.zeros(targets.shape))


@pytest.fixture
def toy() -> Iterator[Method]:
    """A method that is taken away again after the test."""
    before = dict(METHODS)
    power = Parameter("power", 1, lambda name, value: whole_number(name, value), "of the length")
    yield register(Method("length", "how long words are", by_length, parameters=(power,)))
    METHODS.clear()
    METHODS.update(before)


class Even:
    """Somebody's model."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.5] for _ in texts]


@pytest.mark.parametrize("kind", ["cnn", "svm", "black box"])
def test_a_registered_method_works(toy: Method, kind: str) -> None:
    models = {"cnn": made_cnn(), "svm": SVMClassifier(C=1.0).fit(*topical(30)), "black box": Even()}
    explanation = explain(models[kind], "a moon rises", method="length", power=2)
    assert explanation.relevance.tolist() == [1, 16, 25]
    assert (explanation.method, explanation.parameters) == ("length", {"power": 2})
    assert not explanation.conserves
    assert explain(models[kind], "", "all", method="length").relevance.shape[0] == 0


def test_a_registered_method_is_checked_and_listed(toy: Method) -> None:
    assert find_method("length") is toy
    assert list(METHODS) == [*EVERY, "length"]
    assert list(methods_for(BlackBoxTrace)) == ["occlusion", "random", "length"]
    assert toy.cost is Cost.SINGLE
    with pytest.raises(InputError, match="power must be a whole number"):
        explain(made_cnn(), "wa", method="length", power=0.5)
    with pytest.raises(InputError, match="'length' has no parameter 'seed'; it has: power"):
        explain(made_cnn(), "wa", method="length", seed=1)
    with pytest.raises(InputError, match=r"choose from lrp, .*, random, length"):
        explain(made_cnn(), "wa", method="width")
    with pytest.raises(InputError, match="level='element' needs"):
        explain(made_cnn(), "wa", method="length", level="element")


def test_a_method_that_needs_an_ability() -> None:
    needy = Method("needy", "of filters", by_length, needs=Filtered)
    assert needy.is_for(CNNTrace)
    assert not needy.is_for(TfIdfTrace)
    with pytest.raises(InputError, match="'needy' needs a model that is filtered, which this one"):
        needy.check_kind(TfIdfTrace)


def test_nothing_of_it_is_left() -> None:
    assert list(METHODS) == EVERY


def test_no_method_takes_anothers_name() -> None:
    lrp = METHODS["lrp"]
    with pytest.raises(InputError, match="there is a method 'lrp' already; say replace=True"):
        register(lrp)
    assert register(lrp, replace=True) is METHODS["lrp"]


def test_a_misspelt_method() -> None:
    with pytest.raises(InputError, match="did you mean 'occlusion'"):
        find_method("oclusion")


@pytest.mark.parametrize(
    "unfit",
    [
        Relevance([np.zeros(1)], np.zeros((1, 1))),
        Relevance([np.zeros((1, 1))], np.zeros(1)),
        Relevance([np.zeros((2, 1))], np.zeros((1, 1))),
        Relevance([], np.zeros((1, 1))),
    ],
)
def test_what_a_method_returns_is_checked(unfit: Relevance) -> None:
    register(Method("unfit", "a toy", lambda trace, targets: unfit))
    try:
        with pytest.raises(InputError, match="method 'unfit' returned words of shape"):
            explain(made_cnn(), "wa", method="unfit")
    finally:
        del METHODS["unfit"]


def test_errors_say_whose_parameter_it_is() -> None:
    with pytest.raises(InputError) as raised:
        METHODS["random"].settings(Trace, {"seed": -1})
    assert raised.value.parts[0] == Argument("seed", of="random")
    with pytest.raises(InputError) as raised:
        METHODS["random"].settings(Trace, {"epsilon": 1})
    arguments = [part for part in raised.value.parts if isinstance(part, Argument)]
    assert arguments == [Argument("epsilon", of="random"), Argument("seed", of="random")]
