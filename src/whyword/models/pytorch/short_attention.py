"""Attention while a network is trained in bfloat16 on a processor: two products and a softmax.

Torch's fused kernel computes its gradients in float32 there. For short texts the plain products,
which are in bfloat16, take a third of its time; for long ones their memory traffic eats that up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

_LONGEST = 256  # tokens; from 512 on, the fused kernel is as fast and needs less memory


class ShortAttention(TorchFunctionMode):
    """A context in which attention over short texts in bfloat16 is computed by plain products."""

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func is torch.nn.functional.scaled_dot_product_attention:
            return _attention(*args, **kwargs)
        return func(*args, **kwargs)


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return what torch's function of these arguments does, (…, T, D)."""
    short = query.dtype == torch.bfloat16 and max(query.shape[-2], key.shape[-2]) <= _LONGEST
    if not short or dropout_p or is_causal or enable_gqa:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = torch.matmul(query * factor, key.transpose(-1, -2))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask.to(scores.dtype)
    return torch.matmul(torch.softmax(scores, -1), value)
