import numpy as np

from whyword.models.probabilities import softmax


def test_softmax_of_large_scores() -> None:
    probabilities = softmax(np.array([[1000.0, 1000.0], [0.0, -1e6]]))
    np.testing.assert_allclose(probabilities, np.array([[0.5, 0.5], [1.0, 0.0]]))


def test_softmax_of_any_shape() -> None:
    scores = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    probabilities = softmax(scores)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1)
    np.testing.assert_allclose(probabilities, softmax(scores + 7), rtol=1e-5)
    np.testing.assert_allclose(
        probabilities[1, 2], np.exp(scores[1, 2]) / np.exp(scores[1, 2]).sum(), rtol=1e-6
    )
