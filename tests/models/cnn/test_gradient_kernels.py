"""The loop by itself; against torch's autograd it is held in test_sensitivity.py."""

import numpy as np
import oracle
from networks import literal_parts, made_cnn, made_text

from whyword.models.cnn.gradient_kernels import score_gradient
from whyword.models.cnn.relevance_kernels import OutputRelevance

MODEL = made_cnn((3,), filters=20)
TEXTS = [made_text([0, 1, 2, 3, 6]), made_text([4, 5, 2])]


def gradient_of(texts: list[str], targets: list[int], begin: int, end: int) -> np.ndarray:
    (trace,) = MODEL.trace(texts)
    (activations,) = trace.activations
    numbers = np.array(targets, np.int32)[:, None]
    unused = np.zeros(numbers.shape)
    output = OutputRelevance(trace.network.output_weight, numbers, unused, unused)
    words = int(activations.offsets[end] - activations.offsets[begin])
    gradient = np.ones((words, activations.vectors.shape[1]), np.float32)  # it is added to
    score_gradient(activations, output, 0, gradient, begin, end)
    return gradient - 1


def test_the_gradient_is_the_literal_one() -> None:
    computed = gradient_of(TEXTS, [2, 0], 0, 2)
    first = oracle.score_gradient(*literal_parts(MODEL, TEXTS[0])[:3], 2)
    second = oracle.score_gradient(*literal_parts(MODEL, TEXTS[1])[:3], 0)
    np.testing.assert_allclose(computed, np.concatenate([first, second]), rtol=1e-4, atol=1e-5)


def test_some_documents_only() -> None:
    whole, part = gradient_of(TEXTS, [2, 0], 0, 2), gradient_of(TEXTS, [2, 0], 1, 2)
    np.testing.assert_array_equal(part, whole[5:])
