"""Numbers at other places, comparisons, and what is written in place."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch_networks import Written, freeze, ragged, relevance_of, written

from whyword.base.errors import ModelError
from whyword.models.pytorch.movements import common_rule, compose, freeze_rule, move, write_in_place

X = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_which_rule_a_function_has() -> None:
    assert common_rule(torch.transpose) is move
    assert common_rule(torch.gt) is freeze_rule
    assert common_rule(Tensor.mul_) is write_in_place
    assert common_rule(functional.normalize) is compose
    assert common_rule(torch.fft.fft) is None


MOVED: dict[str, Callable[[Tensor], Tensor]] = {
    "flip": lambda x: x.flip(1),
    "roll": lambda x: x.roll(1, 1),
    "transposed twice": lambda x: x.mT.contiguous().mT,
    "chosen": lambda x: x[:, [2, 0, 0]],
    "gathered": lambda x: x.gather(1, torch.tensor([[[2] * 4, [0] * 4]] * 2)),
    "split and joined": lambda x: torch.cat(x.chunk(2, -1)[::-1], -1),
    "stacked": lambda x: torch.stack(x.unbind(1), 2).transpose(1, 2),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "lower triangle": torch.tril,
}


@pytest.mark.parametrize("name", MOVED)
def test_moved_numbers_are_whose_they_were(name: str) -> None:
    """An element's relevance is what of it is in the sums."""
    elements, constant, scores = relevance_of(MOVED[name], X)
    assert not constant.any()
    for b in range(2):
        for t in range(3):
            for i in range(4):
                one = torch.zeros_like(X)
                one[b, t, i] = X[b, t, i]
                expected = MOVED[name](one).sum(1)[b].numpy()
                np.testing.assert_allclose(elements[b, t, i], expected, atol=1e-6)
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)


def changed(x: Tensor, change: Callable[[Tensor], Any]) -> Tensor:
    out = x * 1
    change(out)
    return out


WRITTEN: dict[str, Callable[[Tensor], Any]] = {
    "add_": lambda x: x.add_(1),
    "+=": lambda x: x.__iadd__(torch.ones(4)),
    "mul_": lambda x: x.mul_(2).sub_(0.5),
    "relu_": torch.relu_,
    "masked_fill_": lambda x: x.masked_fill_(torch.eye(3, 4) > 0, 0.7),
    "setitem": lambda x: x.__setitem__((slice(None), 0), 0.3),
    "setitem of a signal": lambda x: x.__setitem__((slice(None), 0), x[:, 1] * 2),
    "clamp_": lambda x: x.clamp_(-0.2, 0.3),
    "copy_": lambda x: x.copy_(x.flip(1)),
    "zero_": lambda x: x[:, 2].zero_(),
    "fill_": lambda x: x[:, 2].fill_(0.4),
    "tanh_": lambda x: x.tanh_(),
    "a part": lambda x: x[:, 0].add_(1),
}


PARTS = ("setitem of a signal", "a part", "zero_", "fill_", "copy_")  # which use what they change


@pytest.mark.parametrize("name", WRITTEN)
def test_written_in_place(name: str) -> None:
    elements, constant, scores = relevance_of(lambda x: changed(x, WRITTEN[name]), X)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)
    expected = changed(X.clone(), WRITTEN[name]).sum(1).numpy()
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("name", [one for one in WRITTEN if one not in PARTS])
def test_gates_written_in_place(name: str) -> None:
    function = WRITTEN[name]
    module = written(lambda m, x: m.output(changed(torch.sigmoid(x), function).sum(1)))
    assert freeze(module, ragged((3, 3))).residual.max() <= 1e-10


def test_gates_that_are_changed_and_used() -> None:
    """What they were would not be known any more: refused."""

    def change_a_part(m: Written, x: Tensor) -> object:
        gate = torch.sigmoid(m.linear(x))
        gate[:, 0].add_(1)
        return m.output(gate.sum(1))

    def change_of_itself(m: Written, x: Tensor) -> object:
        gate = torch.sigmoid(m.linear(x))
        gate[:, 0] = gate[:, 1] * 2
        return m.output(gate.sum(1))

    def change_a_factor(m: Written, x: Tensor) -> object:
        hidden = m.linear(x)
        product = hidden * x
        hidden += 1
        return m.output(product.sum(1))

    for change in (change_a_part, change_of_itself, change_a_factor):
        with pytest.raises(ModelError, match="in place"):
            freeze(written(change), ragged((3, 3)))


def test_comparisons_are_factors() -> None:
    elements, constant, _ = relevance_of(lambda x: x * (x > 0), X)
    np.testing.assert_allclose(elements.sum(-1), X.clamp(min=0).numpy(), atol=1e-6)
    assert not constant.any()


def test_a_function_written_in_python_is_opened() -> None:
    elements, constant, scores = relevance_of(lambda x: functional.normalize(x, dim=-1), X)
    lengths = X.norm(dim=-1, keepdim=True)
    np.testing.assert_allclose(elements.sum(-1), (X / lengths).numpy(), atol=1e-6)
    np.testing.assert_allclose(elements.sum((1, 2)), scores, atol=1e-6)
    assert not constant.any()
