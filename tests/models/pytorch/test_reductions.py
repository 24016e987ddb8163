"""Sums share, winners take all: the first of equals."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch_networks import freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError

X = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
TIES = torch.tensor([[[1.0, 0], [2, 0], [2, 0], [0, 0]], [[0, 3], [0, 3], [0, 1], [0, 3]]]).double()


@pytest.mark.parametrize(
    "largest",
    [
        lambda x: x.max(1).values,
        lambda x: x.max(dim=1)[0],
        lambda x: torch.max(x, 1, True)[0],
        lambda x: x.amax(1),
        lambda x: torch.amax(x, dim=(1,), keepdim=True),
        lambda x: functional.max_pool1d(x.mT, x.shape[1])[..., 0],
        lambda x: functional.adaptive_max_pool1d(x.mT, 1).squeeze(-1),
        lambda x: -torch.min(-x, 1).values,
        lambda x: -(-x).amin(1),
    ],
)
def test_the_first_winner_takes_all(largest: Callable[[Tensor], Tensor]) -> None:
    for x in (X, TIES):
        elements, constant, scores = relevance_of(largest, x)
        expected = np.zeros(elements.shape)
        for b in range(len(x)):
            for i in range(x.shape[2]):
                first = int(np.argmax(x[b, :, i].numpy()))
                expected[b, first, i, i] = float(x[b, first, i])
        np.testing.assert_allclose(elements, expected, atol=1e-6)
        assert not constant.any()
        np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)


def test_over_several_axes() -> None:
    elements, _, scores = relevance_of(lambda x: x.amax((1, 2), keepdim=True)[:, 0].expand(2, 2), X)
    flat = X.reshape(2, -1)
    assert ((elements != 0).sum((1, 2)) == 1).all()
    np.testing.assert_allclose(scores[:, 0], flat.max(1).values, atol=1e-6)


SUMS: dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda x: x.sum(1),
    "sum by name": lambda x: torch.sum(x, dim=1),
    "sum of two axes": lambda x: x.unsqueeze(1).sum((1, 2)),
    "mean": lambda x: 5 * x.mean(1),
    "mean kept": lambda x: 5 * x.mean(-2, keepdim=True).squeeze(1),
    "last of cumsum": lambda x: x.cumsum(1)[:, -1],
    "average pool": lambda x: 5 * functional.adaptive_avg_pool1d(x.mT, 1)[..., 0],
    "nansum": lambda x: torch.nansum(x, 1),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_share(name: str) -> None:
    elements, constant, _ = relevance_of(SUMS[name], X)
    expected = X.unsqueeze(-1).numpy() * np.eye(3)
    np.testing.assert_allclose(elements, expected, atol=1e-6)
    assert not constant.any()


ORDERED: dict[str, Callable[[Tensor], Tensor]] = {
    "topk": lambda x: x.topk(2, 1).values,
    "sort": lambda x: x.sort(1, descending=True)[0][:, :2],
    "kthvalue": lambda x: x.kthvalue(3, 1).values,
    "median": lambda x: x.median(1).values,
    "cummax": lambda x: x.cummax(1).values,
    "windows": lambda x: functional.max_pool1d(x.mT, 2, stride=1),
    "windows and places": lambda x: functional.max_pool1d(x.mT, 2, return_indices=True)[0],
    "upsampled": lambda x: functional.interpolate(x.mT, scale_factor=2.0, mode="linear"),
    "maximum": lambda x: torch.maximum(x, x.flip(1)),
    "minimum": lambda x: torch.minimum(x, x.flip(1)),
    "max of two": lambda x: torch.max(x, x.flip(1)),
    "gathered best": lambda x: x.gather(1, x.argmax(1, keepdim=True)),
}


@pytest.mark.parametrize("name", ORDERED)
def test_values_move(name: str) -> None:
    elements, constant, scores = relevance_of(ORDERED[name], X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)
    assert not constant.any()


def test_a_bound_that_wins_is_a_constant() -> None:
    elements, constant, _ = relevance_of(
        lambda x: torch.maximum(x, torch.tensor(0.5, dtype=x.dtype)), X
    )
    assert np.allclose(constant, 0.5 * (X < 0.5).sum(1).numpy())
    np.testing.assert_allclose(elements.sum(-1), torch.where(X >= 0.5, X, 0).numpy(), atol=1e-6)


def test_a_median_of_everything_is_refused() -> None:
    with pytest.raises(ModelError, match="median of all numbers at once"):
        freeze(written(lambda m, x: m.output(x.sum(1)) + x.median()), ragged())
