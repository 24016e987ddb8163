"""Rules of sums, means and winners."""

from typing import Any

import torch
from torch import Tensor

from whyword.models.pytorch.functions import Function, name_of, two_arguments
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import rule_for


@rule_for("sum mean cumsum nansum")
def reduce(run: Propagation, func: Function, args: Any, kwargs: Any) -> Tensor:
    """Y = Σ x, or their mean."""
    out = func(*args, **kwargs)
    return run.result(out, run.rows_reduced(args[0], out, args, kwargs))


@rule_for("max min amax amin")
def extreme(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x[first winner], which takes all; torch's own gradient would share ties."""
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
def larger(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x or z: the first of equals."""
    left, right = two_arguments(args, kwargs, "input", "other")
    with torch.no_grad():
        one, two = run.value(left), run.value(right)
        first = one >= two if "max" in name_of(func) else one <= two
    return run.apply(torch.where, (run.frozen(first), left, right), {})


@rule_for("topk sort kthvalue median cummax cummin mode")
def ordered(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = x[its places]: the values move, the places are frozen."""
    out = func(*args, **kwargs)
    if isinstance(out, Tensor):
        raise run.refuse(f"takes {name_of(func)} of all numbers at once")
    x, values = args[0], out[0]
    kept = values.dim() == x.dim()
    place = 2 if name_of(func) == "kthvalue" else 1
    axis = args[place] if len(args) > place else kwargs.get("dim", -1)
    rows = run.rows_left(x, values) if kept else run.rows_reduced(x, values, (x, axis), {})
    return type(out)((run.result(values, rows), run.frozen(out[1])))


@rule_for(
    "max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d "
    "avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d upsample interpolate "
    "max_pool1d_with_indices max_pool2d_with_indices adaptive_max_pool1d_with_indices "
    "adaptive_max_pool2d_with_indices"
)
def pool(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Winners of windows take all; means of windows share."""
    out = func(*args, **kwargs)
    if isinstance(out, tuple):
        return run.result(out[0], run.rows_left(args[0], out[0])), run.frozen(out[1])
    return run.result(out, run.rows_left(args[0], out))
