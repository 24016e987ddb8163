"""Where the words come in: the look-up of their vectors, found while a module runs.

A context for one forward pass: nothing is patched, the module stays as it is. The ids that are
passed to the module are followed through views, slices and casts; a look-up by them gives the
words' vectors, which may be changed (a word deleted, all of them scaled) and differentiated.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from whyword.base.errors import Argument, InputError, ModelError, Part
from whyword.models.pytorch.functions import (
    COMPARISONS,
    ELEMENTWISE,
    EMBEDDING,
    EMBEDDING_BAG,
    ENDS,
    FACTORIES,
    PUTTING,
    SET_GRADIENT,
    TAKING,
    fill_replaced,
    is_movement,
    is_passive,
    keeps_end,
    map_tensors,
    name_of,
    tensors_in,
)
from whyword.models.pytorch.tables import Tables

_NOBODY = -1  # a token that is none of those passed

Change: TypeAlias = Callable[[Tensor, Tensor], Tensor]  # from vectors and tokens to vectors


class Leaf(NamedTuple):
    """Vectors that were put in for words, or for their places.

    Attributes
    ----------
    vectors : (…, D) Tensor
        With gradients.
    tokens : (…,) int64
        Which of the ids passed each is for: document · T + position; −1 if the module put it in.
    name : str
        Of the table.
    """

    vectors: Tensor
    tokens: Tensor
    name: str

    def documents(self, length: int) -> NDArray[np.intp]:
        """Return the document of each vector, of texts of so many tokens; flat."""
        documents = torch.div(self.tokens, length, rounding_mode="floor")
        if self.tokens.dim() == 2:  # what was put in belongs to who else is in its row
            beside = documents.amax(1, keepdim=True).expand(documents.shape)
            documents = torch.where(documents < 0, beside, documents)
        flat: NDArray[np.intp] = documents.reshape(-1).clamp(min=0).numpy()
        return flat


class WordVectors(TorchFunctionMode):
    """One forward pass of a module in which the words' vectors are known.

    Parameters
    ----------
    module : nn.Module
    ids : (B, T) int64
        Those that are passed to the module.
    change : callable, optional
        From the words' vectors (…, D) and their tokens (…,) to the vectors that are used.
    differentiate : bool
        Whether gradients with respect to the vectors are wanted.
    trains : bool
        Whether gradients go on to the tables instead, since they are trained.
    tables : Tables
        That somebody named.

    Attributes
    ----------
    words : list of Leaf
        One for each look-up.
    """

    def __init__(
        self,
        module: nn.Module,
        ids: Tensor,
        *,
        change: Change | None = None,
        differentiate: bool = False,
        trains: bool = False,
        tables: Tables = Tables(),  # noqa: B008 - it cannot be changed
    ) -> None:
        super().__init__()
        self.module, self.ids = module, ids
        self._change, self._differentiate, self._trains = change, differentiate, trains
        self._tables = tables
        self.names: dict[int, str] = {}
        for name, one in named_tensors(module):
            self.names.setdefault(id(one), name)
        self.words: list[Leaf] = []
        self._end: tuple[Any, Any, str] | None = None
        self._tokens: dict[int, tuple[Tensor, Tensor | None]] = {}
        self._follow(ids, torch.arange(ids.numel()).reshape(ids.shape))

    # ---- ids ----------------------------------------------------------------------------------

    def _follow(self, ids: Tensor, tokens: Tensor | None) -> None:
        """Remember that a tensor is made of ids, and of which ones; None if nobody knows."""
        self._tokens[id(ids)] = (ids, tokens)  # which is held, so that no other has its number

    def is_ids(self, tensor: Tensor) -> bool:
        """Return whether a tensor is made of the ids."""
        return id(tensor) in self._tokens

    def tokens_of(self, index: Tensor, weight: Tensor) -> Tensor | None:
        """Return which tokens an index of a look-up stands for; None if it is not made of ids."""
        if self.is_ids(index):
            tokens = self._tokens[id(index)][1]
            if tokens is not None:
                return tokens
            if not self._tables.has(weight):
                raise self.refuse("looks up vectors by what was computed from the word ids")
        if not self._tables.has(weight) or index.numel() != self.ids.numel():
            return None  # a vector that the module always puts in
        is_seen = self.is_ids(index) or torch.equal(index.reshape(-1), self.ids.reshape(-1))
        if is_seen or self._tables.named:
            return torch.arange(self.ids.numel()).reshape(index.shape)
        return None

    def _of_ids(self, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Return what becomes of ids, followed."""
        if func in COMPARISONS or func in FACTORIES:
            return func(*args, **kwargs)
        tokens = self._moved_tokens(func, args, kwargs)
        out = func(*args, **kwargs)
        if name_of(func) == "__setitem__":
            self._follow(args[0], tokens)
        for number, one in enumerate(out if isinstance(out, tuple | list) else (out,)):
            if not isinstance(one, Tensor) or one.dtype == torch.bool:
                continue
            if one.is_floating_point() or one.is_complex():
                raise self.refuse(
                    f"uses word ids as numbers ({name_of(func)}); their vectors must come from an "
                    "embedding"
                )
            followed = tokens[number] if isinstance(tokens, tuple | list) else tokens
            self._follow(one, followed if isinstance(followed, Tensor) else None)
        return out

    def _moved_tokens(self, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Return which tokens the result stands for: what is put in beside ids is none."""
        ids = [one for one in tensors_in((args, kwargs)) if self.is_ids(one)]
        if any(self._tokens[id(one)][1] is None for one in ids):
            return None
        if name_of(func) == "__setitem__":
            target, where, value = args
            tokens = self._places(target).clone()
            tokens[where] = self._places(value) if isinstance(value, Tensor) else _NOBODY
            return tokens
        if func in PUTTING:
            args, kwargs = fill_replaced(func, args, kwargs, _NOBODY)
            return func(*map_tensors(args, self._places), **map_tensors(kwargs, self._places))
        if func in TAKING and args and not self.is_ids(args[0]):
            return self._taken(func, args, kwargs)
        if is_movement(func):
            args, kwargs = map_tensors(args, self._moved), map_tensors(kwargs, self._moved)
            return func(*args, **kwargs)
        tokens = self._places(ids[0])
        alike = all(torch.equal(tokens, self._places(one)) for one in ids)
        return tokens if func in ELEMENTWISE and alike else None

    def _taken(self, func: Callable[..., Any], args: Any, kwargs: Any) -> Tensor | None:
        """Return which tokens' numbers are taken from a table, by ids along its first axis."""
        table, index = args[0], kwargs.get("index", args[-1])
        along = kwargs.get("dim", args[1] if len(args) > 2 else 0)
        if not isinstance(index, Tensor) or not self.is_ids(index) or along != 0:
            return None
        tokens, rest = self._places(index), table.shape[1:]
        if name_of(func) in ("__getitem__", "index_select"):
            return tokens.reshape(*tokens.shape, *[1] * len(rest)).expand(*tokens.shape, *rest)
        return tokens if table.dim() == 1 or name_of(func) == "take" else None

    def stands_for(self, tensor: Tensor) -> Tensor | None:
        """Return which tokens a tensor stands for; None if it is not made of ids, or of many."""
        return self._tokens[id(tensor)][1] if self.is_ids(tensor) else None

    def _places(self, tensor: Tensor) -> Tensor:
        """Return the tokens that ids stand for; of other whole numbers, nobody's."""
        tokens = self._tokens[id(tensor)][1] if self.is_ids(tensor) else None
        if tokens is not None:
            return tokens
        whole = not tensor.is_floating_point() and tensor.dtype != torch.bool
        return torch.full_like(tensor, _NOBODY) if whole else tensor

    def _moved(self, tensor: Tensor) -> Tensor:
        return self._places(tensor) if self.is_ids(tensor) else tensor  # else it is an index

    # ---- look-ups -----------------------------------------------------------------------------

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Any = (),
        kwargs: Any = None,
    ) -> Any:
        kwargs = kwargs or {}
        if is_passive(func):
            return func(*args, **kwargs)
        if func is SET_GRADIENT and self._differentiate:
            return None  # what is not trained is made of words, too
        if func in EMBEDDING or func in EMBEDDING_BAG:
            return self.look_up(func, args, kwargs)
        if any(self.is_ids(tensor) for tensor in tensors_in((args, kwargs))):
            return self._of_ids(func, args, kwargs)
        out = func(*args, **kwargs)
        if func in ENDS:
            self._end = (out, args[0] if args else kwargs["input"], name_of(func))
        elif args and self.end_of(args[0]) and keeps_end(func, self.end_of(args[0])):
            before = self.before_end(args[0])
            self._end = (out, func(before, *args[1:], **kwargs), self.end_of(args[0]))
        return out

    def end_of(self, said: object) -> str:
        """Return which function to probabilities a module ends in; nothing if it does not."""
        return self._end[2] if self._end is not None and self._end[0] is said else ""

    def before_end(self, said: Any) -> Any:  # what a module returned
        """Return what a module says, before it is made probabilities."""
        return self._end[1] if self._end is not None and self._end[0] is said else said

    def look_up(self, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Return what a look-up finds: of words, vectors that are remembered."""
        index, weight = index_and_weight(func, args, kwargs)
        tokens = self.tokens_of(index, weight)
        self.check_rows(index, weight, tokens is not None)
        if tokens is None:
            return func(*args, **kwargs)
        if func in EMBEDDING_BAG:
            return bag_of(
                self.vectors(functional.embedding, (index, weight), {}, tokens), args, kwargs
            )
        return self.vectors(func, args, kwargs, tokens)

    def vectors(self, func: Callable[..., Any], args: Any, kwargs: Any, tokens: Tensor) -> Tensor:
        """Return the vectors of words, changed, and remember them."""
        with torch.set_grad_enabled(self._trains):
            found: Tensor = func(*args, **kwargs)
            if self._change is not None:
                found = self._change(found, tokens)
        found = found if self._trains else found.detach()
        if self._differentiate:
            found.requires_grad_()
        _, weight = index_and_weight(func, args, kwargs)
        self.words.append(Leaf(found, tokens, self.names.get(id(weight), "embedding")))
        return found

    def check_rows(self, index: Tensor, weight: Tensor, of_words: bool) -> None:
        """Raise if an index is outside of a table."""
        if not index.numel() or 0 <= int(index.min()) <= int(index.max()) < len(weight):
            return
        table = self.names.get(id(weight), "a table").removesuffix(".weight")
        wrong = int(index.min()) if int(index.min()) < 0 else int(index.max())
        if of_words:
            raise ModelError(
                f"the word id {wrong} is outside of {table}, which has {len(weight):,} rows; does "
                "`encode` belong to this module?"
            )
        raise too_long(self.ids, len(weight))

    # ---- errors -------------------------------------------------------------------------------

    def refuse(self, *what: Part) -> ModelError:
        """Return the error that says what a module does that cannot be followed."""
        return ModelError(f"{self.module_name()} ", *what)

    def module_name(self) -> str:
        """Return which part of the module runs at this moment."""
        names = {id(one): name for name, one in self.module.named_modules()}
        frame = sys._getframe(1)
        while frame is not None:
            owner = frame.f_locals.get("self")
            if isinstance(owner, nn.Module) and id(owner) in names:
                kind = type(owner).__name__
                return f"{names[id(owner)]} ({kind})" if names[id(owner)] else kind
            frame = frame.f_back  # type: ignore[assignment]
        return type(self.module).__name__


def too_long(ids: Tensor, places: int) -> InputError:
    """Return the error that says that a text has more tokens than a module has places."""
    return InputError(
        f"a text of {ids.shape[1]:,} tokens is too long for this module, which has {places:,} "
        "places: say ",
        Argument("window", places),
    )


_KEPT_BY_TORCH = ("_parameters", "_buffers", "_modules", "_flat_weights")


def named_tensors(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield all tensors that a module has: weights, buffers, and those it just keeps."""
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)
    for place, part in module.named_modules():
        for name, value in vars(part).items():
            if name in _KEPT_BY_TORCH:
                continue
            for one in tensors_in(value):
                yield f"{place}.{name}" if place else name, one


