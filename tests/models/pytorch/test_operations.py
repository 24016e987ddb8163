"""Relevance of each operation against its formula, and networks of random operations.

Once it is frozen, each operation is linear in the words. So its literal version is plain torch in
which the frozen parts are detached: an element's relevance is the element times the gradient, and
what remains of the scores is the constant.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as torch's documentation calls it
from torch_networks import PAD, WORDS, enliven, freeze, ragged, relevance_of

import whyword as ww
from whyword.models.pytorch.frozen import FrozenRule

Operation = Callable[[Tensor], Tensor]
random = torch.Generator().manual_seed(0)


def draw(*shape: int) -> Tensor:
    return torch.randn(shape, generator=random, dtype=torch.float64)


X = draw(2, 3, 4)  # two texts of three words
W, V, B, C = draw(4, 4), draw(4, 4).abs() + 0.3, draw(4), draw(4)
MASK = torch.tensor([True, False, True]).reshape(1, 3, 1).expand(2, 3, 4)
SEEN = torch.tensor([[1, 1, 0], [1, 1, 1]]).bool().unsqueeze(1)
INDEX = torch.tensor([2, 0, 0])
sdpa: Any = F.scaled_dot_product_attention


def gradient_times_input(function: Operation, x: Tensor) -> tuple[Any, Any]:
    """Return x·∂/∂x of the sums of a function over all but the last axis, and the sums."""
    leaf = x.clone().requires_grad_()
    out = function(leaf)
    scores = out.flatten(1, -2).sum(1) if out.dim() > 2 else out
    columns = [
        x * torch.autograd.grad(scores[:, k].sum(), leaf, retain_graph=True)[0]
        for k in range(scores.shape[1])
    ]
    return torch.stack(columns, -1).numpy(), scores.detach().numpy()


def check(function: Operation, literal: Operation, x: Tensor = X) -> None:
    elements, constant, scores = relevance_of(function, x)
    expected, sums = gradient_times_input(literal, x)
    np.testing.assert_allclose(scores, sums, atol=1e-10)
    np.testing.assert_allclose(elements, expected, rtol=1e-5, atol=1e-6)  # in float32
    np.testing.assert_allclose(constant, sums - expected.sum((1, 2)), atol=1e-9)


# ---- operations that are linear as they are -----------------------------------------------------


def changed(change: Callable[[Tensor], Any]) -> Operation:
    """Return the operation that changes a copy in place."""

    def function(x: Tensor) -> Tensor:
        out = x * 1
        change(out)
        return out

    return function


def scattered(*, into: Tensor) -> Operation:
    index = torch.tensor([0, 4, 4]).reshape(1, 3, 1).expand(2, 3, 4)
    return lambda x: into.scatter_add(1, index, x)


def ones_at(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.long)


LINEAR: dict[str, Operation] = {
    # moved
    "flip": lambda x: x.flip(1),
    "roll": lambda x: x.roll(1, 1),
    "transposed twice": lambda x: x.mT.contiguous().mT,
    "attributes T and mT": lambda x: torch.stack([one.T for one in x]).mT,
    "rows by a list": lambda x: x[:, [2, 0, 0]],
    "slices": lambda x: x[:, -2:] - x[..., :2, :] + x[:, -1:],
    "every second number": lambda x: torch.cat([x[..., ::2] + 1, x[..., 1::2]], -1),
    "boolean mask": lambda x: torch.stack([one[torch.arange(3) > 1] for one in x]),
    "gather": lambda x: x.gather(1, INDEX.reshape(1, 3, 1).expand(2, 3, 4)),
    "index_select": lambda x: x.index_select(2, torch.tensor([1, 0, 3, 2])),
    "chunk and cat": lambda x: torch.cat(x.chunk(2, -1)[::-1], -1),
    "unbind and stack": lambda x: torch.stack(x.unbind(1), 2).transpose(1, 2),
    "split": lambda x: sum((one.sum(1) for one in x.split([1, 2], 1)), B),  # type: ignore[no-untyped-call]
    "narrow": lambda x: x.narrow(1, 1, 2),
    "tril": torch.tril,
    "unfold": lambda x: x.unfold(1, 2, 1).mean(-1),
    "repeat": lambda x: x.repeat(1, 2, 1),
    "texts repeated": lambda x: (x.repeat_interleave(2, 0) + B).view(2, 2, 3, 4),
    "heads into the batch": lambda x: (
        (x.view(2, 3, 2, 2).permute(2, 0, 1, 3).reshape(4, 3, 2).mul(2) + 0.5)
        .view(2, 2, 3, 2)
        .permute(1, 2, 0, 3)
        .reshape(2, 3, 4)
    ),
    "words before texts": lambda x: (x.permute(1, 0, 2) + B).transpose(0, 1),
    "flattened": lambda x: F.linear(x.view(-1, 4), W, B).view(2, -1, 4),
    "one text after the other": lambda x: torch.stack([F.linear(one, W, B) for one in x]),
    "one word after the other": lambda x: sum(
        (F.linear(x[:, t], W, B) for t in range(3)), torch.zeros(4).double()
    ),
    # nothing happens
    "dropout in eval mode": lambda x: F.dropout1d(F.alpha_dropout(x, 0.5, False), 0.5, False),
    "nan_to_num": torch.nan_to_num,
    "casts and copies": lambda x: (+x).to(torch.float64).clone().contiguous(),
    "nn.Identity": nn.Identity(),
    # put in
    "x + c": lambda x: x + C,
    "c + x": lambda x: C + x,
    "x + 0.5": lambda x: x + 0.5,
    "x - c": lambda x: x - C,
    "c - x": lambda x: C - x,
    "1 - x": lambda x: 1 - x,
    "rsub": lambda x: torch.rsub(x, C),
    "sub with alpha": lambda x: torch.sub(x, C, alpha=3),
    "add with alpha": lambda x: torch.add(C, x, alpha=0.5),
    "signals subtracted": lambda x: x.flip(1) - torch.sub(x, 2 * x.roll(1, 1), alpha=3),
    "signals of two shapes": lambda x: x[:, :1] - x + x[:, 0].unsqueeze(1),
    "-(x + c)": lambda x: -(x + C),
    "a number for each word": lambda x: x.flip(1) + torch.tensor([[1.0], [2], [4]]).double(),
    "a row for each word": lambda x: x.flip(1) + torch.arange(12.0).double().view(3, 4),
    "a row for each text": lambda x: x + torch.stack([C, 2 * C]).unsqueeze(1),
    "places of words": lambda x: x * 2 - torch.arange(12.0).double().view(3, 4),
    "places before words": lambda x: torch.arange(12.0).double().view(1, 3, 4) - x,
    "cat": lambda x: torch.cat([C.expand(2, 1, 4), x], 1),
    "cat of texts": lambda x: torch.cat([x, x + C])[2:],
    "stack": lambda x: torch.stack([x, C.expand(x.shape)], 1),
    "hstack": lambda x: torch.hstack([x, C.expand(2, 1, 4)]),
    "where": lambda x: torch.where(MASK, x, C),
    "where not": lambda x: torch.where(MASK, 0.5, x),
    "Tensor.where": lambda x: x.where(MASK, C),
    "masked_fill": lambda x: x.masked_fill(MASK, 0.5),
    "masked_fill that never wins": lambda x: x.masked_fill(MASK, -torch.inf).amax(1),
    "pad": lambda x: F.pad(x, (0, 0, 1, 1), value=2.0),
    "pad by position": lambda x: F.pad(x, (1, 0), "constant", 2.0)[..., :-1],
    "pad with zeros": lambda x: F.pad(x, (0, 0, 1, 1)),
    "pad texts": lambda x: F.pad(x, (0, 0, 0, 0, 1, 0), value=1.0)[1:] + C,
    "reflected": lambda x: F.pad(x.mT, (1, 1), mode="reflect").mT,
    "replicated": lambda x: F.pad(x.mT, (1, 1), mode="replicate").mT,
    "index_put": lambda x: x.index_put((torch.tensor([0]),), C.expand(1, 3, 4)),
    "index_fill": lambda x: x.index_fill(1, torch.tensor([1]), 0.5),
    "index_copy": lambda x: x.index_copy(1, torch.tensor([1]), C.expand(2, 1, 4)),
    "index_add": lambda x: x.index_add(1, torch.tensor([1, 1]), C.expand(2, 2, 4)),
    "index_add of a signal": lambda x: C.expand(2, 2, 4).index_add(1, torch.tensor([1, 0, 1]), x),
    "scatter": lambda x: x.scatter(1, ones_at(2, 1, 4), C.expand(2, 1, 4)),
    "scatter_add": lambda x: x.scatter_add(1, ones_at(2, 1, 4), C.expand(2, 1, 4)),
    "scattered into ones": scattered(into=torch.ones(2, 5, 4, dtype=torch.float64)),
    "slice_scatter": lambda x: torch.slice_scatter(x, C.expand(2, 1, 4), 1, 1, 2),
    # written in place
    "add_": changed(lambda x: x.add_(1)),
    "+=": changed(lambda x: x.__iadd__(torch.ones(4))),
    "mul_ and sub_": changed(lambda x: x.mul_(2).sub_(0.5)),
    "masked_fill_": changed(lambda x: x.masked_fill_(torch.eye(3, 4) > 0, 0.7)),
    "setitem": changed(lambda x: x.__setitem__((slice(None), 0), 0.3)),
    "setitem of a signal": changed(lambda x: x.__setitem__((slice(None), 0), x[:, 1] * 2)),
    "copy_": changed(lambda x: x.copy_(x.flip(1))),
    "copy_ into zeros": lambda x: torch.zeros(2, 3, 4).double().copy_(x),
    "zero_ of a part": changed(lambda x: x[:, 2].zero_()),
    "fill_ of a part": changed(lambda x: x[:, 2].fill_(0.4)),
    "add_ to a part": changed(lambda x: x[:, 0].add_(1)),
    "relu_ of a copy": lambda x: F.relu_(x * 1),
    # weights and biases
    "linear": lambda x: F.linear(x, W, B),
    "linear by names": lambda x: F.linear(input=x, weight=W, bias=B),
    "matmul": lambda x: x @ W.T + B,
    "rmatmul": lambda x: (W @ x.mT).mT + B,
    "addmm": lambda x: torch.addmm(B, x.reshape(-1, 4), W.T, beta=2, alpha=0.5).view(x.shape),
    "addmm without beta": lambda x: torch.addmm(B, x[:, 0], W, beta=0),
    "baddbmm": lambda x: torch.baddbmm(B, x, W.T.expand(2, 4, 4)),
    "bmm": lambda x: torch.bmm(x, W.T.expand(2, 4, 4)) + B,
    "vector times matrix": lambda x: torch.stack([one.mean(0) @ W for one in x]),
    "mv": lambda x: torch.stack([torch.mv(W, row) for one in x for row in one]).view(x.shape) + B,
    "einsum": lambda x: torch.einsum("bti,ji->btj", x, W) + B,
    "einsum with dots": lambda x: torch.einsum("...i,ji->...j", x, W) + B,
    "einsum of a list": lambda x: torch.einsum("bti,ji->btj", [x, W]) + B,
    "einsum without an arrow": lambda x: torch.einsum("abc,cd", x, W.T) + B,
    "einsum by numbers": lambda x: torch.einsum(x, [0, 1, 2], W, [3, 2], [0, 1, 3]) + B,
    "einsum that sums": lambda x: torch.einsum("bti,ij->bj", x, W) + B,
    "einsum that moves": lambda x: (torch.einsum("bti,ij->tbj", x, W) + B).transpose(0, 1),
    "tensordot": lambda x: torch.tensordot(x, W, dims=([2], [1])) + B,
    "tensordot of one axis": lambda x: torch.tensordot(x, W.T, dims=1) + B,
    "conv1d": lambda x: F.conv1d(x.mT, torch.stack([W, W.T], -1), B, padding=1).mT,
    "conv2d": lambda x: F.conv2d(x.mT.unsqueeze(-1), W[:, :, None, None], B)[..., 0].mT,
    "conv_transpose1d": lambda x: F.conv_transpose1d(x.mT, W.T.unsqueeze(-1), B).mT,
    "mul and sum": lambda x: (x.unsqueeze(-2) * W).sum(-1) + B,
    "batch_norm": lambda x: F.batch_norm(x.mT, C, V[0], W[0], B).mT,
    "batch_norm of rows": lambda x: F.batch_norm(x.reshape(-1, 4), C, V[0]).view(x.shape),
    "instance_norm after training": lambda x: (
        F.instance_norm(x.mT, C, V[0], W[0], B, use_input_stats=False).mT
    ),
    "lerp": lambda x: torch.lerp(x, x.flip(1), 0.3),
    "divided": lambda x: x / V[0] + torch.div(x, 3) / (1 + torch.tensor(2.0)),
    # sums
    "sum": lambda x: x.sum(1) + B,
    "sum by names": lambda x: torch.sum(input=x, dim=1) + B,
    "sum of two axes": lambda x: x.unsqueeze(1).sum((1, 2)) + B,
    "sum over texts' words": lambda x: x.transpose(0, 1).sum(0) + B,
    "mean": lambda x: x.mean(1) + B,
    "mean kept": lambda x: x.mean(-2, keepdim=True).squeeze(1) + B,
    "sum of everything else": lambda x: x.sum((1, 2), keepdim=True) + B,
    "cumsum": lambda x: x.cumsum(1) + B,
    "nansum": lambda x: torch.nansum(x, 1) + B,
    "average pool": lambda x: F.adaptive_avg_pool1d(x.mT, 1)[..., 0] + B,
    "upsampled": lambda x: F.interpolate(x.mT, scale_factor=2.0, mode="linear").mT + B,
    # winners take all: without ties, torch's own gradient
    "max": lambda x: x.max(1).values + B,
    "max by name": lambda x: torch.max(input=x, dim=1, keepdim=True)[0],
    "min": lambda x: torch.min(x, 1, True)[0] + B,
    "amax of two axes": lambda x: x.amax((1, 2), keepdim=True)[:, 0].expand(2, 2),
    "amin": lambda x: x.amin(dim=1) + B,
    "max of each text": lambda x: torch.stack([one.max() for one in x]).unsqueeze(1) + B,
    "max_pool1d": lambda x: F.max_pool1d(x.mT, 2, stride=1).mT + B,
    "max_pool1d and places": lambda x: F.max_pool1d(x.mT, 2, return_indices=True)[0].mT,
    "adaptive_max_pool1d": lambda x: F.adaptive_max_pool1d(x.mT, 1).squeeze(-1) + B,
    "topk": lambda x: x.topk(2, 1).values + B,
    "sort": lambda x: x.sort(1, descending=True)[0][:, :2] + B,
    "kthvalue": lambda x: x.kthvalue(2, 1).values + B,
    "median": lambda x: x.median(1).values + B,
    "median kept": lambda x: x.median(dim=1, keepdim=True)[0] + B,
    "median over the first axis": lambda x: x[..., :2].transpose(0, 1).median(0)[0] + B[:2],
    "kthvalue over the first axis": lambda x: x[..., :2].transpose(0, 1).kthvalue(2, 0)[0] + B[:2],
    "cummax": lambda x: x.cummax(1).values + B,
    "best gathered": lambda x: x.gather(1, x.argmax(1, keepdim=True)),
    "maximum": lambda x: torch.maximum(x, x.flip(1)) + torch.max(x, C),
    "minimum": lambda x: torch.minimum(x, 2 * x.flip(1)) + torch.minimum(x, torch.tensor(0.3)),
    "double where": lambda x: torch.where(x > 0, 2 * x, torch.where(x < -1, x, 0.2)),
    "x where x > 0": lambda x: x * (x > 0),
    "clamp by tensors": lambda x: torch.clamp(x, -V[0], V[1]),
    "clamp from below by a tensor": lambda x: torch.clamp(x, min=C, max=None),
    "prelu": lambda x: F.prelu(x, torch.tensor([0.2]).double()),
}


@pytest.mark.parametrize("name", LINEAR)
def test_relevance_of_a_linear_operation_is_gradient_times_input(name: str) -> None:
    check(LINEAR[name], LINEAR[name])


# ---- operations of which a part is frozen -------------------------------------------------------


def half(left: Tensor, right: Tensor, times: Callable[[Tensor, Tensor], Tensor] = torch.mul) -> Any:
    """Return the product of two signals: half of it is each one's."""
    return 0.5 * (times(left, right.detach()) + times(left.detach(), right))


