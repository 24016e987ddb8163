"""Rules of products: coefficients and weights times a signal, or two signals, which share.

One signal takes all of a product; of two, each takes half.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from whyword.models.pytorch.functions import Function, name_of, two_arguments
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rows import Rows
from whyword.models.pytorch.rules import rule_for
from whyword.models.pytorch.tags import Role


@rule_for("mul multiply rmul")
def multiply(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = c·x: a coefficient, or a frozen gate, times a signal; of two signals, half each."""
    left, right = two_arguments(args, kwargs, "input", "other")
    return product(run, torch.mul, left, right)


RowsOf = Callable[[Tensor, Tensor, bool], Rows | None]  # a signal, a product, is it on the left


def product(
    run: Propagation, times: Function, left: Any, right: Any, rows_of: RowsOf | None = None
) -> Tensor:
    """Return a product, linear in each of its factors: x·y, x @ y.

    One signal takes all. Two are frozen once each and take half,

        ½·x·[y] + ½·[x]·y,

    which is made when it is needed: scores of attention never are.
    """
    if rows_of is None:
        rows_of = partial(run.rows_of_product, times)
    if run.is_factor(left) or run.is_factor(right):
        if run.is_factor(left) and run.is_factor(right):
            raise AssertionError("a product of factors is none of a signal")
        left_signal = run.is_factor(right)
        signal = run.signal(left if left_signal else right)
        other = run.value(right if left_signal else left)
        out = times(signal, other) if left_signal else times(other, signal)
        rows = rows_of(signal, out, left_signal)
        tag = run.tag(signal)
        return run.result(out, rows, tag.tokens if out.shape == signal.shape else None)
    with torch.no_grad():
        out = times(run.value(left), run.value(right))
    left, right = run.as_it_is(left), run.as_it_is(right)
    versions = left._version, right._version

    def half_each() -> Tensor:
        one, two = run.signal(left), run.signal(right)
        if (left._version, right._version) != versions:
            raise run.refuse("changes in place what it has multiplied")
        made = 0.5 * (times(one, two.detach()) + times(one.detach(), two))
        return run.result(made, rows_of(one, made, True) or rows_of(two, made, False))

    return run.pending(out, half_each, is_gate=False)


@rule_for("div divide true_divide rdiv rtruediv")
def divide(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x/[d]: what divides is a coefficient, whatever it is made of."""
    above, below = two_arguments(args, kwargs, "input", "other")
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
def negate(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = −x."""
    return run.result(func(*args, **kwargs), run.tag(args[0]).rows)


@rule_for("linear")
def linear(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = W·x + b: the bias is booked."""
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
def convolve(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
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
def matrix_product(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = A·x, a matrix of weights or of attention; of two signals, half each."""
    left, right = two_arguments(args, kwargs, "input", "mat2" if "mat2" in kwargs else "other")
    if name_of(func) == "__rmatmul__":
        left, right = right, left
    return product(run, torch.inner if name_of(func) == "inner" else torch.matmul, left, right)


@rule_for("addmm baddbmm addbmm addmv")
def add_product(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
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
def einsum(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
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

    numbers = [n for n, one in enumerate(operands) if not run.is_factor(one)]

    def rows_of(signal: Tensor, out: Tensor, is_left: bool) -> Rows | None:
        return _einsum_rows(run, equation, numbers[0 if is_left else 1], signal, out)

    if len(signals) == 2:
        return product(run, times, signals[0], signals[1], rows_of)
    signal = run.signal(signals[0])
    out = times(signal)
    return run.result(out, rows_of(signal, out, True))


def _einsum_rows(
    run: Propagation, equation: str, number: int, signal: Tensor, out: Tensor
) -> Rows | None:
    rows = run.tag(signal).rows
    if rows is not None and rows.is_one:
        return rows
    found = None if rows is None else rows.axis(signal.shape)
    if rows is None or found is None or ("." in equation and "->" not in equation):
        return None
    inputs, arrow, result = equation.replace(" ", "").partition("->")
    if not arrow:  # by the alphabet, those that are there once
        result = "".join(sorted(one for one in inputs if inputs.count(one) == 1 and one != ","))
    letters = _spelled_out(inputs.split(",")[number], signal.dim())
    result = _spelled_out(result, out.dim())
    letter = letters[found[0]]
    return rows.along(out.shape, result.index(letter), found[1]) if letter in result else None


def _spelled_out(letters: str, axes: int) -> str:
    """Return an operand's letters, one for each axis: its dots stand for the last of these."""
    dots = axes - len(letters) + 3
    return letters.replace("...", "ΑΒΓΔΕΖΗΘ"[8 - dots :]) if "." in letters else letters


@rule_for("tensordot")
def contract(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = Σ A·x over some axes of both; of two signals, half each."""
    left, right, dims = (*args, *kwargs.values())[:3]
    if isinstance(dims, int):
        dims = (range(left.dim() - dims, left.dim()), range(dims))
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    ours, theirs = ([next(letters) for _ in range(one.dim())] for one in (left, right))
    for one, other in zip(*dims, strict=True):
        theirs[other] = ours[one]
    kept = [one for one in (*ours, *theirs) if not (one in ours and one in theirs)]
    equation = f"{''.join(ours)},{''.join(theirs)}->{''.join(kept)}"
    return run.apply(torch.einsum, (equation, left, right), {})


@rule_for("lerp")
def blend(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x + w·(z − x)."""
    named = dict(zip(("input", "end", "weight"), args, strict=False)) | kwargs
    with run:
        return named["input"] + named["weight"] * (named["end"] - named["input"])


@rule_for("addcmul addcdiv")
def add_pointwise(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x + c·y·z, or x + c·y/z."""
    named = dict(zip(("input", "tensor1", "tensor2"), args, strict=False)) | kwargs
    first, second, value = named["tensor1"], named["tensor2"], named.get("value", 1)
    with run:
        return named["input"] + value * (
            first / second if name_of(func) == "addcdiv" else first * second
        )


@rule_for("cosine_similarity")
def cosine(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = Σ x·z/[‖x‖·‖z‖]: of two signals, half each."""
    named = dict(zip(("x1", "x2", "dim", "eps"), args, strict=False)) | kwargs
    one, two, dim = named["x1"], named["x2"], named.get("dim", 1)
    with run:
        lengths = [
            each.norm(dim=dim, keepdim=True).clamp(min=named.get("eps", 1e-8))
            for each in (one, two)
        ]
        return (one * two / (lengths[0] * lengths[1])).sum(dim)


@rule_for("bilinear")
def bilinear(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y[k] = xᵀ·W[k]·z + b[k]: of two signals, half each."""
    named = dict(zip(("input1", "input2", "weight", "bias"), args, strict=False)) | kwargs
    made = run.apply(
        torch.einsum, ("...i,kij,...j->...k", named["input1"], named["weight"], named["input2"]), {}
    )
    bias = named.get("bias")
    return made if bias is None else run.apply(torch.add, (made, bias), {})
