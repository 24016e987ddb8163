import pytest
from networks import made_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods.registry import METHODS, find_method


def test_the_methods() -> None:
    assert list(METHODS) == ["lrp", "sensitivity", "gradient_input", "occlusion", "random"]
    assert all(find_method(name).name == name for name in METHODS)


@pytest.mark.parametrize("name", ["LIME", "", None, 3])
def test_an_unknown_method_lists_the_choices(name: object) -> None:
    with pytest.raises(InputError, match="choose from lrp, sensitivity, gradient_input, occlusion"):
        explain(made_cnn(), "wa", method=name)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": 0}, "epsilon must be above 0, not 0"),
        ({"epsilon": float("nan")}, "epsilon must be a number"),
        ({"epsilon": "much"}, "epsilon must be a number"),
        ({"bias": "some"}, "bias may be 'shared' or 'left out', not 'some'"),
        ({"bias": [1, 2]}, "bias may be 'shared' or 'left out'"),
        ({"alpha": 1}, "method 'lrp' has no parameter 'alpha'; it has: epsilon, bias"),
        ({"method": "sensitivity", "epsilon": 1.0}, "no parameter 'epsilon'; it has: none"),
        ({"method": "random", "seed": -1}, "seed must be a whole number"),
        ({"method": "occlusion", "elements": True}, "elements=True needs a network and a method"),
        ({"layer": "deep"}, "layer may be 'words' or 'pooled', not 'deep'"),
        ({"layer": "pooled", "elements": True}, "two different layers"),
        ({"layer": "pooled", "method": "random"}, "layer='pooled' needs a network and a method"),
    ],
)
def test_unfit_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), "wa", **given)  # type: ignore[call-overload]


def test_a_bag_of_words_has_no_epsilon_no_elements_and_no_filters() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    with pytest.raises(InputError, match="no parameter 'epsilon' for models without hidden layers"):
        explain(model, "moon", epsilon=0.1)
    with pytest.raises(InputError, match="needs a network"):
        explain(model, "moon", elements=True)
    with pytest.raises(InputError, match="needs a network"):
        explain(model, "moon", layer="pooled")


def test_somebodys_model_is_told_what_works() -> None:
    class Bare:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.5, 0.5] for _ in texts]

    with pytest.raises(InputError, match="for any other say method='occlusion'"):
        explain(Bare(), "text")


@pytest.mark.parametrize("model", [None, "models/cnn2", 3])
def test_what_is_no_model(model: object) -> None:
    with pytest.raises(InputError, match="is no model: a CNNClassifier"):
        explain(model, "text")


def test_an_untrained_model() -> None:
    with pytest.raises(InputError, match="not trained yet"):
        explain(SVMClassifier(), "text")
