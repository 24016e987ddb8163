"""What a configuration describes, built without memory, and compared with the weights there are."""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whyword.base.checks import file_name
from whyword.base.errors import InputError
from whyword.base.printable import shown
from whyword.models.pytorch.configuration import CONFIGURATION
from whyword.models.pytorch.weights import Weights

_BUFFERS = 1 << 26  # numbers that a module may keep beside its weights: tables of positions, masks
_CALLS = 100  # of torch's, for each tensor that is built; some 10 are usual
_FORMER = {"gamma": "weight", "beta": "bias"}  # of layer norms, once


class _Bounded(TorchFunctionMode):
    """Raises when more is asked of torch than building a module of so many tensors takes."""

    def __init__(self, tensors: int) -> None:
        super().__init__()
        self.left = _CALLS * (tensors + _CALLS)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any | None = None
    ) -> Any:
        self.left -= 1
        if self.left < 0:
            raise InputError(f"{CONFIGURATION} describes far more parts than there are weights")
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True, eq=False)
class Outline:
    """A classifier of transformers' without its numbers.

    Attributes
    ----------
    kind : type
        Its class.
    module : nn.Module
        On torch's device ``meta``.
    new : frozenset of str
        The names of weights that no file is to fill: those of a new head.
    optional : frozenset of str
        Those that are new as well if no file has them: what pools for a new head.
    """

    kind: Any
    module: Any
    new: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: Any, tensors: int, new_head: bool = False) -> "Outline":
        """Return what a configuration describes; raise if it is far more than so many tensors."""
        kind = _kind_of(config)

        class Empty(kind):  # type: ignore[misc, valid-type]
            def init_weights(self) -> None:
                """Leave them: some kinds compute theirs number by number."""

        with _Bounded(tensors), torch.device("meta"):
            module = Empty(copy.deepcopy(config))
            module.tie_weights()
        if not new_head:
            return cls(kind, module)
        names, inside = list(module.state_dict()), f"{module.base_model_prefix}."
        new = frozenset(name for name in names if not name.startswith(inside))
        pooling = frozenset(name for name in names if name.startswith(f"{inside}pooler."))
        return cls(kind, module, new, pooling)

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each weight that is kept."""
        return {name: tuple(one.shape) for name, one in self.module.state_dict().items()}

    def name_of(self, name: str) -> str | None:
        """Return what the module calls a weight of a file; None if it has no such."""
        inside = f"{self.module.base_model_prefix}."
        stem, dot, last = name.rpartition(".")
        own = stem + dot + _FORMER.get(last, last)
        tried = (name, inside + name, name.removeprefix(inside), own, inside + own)
        return next((one for one in tried if one in self.shapes), None)

    def check(self, folder: Path, weights: Weights) -> None:
        """Raise unless the weights are of the sizes that the configuration says, and as many."""
        path = file_name(folder / CONFIGURATION)
        for name, shape in weights.shapes.items():
            own = self.name_of(name)
            if own is not None and own not in self.new and self.shapes[own] != shape:
                raise InputError(
                    f"{path} says that {shown(own)} is {self.shapes[own]}, in the weights it is "
                    f"{shape}"
                )
        self.check_size(folder, weights.shapes)

    def check_size(self, folder: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Raise if more numbers are described than there are, but for those of a new head."""
        there = sum(map(math.prod, shapes.values()))
        path = file_name(folder / CONFIGURATION)
        parameters = self.module.named_parameters()  # those that are shared once
        spared = self.new | self.optional
        needed = sum(math.prod(one.shape) for name, one in parameters if name not in spared)
        if needed > there:
            found = {self.name_of(name) for name in shapes} | spared
            lacking = next((name for name in self.shapes if name not in found), "some")
            raise InputError(
                f"{path} describes {needed:,} weights, there are {there:,}; {shown(lacking)} is "
                "not among them"
            )
        beside = sum(math.prod(one.shape) for one in self.module.buffers())
        if beside > there + _BUFFERS:
            raise InputError(
                f"{path} describes tables of {beside:,} numbers beside {there:,} weights"
            )


def _kind_of(config: Any) -> Any:
    """Return the class of classifiers that a configuration is of."""
    from transformers import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING

    if type(config) not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING:
        raise InputError(f"transformers has no classifier of texts of kind {config.model_type!r}")
    return MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING[type(config)]
