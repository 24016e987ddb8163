"""The weights of a module as a whole."""

import torch
from torch import nn

from whyword.models.pytorch.module_weights import (
    module_digest,
    shuffled_module,
    weights_bytes,
    weights_state,
)


def made(seed: int = 0, bias: bool = True) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 4, bias=bias), nn.Linear(4, 2))


def test_what_tells_them_from_others() -> None:
    assert module_digest(made()) == module_digest(made())
    assert len({module_digest(one) for one in (made(), made(1), made(bias=False))}) == 3


def test_a_change_in_place_is_seen() -> None:
    module = made()
    before = weights_state(module)
    assert weights_state(module) == before
    with torch.no_grad():
        next(module.parameters()).add_(1)
    assert weights_state(module) != before


def test_bytes_are_counted_once() -> None:
    module = made()
    assert weights_bytes(module) == 4 * (3 * 4 + 4 + 4 * 2 + 2)
    assert weights_bytes(nn.Sequential(module, module)) == weights_bytes(module)


def test_weights_in_another_order() -> None:
    module = made()
    last, every = (shuffled_module(module, layers, 0) for layers in ("output", "all"))
    for one, first_moved in ((last, False), (every, True)):
        moved = [
            not torch.equal(a, b)
            for a, b in zip(module.parameters(), one.parameters(), strict=True)
        ]
        assert moved == [first_moved, False, True, False]  # biases stay
        for a, b in zip(module.parameters(), one.parameters(), strict=True):
            assert torch.equal(a.flatten().sort()[0], b.flatten().sort()[0])
