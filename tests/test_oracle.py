"""The literal formulas among themselves, in float64: docs/method.md (10), to the last digits."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text

networks = {
    "widths": st.sampled_from([(1,), (2,), (3,), (1, 2), (2, 3, 5)]),
    "numbers": st.lists(st.integers(0, 6), min_size=0, max_size=9),
    "seed": st.integers(0, 10_000),
}


@settings(max_examples=30)
@given(**networks, epsilon=st.sampled_from([0.01, 1e-4, 1.0, 0.0]))
def test_words_padding_and_constant_are_the_score(
    widths: tuple[int, ...], numbers: list[int], seed: int, epsilon: float
) -> None:
    parts = literal_parts(made_cnn(widths, seed=seed), made_text(numbers))
    for k, score in enumerate(oracle.class_scores(*parts)):
        shared = oracle.lrp(*parts, target=k, epsilon=epsilon or 0.01)
        assert shared.sum() == pytest.approx(score, rel=1e-9, abs=1e-9)
        relevance = oracle.lrp(*parts, target=k, epsilon=epsilon, shared=False)
        constant = oracle.network_constant(*parts, target=k, epsilon=epsilon)
        assert relevance.sum() + constant == pytest.approx(score, rel=1e-9, abs=1e-9)


@settings(max_examples=30)
@given(**networks)
def test_without_epsilon_it_is_gradient_times_input_and_the_biases(
    widths: tuple[int, ...], numbers: list[int], seed: int
) -> None:
    """Equation (20), and the last sentence on (11)."""
    parts = literal_parts(made_cnn(widths, seed=seed), made_text(numbers))
    inputs, convolutions, weight, bias = parts
    pools = [oracle.max_pool(oracle.convolution(inputs, w, b))[0] for w, b in convolutions]
    fired, biases = np.concatenate(pools) > 0, np.concatenate([b for _, b in convolutions])
    for k in range(len(bias)):
        relevance = oracle.lrp(*parts, target=k, epsilon=0.0, shared=False)
        product = inputs * oracle.score_gradient(inputs, convolutions, weight, k)
        np.testing.assert_allclose(relevance, product, rtol=1e-9, atol=1e-9)
        constant = oracle.network_constant(*parts, target=k, epsilon=0.0)
        assert constant == pytest.approx(bias[k] + (weight[:, k] * biases)[fired].sum())


def test_a_linear_models_words_and_constant_are_the_score() -> None:
    values, weights, bias = {"moon": 0.6, "goal": 0.8}, {"moon": 2.0, "goal": -1.0}, 0.25
    score = sum(weights[word] * x for word, x in values.items()) + bias
    for shared in (True, False):
        words = oracle.linear_lrp(values, weights, bias if shared else 0.0)
        constant = oracle.linear_constant(bias, shared)
        assert sum(words.values()) + constant == pytest.approx(score)
