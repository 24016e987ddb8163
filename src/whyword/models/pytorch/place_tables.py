"""How many tokens a module has places for, seen while it runs.

Its table of positions is whatever it looks up by 0, 1, 2, … (RoBERTa: by 2, 3, 4, …), one for each
token, or takes the beginning of. What happens to be taken so is told from it by texts of two
lengths.
"""

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from whyword.base.errors import ModelError
from whyword.models.pytorch.functions import EMBEDDING, name_of
from whyword.models.pytorch.word_vectors import index_and_weight, named_tensors

if TYPE_CHECKING:
    from whyword.models.pytorch.network import Batch, Network


class PlaceTables(TorchFunctionMode):
    """One forward pass in which tables of positions are seen.

    Parameters
    ----------
    module : nn.Module
    tokens : int
        Of each text.
    words : collection of str
        The tables of the words' vectors: ids may happen to be 0, 1, 2, …, too.

    Attributes
    ----------
    places : dict from (int, int)
        How many tokens each table has places for, by its id and the axis.
    """

    def __init__(self, module: nn.Module, tokens: int, words: Collection[str]) -> None:
        super().__init__()
        self._own = {id(one) for name, one in named_tensors(module) if name not in words}
        self._tokens = tokens
        self.places: dict[tuple[int, int], int] = {}

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in EMBEDDING:
            index, weight = index_and_weight(func, args, kwargs)
            self._see(weight, 0, self._first(index))
        elif name_of(func) == "__getitem__":
            for axis, start in self._taken(args[1]):
                self._see(args[0], axis, start)
        return func(*args, **kwargs)

    def _see(self, table: Tensor, axis: int, start: int | None) -> None:
        if start is not None and id(table) in self._own and axis < table.dim():
            self.places[id(table), axis] = table.shape[axis] - start

    def _first(self, index: Tensor) -> int | None:
        """Return the first of consecutive numbers, as many as there are tokens; None of others."""
        if not index.dim() or index.shape[-1] != self._tokens:
            return None
        first = int(index.reshape(-1)[0])
        numbers = torch.arange(first, first + self._tokens).expand(index.shape)
        return first if bool((index == numbers).all()) else None

    def _taken(self, index: Any) -> Iterator[tuple[int, int]]:
        """Yield axes of which as many numbers are taken as there are tokens, and from where on."""
        for axis, one in enumerate(index if isinstance(index, tuple) else (index,)):
            if one is None or one is Ellipsis:
                return
            if isinstance(one, slice) and isinstance(one.stop, int):
                start = one.start or 0
                if one.step in (None, 1) and one.stop - start == self._tokens:
                    yield axis, start
            elif isinstance(one, Tensor) and not one.is_floating_point() and one.numel():
                first = self._first(one)
                if first is not None:
                    yield axis, first


def places_of(network: "Network", batches: "list[Batch]", words: Collection[str]) -> int | None:
    """Return how many tokens a network's tables have places for; None without such tables.

    Parameters
    ----------
    network : Network
    batches : list of Batch
        Texts of several lengths; of a single one, nothing can be told.
    words : collection of str
        The names of the tables of the words' vectors.
    """
    seen: list[dict[tuple[int, int], int]] = []
    for batch in {batch.ids.shape[1]: batch for batch in batches}.values():
        tables = PlaceTables(network.module, batch.ids.shape[1], words)
        try:
            with torch.no_grad(), tables:
                network.called(batch)
        except ModelError:  # too short a text
            continue
        seen.append(tables.places)
    if len(seen) < 2:
        return None
    same = [
        places for table, places in seen[0].items() if all(one.get(table) == places for one in seen)
    ]
    return min(same, default=None)


def configured_places(module: nn.Module) -> int | None:
    """Return how many places the configuration of a module of Hugging Face's says there are."""
    most = getattr(getattr(module, "config", None), "max_position_embeddings", None)
    return most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else None
