"""Sensitivity analysis: squared partial derivatives of the score."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import LinearBlock, NetworkBlock
from whyword.methods.relevance import Relevance
from whyword.models.cnn.relevance_kernels import FromAbove, score_gradient

Targets = NDArray[np.int32]

_GRADIENT_BYTES = 32 << 20  # of the gradient that is held at a time


def network_sensitivity(block: NetworkBlock, targets: Targets, elements: bool = False) -> Relevance:
    """Return Σ_i (∂score/∂x[t, i])² of each word; the squares themselves are the elements."""
    offsets, dimensions = block.batch.offsets, block.batch.vectors.shape[1]
    words = np.zeros((len(block.batch.ids), targets.shape[1]), np.float32)
    squares = np.zeros((len(words), dimensions, targets.shape[1] if elements else 0), np.float32)
    unused = np.zeros(targets.shape)
    for first, last in _runs(offsets, max(1, _GRADIENT_BYTES // (4 * dimensions))):
        here = slice(offsets[first], offsets[last])
        for column in range(targets.shape[1]):
            gradient = np.zeros((here.stop - here.start, dimensions), np.float32)
            for found, weight in block.parts():
                above = FromAbove(weight, targets, unused, unused)
                score_gradient(found, above, column, gradient, first, last)
            words[here, column] = np.einsum("ti,ti->t", gradient, gradient)
            if elements:
                squares[here, :, column] = gradient**2
    return Relevance(
        block.cut(words), block.padding(words), block.cut(squares) if elements else None
    )


def _runs(offsets: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of documents of at most so many words together, or of one document."""
    first, total = 0, len(offsets) - 1
    while first < total:
        fitting = int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1
        last = min(total, max(first + 1, fitting))
        yield first, last
        first = last


def pooled_sensitivity(block: NetworkBlock, targets: Targets) -> list[NDArray[np.float64]]:
    """Return (∂score/∂x_j)² of each filter that fired, (F, K) for each document."""
    pooled = np.concatenate([found.pooled for found in block.found], axis=1)
    weight = block.network.output_weight.astype(np.float64)
    return [
        np.where(row[:, None] > 0, weight[:, chosen] ** 2, 0.0)
        for row, chosen in zip(pooled, targets, strict=True)
    ]


def linear_sensitivity(block: LinearBlock, targets: Targets) -> Relevance:
    """Return w_i² of each feature, shared among its occurrences."""
    words = [
        bag.spread(block.model.output_weight_[bag.row.places][:, chosen] ** 2)
        for bag, chosen in zip(block.bags, targets, strict=True)
    ]
    return Relevance(words, np.zeros(targets.shape))
