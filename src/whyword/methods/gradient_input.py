"""Gradient times input: what each input contributes while nothing else changes."""

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import LinearBlock, NetworkBlock
from whyword.methods.lrp import linear_lrp, network_lrp, pooled_lrp
from whyword.methods.relevance import Relevance


def network_gradient_input(
    block: NetworkBlock, targets: NDArray[np.int32], elements: bool = False
) -> Relevance:
    """Return Σ_i x[t, i]·∂score/∂x[t, i] of each word: LRP with ε = 0 and no bias shared."""
    return network_lrp(block, targets, elements, epsilon=0.0, bias="left out")


def pooled_gradient_input(
    block: NetworkBlock, targets: NDArray[np.int32]
) -> list[NDArray[np.float64]]:
    """Return x_j·w_j of each filter, (F, K) for each document."""
    return pooled_lrp(block, targets, epsilon=0.0, bias="left out")


def linear_gradient_input(block: LinearBlock, targets: NDArray[np.int32]) -> Relevance:
    """Return w_i·x_i of each feature, shared among its occurrences."""
    return linear_lrp(block, targets, bias="left out")
