"""Sensitivity analysis of the network: squared partial derivatives of the score.

Equations are those of docs/method.md.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.gradient_kernels import score_gradient
from whyword.models.cnn.relevance_kernels import OutputRelevance
from whyword.models.protocol import Targets
from whyword.models.relevance import FilterRelevance, Relevance

_GRADIENT_BYTES = 32 << 20  # of the gradient that is held at a time


def network_sensitivity(
    forward: ForwardPass, targets: Targets, elements: bool = False
) -> Relevance:
    """Return Σ_i (∂x[k]/∂x[t, i])² of each word, equation (19); the squares are the elements."""
    offsets, dimensions = forward.batch.offsets, forward.dimensions
    words = np.zeros((len(forward.batch.ids), targets.shape[1]), np.float32)
    squares = np.zeros((len(words), dimensions, targets.shape[1] if elements else 0), np.float32)
    for first, last in _runs(offsets, max(1, _GRADIENT_BYTES // (4 * dimensions))):
        block = slice(offsets[first], offsets[last])
        for column in range(targets.shape[1]):
            gradient = network_gradient(forward, targets, column, first, last)
            words[block, column] = np.einsum("ti,ti->t", gradient, gradient)
            if elements:
                squares[block, :, column] = gradient**2
    return Relevance(
        forward.cut(words),
        forward.padding(words),
        elements=forward.cut(squares) if elements else None,
    )


def network_gradient(
    forward: ForwardPass, targets: Targets, column: int, first: int, last: int
) -> NDArray[np.float32]:
    """Return equation (18) of one target of documents first … last − 1, (their words, D)."""
    offsets = forward.batch.offsets
    gradient = np.zeros((offsets[last] - offsets[first], forward.dimensions), np.float32)
    unused = np.zeros(targets.shape)
    for activations, weight in forward.parts():
        output = OutputRelevance(weight, targets, unused, unused)
        score_gradient(activations, output, column, gradient, first, last)
    return gradient


def filter_sensitivity(forward: ForwardPass, targets: Targets) -> FilterRelevance:
    """Return (∂x[k]/∂x[j])² of each filter that fired."""
    weight = forward.network.output_weight.astype(np.float64)
    filters = [
        np.where(row[:, None] > 0, weight[:, chosen] ** 2, 0.0)
        for row, chosen in zip(forward.pooled, targets, strict=True)
    ]
    return FilterRelevance(filters, np.zeros(targets.shape))


def _runs(offsets: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of documents of at most so many words together, or of one document."""
    first, total = 0, len(offsets) - 1
    while first < total:
        fitting = int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1
        last = min(total, max(first + 1, fitting))
        yield first, last
        first = last
