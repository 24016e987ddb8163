"""What a tensor is made of while a module runs."""

import pytest
import torch
from torch_networks import Written, booked, freeze, ragged, written

from whyword.base.errors import ModelError
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import find_rule
from whyword.models.pytorch.tags import Role

IDS = ragged((5, 3))


def running() -> tuple[Propagation, torch.Tensor, Written]:
    """Return a pass, what it has looked up, and its module."""
    module = written(lambda m, x: m.output(x.sum(1)))
    assert isinstance(module, Written)
    run = Propagation(module, IDS, find_rule=find_rule)
    with torch.enable_grad(), run:
        return run, module.embedding(IDS), module


def test_roles() -> None:
    run, x, module = running()
    with run:
        gate, frozen, product = torch.sigmoid(x), torch.softmax(x, 1), x * x
        mask = IDS != 0
    made = [x, gate, product, frozen, mask, module.linear.weight, 0.5]
    assert [run.role(one) for one in made] == [
        Role.SIGNAL,
        *(Role.PENDING, Role.PENDING, Role.FROZEN),
        *(Role.CONSTANT, Role.CONSTANT, Role.CONSTANT),
    ]
    assert [run.is_factor(one) for one in (x, product, gate, frozen, mask, 2)] == [
        *(False, False),
        *(True, True, True, True),
    ]


def test_what_is_pending_is_made_once() -> None:
    run, x, _ = running()
    with run:
        product = x * x.tanh()
    first = run.signal(product)
    assert run.role(first) is Role.SIGNAL
    assert run.signal(product) is first
    torch.testing.assert_close(first.detach(), product.detach())


def test_a_constant_has_its_name() -> None:
    run, _, module = running()
    assert run.tag(module.linear.bias).name == "linear.bias"
    with run:
        moved = module.linear.bias.unsqueeze(0) * 2
    assert run.tag(moved).name == "linear.bias"
    with booked() as said:
        freeze(written(lambda m, x: m.output(m.linear(x).sum(1) + 1.5)), IDS)
    assert {name for name, _ in said} == {"linear.bias", "output.bias", "Written"}


def test_what_is_kept_from_another_text_is_no_constant() -> None:
    kept: list[torch.Tensor] = []

    def remember(m: Written, x: torch.Tensor) -> object:
        kept.append(x.sum(1))
        return m.output(x.sum(1) + kept[0])

    freeze(written(remember), IDS)
    with pytest.raises(ModelError, match="kept from another text"):
        freeze(written(remember), IDS)


def test_whole_numbers_made_of_words_are_not_added() -> None:
    run, x, _ = running()
    with run:
        count = (x > 0).sum(1)
    assert run.signal(count) is count  # an index
    with pytest.raises(ModelError, match="made of words but frozen"):
        run.addend(count)


def test_whom_a_module_knows() -> None:
    run, x, module = running()
    assert run.knows(x)
    assert run.knows(module.linear.weight)
    assert not run.knows(torch.zeros(2))


def test_zeros_are_not_booked() -> None:
    module = written(lambda m, x: m.output(x.sum(1) + torch.zeros(4)))
    said = freeze(module, IDS)
    assert list(said.passes[0].constants) == ["output.bias"]
