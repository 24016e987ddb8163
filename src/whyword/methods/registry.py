"""The methods by name, and what each of them can do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number, whole_number
from whyword.base.errors import InputError
from whyword.methods.blocks import Block, LinearBlock, NetworkBlock, OutsideBlock
from whyword.methods.chance import random_relevance
from whyword.methods.gradient_input import (
    linear_gradient_input,
    network_gradient_input,
    pooled_gradient_input,
)
from whyword.methods.lrp import linear_lrp, network_lrp, pooled_lrp
from whyword.methods.occlusion import linear_occlusion, network_occlusion, outside_occlusion
from whyword.methods.relevance import Relevance
from whyword.methods.sensitivity import linear_sensitivity, network_sensitivity, pooled_sensitivity

_BIAS = ("shared", "left out")


@dataclass(frozen=True)
class Method:
    """A way of finding relevance.

    Attributes
    ----------
    of_block : dict
        The function for each kind of block.
    of_filters : callable or None
        The one for a network's filters.
    parameters : dict
        Names and defaults.
    of_networks : tuple of str
        Those that only networks have.
    elements : bool
        Whether it goes down to the input dimensions of a network.
    equal_shares : bool
        Whether the occurrences of a word in a bag of words share the word's value.
    """

    name: str
    of_block: Mapping[type[Block], Callable[..., Relevance]]
    of_filters: Callable[..., list[NDArray[np.float64]]] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    of_networks: tuple[str, ...] = ()
    elements: bool = False
    equal_shares: bool = False


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "lrp",
            {NetworkBlock: network_lrp, LinearBlock: linear_lrp},
            pooled_lrp,
            {"epsilon": 0.01, "bias": "shared"},
            of_networks=("epsilon",),
            elements=True,
            equal_shares=True,
        ),
        Method(
            "sensitivity",
            {NetworkBlock: network_sensitivity, LinearBlock: linear_sensitivity},
            pooled_sensitivity,
            elements=True,
            equal_shares=True,
        ),
        Method(
            "gradient_input",
            {NetworkBlock: network_gradient_input, LinearBlock: linear_gradient_input},
            pooled_gradient_input,
            elements=True,
            equal_shares=True,
        ),
        Method(
            "occlusion",
            {
                NetworkBlock: network_occlusion,
                LinearBlock: linear_occlusion,
                OutsideBlock: outside_occlusion,
            },
        ),
        Method(
            "random",
            dict.fromkeys((NetworkBlock, LinearBlock, OutsideBlock), random_relevance),
            parameters={"seed": 0},
        ),
    )
}


def find_method(name: object) -> Method:
    """Return the method of that name; raise with the choices if there is none."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"there is no method {name!r}; choose from {', '.join(METHODS)}")
    return METHODS[name]


def checked_parameters(
    method: Method, kind: type[Block], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the method's parameters for a kind of model; raise if a given one is unfit."""
    if kind not in method.of_block:
        able = [name for name, other in METHODS.items() if kind in other.of_block]
        raise InputError(
            f"method {method.name!r} needs a model of whyword's own (or "
            f"SVMClassifier.from_pipeline); for any other say method={able[0]!r}"
        )
    names = [
        name for name in method.parameters if kind is NetworkBlock or name not in method.of_networks
    ]
    for name in given:
        if name not in names:
            whose = "" if name not in method.parameters else " for models without hidden layers"
            known = ", ".join(names) or "none"
            raise InputError(
                f"method {method.name!r} has no parameter {name!r}{whose}; it has: {known}"
            )
    parameters = {name: given.get(name, method.parameters[name]) for name in names}
    if "epsilon" in parameters:
        parameters["epsilon"] = real_number("epsilon", parameters["epsilon"], above=0)
    if "bias" in parameters and str(parameters["bias"]) not in _BIAS:
        choices = " or ".join(map(repr, _BIAS))
        raise InputError(f"bias may be {choices}, not {parameters['bias']!r}")
    if "seed" in parameters:
        parameters["seed"] = whole_number("seed", parameters["seed"], least=0)
    return parameters