def index_and_weight(func: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Tensor, Tensor]:
    """Return the index and the table of a look-up."""
    order = ("input", "weight")
    named = dict(zip(order, args, strict=False)) | kwargs
    if func is torch.embedding or (func in EMBEDDING_BAG and func is torch.embedding_bag):
        named = dict(zip(("weight", "indices"), args, strict=False)) | kwargs
        return named["indices"], named["weight"]
    return named["input"], named["weight"]


_BAG = (
    "input weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights "
    "include_last_offset padding_idx"
).split()


def bag_of(vectors: Tensor, args: Any, kwargs: Any) -> Tensor:
    """Return what ``embedding_bag`` makes of the vectors of its words.

    Parameters
    ----------
    vectors : (B, N, D) or (N, D) Tensor
        With offsets in the second form.
    """
    said = dict(zip(_BAG, args, strict=False)) | kwargs
    index, mode = said["input"], said.get("mode", "mean")
    padding = said.get("padding_idx")
    kept = torch.ones_like(index, dtype=torch.bool) if padding is None else index != padding
    if index.dim() == 2:
        bags: list[tuple[Tensor, Tensor, int | slice]] = [
            (vectors[row], kept[row], row) for row in range(len(index))
        ]
    else:
        bounds = said["offsets"].tolist() + (
            [] if said.get("include_last_offset") else [len(index)]
        )
        bags = [
            (vectors[start:end], kept[start:end], slice(start, end))
            for start, end in pairwise(bounds)
        ]
    weights = said.get("per_sample_weights")
    rows = []
    for words, keep, where in bags:
        if weights is not None:
            words = words * weights[where].unsqueeze(1)
        words = words[keep]
        if not len(words):
            rows.append(torch.zeros(vectors.shape[-1], dtype=vectors.dtype))
        elif mode == "max":
            rows.append(words.max(0).values)
        else:
            rows.append(words.mean(0) if mode == "mean" else words.sum(0))
    return torch.stack(rows)