def act(function: Operation, x: Tensor) -> Tensor:
    """Return an activation: f(0) + x·[(f(x) − f(0))/x]."""
    zero = function(torch.zeros(1).double())
    return zero + x * ((function(x) - zero) / x).detach()


def attention(x: Tensor, scores: Tensor) -> Tensor:
    return torch.softmax(scores, -1).detach() @ x


def dots(x: Tensor) -> Tensor:
    return x @ x.mT / 2


def normed(x: Tensor, axes: tuple[int, ...] = (2,), centred: bool = True) -> Tensor:
    """Return (x − mean)·[1/σ], or x·[1/√mean x²]."""
    moved = x - x.mean(axes, keepdim=True) if centred else x
    return moved * (moved.square().mean(axes, keepdim=True) + 1e-5).rsqrt().detach()


def length(x: Tensor, keep: bool = False) -> Tensor:
    squares = (x * x.detach()).sum(1, keepdim=keep)
    return squares / squares.sqrt().detach()


def spread(x: Tensor, unbiased: bool = True) -> Tensor:
    centred = x - x.mean(1, keepdim=True)
    variance: Tensor = (centred * centred.detach()).sum(1) / (x.shape[1] - unbiased)
    return variance


def learned(x: Tensor) -> Tensor:
    return F.linear(x, W)


