"""A forward pass that is linear in the words: every non-linearity is frozen at the given input.

Frozen are attention weights, the scale of a normalisation, the gates of a cell, act(x)/x of an
activation. What remains is linear in the words' vectors and in constants (biases, places, initial
states), so that, with g the gradient of the frozen network, docs/method.md (37),

    score = Σ_words x·g + Σ_constants b·g.

It is one context around the module's own forward pass: what torch computes goes through the rules
of :mod:`~whyword.models.pytorch.rules`; nothing is patched.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from whyword.models.pytorch.bookkeeping import HIDDEN, SHARING, Bookkeeping
from whyword.models.pytorch.functions import (
    BLANKS,
    COMPARISONS,
    EMBEDDING,
    EMBEDDING_BAG,
    FACTORIES,
    SET_GRADIENT,
    Function,
    is_in_place,
    is_passive,
    keeps_end,
    keeps_gates,
    map_tensors,
    name_of,
    tensors_in,
)
from whyword.models.pytorch.rows import Rows
from whyword.models.pytorch.tables import Tables
from whyword.models.pytorch.tags import Role
from whyword.models.pytorch.word_vectors import Change, bag_of, index_and_weight

_ESCAPES = "item tolist numpy __array__ __float__ __int__ __index__ __complex__".split()


class Propagation(Bookkeeping):
    """One frozen forward pass.

    Parameters
    ----------
    module, ids, change, tables, attention, epsilon
        As for :class:`~whyword.models.pytorch.bookkeeping.Bookkeeping`.
    find_rule : callable
        From a function to its rule, ``rule(propagation, func, args, kwargs)``, or None.
    other_ids : (B, T) int64, optional
        The ids with other words in the place of words: what a comparison of ids is asked of, too.
    """

    def __init__(
        self,
        module: nn.Module,
        ids: Tensor,
        *,
        find_rule: "Callable[[Function], Rule | None]",
        change: Change | None = None,
        tables: Tables = Tables(),  # noqa: B008 - it cannot be changed
        attention: str = "fixed",
        epsilon: float | None = None,
        other_ids: Tensor | None = None,
    ) -> None:
        super().__init__(
            module, ids, change=change, tables=tables, attention=attention, epsilon=epsilon
        )
        self._find_rule, self._other_ids = find_rule, other_ids
        self.paused = 0  # while it is, nothing is followed

    def __torch_function__(
        self,
        func: Function,
        types: Any,
        args: Any = (),
        kwargs: Any = None,
    ) -> Any:
        return self.apply(func, args, kwargs or {})

    def apply(self, func: Function, args: Any, kwargs: Any) -> Any:
        """Return what a function gives, by its rule."""
        if self.paused or is_passive(func):
            return func(*args, **kwargs)
        if func is SET_GRADIENT:  # what is not trained is made of words, too
            return None
        if not args and "input" in kwargs:  # as rules know it
            kwargs = dict(kwargs)
            args = (kwargs.pop("input"),)
        if func in EMBEDDING or func in EMBEDDING_BAG:
            return self.look_up(func, args, kwargs)
        tensors = list(tensors_in((args, kwargs)))
        if any(self.is_ids(tensor) for tensor in tensors):
            followed = self.stands_for(tensors[0]) is not None and not self._tables.named
            if name_of(func) in _ESCAPES and followed:
                raise self.refuse(f"takes word ids out of torch ({name_of(func)})")
            out = self._of_ids(func, args, kwargs)
            if func in COMPARISONS and self._depends_on_words(func, args, kwargs, out):
                return self.frozen(out)
            return self.constant(out)
        roles = {self.tag(tensor).role for tensor in tensors}
        if roles <= {Role.CONSTANT} or self._is_new(func, args, kwargs):
            return self._of_constants(func, args, kwargs, tensors)
        if isinstance(kwargs.get("out"), Tensor):
            raise self.refuse(
                f"writes what is made of words where it is told (out= of {name_of(func)})"
            )
        if name_of(func) in _ESCAPES:
            raise self.refuse(
                f"takes numbers that are made of words out of torch ({name_of(func)})"
            )
        if Role.SIGNAL in roles and not torch.is_grad_enabled():
            raise self.refuse(HIDDEN)  # a custom function, whose own gradient would be taken
        if roles <= {Role.CONSTANT, Role.FROZEN} and self._find_rule(func) is None:
            return self._of_pending(func, args, kwargs, tensors)  # a factor by whatever
        rule = self._rule(func)
        if Role.SIGNAL not in roles and not getattr(rule, "freezes", False):
            return self._of_pending(func, args, kwargs, tensors)
        return rule(self, func, args, kwargs)

    def _depends_on_words(self, func: Function, args: Any, kwargs: Any, out: Any) -> bool:
        """Return whether a comparison of ids says something else of other words.

        Of padding and special tokens it says where they are; of words, which ones they are.
        """
        if self._other_ids is None:
            return False
        flat = self._other_ids.reshape(-1)

        def other(tensor: Tensor) -> Tensor:
            tokens = self.stands_for(tensor)
            if tokens is None:
                return tensor
            return torch.where(tokens >= 0, flat[tokens.clamp(min=0)], tensor).to(tensor.dtype)

        said = func(*map_tensors(args, other), **map_tensors(kwargs, other))
        pairs = zip(tensors_in([out]), tensors_in([said]), strict=True)
        return (
            out != said
            if not isinstance(out, Tensor)
            else any(not torch.equal(one, two) for one, two in pairs)
        )

    def _is_new(self, func: Function, args: Any, kwargs: Any) -> bool:
        """Return whether a function takes no more than a shape of what is made of words."""
        if func in BLANKS:
            return True
        given = tensors_in((args[1:], kwargs))
        return func in FACTORIES and all(self.role(one) is Role.CONSTANT for one in given)

    def _of_constants(
        self,
        func: Function,
        args: Any,
        kwargs: Any,
        tensors: Iterable[Tensor],
    ) -> Any:
        name = next((tag.name for tag in map(self.tag, tensors) if tag.name), None)
        with torch.no_grad():
            return self.constant(func(*args, **kwargs), name)

    def _of_pending(
        self,
        func: Function,
        args: Any,
        kwargs: Any,
        tensors: list[Tensor],
    ) -> Any:
        """Return what becomes of factors: factors, and signals if they are needed as such."""
        if is_in_place(func):
            return self._rule(func)(self, func, args, kwargs)
        with torch.no_grad():
            out = func(*self.value(args), **self.value(kwargs))
        pending = [tag for tag in map(self.tag, tensors) if tag.role is Role.PENDING]
        if not pending:
            return self.frozen(out, self.source_of(func, args, kwargs))
        gates = keeps_gates(func) and all(tag.is_gate for tag in pending)
        scales = gates and all(tag.is_scale for tag in pending)
        several = isinstance(out, tuple | list)
        signals: list[Any] = []
        args, kwargs = map_tensors(args, self.as_it_is), map_tensors(kwargs, self.as_it_is)

        def signal(n: int) -> Tensor:
            if not signals:  # once for all that a function returns
                made = self.again(func, args, kwargs)
                signals.extend(made if several else [made])
            one: Tensor = signals[n]
            return one

        source = self.source_of(func, args, kwargs)
        made = [
            self.pending(one, partial(signal, n), gates, source, scales)
            if isinstance(one, Tensor) and one.is_floating_point()
            else self.frozen(one)
            for n, one in enumerate(out if several else [out])
        ]
        return type(out)(made) if several else made[0]

    def source_of(self, func: Function, args: Any, kwargs: Any) -> Tensor | None:
        """Return what a result has the probabilities of, if it is those that it was made of."""
        before = self.tag(args[0]) if args and isinstance(args[0], Tensor) else None
        if before is None or before.source is None:
            return None
        end = "sigmoid" if before.role is Role.PENDING else "softmax"
        if not keeps_end(func, end):
            return None
        source: Tensor = self.apply(func, (before.source, *args[1:]), kwargs)
        return source

    def again(self, func: Function, args: Any, kwargs: Any) -> Any:
        """Apply a function to signals instead of what is pending.

        Gates stay gates beside what is none, and scales beside other gates.
        """
        tags = [self.tag(tensor) for tensor in tensors_in((args, kwargs))]
        least = min(tag.is_gate + tag.is_scale for tag in tags if tag.role is Role.PENDING)

        def needed(tensor: Tensor) -> Any:
            tag = self.tag(tensor)
            is_signal = tag.role is Role.PENDING and tag.is_gate + tag.is_scale == least
            return self.signal(tensor) if is_signal else tensor

        with torch.enable_grad():
            return self.apply(func, map_tensors(args, needed), map_tensors(kwargs, needed))

    def _rule(self, func: Function) -> "Rule":
        rule = self._find_rule(func)
        if rule is not None:
            return rule
        if self.epsilon is not None:
            raise self.refuse(f"uses {name_of(func)}; ", *SHARING)
        raise self.refuse(
            f"uses {name_of(func)}, for which there is no rule; whyword.pytorch.rule adds one"
        )

    def look_up(self, func: Function, args: Any, kwargs: Any) -> Any:
        """Return what a look-up finds: of words, a leaf."""
        index, weight = index_and_weight(func, args, kwargs)
        tokens = self.tokens_of(index, weight)
        self.check_rows(index, weight, tokens is not None)
        if tokens is None:
            if self.tag(index).role is not Role.CONSTANT:  # the nearest of a code book
                return self.frozen(func(*self.value(args), **self.value(kwargs)))
            return self._of_constants(func, args, kwargs, [weight])
        if func in EMBEDDING:
            return self._leaf(func, args, kwargs, tokens)
        leaf = self._leaf(functional.embedding, (index, weight), {}, tokens)
        with self:
            return bag_of(leaf, args, kwargs)

    def _leaf(self, func: Function, args: Any, kwargs: Any, tokens: Tensor) -> Tensor:
        if torch.is_inference_mode_enabled():
            raise self.refuse("looks words up in inference mode, where torch follows nothing")
        leaf = self.vectors(func, args, kwargs, tokens)
        rows = None
        if self.ones > 1:
            document = (tokens // self.ids.shape[1]).unsqueeze(-1).expand(leaf.shape)
            base = Rows.first_axis(self.ids.shape)
            rows = base.from_index(document.float())
        # a view, for a leaf may not be changed in place
        return self.result(leaf.view_as(leaf), rows, tokens)


Rule = Callable[[Propagation, Function, Any, Any], Any]
