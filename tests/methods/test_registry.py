"""Methods: what each needs, costs, promises and records, and methods from outside."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text, small_svm
from toys import LENGTH

from whyword import InputError, SVMClassifier, explain
from whyword.base.errors import Argument
from whyword.methods.chance import generator_for
from whyword.methods.registry import (
    METHODS,
    Cost,
    Method,
    find_method,
    method_for,
    methods_for,
    register,
)
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    Erasable,
    Filtered,
    Integrable,
    Trace,
)
from whyword.models.relevance import Relevance

EXACT: tuple[type[Trace], ...] = (CNNTrace, TfIdfTrace, PipelineTrace)
EVERY = ["lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random"]


class Even:
    """A model of which nothing but its probabilities is known."""

    classes_ = ("a", "b")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.5] for _ in texts]


@pytest.mark.parametrize(
    ("name", "needs", "cost", "settings", "conserves"),
    [
        ("lrp", Decomposable, "one pass", {"epsilon": 0.01, "bias": "shared"}, True),
        ("sensitivity", Differentiable, "one pass", {}, False),
        ("gradient_input", Differentiable, "one pass", {}, True),
        ("integrated_gradients", Integrable, "one pass for each step", {"steps": 50}, False),
        ("occlusion", Erasable, "one pass for each word", {}, False),
        ("random", Trace, "one pass", {"seed": 0}, False),
    ],
)
def test_methods(name: str, needs: Any, cost: str, settings: Any, conserves: bool) -> None:  # noqa: ANN401
    method = METHODS[name]
    assert method is find_method(name)
    assert (method.needs, str(method.cost)) == (needs, cost)
    assert method.settings(CNNTrace, {}) == settings
    assert method.conserves(CNNTrace, settings) is conserves
    others = settings if name != "lrp" else {"bias": "shared"}
    for kind in (TfIdfTrace, PipelineTrace):
        assert method.settings(kind, {}) == others
        assert method.conserves(kind, others) is conserves
    if name in ("occlusion", "random"):
        assert method.settings(BlackBoxTrace, {}) == settings
        assert not method.conserves(BlackBoxTrace, settings)
        return
    assert not method.is_for(BlackBoxTrace)
    said = f"'{name}' needs a model that is {needs.__name__.lower()}, which this one is not; what"
    with pytest.raises(InputError, match=f"{said} works here: 'occlusion', 'random'"):
        method.settings(BlackBoxTrace, {})


def test_lrp_conserves_with_any_bias() -> None:
    for kind in EXACT:
        settings = METHODS["lrp"].settings(kind, {"bias": "apart"})
        assert METHODS["lrp"].conserves(kind, settings)
    given = METHODS["lrp"].settings(CNNTrace, {"epsilon": 1})
    assert given == {"epsilon": 1.0, "bias": "shared"}
    assert type(given["epsilon"]) is float


def test_gradient_input_conserves_piecewise_linear_models_only() -> None:
    class Smooth(CNNTrace):
        is_piecewise_linear = False

    assert not METHODS["gradient_input"].conserves(Smooth, {})


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        *((kind, EVERY) for kind in EXACT),
        (BlackBoxTrace, ["occlusion", "random"]),
        (Trace, ["random"]),
    ],
)
def test_methods_for_a_kind_the_best_first(kind: type[Trace], names: list[str]) -> None:
    assert list(METHODS) == EVERY
    assert list(methods_for(kind)) == names
    assert method_for(kind, None).name == names[0]
    assert method_for(kind, "lrp") is METHODS["lrp"]  # its settings say what it needs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "LIME"}, "choose from lrp, sensitivity, gradient_input, "),
        ({"method": ["lrp"]}, "choose from lrp, sensitivity, gradient_input, "),
        ({"method": "oclusion"}, "did you mean 'occlusion'"),
        ({"epsilon": 0}, "epsilon must be above 0, not 0"),
        ({"epsilon": float("nan")}, "epsilon must be a number"),
        ({"bias": "some"}, "bias may be 'shared' or 'apart', not 'some'"),
        ({"bias": [1, 2]}, "bias may be 'shared' or 'apart'"),
        ({"alpha": 1}, "method 'lrp' has no parameter 'alpha'; it has: epsilon, bias"),
        ({"elements": True}, "method 'lrp' has no parameter 'elements'; it has: epsilon, bias"),
        ({"method": "sensitivity", "epsilon": 1.0}, "no parameter 'epsilon'; it has: none"),
        ({"method": "gradient_input", "epsilon": 1.0}, "no parameter 'epsilon'; it has: none"),
        ({"method": "random", "seed": -1}, "seed must be a whole number"),
        ({"method": "random", "seed": True}, "seed must be a whole number"),
        *(
            (
                {"method": "integrated_gradients", "steps": steps},
                "steps must be a whole number from 1 to 1,000",
            )
            for steps in (0, 1_001, 2.5, None)
        ),
        ({"method": "occlusion", "level": "element"}, "level='element' needs a model of word vec"),
        (
            {"method": "occlusion", "level": "filter"},
            "not 'occlusion' of a model of kind 'cnn'; sa",
        ),
        ({"level": "deep"}, "level may be 'word' or 'phrase' or 'element' or 'filter', not 'deep'"),
        ({"level": ["filter", "element"]}, "level may be 'word' or 'phrase' or 'element' or 'fil"),
        ({"level": "filter", "method": "random"}, "level='filter' needs a network with filters"),
    ],
)
def test_unfit_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), "wa", **given)  # type: ignore[call-overload]


def test_what_other_models_cannot() -> None:
    svm = small_svm()
    for given, message in (
        ({"epsilon": 0.1}, "no parameter 'epsilon' for this model; it has: bias"),
        ({"level": "element"}, "needs a model of word vectors"),
        ({"level": "filter"}, "needs a network with filters"),
    ):
        with pytest.raises(InputError, match=message):
            explain(svm, "moon", **given)
    with pytest.raises(InputError, match="what works here: 'occlusion', 'random'"):
        explain(Even(), "text", method="lrp")
    for model in (None, "models/cnn2", 3):
        with pytest.raises(InputError, match="is no model: one of whyword's, or anything with pre"):
            explain(model, "text")
    with pytest.raises(InputError, match="not trained yet"):
        explain(SVMClassifier(), "text")


@pytest.mark.parametrize(
    ("method", "of_cnn", "of_svm"),
    [
        ("lrp", {"epsilon": 0.01, "bias": "shared"}, {"bias": "shared"}),
        ("sensitivity", {}, {}),
        ("gradient_input", {}, {}),
        ("occlusion", {"output": "score"}, {"output": "score"}),
        ("random", {"seed": 0}, {"seed": 0}),
    ],
)
def test_what_explanations_record(method: str, of_cnn: Any, of_svm: Any) -> None:  # noqa: ANN401
    network, svm = explain(made_cnn(), "wa wb", method=method), small_svm()
    assert (network.method, network.parameters) == (method, of_cnn)
    assert network.conserves == (method in ("lrp", "gradient_input"))
    if method in ("lrp", "sensitivity", "gradient_input"):
        of_svm = of_svm | {"occurrences": "equal shares"}
    one = explain(svm, "moon moon unheard", method=method)
    assert one.parameters == of_svm
    assert method == "random" or one.relevance[0] == one.relevance[1]
    assert method == "random" or one.relevance[2] == 0
    if method not in ("lrp", "gradient_input"):
        assert (network.constant, one.constant, one.padding) == (0, 0, 0)
    if method == "sensitivity":
        assert (network.relevance >= 0).all()
    assert explain(Even(), "text").parameters == {"output": "probability"}


def test_what_integrated_gradients_miss_is_said() -> None:
    text = made_text([0, 1, 2, 3, 6, 4, 1, 1])
    found = explain(made_cnn((1, 2), seed=8), text, "all", method="integrated_gradients", steps=1)
    assert found.parameters == {"steps": 1, "residual": "missed between the steps"}
    assert not found.conserves
    assert not found.conserved
    assert "missed between the steps" in found.to_text()
    assert "Relevance does not add up here" in found.to_html()


# ---- random relevance ---------------------------------------------------------------------------


def test_random_relevance_depends_on_seed_text_and_class_only() -> None:
    model, text = made_cnn(), made_text([0, 1, 2] * 100)
    first = explain(model, text, target="all", method="random")
    again = explain(model, ["wa", text], target="class 1", method="random")[1]
    np.testing.assert_array_equal(first.relevance[:, 1], again.relevance)
    other = explain(model, text, target="all", method="random", seed=1)
    assert abs(np.corrcoef(first.relevance[:, 0], other.relevance[:, 0])[0, 1]) < 0.2
    assert abs(np.corrcoef(first.relevance[:, 0], first.relevance[:, 1])[0, 1]) < 0.2
    one, same = (generator_for("wa \ud800", 3).normal(size=4) for _ in range(2))
    np.testing.assert_array_equal(one, same)
    assert (generator_for("wb", 3).normal(size=4) != one).all()


# ---- methods from outside -----------------------------------------------------------------------


@pytest.fixture
def length() -> Iterator[Method]:
    """A method that is removed after the test."""
    yield register(LENGTH)
    del METHODS["length"]


def test_a_registered_method_works_for_all_models(length: Method) -> None:
    assert find_method("length") is length
    assert list(methods_for(BlackBoxTrace)) == ["occlusion", "random", "length"]
    assert length.cost is Cost.SINGLE
    for model in (made_cnn(), small_svm(), Even()):
        explanation = explain(model, "a moon rises", method="length", power=2)
        assert explanation.relevance.tolist() == [1, 16, 25]
        assert (explanation.method, explanation.parameters) == ("length", {"power": 2})
        assert not explanation.conserves
        assert explain(model, "", "all", method="length").relevance.shape[0] == 0
    for given, message in (
        ({"power": "x"}, "power must be a number"),
        ({"seed": 1}, "'length' has no parameter 'seed'; it has: power"),
        ({"level": "element"}, "level='element' needs"),
    ):
        with pytest.raises(InputError, match=message):
            explain(made_cnn(), "wa", method="length", **given)


def test_a_method_that_needs_an_ability() -> None:
    needy = Method("needy", "of filters", LENGTH.compute, needs=Filtered)
    assert needy.is_for(CNNTrace)
    with pytest.raises(InputError, match="'needy' needs a model that is filtered, which this one"):
        needy.check_kind(TfIdfTrace)


def test_no_method_takes_anothers_name() -> None:
    lrp = METHODS["lrp"]
    with pytest.raises(InputError, match="there is a method 'lrp' already; say replace=True"):
        register(lrp)
    assert register(lrp, replace=True) is METHODS["lrp"]


@pytest.mark.parametrize(
    "unfit",
    [
        Relevance([np.zeros(1)], np.zeros((1, 1))),
        Relevance([np.zeros((1, 1))], np.zeros(1)),
        Relevance([np.zeros((2, 1))], np.zeros((1, 1))),
        Relevance([], np.zeros((1, 1))),
    ],
)
def test_what_a_method_returns_is_checked(unfit: Relevance, length: Method) -> None:
    register(Method("length", "a toy", lambda trace, targets: unfit), replace=True)
    with pytest.raises(InputError, match="method 'length' returned words of shape"):
        explain(made_cnn(), "wa", method="length")


def test_errors_name_the_method_of_a_parameter() -> None:
    with pytest.raises(InputError) as raised:
        METHODS["random"].settings(Trace, {"seed": -1})
    assert raised.value.parts[0] == Argument("seed", of="random")
    with pytest.raises(InputError) as raised:
        METHODS["random"].settings(Trace, {"epsilon": 1})
    arguments = [part for part in raised.value.parts if isinstance(part, Argument)]
    assert arguments == [Argument("epsilon", of="random"), Argument("seed", of="random")]
