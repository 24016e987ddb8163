"""A forward pass that is linear in the words: every non-linearity is frozen at the given input.

Frozen are attention weights, the scale of a normalisation, the gates of a cell, act(x)/x of an
activation. What remains is linear in the words' vectors and in constants (biases, places, initial
states), so that, with g the gradient of the frozen network, docs/method.md (36),

    score = Σ_words x·g + Σ_constants b·g.

It is one context around the module's own forward pass: what torch computes goes through the rules
of :mod:`~whyword.models.pytorch.rules`; nothing is patched. Each number is one of four things:

constant
    Made of no word: weights, masks, places. Put in beside a signal (added, concatenated, filled in)
    it is booked, per document and under the name of what it belongs to.
signal
    Linear in the words; it has a gradient.
gate
    Made of words, and a factor wherever it is multiplied; elsewhere the signal of an activation,
    which is made when it is needed.
frozen
    Made of words, and a factor only. Added or returned, words would become constants: an error.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from whyword.models.pytorch.functions import (
    COMPARISONS,
    EMBEDDING,
    EMBEDDING_BAG,
    FACTORIES,
    RESHAPES,
    Function,
    is_movement,
    is_passive,
    map_tensors,
    name_of,
    tensors_in,
)
from whyword.models.pytorch.rows import Rows
from whyword.models.pytorch.word_vectors import Leaf, WordVectors, bag_of, index_and_weight

_TAG = "_whyword_tag"
_ESCAPES = ("item", "tolist", "__float__", "numpy", "__array__", "__complex__")


_SHARING = (
    "bias='shared' is the paper's rule for embedding, linear, conv, ReLU, max-pool, cat and dropout, "
    "and would divide by activations elsewhere: say bias='apart'"
)


class Role(Enum):
    """What a tensor is made of."""

    CONSTANT = "constant"
    SIGNAL = "signal"
    PENDING = "pending"  # a gate, or the product of two signals: a signal when it is needed
    FROZEN = "frozen"


@dataclass(eq=False, slots=True)
class Tag:
    """What is known of a tensor.

    Attributes
    ----------
    role : Role
    rows : Rows or None
        Of a signal: whose its numbers are; None if that is not known any more.
    name : str or None
        Of a constant: what it belongs to.
    signal : callable or None
        What is pending: it makes the signal.
    is_gate : bool
        Whether it is a factor wherever it is multiplied.
    source : Tensor or None
        What this is the softmax, log-softmax or sigmoid of.
    tokens : Tensor or None
        Of a signal that still has the places of words: which tokens'.
    """

    role: Role
    rows: Rows | None = None
    name: str | None = None
    signal: Callable[[], Tensor] | None = None
    is_gate: bool = False
    source: Tensor | None = None
    tokens: Tensor | None = None


class LostRows(Exception):  # noqa: N818 - not an error: another way is taken
    """A constant was to be booked where nobody knows whose a number is."""


class Propagation(WordVectors):
    """One frozen forward pass.

    Parameters
    ----------
    module, ids, change, tables
        As for :class:`~whyword.models.pytorch.word_vectors.WordVectors`.
    rules : dict
        From function to rule: ``rule(propagation, func, args, kwargs)``.
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
    """

    def __init__(
        self,
        module: nn.Module,
        ids: Tensor,
        *,
        rules: dict[Function, "Rule"],
        change: Callable[[Tensor, Tensor], Tensor] | None = None,
        tables: tuple[Tensor, ...] = (),
        attention: str = "fixed",
        epsilon: float | None = None,
    ) -> None:
        super().__init__(module, ids, change=change, differentiate=True, tables=tables)
        self.rules, self.attention, self.epsilon = rules, attention, epsilon
        self.places: list[Leaf] = []
        self.constants: dict[str, Tensor] = {}
        self.ones = len(ids)
        self.paused = 0  # while it is, nothing is followed

    # ---- what a tensor is ---------------------------------------------------------------------

    def tag(self, tensor: Tensor) -> Tag:
        """Return what is known of a tensor."""
        tag = getattr(tensor, _TAG, None)
        if tag is not None and tag[0] is self:
            known: Tag = tag[1]
            return known
        name = self.names.get(id(tensor))
        if name is not None:
            return Tag(Role.CONSTANT, name=name)
        is_stale = tag is not None and tag[1].role is not Role.CONSTANT
        if is_stale or tensor.requires_grad:
            raise self.refuse(
                "uses something made of words by what torch does not show (a scripted function, a "
                "custom autograd.Function), or kept from another text; whyword.pytorch.rule adds "
                "a rule for a class of modules"
            )
        return Tag(Role.CONSTANT)

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

    def value(self, value: Any) -> Any:  # noqa: ANN401 - a tensor or any other argument
        """Return the numbers of a tensor, or of those in lists, without their history."""
        return map_tensors(value, lambda tensor: tensor.detach())

    def signal(self, value: Any) -> Any:  # noqa: ANN401
        """Return a tensor as a signal or a constant: what is pending is made one."""
        if not isinstance(value, Tensor) or not value.is_floating_point():
            return value
        tag = self.tag(value)
        if tag.role is Role.SIGNAL:
            return value
        if tag.role is Role.CONSTANT:
            return self.mark(value.detach(), tag)
        if tag.signal is None:
            raise self.refuse(
                "adds, concatenates, transforms or returns something that is made of words but "
                "frozen (an attention weight, a comparison, a detached value): words would be "
                "taken for constants"
            )
        made = tag.signal()
        tag.role, tag.signal, tag.rows = Role.PENDING, lambda: made, None
        return made

    # ---- results ------------------------------------------------------------------------------

    def constant(self, out: Any, name: str | None = None) -> Any:  # noqa: ANN401
        """Say that all tensors of a result are made of no word."""
        return map_tensors(out, lambda one: self.mark(one, Tag(Role.CONSTANT, name=name)))

    def frozen(self, out: Any, source: Tensor | None = None) -> Any:  # noqa: ANN401
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
    ) -> Tensor:
        """Say that a result is a signal only if it is needed as one."""
        role = Role.FROZEN if signal is None else Role.PENDING
        return self._factor(out, Tag(role, signal=signal, is_gate=is_gate, source=source))

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
            raise self.refuse(f"adds a constant; {_SHARING}")
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

    def activated(
        self,
        func: Function,
        x: Tensor,
        activate: Callable[["Propagation", Function, Tensor], Tensor],
    ) -> Tensor:
        """Return a function of single numbers of anything: of what is frozen, or pending, so, too."""
        role = self.role(x)
        if role is Role.SIGNAL:
            return activate(self, func, x)
        with torch.no_grad():
            out = func(x.detach())
        if role is Role.CONSTANT:
            made: Tensor = self.constant(out)
            return made
        signal = None if role is Role.FROZEN else lambda: activate(self, func, self.signal(x))
        return self.pending(out, signal, is_gate=False)

    # ---- rows ---------------------------------------------------------------------------------

    def rows_of_product(
        self, times: Function, signal: Tensor, out: Tensor, is_left: bool
    ) -> Rows | None:
        """Return the rows of a product of a signal and coefficients."""
        if times is torch.mul:
            return self.rows_like(signal, out)
        if times is functional.linear:
            return self.rows_left(signal, out)
        rows = self.tag(signal).rows
        found = None if rows is None else rows.axis(signal.shape)
        if rows is None or found is None or times is not torch.matmul:
            return None
        axis, numbers = found
        last = signal.dim() - 1
        if axis == (last if is_left else max(0, last - 1)):  # summed over
            return None
        axis += out.dim() - signal.dim()
        fits = 0 <= axis < out.dim() and out.shape[axis] == len(numbers)
        return rows.along(out.shape, axis, numbers) if fits else None

    def rows_reduced(self, source: Tensor, out: Tensor, args: Any, kwargs: Any) -> Rows | None:  # noqa: ANN401
        """Return the rows of a sum over some axes."""
        rows = self.tag(source).rows
        if rows is None or out.shape == source.shape:
            return rows
        found = rows.axis(source.shape)
        given = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis"))
        if found is None or given is None:
            return None
        summed = {
            axis % source.dim() for axis in (given if isinstance(given, tuple | list) else [given])
        }
        axis, numbers = found
        if axis in summed:
            return None
        if out.dim() < source.dim():
            axis -= sum(one < axis for one in summed)
        return rows.along(out.shape, axis, numbers)

    def rows_like(self, source: Tensor, out: Tensor) -> Rows | None:
        """Return the rows of a result whose axes are the source's, counted from the last."""
        rows = self.tag(source).rows
        if rows is None or out.shape == source.shape:
            return rows
        found = rows.axis(source.shape)
        if found is None:
            return None
        axis, numbers = found
        axis += out.dim() - source.dim()
        fits = axis >= 0 and out.shape[axis] == len(numbers)
        return rows.along(out.shape, axis, numbers) if fits else None

    def rows_left(self, source: Tensor, out: Tensor) -> Rows | None:
        """Return the rows of a result whose first axes are the source's, as a linear layer's."""
        rows = self.tag(source).rows
        found = None if rows is None else rows.axis(source.shape)
        if rows is None or found is None:
            return None
        axis, numbers = found
        fits = axis < out.dim() and out.shape[axis] == len(numbers)
        return rows.along(out.shape, axis, numbers) if fits else None

    def rows_moved(self, func: Function, args: Any, kwargs: Any) -> list[Rows | None]:  # noqa: ANN401
        """Return the rows of what a movement returns, found by moving their documents."""
        if self.ones == 1:
            return [None] * 4096
        own = next(
            (self.tag(one).rows for one in tensors_in((args, kwargs)) if self._has_rows(one)), None
        )
        if own is None:
            return [None] * 4096

        def documents(tensor: Tensor) -> Tensor:
            tag = self.tag(tensor)
            if tag.role is Role.SIGNAL and tag.rows is not None:
                return tag.rows.index(tensor.shape)
            is_index = not tensor.is_floating_point() or tag.role is not Role.CONSTANT
            return tensor.detach() if is_index else torch.full_like(tensor, -1.0)

        out = func(*map_tensors(args, documents), **map_tensors(kwargs, documents))
        several = out if isinstance(out, tuple | list) else [out]
        return [own.from_index(one) if isinstance(one, Tensor) else None for one in several]

    def _has_rows(self, tensor: Tensor) -> bool:
        tag = self.tag(tensor)
        return tag.role is Role.SIGNAL and tag.rows is not None

    # ---- running ------------------------------------------------------------------------------

    def __torch_function__(
        self,
        func: Function,
        types: Any,  # noqa: ANN401
        args: Any = (),  # noqa: ANN401
        kwargs: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        return self.apply(func, args, kwargs or {})

    def apply(self, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
        """Return what a function gives, by its rule."""
        if self.paused or is_passive(func):
            return func(*args, **kwargs)
        if func in EMBEDDING or func in EMBEDDING_BAG:
            return self.look_up(func, args, kwargs)
        tensors = list(tensors_in((args, kwargs)))
        if any(self.is_ids(tensor) for tensor in tensors):
            return self.constant(self._of_ids(func, args, kwargs))
        roles = {self.tag(tensor).role for tensor in tensors}
        if roles <= {Role.CONSTANT} or func in FACTORIES:
            return self._of_constants(func, args, kwargs, tensors)
        rule = self._rule(func)
        if Role.SIGNAL in roles and not torch.is_grad_enabled():
            with torch.no_grad():
                return self.frozen(func(*self.value(args), **self.value(kwargs)))
        if Role.SIGNAL not in roles and not getattr(rule, "freezes", False):
            return self._of_pending(func, args, kwargs, tensors)
        return rule(self, func, args, kwargs)

    def _of_constants(
        self,
        func: Function,
        args: Any,
        kwargs: Any,
        tensors: Iterable[Tensor],  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        name = next((tag.name for tag in map(self.tag, tensors) if tag.name), None)
        with torch.no_grad():
            return self.constant(func(*args, **kwargs), name)

    def _of_pending(
        self,
        func: Function,
        args: Any,
        kwargs: Any,
        tensors: list[Tensor],  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Return what becomes of factors: factors, and signals if they are needed as such."""
        if is_in_place(func):
            return write_in_place(self, func, args, kwargs)
        tags = [self.tag(tensor) for tensor in tensors]
        with torch.no_grad():
            out = func(*self.value(args), **self.value(kwargs))
        frozen = any(tag.role is Role.FROZEN for tag in tags)
        if frozen or not isinstance(out, Tensor) or not out.is_floating_point():
            if isinstance(out, tuple | list) and not frozen:
                return self._several_pending(func, args, kwargs, out, tags)
            return self.frozen(out)
        gates = all(tag.is_gate for tag in tags if tag.role is Role.PENDING)
        return self.pending(out, lambda: self.again(func, args, kwargs), gates)

    def _several_pending(
        self,
        func: Function,
        args: Any,
        kwargs: Any,
        out: Any,
        tags: list[Tag],  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        gates = all(tag.is_gate for tag in tags if tag.role is Role.PENDING)
        made = [
            self.pending(one, lambda n=n: self.again(func, args, kwargs)[n], gates)  # type: ignore[misc]
            if isinstance(one, Tensor) and one.is_floating_point()
            else self.frozen(one)
            for n, one in enumerate(out)
        ]
        return type(out)(made) if type(out) in (tuple, list) else tuple(made)

    def again(self, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
        """Apply a function to signals instead of what is pending."""
        with torch.enable_grad():
            return self.apply(
                func, map_tensors(args, self.signal), map_tensors(kwargs, self.signal)
            )

    def _rule(self, func: Function) -> "Rule":
        rule = self.rules.get(func)
        if rule is not None:
            return rule
        if func in COMPARISONS:
            return freeze_rule
        if is_movement(func):
            return move
        if self.epsilon is not None:
            raise self.refuse(f"uses {name_of(func)}; {_SHARING}")
        if is_in_place(func):
            return write_in_place
        if name_of(func) in _ESCAPES:
            raise self.refuse(
                f"takes numbers that are made of words out of torch ({name_of(func)})"
            )
        if isinstance(func, FunctionType) and func.__module__ in _COMPOSITES:
            return compose
        raise self.refuse(
            f"uses {name_of(func)}, for which there is no rule; whyword.pytorch.rule adds one"
        )

    def look_up(self, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
        """Return what a look-up finds: of words, a leaf."""
        index, weight = index_and_weight(func, args, kwargs)
        tokens = self.tokens_of(index, weight)
        self.check_rows(index, weight, tokens is not None)
        if tokens is None:
            return self._of_constants(func, args, kwargs, [weight])
        if func in EMBEDDING:
            return self._leaf(func, args, kwargs, tokens)
        leaf = self._leaf(functional.embedding, (index, weight), {}, tokens)
        with self:
            return bag_of(leaf, args, kwargs)

    def _leaf(self, func: Function, args: Any, kwargs: Any, tokens: Tensor) -> Tensor:  # noqa: ANN401
        leaf = self.vectors(func, args, kwargs, tokens)
        rows = None
        if self.ones > 1:
            document = (tokens // self.ids.shape[1]).unsqueeze(-1).expand(leaf.shape)
            base = Rows.first_axis(self.ids.shape)
            rows = base.from_index(document.float())
        # a view, for a leaf may not be changed in place
        return self.result(leaf.view_as(leaf), rows, tokens)


Rule = Callable[[Propagation, Function, Any, Any], Any]


class Booking(torch.autograd.Function):
    """A result as it is; its gradient times the constant in it goes to the documents' ones."""

    @staticmethod
    def forward(ctx: Any, out: Tensor, ones: Tensor, constant: Tensor, rows: Rows | None) -> Tensor:  # noqa: ANN401, D102
        ctx.save_for_backward(constant)
        ctx.rows = rows
        ctx.mark_dirty(out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:  # noqa: ANN401, D102
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


# ---- rules that stand for themselves ------------------------------------------------------------


def freeze_rule(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Return numbers that may be factors only: comparisons, places of maxima."""
    with torch.no_grad():
        return run.frozen(func(*run.value(args), **run.value(kwargs)))


freeze_rule.freezes = True  # type: ignore[attr-defined]


def move(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Return the same numbers at other places."""
    args, kwargs = map_tensors(args, run.signal), map_tensors(kwargs, run.signal)
    source = next(one for one in tensors_in((args, kwargs)) if run.role(one) is Role.SIGNAL)
    out = func(*args, **kwargs)
    if func in RESHAPES and isinstance(out, Tensor):
        same = out.shape == source.shape
        tag = run.tag(source)
        return run.result(out, tag.rows, tag.tokens if same else None)
    rows = run.rows_moved(func, args, kwargs)
    if isinstance(out, Tensor):
        return run.result(out, rows[0])
    made = [
        run.result(one, rows[n]) if one.is_floating_point() else run.constant(one)
        for n, one in enumerate(out)
    ]
    return type(out)(made) if type(out) in (tuple, list) else tuple(made)


def is_in_place(func: Function) -> bool:
    """Return whether a function changes its first argument."""
    name = name_of(func)
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def write_in_place(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Do what a function does that changes its first argument: compute it beside, then write it."""
    target = args[0]
    if name_of(func) == "__setitem__":
        made = run.apply(set_items, args, kwargs)
    else:
        beside = getattr(Tensor, name_of(func)[:-1], None) or getattr(torch, name_of(func)[:-1])
        made = run.apply(beside, args, kwargs)
    tag = run.tag(made)
    with nullcontext() if tag.role is Role.SIGNAL else torch.no_grad():
        target.copy_(made)
    run.mark(target, tag)
    base = target._base
    if base is not None and tag.role is not Role.CONSTANT:
        before = run.tag(base)
        if before.role is not Role.SIGNAL:
            if before.role is not Role.CONSTANT or tag.role is not Role.SIGNAL:
                run.mark(base, Tag(Role.FROZEN))
            else:
                raise run.refuse(f"writes into a part of a tensor ({name_of(func)})")
    return None if name_of(func) == "__setitem__" else target


def set_items(tensor: Tensor, where: Any, values: Any) -> Tensor:  # noqa: ANN401
    """Return a tensor with some numbers replaced."""
    out = tensor.clone()
    out[where] = values
    return out


_COMPOSITES = ("torch.nn.functional", "torch.functional", "torch._tensor")
_opened: dict[Function, Function] = {}


def compose(run: Propagation, func: Function, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Do what a function of torch does that is written in Python: each step has its own rule.

    Such a function first asks whether somebody overrides it, and so would come back here for ever;
    the copy that runs does not ask.
    """
    inner = _opened.get(func)
    if inner is None:
        assert isinstance(func, FunctionType)  # noqa: S101 - as its caller has seen
        never = dict.fromkeys(
            ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"),
            lambda *_: False,
        )
        inner = FunctionType(
            func.__code__,
            func.__globals__ | never,
            func.__name__,
            func.__defaults__,
            func.__closure__,
        )
        inner.__kwdefaults__ = func.__kwdefaults__
        _opened[func] = inner
    with run:
        return inner(*args, **kwargs)
