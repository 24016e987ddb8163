"""What a module must be like to be explained: each fault in one line."""

import inspect
import logging
import re
from collections.abc import Iterable, Iterator
from itertools import cycle, islice

import torch
from torch import nn

from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.words.tokenizer import Tokenizer

_TRAINING = "is in training mode (dropout is random there); call module.eval()"
_FLOATS = (torch.float32, torch.float64)
_LOOKED_AT = 2_000  # words of a dictionary
_SAMPLE = "The film was not good at all, but I liked the music: 10 of 10!"
_SPECIAL = re.compile(r"[<\[].*[>\]]", re.DOTALL)

log = logging.getLogger(__name__)


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


def warn_of_words(vocabulary: Iterable[str], tokenizer: Tokenizer) -> None:
    """Say if a dictionary has words that our tokeniser never makes."""
    some = [word for word in islice(vocabulary, _LOOKED_AT) if not _SPECIAL.fullmatch(word)]
    texts = tokenizer.documents(some)
    lost = [word for word, one in zip(some, texts, strict=True) if one.cut() != [word]]
    if len(lost) > len(some) // 20:
        log.warning(
            "%d of %d words of the dictionary, such as %r, are never cut so by our tokeniser: if "
            "the module was trained on other words, pass a function as encode",
            len(lost),
            len(some),
            lost[0],
        )


def sample_texts(vocabulary: Iterable[str] | None, least: int) -> list[str]:
    """Return beginnings of a text, the longest with more tokens than there must be.

    Parameters
    ----------
    vocabulary : iterable of str, or None
        The words to make it of; None for English.
    least : int
        How many tokens a text has at least.
    """
    words = _SAMPLE.split() if vocabulary is None else list(islice(vocabulary, 12))
    words = list(islice(cycle(words), max(len(words), least + 6)))
    counts = sorted({*range(1, 13), *range(least, least + 7), len(words)})
    return [" ".join(words[:count]) for count in counts]