def joined(x: Tensor, function: Operation) -> Tensor:
    """Return texts beside each other, each after a function of its own numbers."""
    return torch.stack([function(one) for one in x])


FROZEN: dict[str, tuple[Operation, Operation]] = {
    # products of two signals
    "half each": (lambda x: x[:, 0] * x[:, 1], lambda x: half(x[:, 0], x[:, 1])),
    "of three, the last takes half": (
        lambda x: x[:, 0] * x[:, 1] * x[:, 2],
        lambda x: half(half(x[:, 0], x[:, 1]), x[:, 2]),
    ),
    "bmm": (
        lambda x: torch.bmm(x, x.mT) @ W[:3] + B,
        lambda x: half(x, x.mT, torch.bmm) @ W[:3] + B,
    ),
    "einsum": (
        lambda x: torch.einsum("bsi,bti,ij->bsj", x, x, W) + B,
        lambda x: half(x, x, lambda one, two: torch.einsum("bsi,bti,ij->bsj", one, two, W)) + B,
    ),
    "bilinear": (
        lambda x: F.bilinear(x, x.flip(1), W.expand(4, 4, 4).contiguous(), B),
        lambda x: (
            half(
                x, x.flip(1), lambda one, two: F.bilinear(one, two, W.expand(4, 4, 4).contiguous())
            )
            + B
        ),
    ),
    "linear of two signals": (
        lambda x: joined(x, lambda one: F.linear(one, one, B[:3])),
        lambda x: joined(x, lambda one: half(one, one, F.linear) + B[:3]),
    ),
    "inner": (
        lambda x: joined(x, lambda one: torch.inner(one, one)),
        lambda x: joined(x, lambda one: half(one, one, torch.inner)),
    ),
    "dot": (
        lambda x: joined(x, lambda one: torch.dot(one[0], one[1]) * B),
        lambda x: joined(x, lambda one: half(one[0], one[1], torch.dot) * B),
    ),
    "tensordot": (
        lambda x: joined(x, lambda one: torch.tensordot(one, one, dims=([1], [1]))),
        lambda x: joined(x, lambda one: half(one, one, torch.inner)),
    ),
    "cosine_similarity": (
        lambda x: F.cosine_similarity(x, x.flip(1)).unsqueeze(1),
        lambda x: (half(x, x.flip(1)) / (x.norm(dim=1, keepdim=True) ** 2).detach()).sum(
            1, keepdim=True
        ),
    ),
    "addcmul": (
        lambda x: torch.addcmul(x, x.flip(1), x, value=0.3),
        lambda x: x + 0.3 * half(x.flip(1), x),
    ),
    "addcdiv": (
        lambda x: torch.addcdiv(x, x.flip(1), 2 + x.abs(), value=0.3),
        lambda x: x + 0.3 * x.flip(1) / (2 + x.abs()).detach(),
    ),
    "lerp by a signal": (
        lambda x: torch.lerp(x, x.flip(1), x.roll(1, 1)),
        lambda x: x + half(x.roll(1, 1), x.flip(1) - x),
    ),
    "squares and means": (
        lambda x: (x * x).mean(1) + (x * x.flip(1)).sum(1) + B,
        lambda x: (x * x.detach()).mean(1) + half(x, x.flip(1)).sum(1) + B,
    ),
    "a product added up": (
        lambda x: torch.cat([x * x.flip(1), x], 1) - x[:, :1] * 2,
        lambda x: torch.cat([half(x, x.flip(1)), x], 1) - x[:, :1] * 2,
    ),
    # gates, which take nothing
    "1 - sigmoid": (
        lambda x: (1 - torch.sigmoid(x)) * (x + C),
        lambda x: (1 - torch.sigmoid(x)).detach() * (x + C),
    ),
    "glu": (
        lambda x: F.glu(F.linear(x, torch.cat([W, V])), -1),
        lambda x: F.linear(x, W) * torch.sigmoid(F.linear(x, V)).detach(),
    ),
    "lerp by a gate": (
        lambda x: torch.lerp(x, x.flip(1), torch.sigmoid(x)),
        lambda x: x + torch.sigmoid(x).detach() * (x.flip(1) - x),
    ),
    "divided by a signal": (
        lambda x: x[:, 0] / (1 + x[:, 1].abs()) + x[:, 2] * (2.0 / (1 + torch.exp(-x[:, 1]))),
        lambda x: (
            x[:, 0] / (1 + x[:, 1].abs()).detach()
            + x[:, 2] * (2.0 / (1 + torch.exp(-x[:, 1]))).detach()
        ),
    ),
    "two gates are activations": (
        lambda x: torch.sigmoid(x[:, 0]) * torch.sigmoid(x[:, 1]),
        lambda x: half(act(torch.sigmoid, x[:, 0]), act(torch.sigmoid, x[:, 1])),
    ),
    "a gate beside another and a signal": (
        lambda x: torch.sigmoid(x) * torch.sigmoid(x.flip(1)) * (x + C),
        lambda x: (torch.sigmoid(x) * torch.sigmoid(x.flip(1))).detach() * (x + C),
    ),
    "a length beside a gate": (
        lambda x: torch.sigmoid(x) / (1 + x.norm(dim=1, keepdim=True)),
        lambda x: act(torch.sigmoid, x) / (1 + x.norm(dim=1, keepdim=True)).detach(),
    ),
    "what is learned of a gate is a signal": (
        lambda x: learned(torch.sigmoid(x[:, 0])) * x[:, 1],
        lambda x: half(learned(act(torch.sigmoid, x[:, 0])), x[:, 1]),
    ),
    "sums of gates": (
        lambda x: torch.sigmoid(x).sum(1) + torch.exp(x).mean(1) + B,
        lambda x: act(torch.sigmoid, x).sum(1) + act(torch.exp, x).mean(1) + B,
    ),
    "gates changed in place": (
        lambda x: changed(lambda g: g.mul_(2).add_(0.5))(torch.sigmoid(x)),
        lambda x: act(torch.sigmoid, x) * 2 + 0.5,
    ),
    "what is frozen by hand": (
        lambda x: x * ww.pytorch.freeze(x.flip(1)),
        lambda x: x * x.flip(1).detach(),
    ),
    "computed without gradients": (
        lambda x: x * torch.no_grad()(lambda: learned(x) + 1)(),
        lambda x: half(x, learned(x) + 1),
    ),
    # attention
    "attention": (lambda x: sdpa(x, x, x), lambda x: attention(x, dots(x))),
    "causal attention": (
        lambda x: sdpa(x, x, x, is_causal=True),
        lambda x: attention(x, dots(x).masked_fill(~torch.ones(3, 3).tril().bool(), -torch.inf)),
    ),
    "masked attention": (
        lambda x: sdpa(x, x, x, SEEN),
        lambda x: attention(x, dots(x).masked_fill(~SEEN, -torch.inf)),
    ),
    "attention of words that see nothing": (
        lambda x: sdpa(x, x, x, SEEN & MASK[..., :1]),
        lambda x: attention(x, dots(x).masked_fill(~SEEN, -torch.inf)) * MASK,
    ),
    "biased attention": (
        lambda x: sdpa(x, x, x, attn_mask=torch.eye(3).double() * 3),
        lambda x: attention(x, dots(x) + torch.eye(3) * 3),
    ),
    "scaled attention": (
        lambda x: sdpa(x, x, x, scale=0.1),
        lambda x: attention(x, dots(x) * 2 * 0.1),
    ),
    "attention of grouped heads": (
        lambda x: sdpa(
            torch.stack([x, 2 * x], 1), x.unsqueeze(1), x.unsqueeze(1), enable_gqa=True
        ).mean(1),
        lambda x: (attention(x, dots(x)) + attention(x, 2 * dots(x))) / 2,
    ),
    "attention by exponentials": (
        lambda x: torch.einsum("bst,btd->bsd", dots(x).exp() / dots(x).exp().sum(-1, True), x),
        lambda x: attention(x, dots(x)),
    ),
    "pooling by attention": (
        lambda x: torch.softmax(x.sum(-1), 1).unsqueeze(-1) * x,
        lambda x: torch.softmax(x.sum(-1), 1).unsqueeze(-1).detach() * x,
    ),
    "softmin": (lambda x: F.softmin(x, 1) * x, lambda x: F.softmin(x, 1).detach() * x),
    # normalisations
    "layer_norm": (
        lambda x: F.layer_norm(x, (4,), C, B),
        lambda x: normed(x) * C + B,
    ),
    "layer_norm without weights": (lambda x: F.layer_norm(x, (4,)), normed),
    "layer_norm of two axes": (
        lambda x: F.layer_norm(x, (3, 4), W[:3], W[1:]),
        lambda x: normed(x, (1, 2)) * W[:3] + W[1:],
    ),
    "rms_norm": (
        lambda x: F.rms_norm(x, (4,), C, 1e-5),
        lambda x: normed(x, centred=False) * C,
    ),
    "group_norm": (
        lambda x: F.group_norm(x.mT, 1, C, B).mT,
        lambda x: normed(x, (1, 2)) * C + B,
    ),
    "group_norm of two groups": (
        lambda x: F.group_norm(x.mT, 2).mT,
        lambda x: torch.cat([normed(one, (1, 2)) for one in x.chunk(2, -1)], -1),
    ),
    "instance_norm": (
        lambda x: F.instance_norm(x.mT, weight=C, bias=B).mT,
        lambda x: normed(x, (1,)) * C + B,
    ),
    "layer_norm by hand": (
        lambda x: (
            (x - x.mean(-1, keepdim=True))
            / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)
            * C
            + B
        ),
        lambda x: normed(x) * C + B,
    ),
    # lengths and spreads as signals
    "norm": (lambda x: x.norm(dim=1) + B, lambda x: length(x) + B),
    "vector_norm": (
        lambda x: torch.linalg.vector_norm(x, dim=1, keepdim=True),
        lambda x: length(x, keep=True),
    ),
    "norm of each text": (
        lambda x: joined(x, lambda one: one.norm()).unsqueeze(1),
        lambda x: joined(x.flatten(1).unsqueeze(-1), lambda one: length(one.T)),
    ),
    "var": (lambda x: torch.var(x, 1) + B, lambda x: spread(x) + B),
    "var without correction": (lambda x: x.var(1, correction=0), lambda x: spread(x, False)),
    "std": (lambda x: x.std(1) + B, lambda x: spread(x) / x.std(1).detach() + B),
    "std of each text": (
        lambda x: joined(x, lambda one: one.std()).unsqueeze(1),
        lambda x: joined(x.flatten(1), lambda one: spread(one[None]) / one.std().detach()),
    ),
    "mean beside its variance": (
        lambda x: torch.var_mean(x, 1)[1] * torch.var_mean(x, 1, keepdim=True)[0].sum(1),
        lambda x: x.mean(1) * x.var(1).detach(),
    ),
    "numbers that are none become constants": (
        lambda x: torch.nan_to_num(x + torch.tensor([torch.nan, 0, 0, 0]).double(), 0.3),
        lambda x: torch.cat([x[..., :1].detach() * 0 + 0.3, x[..., 1:]], -1),
    ),
}


