"""Networks made from a trained one, for checks of explanations."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Network


def shuffled_weights(weights: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    """Return the numbers in random order."""
    return random.permutation(weights.ravel()).reshape(weights.shape)


def shuffled_network(network: Network, filters: bool, seed: int) -> Network:
    """Return the network with weights in random order: of the output layer, and of the filters."""
    random = np.random.default_rng(seed)
    network = replace(network, output_weight=shuffled_weights(network.output_weight, random))
    if filters:
        changed = (
            replace(one, weight=shuffled_weights(one.weight, random))
            for one in network.convolutions
        )
        network = replace(network, convolutions=tuple(changed))
    return network


def shifted(inputs: Inputs, network: Network, shift: float) -> tuple[Inputs, Network]:
    """Return inputs that are moved by a constant, and the network that gives them the same scores.

    x′ = x + shift and b′_j = b_j − shift·Σ_{τ,i} w[τ, j, i], so z_j = w·x + b_j stays as it was.
    """
    convolutions = (
        replace(
            convolution,
            bias=(
                convolution.bias - shift * convolution.weight.sum(axis=(0, 2), dtype=np.float64)
            ).astype(np.float32),
        )
        for convolution in network.convolutions
    )
    moved = replace(inputs, mean=inputs.mean - shift * inputs.deviation)
    return moved, replace(network, convolutions=tuple(convolutions))
