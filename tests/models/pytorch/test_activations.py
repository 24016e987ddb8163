"""Functions of single numbers: f(x) = f(0) + x·[(f(x) − f(0))/x], and f(0) is a constant."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError

X = torch.tensor([-9.0, -2, -0.4, -1e-9, 0, 1e-12, 3e-8, 0.3, 0.9, 2, 11]).double()
X = torch.stack([X, X.flip(0) * 0.7]).unsqueeze(-1)  # two texts of eleven words

F = functional
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "relu6": F.relu6,
    "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "tanh": torch.tanh,
    "elu": lambda x: F.elu(x, 0.5),
    "selu": F.selu,
    "celu": F.celu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.3),
    "mish": F.mish,
    "hardswish": F.hardswish,
    "hardtanh": F.hardtanh,
    "softplus": F.softplus,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "logsigmoid": F.logsigmoid,
    "threshold": lambda x: F.threshold(x, 0.1, 20.0),
    "rrelu": F.rrelu,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "sin": torch.sin,
    "cos": torch.cos,
    "sinh": lambda x: torch.sinh(x / 5),
    "cosh": lambda x: torch.cosh(x / 5),
    "asinh": torch.asinh,
    "atan": torch.atan,
    "expm1": lambda x: torch.expm1(x / 5),
    "clamp": lambda x: x.clamp(0.2, 5),
    "clamp_min": lambda x: torch.clamp_min(x, -1.0),
    "clip": lambda x: x.clip(max=-0.5),
    "abs": torch.abs,
    "sign": torch.sign,
    "i0": lambda x: torch.special.i0(x / 5),
    "sigmoid": torch.sigmoid,
    "hardsigmoid": F.hardsigmoid,
    "exp": lambda x: torch.exp(x / 5),
    "exp2": lambda x: torch.exp2(x / 5),
    "square": torch.square,
    "x ** 3": lambda x: x**3,
    "sqrt": lambda x: torch.sqrt(x.abs()),
    "float_power": lambda x: torch.float_power(x, 2),
    "nn.GELU": nn.GELU(),
    "nn.ReLU in place": lambda x: nn.ReLU(inplace=True)(x * 1),
    "F.silu in place": lambda x: F.silu(x * 1, inplace=True),
    "F.elu in place, by place": lambda x: F.elu(x * 1, 0.5, True),
    "Softplus of a beta": nn.Softplus(beta=2, threshold=5),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_value_at_zero_is_a_constant(name: str) -> None:
    function = ACTIVATIONS[name]
    elements, constant, scores = relevance_of(function, X)
    with torch.no_grad():
        at_zero, value = float(function(torch.zeros(1).double())), function(X.clone())
    expected = (value - at_zero).squeeze(-1).numpy()
    np.testing.assert_allclose(elements[:, :, 0, 0], expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(constant[:, 0], 11 * at_zero, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores[:, 0], value.sum((1, 2)).numpy(), rtol=1e-12)


def test_every_function_of_the_rule_is_here() -> None:
    from whyword.models.pytorch.activations import activation
    from whyword.models.pytorch.functions import name_of
    from whyword.models.pytorch.rules import RULES

    known = {name_of(func) for func, rule in RULES.items() if rule is activation}
    same = {
        "absolute",
        "fabs",
        "arctan",
        "arcsinh",
        "clamp_max",
        "__abs__",
        "log_sigmoid",
        "log1p",
        "tan",
    }
    undefined = {"logit", "log", "log2", "log10", "digamma", "lgamma"}
    written_here = {name.split()[0] for name in ACTIVATIONS}
    assert {one for one in known if one.strip("_") not in written_here} <= (
        same | undefined | {one for one in known if one.startswith("special_")}
    )


@pytest.mark.parametrize(
    "function",
    [torch.log, torch.log10, lambda x: 1 / (x * x), torch.reciprocal, lambda x: x**-2, torch.rsqrt],
)
def test_without_a_value_at_zero_it_is_no_signal(function: Callable[[Tensor], Tensor]) -> None:
    module = written(lambda m, x: m.output(function(x.abs() + 0.1).sum(1)))
    with pytest.raises(ModelError, match=r"no value at 0|made of words but frozen"):
        freeze(module, ragged())


GATED: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "hardsigmoid": F.hardsigmoid,
    "exp": torch.exp,
    "1 − gate": lambda x: 1 - torch.sigmoid(x),
    "moved": lambda x: torch.sigmoid(x).transpose(0, 1).transpose(0, 1).contiguous(),
    "dropped": lambda x: F.dropout(torch.sigmoid(x), 0.5, False),
    "hidden": lambda x: torch.sigmoid(x).masked_fill(x > 1, 0.0),
    "shared out": lambda x: torch.exp(x) / torch.exp(x).sum(1, keepdim=True),
    "softmax": lambda x: torch.softmax(x, 1),
    "rsqrt": lambda x: torch.rsqrt(x * x + 1),
    "length": lambda x: x.norm(dim=1, keepdim=True),
    "1 / length": lambda x: 1 / (1 + torch.linalg.vector_norm(x, dim=1, keepdim=True)),
    "deviation": lambda x: x.std(1, keepdim=True),
    "variance": lambda x: torch.var_mean(x, 1, keepdim=True)[0],
    "a gate of a gate": lambda x: torch.sigmoid(torch.sigmoid(x)),
    "detached": lambda x: x.detach().tanh(),
}


@pytest.mark.parametrize("name", GATED)
def test_a_gate_takes_nothing(name: str) -> None:
    """y·gate(x): all of it is y's."""
    gate = GATED[name]
    elements, constant, _ = relevance_of(lambda x: gate(x) * (x * 1), X)
    expected = (gate(X) * X).squeeze(-1).numpy()
    np.testing.assert_allclose(elements[:, :, 0, 0], expected, rtol=1e-5, atol=1e-6)
    assert not constant.any()


