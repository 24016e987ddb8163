"""The rules: what remains of each of torch's functions once it is frozen at the given input.

A rule computes what the function computes, and leaves in the graph what is linear in the words;
the constant that is in the result is booked. Those of activations and gates, of normalisations, of
attention and of recurrent layers stand beside this, each kind in its module.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from whyword.models.pytorch.functions import (
    Function,
    functions,
    map_tensors,
    name_of,
    tensors_in,
)
from whyword.models.pytorch.propagation import Propagation, Role, Rule, move, set_items

RULES: dict[Function, Rule] = {}


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
def put_in(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Signals and constants, each at its place: what it gives of zeros instead of signals is booked."""
    args, kwargs = map_tensors(args, run.signal), map_tensors(kwargs, run.signal)
    out = func(*args, **kwargs)
    several = isinstance(out, tuple)
    first = out[0] if several else out
    with torch.no_grad():
        zeroed = func(*map_tensors(args, run.zeroed), **map_tensors(kwargs, run.zeroed))
    tensors = [one for one in tensors_in((args, kwargs)) if run.role(one) is Role.SIGNAL]
    same = next((one for one in tensors if one.shape == first.shape), None)
    rows = run.tag(same).rows if same is not None else run.rows_moved(func, args, kwargs)[0]
    name = next((tag.name for tag in map(run.tag, tensors_in((args, kwargs))) if tag.name), None)
    booked = run.book(run.result(first, rows), zeroed[0] if several else zeroed, name)
    return (booked, *(run.constant(one) for one in out[1:])) if several else booked


RULES[set_items] = put_in


