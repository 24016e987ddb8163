"""The weights of a module as a whole: what tells them from others, and in another order."""

import copy
import hashlib
import json
from typing import Any

import torch
from torch import nn

_INCIDENTAL = ("_name_or_path", "transformers_version", "dtype")  # where it was, what wrote it


def module_digest(module: nn.Module) -> str:
    """Return the sha256 of a module: its weights, its parts, and, of transformers', its settings.

    Not all of these show in weights or parts: how many heads attend, for one.
    """
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        if hasattr(tensor, "numpy"):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
            digest.update(tensor.detach().contiguous().numpy().tobytes())
    config: Any = getattr(module, "config", None)
    said = config.to_dict() if hasattr(config, "to_dict") else {}
    plain = {str(name): value for name, value in said.items() if name not in _INCIDENTAL}
    settings = json.dumps(plain, sort_keys=True, default=str)
    facts = [type(module).__qualname__, repr(module), settings]
    digest.update(repr(facts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def weights_state(module: nn.Module) -> tuple[tuple[int, int], ...]:
    """Return what changes when a parameter does."""
    return tuple(
        (one.data_ptr(), one._version)
        for one in module.state_dict(keep_vars=True).values()
        if hasattr(one, "data_ptr")
    )


def weights_bytes(module: nn.Module) -> int:
    """Return the bytes of a module's parameters and buffers, each once."""
    return sum(one.nbytes for one in (*module.parameters(), *module.buffers()))


def shuffled_module(module: nn.Module, layers: str, seed: int) -> nn.Module:
    """Return a copy whose weights are in random order: "all" of them, or the last layer's."""
    other = copy.deepcopy(module)
    order = torch.Generator().manual_seed(seed)
    weights = [one for one in other.parameters() if one.dim() > 1]
    with torch.no_grad():
        for one in weights if layers == "all" else weights[-1:]:
            flat = one.reshape(-1)[torch.randperm(one.numel(), generator=order)]
            one.copy_(flat.reshape(one.shape))
    return other