def test_what_is_learned_of_a_gate_is_a_signal() -> None:
    """W·σ(x) is no gate: times a signal, half is its own."""
    weight = torch.tensor([[2.0]]).double()
    elements, constant, scores = relevance_of(
        lambda x: F.linear(torch.sigmoid(x[:, 0]), weight) * x[:, 1], X
    )
    half = (torch.sigmoid(X[:, 0]) * 2 * X[:, 1]).squeeze(-1).numpy() / 2
    np.testing.assert_allclose(elements[:, 1, 0, 0], half, atol=1e-6)
    np.testing.assert_allclose(elements.sum((1, 2, 3)) + constant[:, 0], scores[:, 0], atol=1e-6)


def test_glu_and_prelu() -> None:
    wide = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)).double()
    elements, constant, scores = relevance_of(lambda x: F.glu(x, -1), wide)
    assert not elements[:, :, 2:].any()
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)
    slope = torch.tensor([0.2]).double()
    elements, constant, _ = relevance_of(lambda x: F.prelu(x, slope), X)
    expected = F.prelu(X, slope).squeeze(-1).numpy()
    np.testing.assert_allclose(elements[:, :, 0, 0], expected, atol=1e-6)
    assert not constant.any()


@pytest.mark.parametrize(
    "scale",
    [
        lambda x: x.norm(dim=1),
        lambda x: torch.linalg.vector_norm(x, dim=1),
        lambda x: torch.linalg.norm(x, dim=1),
        lambda x: x.std(1),
        lambda x: x.std(dim=1, unbiased=False),
        lambda x: x.var(1, correction=0),
        lambda x: torch.var(x, 1),
        lambda x: torch.var_mean(x, 1)[1],
    ],
)
def test_a_length_as_a_signal(scale: Callable[[Tensor], Any]) -> None:
    elements, constant, scores = relevance_of(scale, X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, rtol=1e-6)
    assert not constant.any()


def test_bounds_that_differ() -> None:
    low, high = (torch.linspace(*ends, 11).reshape(11, 1).double() for ends in ((-1, 1), (0, 2)))
    elements, constant, scores = relevance_of(lambda x: torch.clamp(x, low, high), X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)
    within = ((low <= X) & (high >= X)).squeeze(-1).numpy()
    np.testing.assert_allclose(elements[:, :, 0, 0], X.squeeze(-1).numpy() * within, atol=1e-6)
