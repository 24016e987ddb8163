"""The loops by themselves; the vectors are held against the oracle in test_summary.py."""

import numpy as np
from networks import made_cnn, made_text

from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.summary_kernels import squared_gradient_sums, weighted_sums


def activations_of(*texts: str) -> Activations:
    (trace,) = made_cnn().trace(list(texts))
    return trace.activations[0]


def test_words_are_added_to_their_rows() -> None:
    activations = activations_of(made_text([0, 1, 2]), made_text([3, 3]))
    rows = np.array([0, 0, 1, 2, 2], np.int32)
    weights = np.array([1, -2, 0.5, 3, 0], np.float32)
    sums = np.ones((3, activations.vectors.shape[1]), np.float32)
    weighted_sums(activations, rows, weights, sums)
    x = activations.vectors[activations.ids]
    expected = 1 + np.array([x[0] - 2 * x[1], 0.5 * x[2], 3 * x[3]])
    np.testing.assert_allclose(sums, expected, rtol=1e-6)


def test_squared_gradients_weigh_their_elements() -> None:
    activations = activations_of(made_text([0, 1]))
    gradient = (
        np.random.default_rng(0).normal(size=(2, activations.vectors.shape[1])).astype(np.float32)
    )
    sums = np.zeros((1, gradient.shape[1]), np.float32)
    squared_gradient_sums(activations, gradient, np.zeros(2, np.int32), sums)
    np.testing.assert_allclose(
        sums[0], (gradient**2 * activations.vectors[activations.ids]).sum(0), rtol=1e-5
    )
