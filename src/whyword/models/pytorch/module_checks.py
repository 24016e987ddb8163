"""What a module must be like to be explained: each fault in one line."""

import inspect
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from whyword.base.checks import join_names
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown

_TRAINING = "is in training mode (dropout is random there); call module.eval()"
_FLOATS = (torch.float32, torch.float64)


def check_module(module: object) -> nn.Module:
    """Return a module that can be explained; raise if it cannot, and say what to do."""
    if not isinstance(module, nn.Module):
        raise InputError(Argument("module"), f" must be a torch.nn.Module, not {shown(module)}")
    for fault in _faults(module):
        raise InputError(f"this {type(module).__name__} {fault}")
    return module


def check_evaluating(module: nn.Module) -> None:
    """Raise if a module is in training mode again."""
    if _is_training(module):
        raise InputError(f"this {type(module).__name__} {_TRAINING}")


def _is_training(module: nn.Module) -> bool:
    return any(part.training for part in module.modules())


def _faults(module: nn.Module) -> Iterator[str]:
    for part in module.modules():
        kind = type(part)
        if isinstance(part, torch.jit.ScriptModule):
            yield "is scripted (torch.jit), and cannot be followed; pass the module itself"
        if kind.__name__ == "OptimizedModule" or getattr(part, "_compiled_call_impl", None):
            yield "is compiled (torch.compile), and cannot be followed; pass the module itself"
        if ".quantized" in kind.__module__ or "bitsandbytes" in kind.__module__:
            yield f"is quantised ({kind.__name__}); pass the module with its float weights"
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if tensor.is_quantized:
            yield f"is quantised ({name}); pass the module with its float weights"
        if tensor.is_floating_point() and tensor.dtype not in _FLOATS:
            half = str(tensor.dtype).removeprefix("torch.")
            yield f"computes in {half} ({name}), too coarse to add up; call module.float()"
        if tensor.device.type != "cpu":
            yield f"is on the device {tensor.device} ({name}); call module.cpu()"
    if _is_training(module):
        yield _TRAINING


def takes_mask(module: nn.Module) -> bool:
    """Return whether a module has a parameter ``attention_mask``; raise if it needs others."""
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [
        one.name
        for one in parameters[1:]
        if one.default is one.empty
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        and one.name != "attention_mask"
    ]
    if needed or not parameters:
        raise InputError(
            f"{type(module).__name__}.forward needs {', '.join(needed) or 'no input'}; it "
            "is called with ids (and attention_mask, if it has that): wrap it in a module that is"
        )
    return any(one.name == "attention_mask" for one in parameters)


def word_tables(module: nn.Module, embeddings: object) -> tuple[Tensor, ...]:
    """Return the weights of the words' vectors that somebody named."""
    if embeddings is None:
        own = getattr(module, "get_input_embeddings", None)
        found = None
        if callable(own):
            try:
                found = own()
            except (NotImplementedError, AttributeError):
                return ()
        weight = getattr(found, "weight", None)
        return (weight,) if isinstance(weight, Tensor) else ()
    part = embeddings
    if isinstance(embeddings, str):
        parts = dict(module.named_modules())
        if embeddings not in parts:
            names = [name for name, one in parts.items() if isinstance(one, nn.Embedding)]
            raise InputError(
                Argument("embeddings"),
                f": there is no {shown(embeddings)} in the module; it has "
                f"{join_names(names) or 'no nn.Embedding'}",
            )
        part = parts[embeddings]
    weight = getattr(part, "weight", None)
    if not isinstance(weight, Tensor):
        raise InputError(
            Argument("embeddings"),
            f" must name an nn.Embedding of the module, not {shown(embeddings)}",
        )
    return (weight,)


def name_of_part(module: nn.Module, embeddings: object) -> object:
    """Return the name of a part that was passed itself."""
    names = [name for name, one in module.named_modules() if one is embeddings]
    return names[0] if names else embeddings
