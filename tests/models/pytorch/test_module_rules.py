"""Rules of whole modules: hooks that answer to one pass and are taken off after it."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, batch_of, freeze, ragged, relevance_of, state_of

import whyword as ww
from whyword.base.errors import ModelError
from whyword.models.pytorch.frozen import FrozenPass, FrozenRule
from whyword.models.pytorch.module_rules import MODULES, rule_of
from whyword.models.pytorch.network import Network

X = torch.linspace(-4, 4, 33, dtype=torch.float64).reshape(1, 33, 1)


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Take off again the rules that a test adds."""
    before = dict(MODULES)
    yield
    MODULES.clear()
    MODULES.update(before)


@pytest.mark.slow("imports transformers")
def test_activations_that_are_written_out() -> None:
    """All of them are activations: words get f(x) − f(0), whatever they are written in."""
    from transformers.activations import ACT2FN

    for name in ACT2FN:
        function = ACT2FN[name]
        if any(True for _ in function.parameters()):
            continue  # a learned one is made of operations
        function = function.double()
        elements, constant, _ = relevance_of(function, X)
        at_zero = float(function(torch.zeros(1).double()))
        expected = (function(X) - at_zero).squeeze(-1).numpy()
        np.testing.assert_allclose(elements[:, :, 0, 0], expected, atol=1e-5, err_msg=name)
        np.testing.assert_allclose(constant, 33 * at_zero, atol=1e-9, err_msg=name)


class Odd(nn.Module):
    """What cannot be followed."""

    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = torch.fft.fft(x).real
        return values


class Odder(Odd):
    """What inherits."""


class Net(nn.Module):
    """A word's vector, and something odd."""

    def __init__(self, kind: type[nn.Module] = Odd) -> None:
        super().__init__()
        self.embedding, self.odd = nn.Embedding(60, 3, padding_idx=PAD), kind()

    def forward(self, ids: Tensor) -> object:
        return self.odd(self.embedding(ids)).sum(1)


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize("kind", [Odd, Odder])
def test_a_rule_is_inherited(kind: type[nn.Module]) -> None:
    assert rule_of(kind()) is None

    @ww.pytorch.rule(Odd)
    def spread(odd: Odd, x: Tensor) -> Tensor:
        said = odd(x)  # numbers only
        return x * ww.pytorch.freeze(said / x)

    assert rule_of(kind()) is spread
    module = Net(kind).eval()
    with torch.no_grad():
        module.embedding.weight += 0.1
    before = state_of(module)
    assert freeze(module, ragged()).residual.max() <= 1e-5
    assert state_of(module) == before


@pytest.mark.usefixtures("own_rules")
def test_hooks_are_taken_off_after_an_error() -> None:
    @ww.pytorch.rule(Odd)
    def fail(odd: Odd, x: Tensor) -> Tensor:
        raise ValueError("no")

    module = Net().eval()
    before = state_of(module)
    with pytest.raises(ModelError, match="failed while frozen"):
        freeze(module, ragged())
    assert state_of(module) == before


@pytest.mark.usefixtures("own_rules")
def test_other_threads_do_not_notice() -> None:
    """The module's own forward pass, while another thread explains it."""
    module, ids = Net().eval(), ragged()
    with torch.no_grad():
        expected = module(ids)
    found: list[Tensor] = []

    @ww.pytorch.rule(Odd)
    def meanwhile(odd: Odd, x: Tensor) -> Tensor:
        def look() -> None:
            with torch.no_grad():
                found.append(module(ids))

        other = threading.Thread(target=look)
        other.start()
        other.join()
        return x * 2

    FrozenPass(Network(module, 3, PAD, 1, None), batch_of(ids), FrozenRule())
    torch.testing.assert_close(found[0], expected)
