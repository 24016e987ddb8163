import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import InputError, explain
from whyword.methods.chance import RANDOM, generator_for
from whyword.methods.registry import METHODS
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.protocol import Trace


@pytest.mark.parametrize("kind", [CNNTrace, TfIdfTrace, BlackBoxTrace, Trace])
def test_it_needs_nothing_and_promises_nothing(kind: type[Trace]) -> None:
    assert METHODS["random"] is RANDOM
    assert RANDOM.settings(kind, {}) == {"seed": 0}
    assert RANDOM.settings(kind, {"seed": 7}) == {"seed": 7}
    assert not RANDOM.conserves(kind, {"seed": 0})


@pytest.mark.parametrize("seed", [-1, 0.5, "x", True])
def test_unfit_seeds(seed: object) -> None:
    with pytest.raises(InputError, match="seed must be a whole number"):
        RANDOM.settings(CNNTrace, {"seed": seed})


def test_the_same_chance_for_the_same_text() -> None:
    first, again = (generator_for("wa \ud800", 3).normal(size=4) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (generator_for("wb", 3).normal(size=4) != first).all()


def test_random_relevance_depends_on_seed_text_and_class_only() -> None:
    model, text = made_cnn(), made_text([0, 1, 2] * 100)
    first = explain(model, text, target="all", method="random")
    again = explain(model, ["wa", text], target="class 1", method="random")[1]
    np.testing.assert_array_equal(first.relevance[:, 1], again.relevance)
    other = explain(model, text, target="all", method="random", seed=1)
    assert abs(np.corrcoef(first.relevance[:, 0], other.relevance[:, 0])[0, 1]) < 0.2
    assert abs(np.corrcoef(first.relevance[:, 0], first.relevance[:, 1])[0, 1]) < 0.2
    assert first.parameters == {"seed": 0}
