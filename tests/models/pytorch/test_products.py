"""Products: one signal takes all, two take half each."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch_networks import freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError

random = torch.Generator().manual_seed(0)
X = torch.randn(2, 3, 4, generator=random, dtype=torch.float64)
W = torch.randn(4, 4, generator=random, dtype=torch.float64)
B = torch.randn(4, generator=random, dtype=torch.float64)
CLOSE = 1e-6  # elements are float32


def test_half_each() -> None:
    """x[0]·x[1]: ½ of it is either word's."""
    elements, constant, scores = relevance_of(lambda x: x[:, 0] * x[:, 1], X)
    product = (X[:, 0] * X[:, 1]).numpy()
    for t in (0, 1):
        for i in range(4):
            np.testing.assert_allclose(elements[:, t, i, i], product[:, i] / 2, atol=CLOSE)
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=CLOSE)
    assert not constant.any()


def test_of_three_the_last_takes_half() -> None:
    elements, _, _ = relevance_of(lambda x: x[:, 0] * x[:, 1] * x[:, 2], X)
    product = X.prod(1).numpy()
    for t, share in ((0, 0.25), (1, 0.25), (2, 0.5)):
        found = elements[:, t].diagonal(axis1=1, axis2=2)
        np.testing.assert_allclose(found, share * product, atol=CLOSE)


def test_a_gate_takes_nothing() -> None:
    elements, constant, scores = relevance_of(lambda x: torch.sigmoid(x[:, 0]) * x[:, 1], X)
    assert not elements[:, 0].any()
    found = elements[:, 1].diagonal(axis1=1, axis2=2)
    np.testing.assert_allclose(found, scores, atol=CLOSE)
    assert not constant.any()


def test_two_gates_are_activations() -> None:
    """Half each of the product, of which σ(0) = ½ is a constant."""
    elements, constant, scores = relevance_of(
        lambda x: torch.sigmoid(x[:, 0]) * torch.sigmoid(x[:, 1]), X
    )
    one, two = torch.sigmoid(X[:, 0]).numpy(), torch.sigmoid(X[:, 1]).numpy()
    found = elements[:, 0].diagonal(axis1=1, axis2=2)
    np.testing.assert_allclose(found, (one - 0.5) * two / 2, atol=CLOSE)
    np.testing.assert_allclose(constant, (one + two) / 4, atol=CLOSE)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=CLOSE)


LINEAR: dict[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda x: functional.linear(x, W, B),
    "matmul": lambda x: x @ W.T + B,
    "rmatmul": lambda x: (W @ x.mT).mT + B,
    "addmm": lambda x: torch.addmm(B, x.reshape(-1, 4), W.T).view(x.shape),
    "baddbmm": lambda x: torch.baddbmm(B, x, W.T.expand(2, 4, 4)),
    "einsum by numbers": lambda x: torch.einsum(x, [0, 1, 2], W, [3, 2], [0, 1, 3]) + B,
    "bmm": lambda x: torch.bmm(x, W.T.expand(2, 4, 4)) + B,
    "einsum": lambda x: torch.einsum("bti,ji->btj", x, W) + B,
    "einsum with dots": lambda x: torch.einsum("...i,ji->...j", x, W) + B,
    "einsum of a list": lambda x: torch.einsum("bti,ji->btj", [x, W]) + B,
    "einsum without an arrow": lambda x: torch.einsum("abc,cd", x, W.T) + B,
    "tensordot": lambda x: torch.tensordot(x, W, dims=([2], [1])) + B,
    "tensordot of one": lambda x: torch.tensordot(x, W.T, dims=1) + B,
    "conv1d": lambda x: functional.conv1d(x.mT, W.unsqueeze(-1), B).mT,
    "conv2d": lambda x: (
        functional.conv2d(x.permute(0, 2, 1).unsqueeze(-1), W[:, :, None, None], B)[..., 0].mT
    ),
    "conv_transpose1d": lambda x: functional.conv_transpose1d(x.mT, W.T.unsqueeze(-1), B).mT,
    "mul and sum": lambda x: (x.unsqueeze(-2) * W).sum(-1) + B,
    "vectors": lambda x: (
        torch.stack([torch.mv(W, row) for one in x for row in one]).view(x.shape) + B
    ),
}


