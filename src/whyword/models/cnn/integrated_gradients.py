"""Integrated gradients of the network, from vectors of zeros.

Equations are those of docs/method.md.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.kernels import Activations, pooled_maxima
from whyword.models.cnn.lrp import GRADIENT_INPUT, network_lrp
from whyword.models.cnn.summary import lrp_sums
from whyword.models.integration import path_points
from whyword.models.protocol import Targets
from whyword.models.relevance import Relevance

Floats = NDArray[np.float32]
Pass = TypeVar("Pass", bound=ForwardPass)


def network_integrated_gradients(
    forward: ForwardPass, targets: Targets, steps: int, elements: bool = False
) -> Relevance:
    """Return equation (36) of each word: gradient × input along the path, divided by α.

    The constant is what the network says of vectors of zeros.
    """
    words = np.zeros((len(forward.batch.ids), targets.shape[1]))
    shape = (*words.shape[:1], forward.dimensions, targets.shape[1] if elements else 0)
    detailed = np.zeros(shape, np.float32)
    for alpha, weight, there in along_path(forward, steps):
        found = network_lrp(there, targets, GRADIENT_INPUT, elements)
        starts = forward.batch.offsets[:-1].tolist()
        for number, start in enumerate(starts):
            block = slice(start, start + len(forward.documents[number]))
            words[block] += found.words[number] * (weight / alpha)
            if found.elements is not None:
                detailed[block] += found.elements[number] * np.float32(weight / alpha)
    return Relevance(
        forward.cut(words.astype(np.float32)),
        np.zeros(targets.shape),
        scores_of_zeros(forward)[targets],
        elements=forward.cut(detailed) if elements else None,
    )


def integrated_gradients_sums(
    forward: ForwardPass, targets: Targets, steps: int, each: bool
) -> Floats:
    """Return Σ_t R[t, i, k]·x[t, i], equation (23), for integrated gradients."""
    every = (
        lrp_sums(there, targets, GRADIENT_INPUT, each) * np.float32(weight / alpha**2)
        for alpha, weight, there in along_path(forward, steps)
    )
    return reduce(np.add, every)


def along_path(forward: Pass, steps: int) -> Iterator[tuple[float, float, Pass]]:
    """Yield α, its weight and the forward pass of α·x, which holds until the next.

    Without the bias a response is α times that of x, so that no convolution is computed again;
    which window wins, and whether a filter fires, may change.
    """
    tables = [np.empty_like(part.table) for part in forward.activations]
    for alpha, weight in path_points(steps):
        vectors = forward.batch.vectors * np.float32(alpha)
        activations = tuple(
            _scaled(part, table, vectors, alpha)
            for part, table in zip(forward.activations, tables, strict=True)
        )
        pooled = np.concatenate([part.pooled for part in activations], axis=1)
        scores = forward.network.scores(pooled).astype(np.float64)
        yield alpha, weight, replace(forward, scores=scores, activations=activations)


def _scaled(part: Activations, table: Floats, vectors: Floats, alpha: float) -> Activations:
    np.multiply(part.table, np.float32(alpha), out=table)
    table[:, 0] += part.bias * np.float32(1 - alpha)  # the bias in the table stays as it is
    pooled, winners = pooled_maxima(part.ids, part.offsets, table)
    return part._replace(table=table, pooled=pooled, winners=winners, vectors=vectors)


def scores_of_zeros(forward: ForwardPass) -> NDArray[np.float64]:
    """Return what the network says where all vectors are zeros, (C,): filters fire by bias."""
    network = forward.network
    fired = [np.maximum(convolution.bias, 0) for convolution in network.convolutions]
    scores: NDArray[np.float64] = network.scores(np.concatenate(fired)).astype(np.float64)
    return scores
