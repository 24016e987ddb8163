"""Whose a number is, however it is moved: against an index that is moved with it."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from whyword.models.pytorch.rows import Rows


def index_of(shape: tuple[int, ...]) -> Tensor:
    """Return the document of each number: the first axis."""
    first = torch.arange(shape[0], dtype=torch.float32)
    return first.reshape(-1, *[1] * (len(shape) - 1)).expand(shape)


def summed(index: Tensor, values: Tensor, count: int) -> Tensor:
    sums = torch.zeros(count, dtype=values.dtype)
    return sums.index_add(0, index.reshape(-1).long(), values.reshape(-1))


@st.composite
def movements(draw: st.DrawFn) -> tuple[int, Tensor, Rows]:
    """Return a tensor's documents after some movements, and the rows that were kept beside."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=2, max_size=4)))
    index = index_of(shape)
    rows: Rows | None = Rows.first_axis(torch.Size(shape))
    for _ in range(draw(st.integers(0, 4))):
        assert rows is not None
        kind = draw(st.sampled_from(["permute", "flatten", "split", "flip", "expand", "slice"]))
        moved = _moved(draw, kind, index)
        if kind in ("flatten", "split"):  # numbers stay in their order, and so do rows
            index = moved
            continue
        own = rows.from_index(_moved(draw, "nothing", moved))
        if own is None:
            break
        index, rows = moved, own
    assert rows is not None
    return shape[0], index, rows


def _moved(draw: st.DrawFn, kind: str, index: Tensor) -> Tensor:
    if kind == "permute":
        return index.permute(*draw(st.permutations(range(index.dim()))))
    if kind == "flatten" and index.dim() > 1:
        first = draw(st.integers(0, index.dim() - 2))
        return index.flatten(first, first + 1)
    if kind == "split" and index.shape[-1] % 2 == 0:
        return index.reshape(*index.shape[:-1], 2, -1)
    if kind == "flip":
        return index.flip(draw(st.integers(0, index.dim() - 1)))
    if kind == "expand":
        return index.unsqueeze(0).expand(2, *index.shape)
    if kind == "slice" and index.shape[-1] > 1:
        return index[..., 1:]
    return index


@given(movements())
def test_rows_are_those_of_an_index_that_is_moved(made: tuple[int, Tensor, Rows]) -> None:
    count, index, rows = made
    assert torch.equal(rows.index(index.shape), index)
    values = torch.randn(index.shape, dtype=torch.float64)
    torch.testing.assert_close(rows.summed(values), summed(index, values, count))


def test_the_axis_of_documents() -> None:
    rows = Rows.first_axis(torch.Size((3, 4, 5)))
    for shape, axis in (((3, 4, 5), 0), ((3, 20), 0), ((12, 5), 0), ((3, 2, 2, 5), 0)):
        found = rows.axis(torch.Size(shape))
        assert found is not None
        assert found[0] == axis
    assert rows.axis(torch.Size((60,))) is not None
    assert Rows(2, torch.arange(3), 3).axis(torch.Size((4, 3))) is None  # across both


def test_rows_of_results() -> None:
    rows = Rows.first_axis(torch.Size((3, 4, 5)))
    source = torch.Size((3, 4, 5))
    for found, shape in (
        (rows.from_first(source, torch.Size((3, 4, 9))), (3, 4, 9)),
        (rows.from_last(source, torch.Size((2, 3, 4, 5))), (2, 3, 4, 5)),
        (rows.reduced(source, torch.Size((3, 5)), {1}), (3, 5)),
        (rows.reduced(source, torch.Size((3, 1, 5)), {1}), (3, 1, 5)),
    ):
        assert found is not None
        axis = 1 if len(shape) == 4 else 0
        place = torch.arange(3.0).reshape(*[1] * axis, 3, *[1] * (len(shape) - axis - 1))
        assert torch.equal(found.index(torch.Size(shape)), place.expand(shape))
    assert rows.reduced(source, torch.Size((4, 5)), {0}) is None
    assert rows.from_last(source, torch.Size((4, 5, 7)), without=0) is None
    assert rows.from_first(source, torch.Size((2, 4, 5))) is None


def test_what_is_made_of_one_document_is_its_own() -> None:
    rows = Rows.first_axis(torch.Size((3, 4, 5)))
    one = rows.from_index(index_of((3, 4, 5))[1])
    assert one is not None
    assert one.is_one
    for made in (
        one.reduced(torch.Size((4, 5)), torch.Size((5,)), {0}),
        one.from_first(torch.Size((4, 5)), torch.Size((7, 7))),
        one.from_last(torch.Size((4, 5)), torch.Size((9,)), without=1),
    ):
        assert made is one
    assert one.summed(torch.ones(4, 5)).tolist() == [0, 20, 0]


def test_nobodys_numbers_do_not_disturb() -> None:
    index = torch.full((3, 6), -1.0)
    index[:, 2:4] = torch.arange(3.0).unsqueeze(1)
    found = Rows.first_axis(torch.Size((3, 2))).from_index(index)
    assert found is not None
    assert found.summed(torch.ones(3, 6)).tolist() == [6, 6, 6]


@pytest.mark.parametrize("shape", [(2, 3), (6,)])
def test_documents_across_each_other(shape: tuple[int, ...]) -> None:
    mixed = torch.tensor([0.0, 1, 2, 2, 0, 1]).reshape(shape)
    found = Rows.first_axis(torch.Size((3, 2))).from_index(mixed)
    assert (found is None) == (len(shape) == 2)
