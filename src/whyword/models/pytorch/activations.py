"""Rules of functions of single numbers: activations, and gates.

An activation is its value at 0 plus a frozen coefficient times its input, docs/method.md (38),

    f(x) = f(0) + x·[(f(x) − f(0))/x],      [·] = f′(0) at 0,

and f(0) is a constant. A gate (sigmoid, softmax, exp, a scale made by hand) is a factor wherever it
is multiplied, and an activation elsewhere.
"""

from typing import Any

import torch
from torch import Tensor

from whyword.models.pytorch.functions import Function, name_of, tensors_in
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import rule_for
from whyword.models.pytorch.tags import Role


class Scaling(torch.autograd.Function):
    """A value as it is, whose gradient is the coefficient that it has of its input."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, value: list[Tensor], coefficient: Tensor) -> Tensor:  # noqa: D102
        ctx.save_for_backward(coefficient)
        return value[0]  # in a list, for an argument may not be changed in place later

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:  # noqa: D102
        (coefficient,) = ctx.saved_tensors
        return gradient * coefficient, None, None


def activate(
    run: Propagation,
    func: Function,
    x: Tensor,
    args: Any = (),
    kwargs: Any = None,
    value: Tensor | None = None,
) -> Tensor:
    """Return a function of single numbers as a signal, f(0) booked; its value may be known."""
    kwargs = kwargs or {}
    x = run.signal(x)
    with torch.no_grad():
        numbers = x.detach()
        if value is None:
            value = func(numbers, *args, **kwargs)
        at_zero = float(func(numbers.new_zeros(1), *args, **kwargs))
        if at_zero in (float("inf"), -float("inf")) or at_zero != at_zero:
            raise run.refuse(f"uses {name_of(func)}, which has no value at 0, as a signal")
        slope = _slope(func, numbers, args, kwargs)
        # where f(0) is taken off, little is left of f(x) near 0 but rounding
        if at_zero:
            near = numbers.abs() <= torch.finfo(x.dtype).eps ** 0.5
            coefficient = torch.where(near, slope, (value - at_zero) / numbers)
        else:
            coefficient = (value / numbers).nan_to_num_(nan=slope)
    out: Tensor = Scaling.apply(x, [value], coefficient)  # type: ignore[no-untyped-call]
    tag = run.tag(x)
    return run.book(run.result(out, tag.rows, tag.tokens), at_zero)


def activate_any(run: Propagation, func: Function, x: Tensor, out: Tensor) -> Tensor:
    """Return a function of single numbers, whose value is known, of a tensor of any role."""
    role = run.role(x)
    if role is Role.SIGNAL:
        return activate(run, func, x, value=out)
    if role is Role.CONSTANT:
        made: Tensor = run.constant(out)
        return made
    signal = None if role is Role.FROZEN else lambda: activate(run, func, run.signal(x))
    return run.pending(out, signal, is_gate=False)


def _slope(func: Function, numbers: Tensor, args: Any, kwargs: Any) -> float:
    """Return f′(0); 0 where there is none."""
    with torch.enable_grad():
        zero = numbers.new_zeros(1).requires_grad_()
        (slope,) = torch.autograd.grad(func(zero * 1, *args, **kwargs), zero)
    found = float(slope)
    return found if abs(found) < float("inf") else 0.0


_INPLACE = {"relu", "relu6", "elu", "selu", "celu", "silu", "mish", "hardswish", "leaky_relu"}
_INPLACE |= {"hardtanh", "threshold", "rrelu"}


@rule_for(
    "relu relu6 gelu silu tanh elu selu celu leaky_relu mish hardswish hardtanh softplus softsign "
    "tanhshrink hardshrink softshrink logsigmoid erf sin cos sinh asinh atan log1p expm1 threshold "
    "clamp clamp_min clamp_max clip abs absolute sign arctan arcsinh rrelu logit log log2 log10 "
    "cosh digamma lgamma erfc i0 tan fabs"
)
def activation(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """f(x) = f(0) + x·[(f(x) − f(0))/x]."""
    x, rest = args[0] if args else kwargs["input"], args[1:]
    named = {name: value for name, value in kwargs.items() if name != "input"}
    if any(run.role(one) is not Role.CONSTANT for one in tensors_in((rest, named))):
        raise run.refuse(f"has {name_of(func)} bounded by what is made of words")
    if any(one.numel() > 1 for one in tensors_in((rest, named))):
        return _bounded(run, x, *rest, **named)
    in_place = bool(named.pop("inplace", False))
    if name_of(func) in _INPLACE and rest and isinstance(rest[-1], bool):
        in_place, rest = rest[-1], rest[:-1]
    out = activate(run, func, x, rest, named)
    if not in_place:
        return out
    x.copy_(out)
    return run.mark(x, run.tag(out))


def _bounded(
    run: Propagation, x: Tensor, min: Tensor | None = None, max: Tensor | None = None
) -> Tensor:
    """Return a signal within bounds that are not the same everywhere: these are constants."""
    if min is not None:
        x = run.apply(torch.maximum, (x, min), {})
    if max is not None:
        x = run.apply(torch.minimum, (x, max), {})
    return x


def gate(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """σ(x), e^x, √x, x^p: factors wherever they are multiplied."""
    x, rest = args[0] if args else kwargs["input"], args[1:]
    named = {name: value for name, value in kwargs.items() if name not in ("input", "inplace")}
    with torch.no_grad():
        plain = {name: value for name, value in kwargs.items() if name != "inplace"}
        out = func(*run.value(args), **run.value(plain))
    others = [one for one in tensors_in((rest, named)) if run.role(one) is not Role.CONSTANT]
    base = not isinstance(x, Tensor)
    if base or others or run.role(x) is Role.FROZEN:
        return run.pending(out, None, is_gate=True)
    return run.pending(
        out,
        lambda: activate(run, func, x, run.value(rest), run.value(named)),
        is_gate=True,
        source=x if "sigmoid" in name_of(func) else None,
        is_scale=name_of(func) in _ROOTS or (bool(rest) and _is_root(rest[0])),
    )


def _is_root(power: object) -> bool:
    return isinstance(power, int | float) and power < 1


_ROOTS = ("sqrt", "rsqrt", "reciprocal")
gate.freezes = True  # type: ignore[attr-defined]
rule_for("sigmoid hardsigmoid expit exp sqrt rsqrt reciprocal pow square exp2 float_power rpow")(
    gate
)


@rule_for("glu")
def linear_unit(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """a·[σ(b)]: the signal takes all."""
    x = args[0] if args else kwargs["input"]
    axis = args[1] if len(args) > 1 else kwargs.get("dim", -1)
    with run:
        signal, gating = x.chunk(2, axis)
        return signal * torch.sigmoid(gating)


@rule_for("prelu")
def sloped(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """x, or w·x below 0."""
    x, weight = args
    return run.result(func(x, run.value(weight)), run.tag(x).rows)


# ---- scales made by hand: √(Σ x²), variances ----------------------------------------------------


def scale(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """[‖x‖], [var x], [std x]: factors. As a signal, Σ x·[x]/‖x‖ and Σ (x − x̄)·[x − x̄]/n."""
    with torch.no_grad():
        out = func(*run.value(args), **run.value(kwargs))
    x = args[0] if args else kwargs["input"]
    if run.role(x) is Role.FROZEN:
        return run.frozen(out)
    name = name_of(func)
    if name.endswith("_mean"):
        dim = args[1] if len(args) > 1 else kwargs.get("dim")
        keep = kwargs.get("keepdim", False)
        with run:
            mean = x.mean(dim, keepdim=keep) if dim is not None else x.mean()
        return run.pending(out[0], None, is_gate=True), mean
    signal = None
    if name in ("var", "std"):
        signal = lambda: _spread(run, out, x, args, kwargs, name == "std")  # noqa: E731
    elif _is_euclidean(name, args, kwargs):
        signal = lambda: _length(run, out, x, args, kwargs)  # noqa: E731
    return run.pending(out, signal, is_gate=True, is_scale=True)


scale.freezes = True  # type: ignore[attr-defined]
rule_for("norm vector_norm var std var_mean std_mean")(scale)


def _is_euclidean(name: str, args: Any, kwargs: Any) -> bool:
    order = args[1] if len(args) > 1 else kwargs.get("p", kwargs.get("ord", 2))
    return order in (2, 2.0, None, "fro")


def _spread(
    run: Propagation,
    out: Tensor,
    x: Tensor,
    args: Any,
    kwargs: Any,
    root: bool,
) -> Tensor:
    dim = args[1] if len(args) > 1 and not isinstance(args[1], bool) else kwargs.get("dim")
    x = run.signal(x)
    axes = list(range(x.dim())) if dim is None else dim
    unbiased = kwargs.get("unbiased", args[2] if len(args) > 2 else True)
    n = x.numel() // max(1, x.detach().sum(axes).numel())
    count = max(1, n - kwargs.get("correction", int(unbiased)))
    with run:
        centred = x - x.mean(axes, keepdim=True)
        made = (centred * centred.detach()).sum(axes, keepdim=True) / count
        if root:
            made = made / run.frozen(made.detach().sqrt().clamp(min=torch.finfo(x.dtype).tiny))
        spread: Tensor = made.reshape(out.shape)
        return spread


def _length(run: Propagation, out: Tensor, x: Tensor, args: Any, kwargs: Any) -> Tensor:
    dim = args[2] if len(args) > 2 else kwargs.get("dim")
    x = run.signal(x)
    axes = list(range(x.dim())) if dim is None else dim
    with run:
        made = (x * x.detach()).sum(axes, keepdim=True)
        lengths = made.detach().sqrt().clamp(min=torch.finfo(x.dtype).tiny)
        length: Tensor = (made / run.frozen(lengths)).reshape(out.shape)
        return length
