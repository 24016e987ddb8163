"""The paper's rule, biases and ε shared among inputs, against loops."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - as torch's documentation calls it
from torch_networks import freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError
from whyword.models.pytorch.frozen import FrozenRule

random = torch.Generator().manual_seed(0)
RULE = FrozenRule(epsilon=0.01)
Array = NDArray[np.float64]


def draw(*shape: int) -> Tensor:
    return torch.randn(shape, generator=random, dtype=torch.float64)


X = draw(2, 5, 4)  # two texts of five words
W, B, V, C = draw(3, 4), draw(3), draw(6, 4, 3), draw(6)


def shares_of(x: Array, w: Array, b: Array, r: Array) -> Array:
    """Return R[i] = Σ_j (x[i]·w[j, i] + (b[j] + ε·s[j])/N)·R[j]/(z[j] + ε·s[j])."""
    found = np.zeros_like(x)
    for j in range(len(w)):
        z = float(w[j] @ x + b[j])
        s = 0.01 if z >= 0 else -0.01
        for i in range(len(x)):
            found[i] += (x[i] * w[j, i] + (b[j] + s) / len(x)) * r[j] / (z + s)
    return found


@pytest.mark.parametrize(("bias", "units"), [(True, 3), (False, 2)])
def test_a_dense_layer_shares_its_bias(bias: bool, units: int) -> None:
    w, b = W[:units], B[:units] if bias else None
    elements, constant, scores = relevance_of(lambda x: F.linear(x[:, 0], w, b), X, RULE)
    b = torch.zeros(units) if b is None else b
    for text, k in np.ndindex(2, units):
        relevance = np.eye(units)[k] * scores[text]
        expected = shares_of(X[text, 0].numpy(), w.numpy(), b.numpy(), relevance)
        np.testing.assert_allclose(elements[text, 0, :, k], expected, atol=1e-5)
    assert not elements[:, 1:].any()
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-5)
    assert not constant.any()


def two_layers(x: Tensor, convolve: Callable[[Tensor], Tensor]) -> Tensor:
    """Return a dense layer over the maxima of a convolution's positive parts."""
    hidden = F.dropout(F.relu(convolve(x.mT)), 0.5, False).amax(2)
    return F.linear(torch.cat([hidden[:, :3], hidden[:, 3:]], 1), W4, B)


W4 = draw(3, 6)
CONVOLUTIONS: dict[str, tuple[Callable[[Tensor], Tensor], int, int, bool]] = {
    "plain": (lambda x: F.conv1d(x, V, C), 0, 1, True),
    "padded": (lambda x: F.conv1d(x, V, C, padding=2), 2, 1, True),
    "strided": (lambda x: F.conv1d(x, V, C, 2, 2), 2, 2, True),
    "without a bias": (lambda x: F.conv1d(x, V, padding=1), 1, 1, False),
    "in place": (lambda x: F.relu(F.conv1d(x, V, C), inplace=True), 0, 1, True),
    "of two dimensions": (
        lambda x: F.conv2d(x.mT.unsqueeze(1), V.transpose(1, 2).unsqueeze(1), C).squeeze(3),
        *(0, 1, True),
    ),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_convolution_is_a_dense_layer_at_each_winner(name: str) -> None:
    """What lands outside of the text is lost to padding."""
    convolve, padding, stride, bias = CONVOLUTIONS[name]
    elements, lost, scores = relevance_of(lambda x: two_layers(x, convolve), X, RULE)
    b = (C if bias else torch.zeros(6)).numpy()
    wide = F.pad(X.mT, (padding, padding)).numpy()
    for text, k in np.ndindex(2, 3):
        hidden = convolve(X.mT)[text].relu().amax(1)
        z = F.linear(hidden, W4, B)
        into = shares_of(hidden.numpy(), W4.numpy(), B.numpy(), (np.eye(3)[k] * z.numpy()))
        expected = np.zeros_like(wide[text])
        for unit, place in enumerate(convolve(X.mT)[text].relu().argmax(1).tolist()):
            window = slice(place * stride, place * stride + 3)
            part = shares_of(
                wide[text, :, window].reshape(-1),
                V[unit].reshape(1, -1).numpy(),
                b[unit : unit + 1],
                into[unit : unit + 1],
            )
            expected[:, window] += part.reshape(4, 3)
        inside = expected[:, padding : padding + 5]
        np.testing.assert_allclose(elements[text, :, :, k].T, inside, atol=1e-5)
        assert lost[text, k] == pytest.approx(expected.sum() - inside.sum(), rel=1e-6, abs=1e-9)
        assert scores[text, k] == pytest.approx(z[k].item(), abs=1e-12)


@pytest.mark.parametrize(
    ("function", "used"),
    [
        (torch.tanh, "tanh"),
        (lambda x: torch.softmax(x, 1) * x, "mul"),
        (lambda x: x * x, "mul"),
        (lambda x: x.mean(1, keepdim=True), "mean"),
        (lambda x: x + 2 * x, "mul"),
        (lambda x: F.layer_norm(x, (4,)), "layer_norm"),
        (lambda x: torch.cat([x, torch.ones_like(x)], 1), "Written adds a constant"),
    ],
)
def test_other_operations_are_refused(function: Callable[[Tensor], Tensor], used: str) -> None:
    module = written(lambda m, x: m.output(function(x).amax(1)))
    said = f"{used}; " if " " in used else f"uses {used}; "
    with pytest.raises(ModelError, match=f"{said}.*would divide by activations"):
        freeze(module, ragged(), RULE)
