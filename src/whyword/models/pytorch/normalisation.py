"""Rules of normalisations: centred as they are, the scale frozen; β is a constant."""

from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from whyword.models.pytorch.functions import Function
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import rule_for

_GROUP_ORDER = "input num_groups weight bias eps".split()
_INSTANCE_ORDER = "input running_mean running_var weight bias use_input_stats momentum eps".split()


class Centring(torch.autograd.Function):
    """y = (x − x̄)·[s], whose value is known."""

    @staticmethod
    def forward(  # noqa: D102
        ctx: Any, x: Tensor, value: list[Tensor], scale: Tensor, weight: Tensor | None, axes: int
    ) -> Tensor:
        ctx.save_for_backward(scale, weight)
        ctx.axes = tuple(range(-axes, 0))
        return value[0]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: D102
        scale, weight = ctx.saved_tensors
        back = gradient if weight is None else gradient * weight
        back = (back - back.mean(ctx.axes, keepdim=True)).mul_(scale)
        return back, None, None, None, None


@rule_for("layer_norm")
def layer_norm(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = γ·(x − x̄)·[1/σ] + β."""
    order = ("input", "normalized_shape", "weight", "bias", "eps")
    named = dict(zip(order, args, strict=False)) | kwargs
    x, weight, bias = named["input"], named.get("weight"), named.get("bias")
    shape = named["normalized_shape"]
    with torch.no_grad():
        value, _, scale = torch.native_layer_norm(
            x.detach(), shape, run.value(weight), run.value(bias), named.get("eps", 1e-5)
        )
    out: Tensor = Centring.apply(x, [value], scale, run.value(weight), len(shape))  # type: ignore[no-untyped-call]
    made = run.result(out, run.tag(x).rows)
    return made if bias is None else run.book(made, bias, run.tag(bias).name)


@rule_for("rms_norm")
def rms_norm(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = γ·x·[1/√mean x²]."""
    order = ("input", "normalized_shape", "weight", "eps")
    named = dict(zip(order, args, strict=False)) | kwargs
    x, weight, eps = named["input"], named.get("weight"), named.get("eps")
    axes = tuple(range(-len(named["normalized_shape"]), 0))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    factor = (x.detach().square().mean(axes, keepdim=True) + eps).rsqrt()
    if weight is not None:
        factor = factor * weight.detach()
    return run.result(x * factor, run.tag(x).rows)


@rule_for("group_norm instance_norm")
def group_norm(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = γ·(x − x̄)·[1/σ] + β, mean and σ of each group of channels."""
    if func in _INSTANCE:
        named = dict(zip(_INSTANCE_ORDER, args, strict=False)) | kwargs
        if not named.get("use_input_stats", True):
            return batch_norm(run, functional.batch_norm, (), named)
        groups = named["input"].shape[1]
    else:
        named = dict(zip(_GROUP_ORDER, args, strict=False)) | kwargs
        groups = named["num_groups"]
    x, eps = named["input"], named.get("eps", 1e-5)
    channels = (-1, *[1] * (x.dim() - 2))
    with run:
        parts = x.reshape(len(x), groups, prod(x.shape[1:]) // groups)
        centred = parts - parts.mean(-1, keepdim=True)
        scale = (centred.detach().square().mean(-1, keepdim=True) + eps).rsqrt()
        out = (centred * scale).reshape(x.shape)
        if named.get("weight") is not None:
            out = out * named["weight"].reshape(channels)
        return out if named.get("bias") is None else out + named["bias"].reshape(channels)


@rule_for("batch_norm")
def batch_norm(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = x·γ/σ + (β − γ·μ/σ): μ and σ are numbers after the training."""
    order = (
        "input",
        "running_mean",
        "running_var",
        "weight",
        "bias",
        "training",
        "momentum",
        "eps",
    )
    named = dict(zip(order, args, strict=False)) | kwargs
    x, mean, variance = named["input"], named["running_mean"], named["running_var"]
    if named.get("training") or mean is None:
        raise run.refuse("normalises by the other texts of a batch; call module.eval()")
    channels = (-1, *[1] * (x.dim() - 2))
    factor = (variance.detach() + named.get("eps", 1e-5)).rsqrt()
    if named.get("weight") is not None:
        factor = factor * named["weight"].detach()
    shift = -mean.detach() * factor
    name = run.tag(mean).name
    if named.get("bias") is not None:
        shift, name = shift + named["bias"].detach(), run.tag(named["bias"]).name
    out = x * factor.reshape(channels) + shift.reshape(channels)
    return run.book(run.result(out, run.tag(x).rows), shift.reshape(channels), name)


_INSTANCE = {functional.instance_norm, torch.instance_norm}
