"""What each tensor is made of while a module runs frozen, and the constants that are booked.

Each number is one of four things:

constant
    Made of no word: weights, masks, places. Put in beside a signal (added, concatenated, filled in)
    it is booked, per document and under the name of what it belongs to.
signal
    Linear in the words; it has a gradient.
pending
    Made of words: a gate, which is a factor wherever it is multiplied, or the product of two
    signals. It is made a signal when it is needed as one.
frozen
    Made of words, and a factor only. Added or returned, words would become constants: an error.
"""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from whyword.base.errors import Argument, ModelError
from whyword.models.pytorch.booking import Booking, LostRows
from whyword.models.pytorch.functions import (
    PUTTING,
    Function,
    fill_replaced,
    map_tensors,
    tensors_in,
)
from whyword.models.pytorch.rows import Rows
from whyword.models.pytorch.tags import Role, Tag
from whyword.models.pytorch.word_vectors import Change, Leaf, WordVectors

_TAG = "_whyword_tag"
HIDDEN = (
    "uses something made of words by what torch does not show (a scripted function, a custom "
    "autograd.Function), or kept from another text; whyword.pytorch.rule adds a rule for a class "
    "of modules"
)
SHARING = (
    Argument("bias", "shared", of="lrp"),
    " is the paper's rule, for embedding, linear, conv, ReLU, max-pool, cat and dropout, and would "
    "divide by activations elsewhere: say ",
    Argument("bias", "apart", of="lrp"),
)


