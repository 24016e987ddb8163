"""Normalisations: centred as they are, the scale frozen; β is a constant."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError

random = torch.Generator().manual_seed(0)
X = torch.randn(2, 3, 4, generator=random, dtype=torch.float64)
WEIGHT, BIAS = (torch.randn(4, generator=random, dtype=torch.float64) for _ in range(2))


def literal(x: Tensor, axes: tuple[int, ...], centred: bool, eps: float) -> np.ndarray:
    """Return R[b, t, i, j] of a norm over some axes: each output's share of each input."""
    shares = torch.zeros(*x.shape, x.shape[-1], dtype=x.dtype)
    middle = x.mean(axes, keepdim=True) if centred else torch.zeros_like(x)
    scale = ((x - middle) ** 2).mean(axes, keepdim=True).add(eps).rsqrt().expand(x.shape)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    for b, t, i in np.ndindex(*x.shape):
        one = torch.zeros_like(x)
        one[b, t, i] = x[b, t, i]
        moved = one - (one.sum(axes, keepdim=True) / count if centred else 0)
        shares[b, t, i] = (moved * scale * WEIGHT)[b].sum(0)
    return shares.numpy()


NORMS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...], bool, bool]] = {
    "layer norm": (lambda x: functional.layer_norm(x, (4,), WEIGHT, BIAS), (2,), True, True),
    "layer norm without a bias": (
        lambda x: functional.layer_norm(x, (4,), WEIGHT),
        (2,),
        True,
        False,
    ),
    "rms norm": (lambda x: functional.rms_norm(x, (4,), WEIGHT, 1e-5), (2,), False, False),
    "group norm": (
        lambda x: functional.group_norm(x.mT, 1, WEIGHT, BIAS).mT,
        (1, 2),
        True,
        True,
    ),
    "instance norm": (
        lambda x: functional.instance_norm(x.mT, weight=WEIGHT, bias=BIAS).mT,
        (1,),
        True,
        True,
    ),
    "layer norm by hand": (
        lambda x: (
            (x - x.mean(-1, keepdim=True))
            / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)
            * WEIGHT
            + BIAS
        ),
        (2,),
        True,
        True,
    ),
    "rms norm by hand": (
        lambda x: WEIGHT * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)),
        (2,),
        False,
        False,
    ),
}


@pytest.mark.parametrize("name", NORMS)
def test_equals_the_formulas(name: str) -> None:
    function, axes, centred, has_bias = NORMS[name]
    elements, constant, scores = relevance_of(function, X)
    np.testing.assert_allclose(elements, literal(X, axes, centred, 1e-5), atol=1e-6)
    expected = 3 * BIAS.numpy() if has_bias else np.zeros(4)
    np.testing.assert_allclose(constant, np.tile(expected, (2, 1)), atol=1e-12)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)


def test_batch_norm_is_linear_after_the_training() -> None:
    mean, variance = BIAS * 2, WEIGHT**2 + 0.3
    for axis, function in (
        (1, lambda x: x.mT),
        (2, lambda x: x.reshape(-1, 4)),
    ):

        def normalise(x: Tensor, function: Callable[[Tensor], Tensor] = function) -> Any:
            made = functional.batch_norm(function(x), mean, variance, WEIGHT, BIAS)
            return made.mT if made.dim() == 3 else made.view(x.shape)

        elements, constant, _ = relevance_of(normalise, X)
        factor = (WEIGHT / (variance + 1e-5).sqrt()).numpy()
        expected = X.unsqueeze(-1).numpy() * np.diag(factor)
        np.testing.assert_allclose(elements, expected, atol=1e-6)
        shift = BIAS.numpy() - mean.numpy() * factor
        np.testing.assert_allclose(constant, np.tile(3 * shift, (2, 1)), atol=1e-10)
        assert axis in (1, 2)


def test_several_axes_of_a_layer_norm() -> None:
    norm = nn.LayerNorm((3, 4)).double()
    elements, constant, scores = relevance_of(norm, X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)
    assert not constant.any()


@pytest.mark.parametrize("kind", [nn.LayerNorm, nn.RMSNorm])
def test_equal_numbers(kind: Any) -> None:
    """Nothing is left when they are centred; nothing is divided by zero."""
    elements, constant, scores = relevance_of(kind(4).double(), torch.ones_like(X))
    assert np.isfinite(elements).all()
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-4)


def test_other_texts_of_a_batch_are_refused() -> None:
    module = written(
        lambda m, x: m.output(functional.batch_norm(x.mT, None, None, training=True).mT.sum(1))
    )
    with pytest.raises(ModelError, match="normalises by the other texts of a batch"):
        freeze(module, ragged())
