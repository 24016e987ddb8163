"""Booking a constant: whose it is, and what it says in the end."""

from typing import Any

import torch
from torch import Tensor

from whyword.models.pytorch.rows import Rows


class LostRows(Exception):  # noqa: N818 - not an error: another way is taken
    """A constant was to be booked where nobody knows whose a number is."""


class Booking(torch.autograd.Function):
    """A result as it is; its gradient times the constant in it goes to the documents' ones."""

    @staticmethod
    def forward(ctx: Any, out: Tensor, ones: Tensor, constant: Tensor, rows: Rows | None) -> Tensor:  # noqa: D102
        ctx.save_for_backward(constant)
        ctx.rows = rows
        ctx.mark_dirty(out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:  # noqa: D102
        (constant,) = ctx.saved_tensors
        rows: Rows | None = ctx.rows
        if constant.isfinite().all():
            if constant.dim() == 1 and (rows is None or rows.stride % len(constant) == 0):
                said = gradient @ constant
                rows = rows and Rows(rows.stride // len(constant), rows.numbers, rows.count)
            else:
                said = gradient * constant
        else:  # filled in so that it never wins: infinite, with no gradient
            said = torch.where(gradient == 0, 0, gradient * constant)
        summed = said.sum().reshape(1) if rows is None else rows.summed(said)
        return gradient, summed, None, None