@rule_for("pad")
def pad(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Zeros or another number around a signal, or the signal's own numbers again."""
    return put_in(run, func, args, kwargs)


@rule_for("add sub subtract radd rsub")
def add(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = x + α·z: two signals, or a signal and a constant, which is booked."""
    left, right = (run.signal(one) for one in _two(args, kwargs, "input", "other"))
    alpha = kwargs.get("alpha", 1)
    scaled = right if alpha == 1 else right * alpha
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
    return signal.dim() == 3 and shape[2] == signal.shape[2] and max(shape[:2]) > 1


def _two(args: Any, kwargs: Any, first: str, second: str) -> tuple[Any, Any]:  # noqa: ANN401
    named = dict(zip((first, second), args, strict=False)) | kwargs
    return named[first], named[second]


# ---- factors ------------------------------------------------------------------------------------


@rule_for("mul multiply rmul")
def multiply(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = c·x: a coefficient, or a frozen gate, times a signal; of two signals, half each."""
    left, right = _two(args, kwargs, "input", "other")
    return product(run, torch.mul, left, right)


def product(run: Propagation, times: Function, left: Any, right: Any) -> Tensor:  # noqa: ANN401
    """Return a product, linear in each of its factors: x·y, x @ y.

    One signal takes all. Two are frozen once each and take half,

        ½·x·[y] + ½·[x]·y,

    which is made when it is needed: scores of attention never are.
    """
    if run.is_factor(left) or run.is_factor(right):
        if run.is_factor(left) and run.is_factor(right):
            raise AssertionError("a product of factors is none of a signal")
        left_signal = run.is_factor(right)
        signal = run.signal(left if left_signal else right)
        other = run.value(right if left_signal else left)
        out = times(signal, other) if left_signal else times(other, signal)
        rows = run.rows_of_product(times, signal, out, left_signal)
        tag = run.tag(signal)
        return run.result(out, rows, tag.tokens if out.shape == signal.shape else None)
    with torch.no_grad():
        out = times(run.value(left), run.value(right))

    def half_each() -> Tensor:
        one, two = run.signal(left), run.signal(right)
        made = 0.5 * (times(one, two.detach()) + times(one.detach(), two))
        rows = run.rows_of_product(times, one, made, True)
        return run.result(made, rows or run.rows_of_product(times, two, made, False))

    return run.pending(out, half_each, is_gate=False)


@rule_for("div divide true_divide rdiv rtruediv")
def divide(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = x/[d]: what divides is a coefficient, whatever it is made of."""
    above, below = _two(args, kwargs, "input", "other")
    if name_of(func) in ("__rdiv__", "__rtruediv__"):
        above, below = below, above
    if kwargs.get("rounding_mode") is not None:
        raise run.refuse("rounds a quotient of signals")
    if run.role(above) in (Role.CONSTANT, Role.FROZEN):
        with torch.no_grad():
            return run.frozen(torch.div(run.value(above), run.value(below)))
    signal = run.signal(above)
    out = torch.div(signal, run.value(below))
    return run.result(out, run.rows_like(signal, out), run.tag(signal).tokens)


@rule_for("neg negative positive")
def negate(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = −x."""
    return run.result(func(*args, **kwargs), run.tag(args[0]).rows)


# ---- weights: y = W·x + b -----------------------------------------------------------------------


@rule_for("linear")
def linear(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = W·x + b: the bias is booked."""
    named = dict(zip(("input", "weight", "bias"), args, strict=False)) | kwargs
    x, weight, bias = named["input"], named["weight"], named.get("bias")
    if run.role(weight) is not Role.CONSTANT:
        out = product(run, functional.linear, x, weight)
        return out if bias is None else run.apply(torch.add, (out, bias), {})
    x = run.signal(x)
    out = functional.linear(x, weight.detach(), None if bias is None else bias.detach())
    made = run.result(out, run.rows_left(x, out))
    return made if bias is None else run.book(made, bias, run.tag(bias).name)


@rule_for("conv1d conv2d conv3d conv_transpose1d conv_transpose2d")
def convolve(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """Y[f] = Σ W[f]·x + b[f]: the bias is booked."""
    order = ("input", "weight", "bias")
    named = dict(zip(order, args, strict=False)) | kwargs
    bias = named.get("bias")
    if run.role(named["weight"]) is not Role.CONSTANT:
        raise run.refuse("convolves with weights that are made of words")
    x = run.signal(named["input"])
    named |= {"input": x, "weight": run.value(named["weight"]), "bias": run.value(bias)}
    rest = args[len(order) :]
    keys = {name: value for name, value in named.items() if name not in order}
    out = func(named["input"], named["weight"], named["bias"], *rest, **keys)
    made = run.result(out, run.rows_left(x, out))
    if bias is None:
        return made
    spatial = {"conv2d": 2, "conv_transpose2d": 2, "conv3d": 3}.get(name_of(func), 1)
    return run.book(made, bias.detach().reshape(-1, *[1] * spatial), run.tag(bias).name)


@rule_for("matmul mm bmm mv dot rmatmul inner")
def matrix_product(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """Y = A·x, a matrix of weights or of attention; of two signals, half each."""
    left, right = _two(args, kwargs, "input", "mat2" if "mat2" in kwargs else "other")
    if name_of(func) == "__rmatmul__":
        left, right = right, left
    return product(run, torch.inner if name_of(func) == "inner" else torch.matmul, left, right)


@rule_for("addmm baddbmm addbmm addmv")
def add_product(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Y = β·c + α·A·x."""
    first, left, right = args[:3]
    if name_of(func).startswith("addbmm"):
        raise run.refuse("uses addbmm, for which there is no rule")
    scaled = run.apply(torch.matmul, (left, right), {})
    if kwargs.get("alpha", 1) != 1:
        scaled = run.apply(torch.mul, (scaled, kwargs["alpha"]), {})
    beta = kwargs.get("beta", 1)
    if beta == 0:
        return scaled
    if beta != 1:
        first = run.apply(torch.mul, (first, beta), {})
    return run.apply(torch.add, (scaled, first), {})


@rule_for("einsum")
def einsum(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """Y = Σ A·x by letters; of two signals, half each."""
    equation, operands = args[0], list(args[1:])
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = list(operands[0])
    if not isinstance(equation, str):
        raise run.refuse("calls einsum without an equation")
    signals = [one for one in operands if not run.is_factor(one)]
    if len(signals) > 2:
        raise run.refuse("multiplies more than two signals in one einsum")

    def times(*some: Tensor) -> Tensor:
        chosen = iter(some)
        filled = [run.value(one) if run.is_factor(one) else next(chosen) for one in operands]
        return torch.einsum(equation, *filled)

    if len(signals) == 2:
        return product(run, times, *signals)
    signal = run.signal(signals[0])
    out = times(signal)
    number = next(n for n, one in enumerate(operands) if one is signals[0])
    return run.result(out, _einsum_rows(run, equation, number, signal, out))


def _einsum_rows(run: Propagation, equation: str, number: int, signal: Tensor, out: Tensor) -> Any:  # noqa: ANN401 - Rows or None
    rows = run.tag(signal).rows
    found = None if rows is None else rows.axis(signal.shape)
    if rows is None or found is None or "." in equation or "->" not in equation:
        return None
    inputs, result = equation.replace(" ", "").split("->")
    letter = inputs.split(",")[number][found[0]]
    return rows.along(out.shape, result.index(letter), found[1]) if letter in result else None


@rule_for("bilinear")
def bilinear(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Y[k] = xᵀ·W[k]·z + b[k]: of two signals, half each."""
    named = dict(zip(("input1", "input2", "weight", "bias"), args, strict=False)) | kwargs
    made = run.apply(
        torch.einsum, ("...i,kij,...j->...k", named["input1"], named["weight"], named["input2"]), {}
    )
    bias = named.get("bias")
    return made if bias is None else run.apply(torch.add, (made, bias), {})


# ---- sums, means, winners -----------------------------------------------------------------------


@rule_for("sum mean cumsum nansum")
def reduce(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
    """y = Σ x, or their mean."""
    out = func(*args, **kwargs)
    return run.result(out, run.rows_reduced(args[0], out, args, kwargs))


@rule_for("max min amax amin")
def extreme(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """y = x[first winner]: it takes all. (Torch's own gradient shares ties.)"""
    x = args[0]
    name = name_of(func)
    largest = "max" in name
    dims = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", kwargs.get("other")))
    keep = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    if isinstance(dims, Tensor):
        return run.apply(torch.maximum if largest else torch.minimum, (x, dims), {})
    several = dims is None or isinstance(dims, tuple | list)
    axes = range(x.dim()) if dims is None or dims == () else dims if several else [dims]
    axes = sorted({axis % max(1, x.dim()) for axis in axes})
    others = [axis for axis in range(x.dim()) if axis not in axes]
    flat = x.permute(*others, *axes).flatten(len(others)) if x.dim() else x.reshape(1)
    index = flat.detach().argmax(-1) if largest else flat.detach().argmin(-1)
    out = flat.gather(-1, index.unsqueeze(-1)).squeeze(-1)
    if keep:
        for axis in axes:
            out = out.unsqueeze(axis)
            index = index.unsqueeze(axis)
    made = run.result(out, run.rows_reduced(x, out, (x, list(axes), keep), {}))
    if several or name.startswith("a"):
        return made
    kind = torch.return_types.max if largest else torch.return_types.min
    return kind((made, run.frozen(index)))


@rule_for("maximum minimum fmax fmin")
def larger(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """y = x or z: the first of equals."""
    left, right = _two(args, kwargs, "input", "other")
    with torch.no_grad():
        one, two = run.value(left), run.value(right)
        first = one >= two if "max" in name_of(func) else one <= two
    return run.apply(torch.where, (run.frozen(first), left, right), {})


@rule_for("topk sort kthvalue median cummax cummin mode")
def ordered(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """y = x[its places]: the values move, the places are frozen."""
    out = func(*args, **kwargs)
    if isinstance(out, Tensor):
        raise run.refuse(f"takes {name_of(func)} of all numbers at once")
    rows = run.rows_left(args[0], out[0])
    return type(out)((run.result(out[0], rows), run.frozen(out[1])))


@rule_for(
    "max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d "
    "avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d upsample interpolate"
)
def pool(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Winners of windows take all; means of windows share."""
    out = func(*args, **kwargs)
    if isinstance(out, tuple):
        return run.result(out[0], run.rows_left(args[0], out[0])), run.frozen(out[1])
    return run.result(out, run.rows_left(args[0], out))


# ---- what changes nothing -----------------------------------------------------------------------


@rule_for(
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout "
    "native_dropout"
)
def drop(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Return the same numbers: nothing is dropped after the training."""
    named = dict(zip(("input", "p", "training"), args, strict=False)) | kwargs
    if named.get("training") and named.get("p"):
        raise run.refuse("drops out at random; call module.eval()")
    return named["input"]


@rule_for("detach data")
def detach(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """[x]: a factor."""
    return run.frozen(run.value(args[0]))


RULES[Tensor.data.__get__] = detach  # type: ignore[attr-defined]


@rule_for("nan_to_num")
def repair(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:  # noqa: ANN401
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

    def register(written: Function) -> Function:
        if isinstance(function, type):
            MODULES[function] = written
        else:

            def apply(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
                with run:
                    return written(*args, **kwargs)

            RULES[function] = apply
        return written

    return register


def freeze(value: Tensor) -> Tensor:
    """Return a tensor as a mere coefficient: for rules of your own."""
    return value.detach()
