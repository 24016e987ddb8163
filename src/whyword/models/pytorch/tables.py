"""The tables of words' vectors that somebody names: the module itself, or its user."""

from typing import NamedTuple

from torch import Tensor, nn

from whyword.base.checks import join_names
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown


class Tables(NamedTuple):
    """Weights whose look-ups are words'.

    Attributes
    ----------
    weights : tuple of Tensor
    named : str or None
        What the user called them. Then whatever is looked up in them, as often as there are ids,
        are words; else the ids must be seen to come there.
    """

    weights: tuple[Tensor, ...] = ()
    named: str | None = None

    def has(self, weight: Tensor) -> bool:
        """Return whether a weight is one of them."""
        return any(weight is one for one in self.weights)

    def of_copy(self, module: nn.Module, before: nn.Module) -> "Tables":
        """Return those of a copy of a module."""
        places = {id(one): name for name, one in before.named_parameters()}
        copied = dict(module.named_parameters())
        return Tables(tuple(copied[places[id(one)]] for one in self.weights), self.named)


def tables_of(module: nn.Module, embeddings: object) -> Tables:
    """Return the tables that were named: a part of the module or its name; None if nobody did."""
    if embeddings is None:
        return Tables(_own(module))
    parts = dict(module.named_modules())
    names = [name for name, one in parts.items() if one is embeddings]
    name = names[0] if names else embeddings
    if isinstance(name, str) and name not in parts:
        tables = [place for place, one in parts.items() if isinstance(one, nn.Embedding)]
        raise InputError(
            Argument("embeddings"),
            f": there is no {shown(name)} in the module; it has "
            f"{join_names(tables) or 'no nn.Embedding'}",
        )
    weight = getattr(parts[name], "weight", None) if isinstance(name, str) else None
    if not isinstance(weight, Tensor):
        raise InputError(
            Argument("embeddings"),
            f" must name an nn.Embedding of the module, not {shown(embeddings)}",
        )
    return Tables((weight,), str(name))


def _own(module: nn.Module) -> tuple[Tensor, ...]:
    """Return the table that a module of Hugging Face's says it has."""
    ask = getattr(module, "get_input_embeddings", None)
    if not callable(ask):
        return ()
    try:
        weight = getattr(ask(), "weight", None)
    except (NotImplementedError, AttributeError):
        return ()
    return (weight,) if isinstance(weight, Tensor) else ()
