"""Attention in training: the same numbers as torch's own, whichever way it is computed."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from whyword.models.pytorch.short_attention import _LONGEST, ShortAttention

attention: Any = functional.scaled_dot_product_attention
MASKS: dict[str, Any] = {
    "none": lambda seen: None,
    "bool": lambda seen: seen,
    "added": lambda seen: torch.where(seen, 0.0, -1e4).bfloat16(),
}


def drawn(length: int, dtype: torch.dtype, keys: int | None = None) -> list[Tensor]:
    """Return queries, keys and values of two texts and three heads."""
    torch.manual_seed(length)
    lengths = (length, keys or length, keys or length)
    return [torch.randn(2, 3, n, 8).to(dtype).requires_grad_() for n in lengths]


def result(inside: bool, parts: list[Tensor], **given: Any) -> list[Tensor]:
    """Return what attention makes of them, and the gradients of all."""
    copies = [one.detach().clone().requires_grad_() for one in parts]
    if inside:
        with ShortAttention():
            said = attention(*copies, **given)
    else:
        said = attention(*copies, **given)
    said.float().square().sum().backward()
    return [said.detach(), *(one.grad for one in copies if one.grad is not None)]


def _in_float32(given: dict[str, Any]) -> dict[str, Any]:
    mask = given["attn_mask"]
    return given | {
        "attn_mask": mask.float() if mask is not None and mask.is_floating_point() else mask
    }


class Counted(TorchFunctionMode):
    """Count how often torch's own kernel is asked."""

    count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is attention
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("length", [1, 2, 33, 128])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [None, 0.3])
def test_short_texts_have_the_values_and_gradients_of_torch(
    length: int, mask: str, scale: float | None
) -> None:
    parts = drawn(length, torch.bfloat16)
    seen = torch.rand(2, 1, 1, length) < 0.7
    seen[..., 0] = True  # something is
    given = {"attn_mask": MASKS[mask](seen), "scale": scale}
    exact = result(False, [one.float() for one in parts], **_in_float32(given))
    for ours, wanted in zip(result(True, parts, **given), exact, strict=True):
        assert ours.dtype == torch.bfloat16
        largest = float(wanted.abs().max())
        torch.testing.assert_close(ours.float(), wanted, rtol=0.05, atol=0.03 * largest)


@pytest.mark.parametrize(
    ("dtype", "length", "given", "kernels"),
    [
        (torch.bfloat16, 8, {}, 0),
        (torch.bfloat16, _LONGEST, {}, 0),
        (torch.bfloat16, _LONGEST + 1, {}, 1),
        (torch.float32, 8, {}, 1),
        (torch.bfloat16, 8, {"is_causal": True}, 1),
        (torch.bfloat16, 8, {"dropout_p": 0.5}, 1),
    ],
)
def test_all_else_is_left_to_torch(
    dtype: torch.dtype, length: int, given: dict[str, Any], kernels: int
) -> None:
    with Counted() as counted, ShortAttention():
        attention(*drawn(length, dtype), **given)
    assert counted.count == kernels


def test_more_heads_of_queries_than_of_keys_are_left_to_torch() -> None:
    query, key, value = drawn(8, torch.bfloat16)
    few = [one[:, :1].detach() for one in (key, value)]
    with ShortAttention():
        ours = attention(query, *few, enable_gqa=True)
    wanted = attention(query, *few, enable_gqa=True)
    assert torch.equal(ours, wanted)


def test_nothing_is_left_behind() -> None:
    parts = drawn(8, torch.bfloat16)
    with ShortAttention():
        attention(*parts)
    with Counted() as counted:
        attention(*parts)
    assert counted.count == 1
