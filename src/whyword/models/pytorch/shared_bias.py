"""The paper's rule for modules made of its layers: biases and ε are shared among the inputs.

Here it is relevance itself that goes back, docs/method.md (6) to (9): of a unit z = Σ x·w + b with
N inputs, each gets (x·w + (b + ε·s)/N)/(z + ε·s) of the unit's. It divides by activations, so it
is there for layers of which the paper says what to do, and no others.
"""

from math import prod
from typing import Any

import torch
from torch import Tensor

from whyword.models.pytorch.activations import Scaling, gate
from whyword.models.pytorch.attention import weights
from whyword.models.pytorch.booking import LostRows
from whyword.models.pytorch.functions import Function, functions, is_movement, name_of
from whyword.models.pytorch.movements import move
from whyword.models.pytorch.propagation import Propagation, Rule
from whyword.models.pytorch.reductions import extreme, pool
from whyword.models.pytorch.rules import drop, put_in

_PADDING = "padding of convolutions"


class DenseShares(torch.autograd.Function):
    """z = W·x + b; back, R[i] = Σ_j (x[i]·w[j, i] + (b[j] + ε·s[j])/N)·R[j]/(z[j] + ε·s[j])."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, epsilon: float) -> Tensor:  # noqa: D102
        ctx.save_for_backward(x, weight, bias)
        ctx.epsilon = epsilon
        return torch.nn.functional.linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, relevance: Tensor) -> tuple[Tensor | None, ...]:  # noqa: D102
        x, weight, bias = ctx.saved_tensors
        z = torch.nn.functional.linear(x, weight, bias)  # again: it may be changed in place
        steady = torch.where(z >= 0, ctx.epsilon, -ctx.epsilon)
        ratio = relevance / (z + steady)
        extra = ratio * (steady if bias is None else steady + bias) / x.shape[-1]
        return x * (ratio @ weight) + extra.sum(-1, keepdim=True), None, None, None


class ConvolutionShares(torch.autograd.Function):
    """The same of a convolution; what lands on its own padding goes to the documents' ones."""

    @staticmethod
    def forward(  # noqa: D102
        ctx: Any,
        x: Tensor,
        ones: Tensor,
        call: Any,
        weight: Tensor,
        bias: Tensor | None,
        epsilon: float,
    ) -> Tensor:
        ctx.save_for_backward(x, weight, bias)
        ctx.call, ctx.epsilon = call, epsilon
        z: Tensor = call(x, weight, bias)
        return z

    @staticmethod
    def backward(ctx: Any, relevance: Tensor) -> tuple[Tensor | None, ...]:  # noqa: D102
        x, weight, bias = ctx.saved_tensors
        z = ctx.call(x, weight, bias)
        steady = torch.where(z > 0, ctx.epsilon, -ctx.epsilon)
        ratio = relevance / (z + steady)
        inputs = prod(weight.shape[1:])
        own = steady if bias is None else steady + bias.reshape(-1, *[1] * (weight.dim() - 2))
        extra = ratio * own / inputs
        everywhere = torch.ones_like(weight)
        into = x * _transposed(ctx.call, x, weight, ratio)
        into = into + _transposed(ctx.call, x, everywhere, extra)
        seen = ctx.call(torch.ones_like(x[:1]), everywhere, None)
        lost = (extra * (inputs - seen)).flatten(1).sum(1)
        return into, lost, None, None, None, None


def _transposed(call: Any, x: Tensor, weight: Tensor, given: Tensor) -> Tensor:
    """Return what a convolution's outputs give back to its inputs."""
    with torch.enable_grad():
        inputs = torch.zeros_like(x).requires_grad_()
        (back,) = torch.autograd.grad(call(inputs, weight, None), inputs, given)
    return back


def linear(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Return W·x + b, whose relevance is shared out among its inputs."""
    named = dict(zip(("input", "weight", "bias"), args, strict=False)) | kwargs
    x = run.signal(named["input"])
    out: Tensor = DenseShares.apply(  # type: ignore[no-untyped-call]
        x, run.value(named["weight"]), run.value(named.get("bias")), run.epsilon
    )
    return run.result(out, run.rows_left(x, out))


def convolve(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Return a convolution, whose relevance is shared out among its inputs."""
    named = dict(zip(("input", "weight", "bias"), args, strict=False)) | kwargs
    rest = args[3:]
    options = {name: one for name, one in kwargs.items() if name not in ("input", "weight", "bias")}
    x = run.signal(named["input"])
    if len(x) != run.ones:
        raise LostRows

    def call(inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        out: Tensor = func(inputs, weight, bias, *rest, **options)
        return out

    if _PADDING not in run.constants:
        run.constants[_PADDING] = torch.ones(run.ones, dtype=x.dtype, requires_grad=True)
    out: Tensor = ConvolutionShares.apply(  # type: ignore[no-untyped-call]
        x,
        run.constants[_PADDING],
        call,
        run.value(named["weight"]),
        run.value(named.get("bias")),
        run.epsilon,
    )
    return run.result(out, run.rows_left(x, out))


def relu(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """max(0, x), which lets all relevance through."""
    x = run.signal(args[0] if args else kwargs["input"])
    with torch.no_grad():
        value = torch.relu(x)
    through = torch.ones((), dtype=x.dtype)
    out: Tensor = Scaling.apply(x, [value], through)  # type: ignore[no-untyped-call]
    made = run.result(out, run.tag(x).rows)
    if name_of(func) == "relu_" or kwargs.get("inplace") or True in args[1:2]:
        x.copy_(made)
        return run.mark(x, run.tag(made))
    return made


def _rules(names: str, rule: Rule) -> dict[Function, Rule]:
    return dict.fromkeys(functions(names), rule)


SHARED_RULES: dict[Function, Rule] = {
    **_rules("linear", linear),
    **_rules("conv1d conv2d", convolve),
    **_rules("relu relu_", relu),
    **_rules("max amax", extreme),
    **_rules("max_pool1d max_pool2d adaptive_max_pool1d adaptive_max_pool2d", pool),
    **_rules("cat concat concatenate", put_in),
    **_rules("dropout dropout1d dropout2d", drop),
    **_rules("softmax log_softmax", weights),  # at the end: their input is explained
    **_rules("sigmoid", gate),
}


def find_shared_rule(func: Function) -> Rule | None:
    """Return the rule of a function, if it is one of the paper's layers or a mere movement."""
    return SHARED_RULES.get(func) or (move if is_movement(func) else None)