class Bookkeeping(WordVectors):
    """What is known of the tensors of one frozen forward pass.

    Parameters
    ----------
    module, ids, change, tables
        As for :class:`~whyword.models.pytorch.word_vectors.WordVectors`.
    attention : {"fixed", "attnlrp"}
        Whether attention weights are frozen, or keep their gradient.
    epsilon : float or None
        Of the paper's rule, which shares biases.

    Attributes
    ----------
    places : list of Leaf
        Vectors of words' places, where they were added.
    constants : dict of (B,) Tensor
        Ones, by the name of what was booked: their gradients are what constants said.
    ones : int
        How many documents there are.
    """

    def __init__(
        self,
        module: nn.Module,
        ids: Tensor,
        *,
        change: Change | None = None,
        tables: tuple[Tensor, ...] = (),
        attention: str = "fixed",
        epsilon: float | None = None,
    ) -> None:
        super().__init__(module, ids, change=change, differentiate=True, tables=tables)
        self.attention, self.epsilon = attention, epsilon
        self.places: list[Leaf] = []
        self.constants: dict[str, Tensor] = {}
        self.ones = len(ids)
        self.written: dict[int, Tensor] = {}  # by their memory: constants that got words in place

    # ---- what a tensor is ---------------------------------------------------------------------

    def tag(self, tensor: Tensor) -> Tag:
        """Return what is known of a tensor."""
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            raise self.refuse("uses torch.func (vmap, grad), which hides what is made of words")
        tag = getattr(tensor, _TAG, None)
        if tag is not None and tag[0] is self:
            known: Tag = tag[1]
            if known.role is Role.PENDING and known.version != tensor._version:
                raise self.refuse("changes gates or products in place that it uses later")
            if known.role is Role.CONSTANT and self._is_written(tensor):
                raise self.refuse("writes something made of words into a tensor seen before")
            return known
        name = self.names.get(id(tensor))
        if name is not None:
            return Tag(Role.CONSTANT, name=name)
        is_stale = tag is not None and tag[1].role is not Role.CONSTANT
        if is_stale or tensor.requires_grad:
            raise self.refuse(HIDDEN)
        return Tag(Role.CONSTANT)

    def _is_written(self, tensor: Tensor) -> bool:
        """Return whether words were written into a constant by another name of its memory."""
        return bool(self.written) and tensor.untyped_storage().data_ptr() in self.written

    def knows(self, tensor: Tensor) -> bool:
        """Return whether a module has got hold of a tensor; others are inside torch's functions."""
        tag = getattr(tensor, _TAG, None)
        return (tag is not None and tag[0] is self) or id(tensor) in self.names

    def mark(self, tensor: Tensor, tag: Tag) -> Tensor:
        """Say what a tensor is, and return it."""
        setattr(tensor, _TAG, (self, tag))
        return tensor

    def role(self, value: object) -> Role:
        """Return what a value is made of; numbers are constants."""
        return self.tag(value).role if isinstance(value, Tensor) else Role.CONSTANT

    def is_factor(self, value: object) -> bool:
        """Return whether a value multiplies a signal as a coefficient."""
        if not isinstance(value, Tensor):
            return True
        tag = self.tag(value)
        return tag.role in (Role.CONSTANT, Role.FROZEN) or (
            tag.role is Role.PENDING and tag.is_gate
        )

    def value(self, value: Any) -> Any:  # a tensor or any other argument
        """Return the numbers of a tensor, or of those in lists, without their history."""
        return map_tensors(value, lambda tensor: tensor.detach())

    def signal(self, value: Any) -> Any:
        """Return a tensor as a signal or a constant: what is pending is made one."""
        if not isinstance(value, Tensor) or not value.is_floating_point():
            return value
        tag = self.tag(value)
        if tag.role is Role.SIGNAL:
            return value
        if tag.role is Role.CONSTANT:
            return self.mark(value.detach(), tag)
        if tag.signal is None:
            raise self._frozen_used()
        made = self.signal(tag.signal())  # of two that were pending, a product is so again
        tag.role, tag.signal, tag.rows = Role.PENDING, lambda: made, None
        return made

    def addend(self, value: Any) -> Any:
        """Return a signal or a constant; raise of whole numbers that are made of words, too."""
        if isinstance(value, Tensor) and not value.is_floating_point():
            if self.tag(value).role is not Role.CONSTANT:
                raise self._frozen_used()
            return value
        return self.signal(value)

    def _frozen_used(self) -> ModelError:
        return self.refuse(
            "adds, concatenates, transforms or returns something that is made of words but frozen "
            "(an attention weight, a comparison, a detached value): words would be taken for "
            "constants"
        )

    # ---- results ------------------------------------------------------------------------------

    def constant(self, out: Any, name: str | None = None) -> Any:
        """Say that all tensors of a result are made of no word."""
        return map_tensors(out, lambda one: self.mark(one, Tag(Role.CONSTANT, name=name)))

    def frozen(self, out: Any, source: Tensor | None = None) -> Any:
        """Say that all tensors of a result are factors only."""
        return map_tensors(out, lambda one: self._factor(one, Tag(Role.FROZEN, source=source)))

    def _factor(self, out: Tensor, tag: Tag) -> Tensor:
        """Say that a tensor is a factor: what is made of it by what torch does not show, shows."""
        if out.is_floating_point() and not out.requires_grad:
            out.requires_grad_()
        return self.mark(out, tag)

    def pending(
        self,
        out: Tensor,
        signal: Callable[[], Tensor] | None,
        is_gate: bool,
        source: Tensor | None = None,
        is_scale: bool = False,
    ) -> Tensor:
        """Say that a result is a signal only if it is needed as one."""
        role = Role.FROZEN if signal is None else Role.PENDING
        tag = Tag(role, signal=signal, is_gate=is_gate, is_scale=is_scale, source=source)
        tag.version = out._version
        return self._factor(out, tag)

    def as_it_is(self, tensor: Tensor) -> Tensor:
        """Return a tensor that is what this one is now, whatever will be written into it."""
        tag = self.tag(tensor)
        return self.mark(tensor.detach(), tag) if tag.role is Role.PENDING else tensor

    def result(self, out: Tensor, rows: Rows | None, tokens: Tensor | None = None) -> Tensor:
        """Say that a result is a signal."""
        return self.mark(out, Tag(Role.SIGNAL, rows=rows, tokens=tokens))

    def book(
        self,
        out: Tensor,
        added: Tensor | float,
        name: str | None = None,
        factor: Tensor | None = None,
    ) -> Tensor:
        """Book what a result has that is made of no word, and return the result.

        Parameters
        ----------
        out : Tensor
            A signal.
        added : Tensor or float
            The constant in it, of a shape that fits it.
        name : str, optional
            What the constant belongs to.
        factor : Tensor, optional
            By what it is multiplied in it, frozen.
        """
        constant = torch.as_tensor(added, dtype=out.dtype).detach()
        if not bool(constant.count_nonzero()):
            return out
        if self.epsilon is not None:
            raise self.refuse("adds a constant; ", *SHARING)
        tag = self.tag(out)
        rows = tag.rows
        if self.ones > 1 and rows is None:
            raise LostRows
        if name is None:
            name = self.module_name()
        one = self.constants.get(name)
        if one is None:
            one = torch.ones(self.ones, dtype=out.dtype, requires_grad=True)
            self.constants[name] = one
        if factor is not None:
            constant = constant * factor
        booked: Tensor = Booking.apply(out, one, constant, rows)  # type: ignore[no-untyped-call]
        return self.mark(booked, tag)

    def place(self, constant: Tensor, signal: Tensor) -> Tensor:
        """Return vectors of words' places, expanded per document, and remember them."""
        tag = self.tag(signal)
        assert tag.tokens is not None  # noqa: S101 - as its caller has seen
        leaf = constant.detach().expand(signal.shape).requires_grad_()
        name = self.tag(constant).name or self.module_name()
        self.places.append(Leaf(leaf, tag.tokens, name))
        return leaf

    def zeroed(self, tensor: Tensor) -> Tensor:
        """Return zeros instead of a signal, else the tensor."""
        is_signal = self.role(tensor) is Role.SIGNAL
        return torch.zeros_like(tensor) if is_signal else tensor.detach()

    # ---- rows ---------------------------------------------------------------------------------

    def rows_like(self, source: Tensor, out: Tensor) -> Rows | None:
        """Return the rows of a result whose axes are the source's, counted from the last."""
        rows = self.tag(source).rows
        return None if rows is None else rows.from_last(source.shape, out.shape)

    def rows_left(self, source: Tensor, out: Tensor) -> Rows | None:
        """Return the rows of a result whose first axes are the source's, as a linear layer's."""
        rows = self.tag(source).rows
        return None if rows is None else rows.from_first(source.shape, out.shape)

    def rows_of_product(
        self, times: Function, signal: Tensor, out: Tensor, is_left: bool
    ) -> Rows | None:
        """Return the rows of a product of a signal and coefficients."""
        if times is torch.mul:
            return self.rows_like(signal, out)
        if times is functional.linear:
            return self.rows_left(signal, out)
        rows = self.tag(signal).rows
        if rows is not None and rows.is_one:
            return rows
        if rows is None or times is not torch.matmul:
            return None
        last = signal.dim() - 1
        summed = last if is_left else max(0, last - 1)
        return rows.from_last(signal.shape, out.shape, without=summed)

    def rows_reduced(self, source: Tensor, out: Tensor, args: Any, kwargs: Any) -> Rows | None:
        """Return the rows of a sum over some axes."""
        rows = self.tag(source).rows
        given = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis"))
        if rows is None or rows.is_one or out.shape == source.shape:
            return rows
        if given is None:
            return None
        axes = given if isinstance(given, tuple | list) else [given]
        return rows.reduced(source.shape, out.shape, {axis % source.dim() for axis in axes})

    def rows_moved(self, func: Function, args: Any, kwargs: Any) -> Iterable[Rows | None]:
        """Yield the rows of what a movement returns, found by moving their documents."""
        own = next(
            (self.tag(one).rows for one in tensors_in((args, kwargs)) if self._has_rows(one)), None
        )
        if own is None:
            return repeat(None)

        def documents(tensor: Tensor) -> Tensor:
            tag = self.tag(tensor)
            if tag.role is Role.SIGNAL and tag.rows is not None:
                return tag.rows.index(tensor.shape)
            is_index = not tensor.is_floating_point() or tag.role is not Role.CONSTANT
            return (
                tensor.detach() if is_index else torch.full_like(tensor, -1.0, dtype=torch.float32)
            )

        if func in PUTTING:
            args, kwargs = fill_replaced(func, args, kwargs, -1)
        out = func(*map_tensors(args, documents), **map_tensors(kwargs, documents))
        several = out if isinstance(out, tuple | list) else [out]
        return [own.from_index(one) if isinstance(one, Tensor) else None for one in several]

    def _has_rows(self, tensor: Tensor) -> bool:
        tag = self.tag(tensor)
        return tag.role is Role.SIGNAL and tag.rows is not None