@pytest.mark.parametrize("name", FROZEN)
def test_relevance_of_a_frozen_operation_is_its_formula(name: str) -> None:
    check(*FROZEN[name])


@pytest.mark.parametrize(
    "gate",
    [
        torch.sigmoid,
        F.hardsigmoid,
        torch.exp,
        lambda x: torch.sigmoid(x).transpose(0, 1).transpose(0, 1).contiguous(),
        lambda x: F.dropout(torch.sigmoid(x), 0.5, False),
        lambda x: torch.sigmoid(x).masked_fill(x > 1, 0.0),
        lambda x: torch.exp(x) / torch.exp(x).sum(1, keepdim=True),
        lambda x: torch.softmax(x, 1),
        lambda x: torch.rsqrt(x * x + 1),
        lambda x: x.norm(dim=1, keepdim=True),
        lambda x: 1 / (1 + torch.linalg.vector_norm(x, dim=1, keepdim=True)),
        lambda x: x.std(1, keepdim=True),
        lambda x: torch.var_mean(x, 1, keepdim=True)[0],
        lambda x: torch.sigmoid(torch.sigmoid(x)),
        lambda x: x.detach().tanh(),
        lambda x: (x > 0.1) * x.argmax(1, keepdim=True),
    ],
)
def test_a_gate_takes_nothing_of_a_product(gate: Operation) -> None:
    check(lambda x: gate(x) * (x * 1 + C), lambda x: gate(x).detach() * (x + C))
    check(lambda x: (x - C) / (2 + gate(x)), lambda x: (x - C) / (2 + gate(x)).detach())