@pytest.mark.parametrize("name", LINEAR)
def test_weights(name: str) -> None:
    """R[i] = w[j, i]·x[i], and the bias is a constant, once for each place."""
    elements, constant, _ = relevance_of(LINEAR[name], X)
    expected = torch.einsum("bti,ji->btij", X, W).numpy()
    np.testing.assert_allclose(elements, expected, atol=CLOSE)
    np.testing.assert_allclose(constant, np.tile(3 * B.numpy(), (2, 1)), atol=1e-10)


def test_a_factor_of_addmm() -> None:
    elements, constant, _ = relevance_of(
        lambda x: torch.addmm(B, x.reshape(-1, 4), W.T, beta=2, alpha=0.5).view(x.shape), X
    )
    np.testing.assert_allclose(elements, 0.5 * torch.einsum("bti,ji->btij", X, W), atol=CLOSE)
    np.testing.assert_allclose(constant, np.tile(6 * B.numpy(), (2, 1)), atol=1e-10)


TWO: dict[str, Callable[[Tensor], Tensor]] = {
    "bmm": lambda x: torch.bmm(x, x.mT) @ W[:3],
    "einsum": lambda x: torch.einsum("bsi,bti,ij->bsj", x, x, W),
    "einsum with dots": lambda x: torch.einsum("...si,...ti->...st", x, x) @ W[:3],
    "bilinear": lambda x: functional.bilinear(x, x.flip(1), W.expand(4, 4, 4).contiguous(), B),
    "linear of a signal": lambda x: torch.stack([functional.linear(one, one) @ W[:3] for one in x]),
    "cosine": lambda x: functional.cosine_similarity(x, x.flip(1), dim=1).unsqueeze(1),
    "addcmul": lambda x: torch.addcmul(x, x.flip(1), x, value=0.3),
    "addcdiv": lambda x: torch.addcdiv(x, x.flip(1), 2 + x.abs(), value=0.3),
    "lerp": lambda x: torch.lerp(x, x.flip(1), 0.3),
    "lerp by a gate": lambda x: torch.lerp(x, x.flip(1), torch.sigmoid(x)),
    "lerp by a signal": lambda x: torch.lerp(x, x.flip(1), x.tanh()),
    "inner": lambda x: torch.stack([torch.inner(one, one) @ W[:3] for one in x]),
    "dot": lambda x: torch.stack([torch.dot(one[0], one[1]) * B for one in x]),
}


@pytest.mark.parametrize("name", TWO)
def test_two_signals_share(name: str) -> None:
    elements, constant, scores = relevance_of(TWO[name], X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-5)


def test_what_divides_takes_nothing() -> None:
    elements, constant, scores = relevance_of(lambda x: x[:, 0] / (1 + x[:, 1].abs()), X)
    assert not elements[:, 1].any()
    np.testing.assert_allclose(elements[:, 0].sum(1), scores, atol=CLOSE)
    assert not constant.any()


REFUSED: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "rounded": (lambda x: torch.div(x, 2, rounding_mode="floor"), "rounds a quotient"),
    "convolved": (
        lambda x: functional.conv1d(x.mT, x[:1].mT[:, :, :1].expand(4, 4, 1)).mT,
        "convolves with weights that are made of words",
    ),
    "addbmm": (lambda x: torch.addbmm(torch.zeros(3, 3), x, x.mT), "addbmm"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, said = REFUSED[name]
    with pytest.raises(ModelError, match=said):
        freeze(written(lambda m, x: m.output(function(x).sum(1))), ragged((3, 3)))
