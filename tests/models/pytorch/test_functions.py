"""Torch's functions, by what they do with numbers."""

from collections import namedtuple
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from whyword.models.pytorch.functions import (
    COMPARISONS,
    EMBEDDING,
    fill_replaced,
    functions,
    is_in_place,
    is_movement,
    is_passive,
    keeps_end,
    keeps_gates,
    map_tensors,
    name_of,
    tensors_in,
)


def attribute(name: str) -> Any:
    """Return what modes see of an attribute that is asked for."""
    return getattr(Tensor, name).__get__


def test_a_function_has_several_names() -> None:
    assert {torch.add, Tensor.add, Tensor.__add__} <= functions("add")
    assert {functional.softmax, torch.softmax, Tensor.softmax} <= functions("softmax")
    assert functions("no_such_function") == frozenset()
    assert {functional.embedding, torch.embedding} <= EMBEDDING
    assert {torch.gt, Tensor.__gt__, torch.argmax} <= COMPARISONS


@pytest.mark.parametrize(
    "func", [Tensor.view, torch.transpose, Tensor.__getitem__, torch.gather, attribute("T")]
)
def test_movements(func: Any) -> None:
    assert is_movement(func)
    assert not is_passive(func)


@pytest.mark.parametrize(
    "func", [Tensor.__float__, Tensor.__int__, Tensor.item, torch.add, torch.softmax, torch.relu]
)
def test_no_movements(func: Any) -> None:
    """Numbers that leave torch, too: they would be taken for constants."""
    assert not is_movement(func)


@pytest.mark.parametrize(
    "func", [Tensor.size, Tensor.dim, attribute("shape"), attribute("dtype"), Tensor.__len__]
)
def test_what_only_asks(func: Any) -> None:
    assert is_passive(func)


def test_data_is_no_question() -> None:
    assert not is_passive(attribute("data"))


def test_names() -> None:
    assert name_of(torch.add) == "add"
    assert name_of(attribute("T")) == "T"
    assert is_in_place(Tensor.add_)
    assert is_in_place(Tensor.__setitem__)
    assert not is_in_place(Tensor.__add__)
    assert not is_in_place(torch.add)


def test_tensors_wherever_they_are() -> None:
    pair = namedtuple("pair", "left right")
    one, two, three = (torch.tensor([n]) for n in (1, 2, 3))
    value = ([one, 5], {"a": (two,)}, pair(three, None), torch.Size((2, 3)))
    assert [int(tensor) for tensor in tensors_in(value)] == [1, 2, 3]
    changed = map_tensors(value, lambda tensor: tensor + 10)
    assert [int(tensor) for tensor in tensors_in(changed)] == [11, 12, 13]
    assert isinstance(changed[2], pair)
    assert changed[3] == torch.Size((2, 3))
    best = map_tensors(torch.max(torch.eye(2), 1), lambda tensor: tensor + 0)
    assert best.values.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("func", "args", "kwargs"),
    [
        (functional.pad, ((1, 1), "constant", 0.5), {}),
        (functional.pad, ((1, 1),), {"value": 0.5}),
        (functional.pad, ((1, 1),), {}),
    ],
)
def test_another_filler(func: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    x = torch.zeros(1, 2)
    again = fill_replaced(func, (x, *args), kwargs, -1)
    assert func(*again[0], **again[1]).tolist() == [[-1, 0, 0, -1]]


def test_what_is_repeated_has_no_filler() -> None:
    args = (torch.tensor([[[1.0, 2, 3]]]), (1, 1), "reflect")
    assert fill_replaced(functional.pad, args, {}, -1) == (args, {})


def test_a_filler_of_where() -> None:
    where = (torch.tensor([True, False]), torch.ones(2), 0.5)
    args, _ = fill_replaced(torch.where, where, {}, -1)
    assert torch.where(*args).tolist() == [1, -1]


def test_what_is_made_of_gates() -> None:
    assert keeps_gates(torch.rsub)
    assert keeps_gates(Tensor.transpose)
    assert not keeps_gates(functional.linear)
    assert not keeps_gates(torch.tanh)


def test_what_is_made_of_probabilities() -> None:
    """One of several is no softmax of one score."""
    assert keeps_end(Tensor.squeeze, "softmax")
    assert keeps_end(Tensor.__getitem__, "sigmoid")
    assert not keeps_end(Tensor.__getitem__, "softmax")
    assert not keeps_end(torch.log, "softmax")
