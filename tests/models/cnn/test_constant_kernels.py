"""The loop by itself; the constant is held against the oracle in test_lrp.py."""

import numpy as np
import oracle
import pytest
from networks import literal_parts, made_cnn, made_text

from whyword.models.cnn.constant_kernels import bias_relevance
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.relevance_kernels import OutputRelevance

TEXTS = [made_text([0, 1, 2, 3, 6]), made_text([4, 5, 2]), ""]
TARGETS = np.array([[2, 0], [0, 1], [1, 1]], np.int32)


def outputs(trace: ForwardPass, gain: float) -> list[OutputRelevance]:
    gains = np.full(TARGETS.shape, gain)
    return [OutputRelevance(w, TARGETS, np.zeros(TARGETS.shape), gains) for _, w in trace.parts()]


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_filters_that_fire_keep_their_biases_share(widths: tuple[int, ...], epsilon: float) -> None:
    """The second term of equation (11), added to what is there."""
    model = made_cnn(widths, filters=20, seed=8)
    (trace,) = model.trace(TEXTS, columns=2)
    constant = np.full(TARGETS.shape, 5.0)
    for activations, output in zip(trace.activations, outputs(trace, 0.5), strict=True):
        bias_relevance(activations, output, epsilon, constant)
    for at, text in enumerate(TEXTS):
        inputs, convolutions, weight, _ = literal_parts(model, text)
        for column, k in enumerate(TARGETS[at].tolist()):
            expected, first = 5.0, 0
            for w, b in convolutions:
                best, _ = oracle.max_pool(oracle.convolution(inputs, w, b))
                for j in np.flatnonzero(best > 0).tolist():
                    share = (b[j] + epsilon) / (best[j] + epsilon)
                    expected += share * best[j] * weight[first + j, k] * 0.5
                first += len(b)
            assert constant[at, column] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_without_epsilon_it_is_the_bias_itself() -> None:
    """However small what the filter found: nothing is divided that should not be."""
    (trace,) = made_cnn((2,), filters=30, seed=8).trace(TEXTS, columns=2)
    (activations,) = trace.activations
    (output,) = outputs(trace, 1.0)
    constant = np.zeros(TARGETS.shape)
    bias_relevance(activations, output, 0.0, constant)
    for at in range(3):
        weight = output.weight[:, TARGETS[at]].astype(float)
        expected = ((activations.pooled[at] > 0) * activations.bias.astype(float)) @ weight
        np.testing.assert_allclose(constant[at], expected, rtol=1e-9, atol=1e-9)


def test_filters_that_do_not_fire_keep_nothing() -> None:
    model = made_cnn((2,), seed=8)
    model.network_.convolutions[0].bias[:] = -100
    (trace,) = model.trace(TEXTS, columns=2)
    constant = np.zeros(TARGETS.shape)
    bias_relevance(trace.activations[0], outputs(trace, 1.0)[0], 0.01, constant)
    np.testing.assert_array_equal(constant, 0)
