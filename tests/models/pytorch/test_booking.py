"""A constant's gradient goes to its document, whatever the constant's shape."""

import pytest
import torch
from torch import Tensor

from whyword.models.pytorch.booking import Booking
from whyword.models.pytorch.rows import Rows

SHAPE = torch.Size((3, 4, 5))


def said(constant: Tensor, gradient: Tensor, rows: Rows | None, ones: int) -> Tensor:
    out = torch.zeros(SHAPE, dtype=torch.float64, requires_grad=True)
    leaf = torch.ones(ones, dtype=torch.float64, requires_grad=True)
    booked = Booking.apply(out * 1, leaf, constant, rows)  # type: ignore[no-untyped-call]
    of_out, of_ones = torch.autograd.grad(booked, [out, leaf], gradient)
    assert torch.equal(of_out, gradient)
    result: Tensor = of_ones
    return result


@pytest.mark.parametrize("shape", [(5,), (4, 5), (4, 1), (1, 4, 5), (3, 4, 5), (3, 1, 1), ()])
def test_equals_the_sums(shape: tuple[int, ...]) -> None:
    gradient, constant = torch.randn(SHAPE).double(), torch.randn(shape).double()
    expected = (gradient * constant).sum((1, 2))
    found = said(constant, gradient, Rows.first_axis(SHAPE), 3)
    torch.testing.assert_close(found, expected)
    alone = said(constant, gradient, None, 1)
    torch.testing.assert_close(alone, expected.sum().reshape(1))


def test_documents_along_another_axis() -> None:
    gradient, constant = torch.randn(SHAPE).double(), torch.randn(5).double()
    rows = Rows.first_axis(torch.Size((4, 3))).along(SHAPE, 1, torch.tensor([2, 0, 3, 1]))
    expected = (gradient * constant).sum((0, 2))
    found = said(constant, gradient, rows, 4)
    torch.testing.assert_close(found[torch.tensor([2, 0, 3, 1])], expected)


def test_what_never_wins_says_nothing() -> None:
    """Filled in with −∞: no gradient comes back, and 0·∞ is no number."""
    constant = torch.tensor([0.0, -torch.inf, 1, 0, 0]).double()
    gradient = torch.ones(SHAPE).double()
    gradient[..., 1] = 0
    assert said(constant, gradient, Rows.first_axis(SHAPE), 3).tolist() == [4, 4, 4]


def test_several_classes_at_once() -> None:
    out = torch.zeros(SHAPE, dtype=torch.float64, requires_grad=True)
    ones = torch.ones(3, dtype=torch.float64, requires_grad=True)
    constant = torch.randn(5).double()
    booked = Booking.apply(out * 1, ones, constant, Rows.first_axis(SHAPE))  # type: ignore[no-untyped-call]
    seeds = torch.randn(7, *SHAPE).double()
    (every,) = torch.autograd.grad(booked, [ones], seeds, is_grads_batched=True, retain_graph=True)
    torch.testing.assert_close(every, (seeds * constant).sum((2, 3)))
