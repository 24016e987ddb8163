"""Rules of what every function has in common: movements, comparisons, writing in place.

They are taken where a function has no rule of its own.
"""

from contextlib import nullcontext
from dataclasses import replace
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from whyword.models.pytorch.functions import (
    COMPARISONS,
    RESHAPES,
    ROUNDINGS,
    Function,
    is_in_place,
    is_movement,
    map_tensors,
    name_of,
    tensors_in,
)
from whyword.models.pytorch.propagation import Propagation, Rule
from whyword.models.pytorch.tags import Role, Tag

_COMPOSITES = ("torch.nn.functional", "torch.functional", "torch._tensor")


def common_rule(func: Function) -> Rule | None:
    """Return the rule that a function has for what it is: a movement, a comparison; or none."""
    if func in COMPARISONS or func in ROUNDINGS:
        return freeze_rule
    if is_movement(func):
        return move
    if is_in_place(func):
        return write_in_place
    if isinstance(func, FunctionType) and func.__module__ in _COMPOSITES:
        return compose
    return None


def freeze_rule(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Return numbers that may be factors only: comparisons, places of maxima."""
    with torch.no_grad():
        return run.frozen(func(*run.value(args), **run.value(kwargs)))


freeze_rule.freezes = True  # type: ignore[attr-defined]


def move(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Return the same numbers at other places."""
    args, kwargs = map_tensors(args, run.signal), map_tensors(kwargs, run.signal)
    source = next(one for one in tensors_in((args, kwargs)) if run.role(one) is Role.SIGNAL)
    out = func(*args, **kwargs)
    if isinstance(out, Tensor) and not out.is_floating_point():
        return run.frozen(out)  # a cast to whole numbers
    if func in RESHAPES and isinstance(out, Tensor):
        same = out.shape == source.shape
        tag = run.tag(source)
        made = run.result(out, tag.rows, tag.tokens if same else None)
        run.tag(made).source = run.source_of(func, args, kwargs)
        return made
    rows = run.rows_moved(func, args, kwargs)
    if isinstance(out, Tensor):
        return run.result(out, next(iter(rows)))
    several = [
        run.result(one, own) if one.is_floating_point() else run.constant(one)
        for one, own in zip(out, rows, strict=False)
    ]
    return type(out)(several)


def write_in_place(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Do what a function does that changes its first argument: compute it beside, then write it."""
    target = args[0]
    if run.role(target) is Role.PENDING:  # what it was before is still asked for
        before = replace(run.tag(target), version=0)
        args = (run.mark(target.detach().clone(), before), *args[1:])
    made = _beside(run, func, args, kwargs)
    base = target._base
    within = base is not None and run.knows(base)
    if within and run.role(base) is Role.SIGNAL and run.role(made) is Role.CONSTANT:
        with run:  # put in beside the rest of it
            made = target * 0 + made
    tag = run.tag(made)
    if tag.role is not Role.CONSTANT and run.role(target) is Role.CONSTANT:
        if any(one is not None and id(one) in run.names for one in (target, target._base)):
            raise run.refuse(f"writes words into a tensor that it keeps ({name_of(func)})")
        run.written[target.untyped_storage().data_ptr()] = target
    with nullcontext() if tag.role is Role.SIGNAL else torch.no_grad():
        target.copy_(made)
    run.mark(target, replace(tag, version=target._version))
    if base is not None and within and tag.role is not Role.CONSTANT:
        before = run.tag(base)
        if before.role is not Role.SIGNAL:
            if before.role is not Role.CONSTANT or tag.role is not Role.SIGNAL:
                run.mark(base, Tag(Role.FROZEN))
            else:
                raise run.refuse(f"writes into a part of a tensor ({name_of(func)})")
    return None if name_of(func) == "__setitem__" else target


def _beside(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Return what a function would write in place, as a tensor of its own."""
    name, target = name_of(func), args[0]
    if name == "copy_":
        func, args = Tensor.expand_as, (args[1], target)
    elif name in ("zero_", "fill_"):
        func, args = torch.full_like, (target, 0 if name == "zero_" else args[1])
    elif name == "__setitem__":
        func = set_items
    else:
        func = getattr(Tensor, name[:-1], None) or getattr(torch, name[:-1])
    made: Tensor = run.apply(func, args, kwargs)
    return made


def set_items(tensor: Tensor, where: Any, values: Any) -> Tensor:
    """Return a tensor with some numbers replaced."""
    out = tensor.clone()
    out[where] = values
    return out


_opened: dict[Function, Function] = {}


def compose(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Do what a function of torch does that is written in Python: each step has its own rule.

    Such a function first asks whether somebody overrides it, and so would come back here for ever;
    the copy that runs does not ask.
    """
    inner = _opened.get(func)
    if inner is None:
        assert isinstance(func, FunctionType)  # noqa: S101 - as its caller has seen
        never = dict.fromkeys(
            ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"),
            lambda *_: False,
        )
        inner = FunctionType(
            func.__code__,
            func.__globals__ | never,
            func.__name__,
            func.__defaults__,
            func.__closure__,
        )
        inner.__kwdefaults__ = func.__kwdefaults__
        _opened[func] = inner
    with run:
        return inner(*args, **kwargs)