@pytest.mark.parametrize(
    "largest",
    [
        lambda x: x.max(1).values,
        lambda x: x.amax(1),
        lambda x: F.max_pool1d(x.mT, x.shape[1])[..., 0],
        lambda x: F.adaptive_max_pool1d(x.mT, 1).squeeze(-1),
        lambda x: -torch.min(-x, 1).values,
        lambda x: torch.maximum(x[:, ::2], x[:, 1::2]).max(1)[0],
        lambda x: -torch.minimum(-x[:, ::2], -x[:, 1::2]).min(1)[0],
    ],
)
def test_the_first_of_equal_winners_takes_all(largest: Operation) -> None:
    """Torch's own gradient would share."""
    ties = torch.tensor([[[1.0, 0], [2, 0], [2, 0], [0, 0]], [[0, 3], [0, 3], [0, 1], [0, 3]]])
    elements, constant, _ = relevance_of(largest, ties.double())
    expected = np.zeros(elements.shape)
    for b, i in np.ndindex(2, 2):
        first = int(np.argmax(ties[b, :, i].numpy()))
        expected[b, first, i, i] = float(ties[b, first, i])
    np.testing.assert_allclose(elements, expected)
    assert not constant.any()


@pytest.mark.parametrize("kind", [nn.LayerNorm, nn.RMSNorm])
def test_normalising_equal_numbers_divides_by_nothing(kind: Any) -> None:
    elements, constant, scores = relevance_of(kind(4).double(), torch.ones_like(X))
    assert np.isfinite(elements).all()
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-4)


