"""Which words go first: by a method's relevance, by somebody's, or by chance."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, one_each, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.explanation.alignment import align
from whyword.explanation.explanation import Explanation
from whyword.methods.chance import generator_for
from whyword.methods.registry import METHODS, Method, method_for, methods_for
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Trace

Explainer: TypeAlias = Callable[..., Iterable[Any]]  # of (model, texts, targets)
Methods: TypeAlias = Iterable[str | Explainer] | Mapping[str, str | Explainer]
RANDOM, RANDOM_KNOWN = "random", "random_known"
COMPARED = ("lrp", "sensitivity", RANDOM, RANDOM_KNOWN)  # unless methods are named
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
        self, trace: Trace, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return a number for each word of some documents of a block; the highest goes first.

        Parameters
        ----------
        trace : Trace
        targets : (documents, 1) int32
        first : int
            The number of the block's first document.
        run : int
        chosen : (n,) intp
            Which of the block's documents.
        """

    def orders(
        self, trace: Trace, targets: Targets, first: int, words: int, chosen: Chosen
    ) -> NDArray[np.int32]:
        """Return the positions of the first words, (n, runs, words); −1 where none is left.

        Among equals those that stand first in the text go first. Parameters are as for
        :meth:`priorities`.
        """
        orders = np.full((len(chosen), self.runs, words), -1, np.int32)
        for run in range(self.runs if len(chosen) else 0):
            priorities = self.priorities(trace, targets, first, run, chosen)
            for number, values in enumerate(priorities):
                order = np.argsort(-values, kind="stable")[:words]
                orders[number, run, : len(order)] = order
        return orders


@dataclass(frozen=True)
class ByMethod(Ranking):
    """By one of our methods."""

    method: Method
    settings: Mapping[str, Any]
    sign: int

    def priorities(
        self, trace: Trace, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return the method's relevance, or its negative."""
        attribution = self.method.compute(trace, targets, **self.settings)
        return [self.sign * attribution.words[number][:, 0] for number in chosen.tolist()]


@dataclass(frozen=True)
class ByGivenRelevance(Ranking):
    """By relevance that came from elsewhere, for C classes' scores."""

    relevance: list[Any]
    sign: int
    classes: Sequence[Label]

    def priorities(
        self, trace: Trace, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return the relevance given, brought to the words."""
        block = self.relevance[first : first + len(trace.documents)]
        for number in chosen.tolist():
            target = self.classes[targets[number, 0]]
            if isinstance(block[number], Explanation) and block[number].target != target:
                raise InputError(
                    Argument("relevance"),
                    f" of document {first + number} explains {block[number].target!r}, but here "
                    f"{target!r} is the target",
                )
        values = align(block, trace.documents, first)
        return [self.sign * values[number] for number in chosen.tolist()]


@dataclass(frozen=True)
class ByFunction(Ranking):
    """By somebody's function of the model, texts and targets."""

    model: Any
    explainer: Explainer
    sign: int
    classes: Sequence[Label]

    def priorities(
        self, trace: Trace, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return the function's relevance of the chosen documents, brought to their words."""
        documents = [trace.documents[number] for number in chosen.tolist()]
        labels = [self.classes[number] for number in targets[chosen, 0].tolist()]
        # as passed: the model decodes what is to be decoded
        texts = [one.text if one.passed is None else one.passed for one in documents]
        relevance = self.explainer(self.model, texts, labels)
        each = align(one_each("relevance", relevance, len(documents)), documents)
        return [self.sign * values for values in each]


@dataclass(frozen=True)
class ByChance(Ranking):
    """Any order; with `known_first` any order of the known words, then of the others."""

    seed: int
    known_first: bool

    def priorities(
        self, trace: Trace, targets: Targets, first: int, run: int, chosen: Chosen
    ) -> Priorities:
        """Return random numbers that depend on the run and the text."""
        result: Priorities = []
        for number in chosen.tolist():
            document, known = trace.documents[number], trace.known[number]
            values = generator_for(document.text, self.seed + run).random(len(document))
            result.append(np.where(known, values + 1, values) if self.known_first else values)
        return result


def ranking_of(
    model: object,
    method: str | Explainer | None,
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
    model : a model
    method : str, callable or None
        The best for the model by default; given `relevance`, no more than its name.
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
    traced = as_classifier(model)
    labels = labels_of(traced)
    seed, runs = whole_number("seed", seed, least=0), whole_number("runs", runs)
    sign, settings = (1 if order == MOST else -1), dict(parameters or {})
    if relevance is not None:
        if settings:
            raise InputError(Argument("relevance"), " is given, so that no method has parameters")
        name = name_of("given" if method is None else method)
        each = one_each("relevance", relevance, texts)
        return ByGivenRelevance(name, 1, each, sign, labels)
    if method is not None and not isinstance(method, str):
        explainer = partial(method, **settings) if settings else method
        return ByFunction(name_of(method), 1, model, explainer, sign, labels)
    kind = traced.trace_kind
    name = method_for(kind, None).name if method is None else method
    if name in (RANDOM, RANDOM_KNOWN):
        if settings:
            raise InputError(f"{name!r} has no parameter {next(iter(settings))!r} here")
        return ByChance(name, runs, seed, known_first=name == RANDOM_KNOWN)
    chosen = METHODS[checked_name(name)]
    return ByMethod(name, 1, chosen, chosen.settings_of(traced, settings), sign)


def name_of(method: object) -> str:
    """Return what a method, or somebody's function, is called; raise if it is neither."""
    if isinstance(method, str):
        return method
    if not callable(method):
        raise InputError(Argument("method"), f" takes a name or a function, not {shown(method)}")
    return str(getattr(method, "__name__", type(method).__name__))


def checked_name(name: str) -> str:
    """Return the name of a method; raise with the choices if there is none of that name."""
    choices = [*METHODS, RANDOM_KNOWN]
    if name not in choices:
        raise InputError(f"there is no method {shown(name)}; choose from {', '.join(choices)}")
    return name


def compared_methods(model: object) -> list[str]:
    """Return what is compared unless methods are named: the model's best, and the paper's."""
    able = methods_for(as_classifier(model).trace_kind)
    names = [next(iter(able)), *COMPARED]
    return [name for name in dict.fromkeys(names) if name in able or name == RANDOM_KNOWN]


def named_methods(methods: Methods) -> dict[str, str | Explainer]:
    """Return methods by their names; raise if one is unknown or there is none."""
    if isinstance(methods, str):
        methods = [methods]
    named: dict[str, str | Explainer]
    if isinstance(methods, Mapping):
        named = {str(name): method for name, method in methods.items()}
    else:
        each = items("methods", methods, "names, or a dict of them")
        named = {name_of(method): method for method in each}
    for method in named.values():
        if isinstance(method, str):
            checked_name(method)
        else:
            name_of(method)
    if not named:
        choices = ", ".join([*METHODS, RANDOM_KNOWN])
        raise InputError(Argument("methods"), f" is empty; choose from {choices}")
    return named
