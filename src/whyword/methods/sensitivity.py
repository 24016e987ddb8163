"""Sensitivity analysis: squared partial derivatives of the score."""

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import LinearBlock, NetworkBlock
from whyword.methods.relevance import Relevance
from whyword.relevance_kernels import FromAbove, score_gradient

Targets = NDArray[np.int32]


def network_sensitivity(block: NetworkBlock, targets: Targets, elements: bool = False) -> Relevance:
    """Return Σ_i (∂score/∂x[t, i])² of each word; the squares themselves are the elements."""
    words = np.zeros((len(block.batch.ids), targets.shape[1]), np.float32)
    detailed = []
    unused = np.zeros(targets.shape)
    for column in range(targets.shape[1]):
        gradient = np.zeros((len(words), block.batch.vectors.shape[1]), np.float32)
        for found, weight in block.parts():
            above = FromAbove(weight, targets, unused, unused)
            score_gradient(found, above, column, gradient)
        words[:, column] = np.einsum("ti,ti->t", gradient, gradient)
        if elements:
            detailed.append(gradient**2)
    return Relevance(
        block.cut(words),
        block.padding(words),
        block.cut(np.stack(detailed, axis=2)) if elements else None,
    )


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