def test_attnlrp_halves_products_and_keeps_the_gradient_of_the_softmax() -> None:
    """It does not add up."""
    rule = FrozenRule(attention="attnlrp")
    elements, _, scores = relevance_of(lambda x: sdpa(x, x, x), X, rule)
    expected, sums = gradient_times_input(
        lambda x: half(torch.softmax(half(x, x.mT, torch.bmm) / 2, -1), x, torch.bmm), X
    )
    np.testing.assert_allclose(elements, expected, atol=1e-6)
    np.testing.assert_allclose(scores, sums, atol=1e-10)


# ---- activations --------------------------------------------------------------------------------

NUMBERS = torch.tensor([-9.0, -2, -0.4, -1e-9, 0, 1e-12, 3e-8, 0.3, 0.9, 2, 11]).double()
NUMBERS = torch.stack([NUMBERS, NUMBERS.flip(0) * 0.7]).unsqueeze(-1)  # two texts of eleven words
ACTIVATIONS: list[Operation] = [
    *(torch.relu, torch.tanh, torch.erf, torch.erfc, torch.sin, torch.cos, torch.asinh),
    *(torch.atan, torch.abs, torch.sign, torch.sigmoid, torch.square),
    *(F.relu6, F.gelu, F.silu, F.selu, F.celu, F.mish, F.hardswish, F.hardtanh, F.softplus),
    *(F.softsign, F.tanhshrink, F.hardshrink, F.softshrink, F.logsigmoid, F.rrelu, F.hardsigmoid),
    lambda x: F.gelu(x, approximate="tanh"),
    lambda x: F.elu(x, 0.5),
    lambda x: F.leaky_relu(x, 0.3),
    lambda x: F.threshold(x, 0.1, 20.0),
    lambda x: torch.sinh(x / 5) + torch.cosh(x / 5) + torch.expm1(x / 5),
    lambda x: x.clamp(0.2, 5),
    lambda x: torch.clamp_min(x, -1.0),
    lambda x: x.clip(max=-0.5),
    lambda x: torch.special.i0(x / 5),
    lambda x: torch.exp(x / 5),
    lambda x: torch.exp2(x / 5),
    lambda x: x**3,
    lambda x: torch.sqrt(x.abs()),
    lambda x: torch.float_power(x, 2),
    nn.GELU(),
    lambda x: nn.ReLU(inplace=True)(x * 1),
    lambda x: F.silu(x * 1, inplace=True),
    lambda x: F.elu(x * 1, 0.5, True),
    lambda x: F.relu(input=x),
    nn.Softplus(beta=2, threshold=5),
    changed(lambda x: x.clamp_(-0.2, 0.3)),
    changed(torch.tanh_),
]


