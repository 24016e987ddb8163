"""Rules of attention: its weights are frozen, what they weigh is the signal.

With ``attention="attnlrp"`` the softmax keeps its gradient and products are halved (Achtibat et al.
2024): then relevance does not add up, and the residual says by how much.
"""

from typing import Any

import torch
from torch.nn import functional

from whyword.models.pytorch.functions import Function, name_of
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import rule_for
from whyword.models.pytorch.tags import Role

_KEPT = "attnlrp"


def weights(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """[softmax(x)]: a factor; what it is the softmax of is remembered, for it may be the end."""
    x = args[0] if args else kwargs["input"]
    is_log = "log" in name_of(func)
    if run.attention == _KEPT and run.role(x) is not Role.FROZEN and not is_log:
        signal = run.signal(x)
        rest = {name: value for name, value in kwargs.items() if name != "input"}
        out = func(signal, *args[1:], **rest)
        made = run.result(out, run.tag(signal).rows)
        run.tag(made).source = x
        return made
    with torch.no_grad():
        out = func(*run.value(args), **run.value(kwargs))
    made = run.frozen(out, source=x)
    run.tag(made).is_gate = not is_log
    return made


weights.freezes = True  # type: ignore[attr-defined]
rule_for("softmax log_softmax _safe_softmax")(weights)

_ORDER = "query key value attn_mask dropout_p is_causal scale enable_gqa".split()


def attend(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:
    """Y = [softmax(q·kᵀ/√d + mask)]·v."""
    named = dict(zip(_ORDER, args, strict=False)) | kwargs
    query, key, value = named["query"], named["key"], named["value"]
    mask, scale = named.get("attn_mask"), named.get("scale")
    if named.get("dropout_p"):
        raise run.refuse("drops out attention at random; call module.eval()")
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    with run:
        if named.get("enable_gqa"):
            key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
            value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
        scores = (query * scale) @ key.transpose(-2, -1)
        if named.get("is_causal"):
            causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            scores = scores.masked_fill(~causal, -torch.inf)
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, -torch.inf)
        elif mask is not None:
            scores = scores + mask
        shares = functional.softmax(scores, -1)
        if mask is not None:  # nothing is seen by who may see nothing
            shares = shares.masked_fill((scores == -torch.inf).all(-1, keepdim=True), 0.0)
        return shares @ value


attend.freezes = True  # type: ignore[attr-defined]
rule_for("scaled_dot_product_attention")(attend)
