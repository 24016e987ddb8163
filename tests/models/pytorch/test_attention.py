"""Attention: its weights are frozen, what they weigh is the signal."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import END, enliven, freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError
from whyword.models.pytorch.frozen import FrozenRule

random = torch.Generator().manual_seed(0)
X = torch.randn(2, 5, 4, generator=random, dtype=torch.float64)
SEEN = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()
sdpa = functional.scaled_dot_product_attention


def literal(weights: Tensor, values: Tensor) -> np.ndarray:
    """Return R[b, t, i, i] = Σ_s A[s, t]·v[t, i]."""
    shares = torch.einsum("bst,bti->bti", weights, values)
    return (shares.unsqueeze(-1) * torch.eye(4)).numpy()


FORMS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "plain": (lambda x: sdpa(x, x, x), lambda s: s),
    "causal": (
        lambda x: sdpa(x, x, x, is_causal=True),
        lambda s: s.masked_fill(~torch.ones(5, 5).tril().bool(), -torch.inf),
    ),
    "masked": (
        lambda x: sdpa(x, x, x, SEEN.unsqueeze(1)),
        lambda s: s.masked_fill(~SEEN.unsqueeze(1), -torch.inf),
    ),
    "biased": (
        lambda x: sdpa(x, x, x, attn_mask=torch.eye(5, dtype=x.dtype) * 3),
        lambda s: s + torch.eye(5) * 3,
    ),
    "scaled": (lambda x: sdpa(x, x, x, scale=0.1), lambda s: s * 2 * 0.1),
    "by hand": (lambda x: torch.softmax(x @ x.mT / 2, -1) @ x, lambda s: s),
    "einsum": (
        lambda x: torch.einsum(
            "bst,btd->bsd", (torch.einsum("bsd,btd->bst", x, x) / 2).softmax(-1), x
        ),
        lambda s: s,
    ),
    "grouped": (
        lambda x: sdpa(
            x.unsqueeze(1).repeat(1, 2, 1, 1), x.unsqueeze(1), x.unsqueeze(1), enable_gqa=True
        ).mean(1),
        lambda s: s,
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_weights_are_frozen(name: str) -> None:
    function, change = FORMS[name]
    elements, constant, scores = relevance_of(function, X)
    weights = torch.softmax(change(X @ X.mT / 2), -1)
    np.testing.assert_allclose(elements, literal(weights, X), atol=1e-6)
    assert not constant.any()
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)


def test_who_sees_nothing_says_nothing() -> None:
    mask = SEEN.unsqueeze(1) & (torch.arange(5) > 0).unsqueeze(1)
    elements, _, scores = relevance_of(lambda x: sdpa(x, x, x, mask), X)
    assert np.isfinite(elements).all()
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_multihead_attention(weights: bool, batch_first: bool) -> None:
    layer = enliven(nn.MultiheadAttention(4, 2, batch_first=batch_first).double())

    def attend(x: Tensor) -> Tensor:
        x = x if batch_first else x.transpose(0, 1)
        out: Tensor = layer(x, x, x, key_padding_mask=~SEEN, need_weights=weights)[0]
        return out if batch_first else out.transpose(0, 1)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.layer = nn.Embedding(10, 4), layer

        def forward(self, ids: Tensor) -> object:
            return attend(self.embedding(ids)).sum(1)[:, :3]

    module = Net().double().eval()
    said = freeze(module, torch.arange(10).reshape(2, 5))
    assert said.residual.max() <= 1e-10
    assert not said.found.tokens[~SEEN.numpy()].any()
    assert set(said.passes[0].constants) == {"layer.in_proj_bias", "layer.out_proj.bias"}


def test_pooling_by_attention() -> None:
    elements, _, _ = relevance_of(lambda x: torch.softmax(x.sum(-1), 1).unsqueeze(-1) * x, X)
    weights = torch.softmax(X.sum(-1), 1).unsqueeze(-1)
    expected = ((weights * X).unsqueeze(-1) * torch.eye(4)).numpy()
    np.testing.assert_allclose(elements, expected, atol=1e-6)


def test_attention_that_takes_a_share_does_not_add_up() -> None:
    def attend(m: nn.Module, x: Tensor) -> object:
        return m.output(sdpa(m.linear(x), x, x).sum(1))  # type: ignore[operator]

    module, ids = written(attend), ragged()
    fixed, share = freeze(module, ids), freeze(module, ids, FrozenRule(attention="attnlrp"))
    assert fixed.residual.max() <= 1e-10
    assert share.residual.max() > 1e-3
    np.testing.assert_allclose(share.scores, fixed.scores, atol=1e-10)
    last = fixed.found.tokens[ids.numpy() == END]
    assert np.abs(share.found.tokens[ids.numpy() == END] - last).max() > 1e-4


def test_dropped_attention_is_refused() -> None:
    module = written(lambda m, x: m.output(sdpa(x, x, x, dropout_p=0.5).sum(1)))
    with pytest.raises(ModelError, match=r"drops out attention at random; call module.eval\(\)"):
        freeze(module, ragged())