@pytest.mark.parametrize("function", ACTIVATIONS)
def test_the_value_of_an_activation_at_zero_is_a_constant(function: Operation) -> None:
    elements, constant, scores = relevance_of(function, NUMBERS)
    with torch.no_grad():
        at_zero, value = float(function(torch.zeros(1).double())), function(NUMBERS.clone())
    expected = (value - at_zero).squeeze(-1).numpy()
    np.testing.assert_allclose(elements[:, :, 0, 0], expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(constant[:, 0], 11 * at_zero, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores[:, 0], value.sum((1, 2)).numpy(), rtol=1e-12)


def test_activations_that_transformers_writes_out_are_activations() -> None:
    from transformers.activations import ACT2FN

    for name in ACT2FN:
        function = ACT2FN[name]
        if not any(True for _ in function.parameters()):  # a learned one is made of operations
            test_the_value_of_an_activation_at_zero_is_a_constant(function.double())


class Act(nn.Module):
    """A module of transformers after a product, weights, and of no word."""

    def __init__(self) -> None:
        super().__init__()
        from transformers.activations import ACT2FN

        self.act = ACT2FN["gelu_new"]

    def forward(self, x: Tensor) -> Tensor:
        gate = self.act(torch.softmax(x, 1))
        return self.act(x * x.flip(1)) + x * gate + self.act(C)  # type: ignore[no-any-return]


def test_a_module_with_a_rule_takes_tensors_of_each_role() -> None:
    module = Act()
    gate = module.act(torch.softmax(X, 1))
    check(module, lambda x: act(module.act, half(x, x.flip(1))) + x * gate + module.act(C))


# ---- networks of random operations --------------------------------------------------------------

STACKED: dict[str, Operation] = {
    "relu": torch.relu,
    "softplus": F.softplus,
    "relu_": lambda x: F.relu_(x * 1),
    "sigmoid": torch.sigmoid,
    "maximum": lambda x: torch.maximum(x, x.flip(1)),
    "conv": lambda x: F.conv1d(x.mT, torch.stack([W, V, W], -1), B, padding=1).mT * 0.3,
    "layer_norm": lambda x: F.layer_norm(x, (4,), C, B),
    "group_norm": lambda x: F.group_norm(x.mT, 2, C, B).mT,
    "highway": lambda x: torch.sigmoid(x) * learned(x).tanh() + (1 - torch.sigmoid(x)) * x,
    "glu": lambda x: F.glu(F.linear(x, torch.cat([W, V])), -1),
    "product": lambda x: 0.3 * learned(x).tanh() * (x + C),
    "squeeze and excite": lambda x: x * torch.sigmoid(x.mean(1) + B).unsqueeze(1),
    "attention": lambda x: torch.softmax(x @ learned(x).mT / 2, -1) @ (x + B),
    "heads": lambda x: (
        sdpa(*[x.view(*x.shape[:2], 2, 2).transpose(1, 2) + 0.1] * 3, is_causal=True)
        .transpose(1, 2)
        .reshape(x.shape)
    ),
    "start token": lambda x: torch.cat([B.expand(len(x), 1, 4), x], 1)[:, :-1] + x,
    "in place": changed(lambda x: x.add_(B).mul_(0.5).__setitem__((slice(None), 0), C)),
    "differences": lambda x: F.pad(x[:, 1:] - x[:, :-1], (0, 0, 0, 1), value=0.2),
    "pooled": lambda x: F.max_pool1d(x.mT, 3, 1, 1).mT - F.avg_pool1d(x.mT, 3, 1, 1).mT,
    "winner": lambda x: x - x.amax(1, keepdim=True) + x.amin((1, 2), keepdim=True),
    "places": lambda x: x + torch.arange(4.0 * x.shape[1]).double().view(-1, 4) / 9,
}
POOLS: dict[str, Operation] = {
    "max": lambda x: x.max(1).values,
    "mean": lambda x: x.mean(dim=1),
    "first": lambda x: x[:, 0],
    "attentive": lambda x: (x.mean(-1, keepdim=True).softmax(1) * x).sum(1),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=1),
}


