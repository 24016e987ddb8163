"""Which words go first: by a method's relevance, by somebody's, or by chance."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.alignment import aligned
from whyword.checks import one_each, whole_number
from whyword.errors import InputError
from whyword.methods.blocks import Block
from whyword.methods.chance import generator_for
from whyword.methods.registry import METHODS, Method, checked_parameters

RANDOM, RANDOM_KNOWN = "random", "random_known"
MOST, LEAST = "most", "least"

Targets = NDArray[np.int32]
Chosen = NDArray[np.intp]
Priorities = list[NDArray[np.floating]]


@dataclass(frozen=True)
class Ranking(ABC):
    """An order of words.

    Attributes
    ----------
    name : str
    runs : int
        How many orders there are; more than one of chance only.
    """

    name: str
    runs: int

    @abstractmethod
    def priorities(
        self, block: Block, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return a number for each word of some documents of a block; the highest goes first.

        Parameters
        ----------
        block : Block
        targets : (documents, 1) int32
        first : int
            The number of the block's first document.
        run : int
        chosen : (n,) intp
            Which of the block's documents.
        """

    def orders(
        self, block: Block, targets: Targets, first: int, steps: int, chosen: Chosen
    ) -> NDArray[np.int32]:
        """Return the positions of the first words, (n, runs, steps); −1 where none is left.

        Among equals those that stand first in the text go first. Parameters are as for
        :meth:`priorities`.
        """
        orders = np.full((len(chosen), self.runs, steps), -1, np.int32)
        for run in range(self.runs if len(chosen) else 0):
            found = self.priorities(block, targets, first, run, chosen)
            for number, values in enumerate(found):
                order = np.argsort(-values, kind="stable")[:steps]
                orders[number, run, : len(order)] = order
        return orders


@dataclass(frozen=True)
class ByMethod(Ranking):
    """By one of our methods."""

    method: Method
    settings: Mapping[str, Any]
    sign: int

    def priorities(
        self, block: Block, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return the method's relevance, or its negative."""
        found = self.method.of_block[type(block)](block, targets, **self.settings)
        return [self.sign * found.words[number][:, 0] for number in chosen.tolist()]


@dataclass(frozen=True)
class Given(Ranking):
    """By relevance that came from elsewhere."""

    relevance: list[Any]
    sign: int

    def priorities(
        self, block: Block, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return the relevance given, brought to the words."""
        here = self.relevance[first : first + len(block.documents)]
        found = aligned(here, block.documents, first)
        return [self.sign * found[number] for number in chosen.tolist()]


@dataclass(frozen=True)
class ByChance(Ranking):
    """Any order; with `known_first` any order of the known words, then of the others."""

    seed: int
    known_first: bool

    def priorities(
        self, block: Block, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return random numbers that depend on the run and the text."""
        result: Priorities = []
        for number in chosen.tolist():
            document, known = block.documents[number], block.known[number]
            values = generator_for(document.text, self.seed + run).random(len(document))
            result.append(np.where(known, values + 1, values) if self.known_first else values)
        return result


def ranking_of(
    kind: type[Block],
    method: str | None,
    relevance: Iterable[Any] | None,
    texts: int,
    order: str = MOST,
    runs: int = 10,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
) -> Ranking:
    """Return the ranking that is asked for; raise if something does not fit.

    Parameters
    ----------
    kind : type of Block
        The model's.
    method : str or None
        "lrp" by default; given `relevance`, no more than its name.
    relevance : iterable or None
        One entry per text.
    texts : int
        How many there are.
    order : {"most", "least"}
    runs, seed : int
        Of the random ones.
    parameters : mapping
        Of the method.
    """
    seed, runs = whole_number("seed", seed, least=0), whole_number("runs", runs)
    sign, given = (1 if order == MOST else -1), dict(parameters or {})
    if method is not None and not isinstance(method, str):
        raise InputError(f"method takes a name, not {method!r:.60}; relevance= takes relevances")
    if relevance is not None:
        if given:
            raise InputError("relevance is given, so that no method has parameters")
        return Given(method or "given", 1, one_each("relevance", relevance, texts), sign)
    name = "lrp" if method is None else method
    if name in (RANDOM, RANDOM_KNOWN):
        if given:
            raise InputError(f"{name!r} has no parameter {next(iter(given))!r} here")
        return ByChance(name, runs, seed, known_first=name == RANDOM_KNOWN)
    if name not in METHODS:
        choices = ", ".join([*METHODS, RANDOM_KNOWN])
        raise InputError(f"there is no method {name!r}; choose from {choices}")
    return ByMethod(name, 1, METHODS[name], checked_parameters(METHODS[name], kind, given), sign)
