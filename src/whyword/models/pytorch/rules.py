"""The rules: what remains of each of torch's functions once it is frozen at the given input.

A rule computes what the function computes, and leaves in the graph what is linear in the words;
the constant that is in the result is booked. Those of activations and gates, of normalisations, of
attention and of recurrent layers stand beside this, each kind in its module.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.models.pytorch.functions import (
    Function,
    functions,
    map_tensors,
    name_of,
    tensors_in,
    two_arguments,
)
from whyword.models.pytorch.movements import common_rule, move, set_items
from whyword.models.pytorch.propagation import Propagation, Rule
from whyword.models.pytorch.tags import Role

RULES: dict[Function, Rule] = {}


def find_rule(func: Function) -> Rule | None:
    """Return the rule of a function: its own, or one for what it is."""
    return RULES.get(func) or common_rule(func)


def rule_for(names: str) -> Callable[[Rule], Rule]:
    """Return the decorator that makes a rule that of all functions of some names."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(functions(names), rule))
        return rule

    return register


# ---- what is put in: y = x + c, [x; c], x where m else c ----------------------------------------


@rule_for(
    "cat concat concatenate stack hstack vstack dstack column_stack where masked_fill index_put "
    "index_add index_copy index_fill scatter scatter_add masked_scatter slice_scatter "
    "select_scatter diagonal_scatter constant_pad_nd"
)
def put_in(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Signals and constants, each at its place: what zeros instead of signals give is booked."""
    # whether whole numbers are put in or say where, is known of these only
    taken = run.addend if name_of(func) in _JOINING else run.signal
    args, kwargs = map_tensors(args, taken), map_tensors(kwargs, taken)
    if name_of(func) == "where":
        args = (*args[:1], *map_tensors(args[1:], run.addend))
    out = func(*args, **kwargs)
    several = isinstance(out, tuple)
    first = out[0] if several else out
    with torch.no_grad():
        zeroed = func(*map_tensors(args, run.zeroed), **map_tensors(kwargs, run.zeroed))
    tensors = [one for one in tensors_in((args, kwargs)) if run.role(one) is Role.SIGNAL]
    same = next((one for one in tensors if one.shape == first.shape), None)
    rows = None if same is None else run.tag(same).rows
    if same is None:  # documents are not added up: the last one is as good
        moving = _ADDING.get(name_of(func), func)
        rows = next(iter(run.rows_moved(moving, args, kwargs)))
    name = next((tag.name for tag in map(run.tag, tensors_in((args, kwargs))) if tag.name), None)
    booked = run.book(run.result(first, rows), zeroed[0] if several else zeroed, name)
    return (booked, *(run.constant(one) for one in out[1:])) if several else booked


_JOINING = "cat concat concatenate stack hstack vstack dstack column_stack".split()
_ADDING: dict[str, Function] = {"index_add": Tensor.index_copy, "scatter_add": Tensor.scatter}
RULES[set_items] = put_in


@rule_for("pad")
def pad(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Zeros or another number around a signal, or the signal's own numbers again."""
    return put_in(run, func, args, kwargs)


@rule_for("add sub subtract radd rsub")
def add(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x + α·z: two signals, or a signal and a constant, which is booked."""
    left, right = (run.addend(one) for one in two_arguments(args, kwargs, "input", "other"))
    alpha = kwargs.get("alpha", 1)
    scaled = right if alpha == 1 else run.apply(torch.mul, (right, alpha), {})
    sign = -1 if "sub" in name_of(func) else 1
    if name_of(func) in ("__rsub__", "rsub"):
        left, scaled = scaled, left
    constants = [run.role(one) is Role.CONSTANT for one in (left, scaled)]
    source = scaled if constants[0] else left
    if run.role(source) is Role.CONSTANT:  # a pending one that turned out to be one
        return run.constant(left + sign * scaled)
    tokens = run.tag(source).tokens
    if not any(constants):
        out = left + scaled if sign == 1 else left - scaled
        wide = left if left.shape == out.shape else scaled
        rows = run.tag(wide).rows if wide.shape == out.shape else run.rows_like(left, out)
        both = tokens is not None and run.tag(scaled).tokens is tokens
        return run.result(out, rows, tokens if both else None)
    constant = left if constants[0] else scaled
    factor = 1 if constants[0] else sign
    if isinstance(constant, Tensor) and tokens is not None and _at_places(constant, source):
        place = run.place(constant, source)
        out = (
            source + factor * place
            if factor == -1
            else (source if constants[1] else sign * source) + place
        )
        return run.result(out, run.tag(source).rows, tokens)
    out = left + scaled if sign == 1 else left - scaled
    same = out.shape == source.shape
    made = run.result(out, run.rows_like(source, out), tokens if same else None)
    name = run.tag(constant).name if isinstance(constant, Tensor) else None
    return run.book(made, factor * constant, name)


def _at_places(constant: Tensor, signal: Tensor) -> bool:
    """Whether a constant has another vector for each place of the words."""
    shape = (1,) * (signal.dim() - constant.dim()) + tuple(constant.shape)
    return constant.dim() > 1 and signal.dim() == 3 and shape[1:] == tuple(signal.shape[1:])


# ---- what changes nothing -----------------------------------------------------------------------


@rule_for(
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout "
    "native_dropout"
)
def drop(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Return the same numbers: nothing is dropped after the training."""
    named = dict(zip(("input", "p", "training"), args, strict=False)) | kwargs
    if named.get("training") and named.get("p"):
        raise run.refuse("drops out at random; call module.eval()")
    return named["input"]


@rule_for("detach data new_tensor")
def detach(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """[x]: a factor."""
    source = args[1] if name_of(func) == "new_tensor" else args[0]
    return run.frozen(run.value(source))


RULES[Tensor.data.__get__] = detach  # type: ignore[attr-defined]


@rule_for("nan_to_num")
def repair(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Return numbers as they are; those that are none become constants."""
    wrong = run.frozen(~run.value(args[0]).isfinite())
    with torch.no_grad():
        instead = run.constant(func(*run.value(args), **kwargs))
    if not bool(wrong.any()):
        return move(run, Tensor.clone, (args[0],), {})
    return run.apply(torch.where, (wrong, instead, args[0]), {})


def rule(function: Function) -> Callable[[Function], Function]:
    """Add the rule of an operation of your own: a decorator.

    Parameters
    ----------
    function : callable or type
        The operation: something that torch lets modes see (``torch.ops.mine.operation``), or a
        class of modules.

    Returns
    -------
    decorator
        Of a function with the same arguments (of a module: the module, then its arguments) that
        returns what the operation does, written in operations that have rules. What is to be a
        mere coefficient is :func:`freeze`-d.

    Examples
    --------
    ::

        @ww.pytorch.rule(Gate)                      # class Gate(nn.Module)
        def _(gate, x):
            return x * ww.pytorch.freeze(gate(x) / x)
    """
    from whyword.models.pytorch.module_rules import MODULES

    if not callable(function) or (
        isinstance(function, type) and not issubclass(function, nn.Module)
    ):
        raise InputError(
            Argument("function"),
            f" must be an operation of torch's or a class of modules, not {shown(function)}",
        )

    def register(written: Function) -> Function:
        if isinstance(function, type):
            MODULES[function] = written
        else:

            def apply(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
                with run:
                    return written(*args, **kwargs)

            RULES.update(dict.fromkeys(_known_as(function), apply))
        return written

    return register


def _known_as(function: Function) -> set[Function]:
    """Return what torch may call an operation of somebody's: by name, and each of its forms."""
    operation = getattr(function, "_opoverload", function)  # of a torch.library.custom_op
    packet = getattr(operation, "overloadpacket", operation)
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        return {function}
    names: list[str] = packet.overloads()  # type: ignore[no-untyped-call]
    return {packet, *(getattr(packet, name) for name in names)}


def freeze(value: Tensor) -> Tensor:
    """Return a tensor as a mere coefficient: for rules of your own."""
    if not isinstance(value, Tensor):
        raise InputError(Argument("value"), f" must be a tensor, not {shown(value)}")
    return value.detach()