class Stack(nn.Module):
    """Operations one after the other, a layer before each, and a pool."""

    def __init__(self, names: list[str], pool: str) -> None:
        super().__init__()
        self.names, self.pool = names, pool
        self.embedding, self.output = nn.Embedding(WORDS, 4), nn.Linear(4, 3)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in names)

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids)
        for name, layer in zip(self.names, self.layers, strict=True):
            x = STACKED[name](layer(x))
        return self.output(POOLS[self.pool](x * (ids != PAD).unsqueeze(-1)))


def made_stack(names: list[str], pool: str, seed: int, dead: bool) -> nn.Module:
    """Return a stack in float64, perhaps with units that are dead and words that are zeros."""
    module = enliven(Stack(names, pool).double(), seed)
    if dead:
        with torch.no_grad():
            module.get_parameter("embedding.weight")[::3] = 0
            for layer in range(len(names)):
                module.get_parameter(f"layers.{layer}.bias")[:2] -= 40
    return module


def check_stack(module: nn.Module, ids: Tensor) -> None:
    """See that relevance adds up, and that a text has in a batch what it has alone."""
    whole = freeze(module, ids)
    assert (whole.residual <= 1e-10).all()
    for row in range(len(ids)):  # as it is padded, so that its neighbors are the same
        alone = freeze(module, ids[row : row + 1])
        np.testing.assert_allclose(alone.scores[0], whole.scores[row], rtol=1e-9, atol=1e-9)
        same = (ids[row].unsqueeze(0) == ids[row].unsqueeze(1)).double().numpy()  # ties
        most = np.abs(alone.found.tokens).max() + np.abs(whole.scores).max() + 1
        for part in ("tokens", "places", "constant"):
            one, other = getattr(alone.found, part)[0], getattr(whole.found, part)[row]
            if part != "constant":
                one, other = same @ one, same @ other
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * most)


nightly = pytest.mark.nightly(reason="hundreds of random networks")


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=nightly) for seed in range(2, 60))]
)
def test_networks_of_random_operations_add_up(seed: int) -> None:
    draw = np.random.default_rng(seed)
    for number in range(10):
        names = draw.choice(sorted(STACKED), draw.integers(1, 6)).tolist()
        pool, dead = sorted(POOLS)[number % len(POOLS)], bool(number % 2)
        lengths = tuple(draw.integers(3, 9, draw.integers(1, 5)).tolist())
        check_stack(made_stack(names, pool, seed + number, dead), ragged(lengths, number))
