"""Layer-wise relevance propagation with the ε rule."""

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import LinearBlock, NetworkBlock
from whyword.methods.relevance import Relevance
from whyword.models.cnn.relevance_kernels import (
    FromAbove,
    element_relevance,
    exact_scores,
    word_relevance,
)

Targets = NDArray[np.int32]


def network_lrp(
    block: NetworkBlock,
    targets: Targets,
    elements: bool = False,
    *,
    epsilon: float = 0.01,
    bias: str = "shared",
) -> Relevance:
    """Return the words' relevance under a network.

    Parameters
    ----------
    block : NetworkBlock
    targets : (documents, K) int32
    elements : bool
    epsilon : float
    bias : {"shared", "left out"}
        Whether biases and ε are shared out among the inputs, so that relevance is conserved, or
        keep what is theirs, which then shows as the residual.
    """
    shared = bias == "shared"
    added, gain = handed_down(block, targets, epsilon, shared)
    words = np.zeros((len(block.batch.ids), targets.shape[1]), np.float32)
    detailed = _no_elements(block, targets) if elements else None
    for found, weight in block.parts():
        above = FromAbove(weight, targets, added, gain)
        word_relevance(found, above, epsilon, shared, words)
        if detailed is not None:
            for column in range(targets.shape[1]):
                element_relevance(found, above, epsilon, shared, column, detailed[column])
    return Relevance(
        block.cut(words),
        block.padding(words),
        None if detailed is None else block.cut(np.moveaxis(detailed, 0, 2)),
    )


def handed_down(
    block: NetworkBlock, targets: Targets, epsilon: float, shared: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what each filter gets besides its part of the score, and the factor of both.

    R_{j,k} = (x_j·w_{j,k} + added) · gain with added = (b_k + ε·s_k)/F and
    gain = x_k/(x_k + ε·s_k), s_k = 1 if x_k ≥ 0 else −1; (documents, K) each.
    """
    scores = _target_scores(block, targets, epsilon)
    signed = np.where(scores >= 0, epsilon, -epsilon)
    below = scores + signed
    gain = np.divide(scores, below, out=np.ones_like(scores), where=below != 0)
    if not shared:
        return np.zeros_like(scores), gain
    biases = block.network.output_bias.astype(np.float64)[targets]
    return (biases + signed) / len(block.network.output_weight), gain


def _target_scores(block: NetworkBlock, targets: Targets, epsilon: float) -> NDArray[np.float64]:
    """Return the targets' scores, (documents, K).

    Those of documents where one is so close to 0 that x/(x ± ε) would magnify the rounding of
    float32 (by ε/(|x| + ε)² > 1) are computed again in float64.
    """
    scores = np.take_along_axis(block.scores, targets.astype(np.intp), axis=1)
    documents = np.flatnonzero(((np.abs(scores) + epsilon) ** 2 < epsilon).any(axis=1))
    if not len(documents):
        return scores
    exact = np.tile(block.network.output_bias.astype(np.float64), (len(scores), 1))
    for found, weight in block.parts():
        exact_scores(found, weight, documents, exact)
    scores[documents] = np.take_along_axis(exact, targets.astype(np.intp), axis=1)[documents]
    return scores


def pooled_lrp(
    block: NetworkBlock, targets: Targets, *, epsilon: float = 0.01, bias: str = "shared"
) -> list[NDArray[np.float64]]:
    """Return the filters' relevance in each document, (F, K)."""
    added, gain = handed_down(block, targets, epsilon, bias == "shared")
    pooled = np.concatenate([found.pooled for found in block.found], axis=1)
    weight = block.network.output_weight.astype(np.float64)
    return [
        (row[:, None] * weight[:, chosen] + extra) * factor
        for row, chosen, extra, factor in zip(pooled, targets, added, gain, strict=True)
    ]


def linear_lrp(block: LinearBlock, targets: Targets, *, bias: str = "shared") -> Relevance:
    """Return the words' relevance under a linear model: R_i = w_i·x_i + b/n of each feature.

    An occurrence of a word that occurs m times carries R_i/m. Without a known word the bias is
    padding.
    """
    words, padding = [], []
    for bag, chosen in zip(block.bags, targets, strict=True):
        values = block.model.output_weight_[bag.row.places][:, chosen] * bag.row.values[:, None]
        biases = block.model.output_bias_[chosen] * (bias == "shared")
        if len(values):
            values = values + biases / len(values)
            biases = np.zeros_like(biases)
        words.append(bag.spread(values))
        unplaced = values.sum(axis=0) - words[-1].sum(axis=0)
        padding.append(biases + np.where(np.abs(unplaced) > 1e-12, unplaced, 0))
    return Relevance(words, np.array(padding))


def _no_elements(block: NetworkBlock, targets: Targets) -> NDArray[np.float32]:
    """Return zeros for the elements, (K, N, D)."""
    shape = (targets.shape[1], len(block.batch.ids), block.batch.vectors.shape[1])
    return np.zeros(shape, np.float32)
