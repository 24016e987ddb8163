"""Rules of whole modules, by their class: what is one step though it is written in several.

Activations that Hugging Face writes out (a GELU of tanh, powers and products) are activations; a
user may add a rule for a class of modules. While a frozen pass runs, such modules have hooks, which
answer to that pass only and are taken off after it.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from whyword.models.pytorch.activations import activate_any
from whyword.models.pytorch.functions import map_tensors, tensors_in
from whyword.models.pytorch.propagation import Propagation

MODULES: dict[type, Callable[..., Any]] = {}
_ACTIVATIONS = "transformers.activations"


def rule_of(module: nn.Module) -> Callable[..., Any] | None:
    """Return the rule of a module, if its class has one."""
    for kind in type(module).__mro__:
        if kind in MODULES:
            return MODULES[kind]
    written = type(module).__module__ == _ACTIVATIONS
    return _activation if written and not any(module.parameters()) else None


def _activation(module: nn.Module, x: Tensor) -> Any:
    raise AssertionError  # never called: its hook knows the pass


@contextmanager
def module_rules(run: Propagation) -> Iterator[None]:
    """Let modules that have a rule go by it within a pass."""
    handles = []
    for part in run.module.modules():
        written = rule_of(part)
        if written is not None:
            hook = _Hook(run, written)
            handles.append(part.register_forward_pre_hook(hook.before, with_kwargs=True))
            handles.append(part.register_forward_hook(hook.after, with_kwargs=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class _Hook:
    """What is done instead of a module's own forward pass."""

    def __init__(self, run: Propagation, written: Callable[..., Any]) -> None:
        self._run, self._written = run, written
        self._thread, self._inside = threading.get_ident(), False
        self._given: tuple[Any, Any] = ((), {})

    def before(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Let the module's own code see numbers only, and not be followed."""
        if threading.get_ident() != self._thread:
            return None
        if not self._inside:
            self._given = (args, kwargs)
        self._run.paused += 1
        return map_tensors((args, kwargs), lambda tensor: tensor.detach())

    def after(self, module: nn.Module, args: Any, kwargs: Any, out: Any) -> Any:
        """Return what the rule says; within it, the module itself gives coefficients."""
        if threading.get_ident() != self._thread:
            return None
        run = self._run
        run.paused -= 1
        if self._inside:
            with torch._C.DisableTorchFunction():
                return run.frozen(run.value(out))
        args, kwargs = self._given
        self._inside = True
        try:
            if self._written is _activation:
                (x,) = tensors_in((args, kwargs))
                with torch._C.DisableTorchFunction():
                    return activate_any(run, module.forward, x, out)
            return self._written(module, *args, **kwargs)
        finally:
            self._inside = False
