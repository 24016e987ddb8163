"""The paper's rule, biases and ε shared among inputs, against loops."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import WORDS, Written, enliven, freeze, ragged, written

from whyword.base.errors import ModelError
from whyword.models.pytorch.frozen import FrozenRule
from whyword.models.pytorch.shared_bias import ConvolutionShares, DenseShares

random = torch.Generator().manual_seed(0)
EPSILON = 0.01
Array = NDArray[np.float64]


def draw(*shape: int) -> Tensor:
    return torch.randn(shape, generator=random, dtype=torch.float64)


def dense_by_loops(x: Array, w: Array, b: Array, r: Array) -> Array:
    """Return R[i] = Σ_j (x[i]·w[j, i] + (b[j] + ε·s[j])/N)·R[j]/(z[j] + ε·s[j])."""
    found = np.zeros_like(x)
    for j in range(len(w)):
        z = float(w[j] @ x + b[j])
        s = EPSILON if z >= 0 else -EPSILON
        for i in range(len(x)):
            found[i] += (x[i] * w[j, i] + (b[j] + s) / len(x)) * r[j] / (z + s)
    return found


def test_a_dense_layer() -> None:
    w, b = draw(3, 5), draw(3)
    for x in (draw(5), torch.zeros(5).double()):
        leaf, relevance = x.clone().requires_grad_(), draw(3)
        out = DenseShares.apply(leaf, w, b, EPSILON)  # type: ignore[no-untyped-call]
        torch.testing.assert_close(out, functional.linear(x, w, b))
        (found,) = torch.autograd.grad(out, leaf, relevance)
        expected = dense_by_loops(*(one.numpy() for one in (x, w, b, relevance)))
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-10)
        assert float(found.sum()) == pytest.approx(float(relevance.sum()), abs=1e-10)


@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_a_convolution(padding: int, stride: int) -> None:
    """Each window is a dense layer; what lands beside the text is lost to padding."""
    x, w, b = draw(2, 4, 7), draw(3, 4, 3), draw(3)

    def call(inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return functional.conv1d(inputs, weight, bias, stride=stride, padding=padding)

    leaf, ones = x.clone().requires_grad_(), torch.ones(2).double().requires_grad_()
    out = ConvolutionShares.apply(leaf, ones, call, w, b, EPSILON)  # type: ignore[no-untyped-call]
    relevance = draw(*out.shape)
    found, lost = torch.autograd.grad(out, [leaf, ones], relevance)
    wide = functional.pad(x, (padding, padding)).numpy()
    expected = np.zeros_like(wide)
    for text in range(2):
        for place in range(out.shape[2]):
            window = slice(place * stride, place * stride + 3)
            shares = dense_by_loops(
                wide[text, :, window].reshape(-1),
                w.reshape(3, -1).numpy(),
                b.numpy(),
                relevance[text, :, place].numpy(),
            )
            expected[text, :, window] += shares.reshape(4, 3)
    inside = expected[:, :, padding : padding + 7]
    np.testing.assert_allclose(found.numpy(), inside, atol=1e-10)
    outside = expected.sum((1, 2)) - inside.sum((1, 2))
    np.testing.assert_allclose(lost.numpy(), outside, atol=1e-10)


class Deep(nn.Module):
    """Two convolutions, in place, dropped out."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 4)
        self.first, self.second = nn.Conv1d(4, 5, 3, padding=1), nn.Conv1d(5, 5, 2)
        self.relu, self.drop, self.output = nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(5, 3)

    def forward(self, ids: Tensor) -> object:
        x = self.relu(self.first(self.embedding(ids).permute(0, 2, 1)))
        x = functional.max_pool1d(self.relu(self.second(x)), 2)
        return self.output(self.drop(functional.adaptive_max_pool1d(x, 1).squeeze(-1)))


def test_deep_networks_add_up() -> None:
    """Up to ε, which is shared, too: what is missing is the paper's."""
    module, ids = enliven(Deep().double()), ragged()
    said = freeze(module, ids, FrozenRule(epsilon=1e-9))
    summed = said.found.tokens.sum(1) + said.found.constant
    np.testing.assert_allclose(summed, said.scores, rtol=1e-4)
    apart = freeze(module, ids)
    assert np.abs(apart.found.tokens - said.found.tokens).max() > 1e-3


REFUSED = {
    "tanh": lambda m, x: m.output(torch.tanh(x).amax(1)),
    "softmax": lambda m, x: m.output((torch.softmax(x, 1) * x).amax(1)),
    "mul": lambda m, x: m.output((x * x).amax(1)),
    "mean": lambda m, x: m.output(x.mean(1)),
    "add": lambda m, x: m.output((m.linear(x) + x).amax(1)),
    "layer_norm": lambda m, x: m.output(functional.layer_norm(x, (4,)).amax(1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_operations_are_refused(name: str) -> None:
    module = written(REFUSED[name])
    assert isinstance(module, Written)
    used = "mul" if name == "softmax" else name
    with pytest.raises(ModelError, match=f"uses {used}; .*would divide by activations"):
        freeze(module, ragged(), FrozenRule(epsilon=EPSILON))
