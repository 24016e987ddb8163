"""What words are weighted by when their vectors are added up: one value, whoever found it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from whyword.base.checks import items, one_of
from whyword.base.errors import Argument, InputError
from whyword.explanation.alignment import align
from whyword.methods.registry import Method, Settings, method_for
from whyword.models.protocol import (
    ElementWise,
    Embedded,
    RarityAware,
    Rows,
    Targets,
    TextClassifier,
    Trace,
)
from whyword.models.relevance import Relevance

WORD, ELEMENT = LEVELS = ("word", "element")


def _uniform(trace: Embedded, _: Targets) -> Relevance:
    return trace.uniform()


def _tfidf(trace: RarityAware, _: Targets) -> Relevance:
    return trace.tfidf()


# besides the methods of explain, which have a class to explain
WEIGHTINGS: Mapping[str, Method] = {
    "uniform": Method(
        name="uniform",
        meaning="the same for all words: the mean of their vectors",
        compute=_uniform,
        needs=Embedded,
    ),
    "tfidf": Method(
        name="tfidf",
        meaning="each word by its rarity in the training texts",
        compute=_tfidf,
        needs=RarityAware,
    ),
}
_MOST_RELEVANCE = 1e30  # sums of it are still finite in float32

Sums: TypeAlias = Callable[[bool], Rows]


class Weighting(Protocol):
    """Relevance to sums of vectors.

    Attributes
    ----------
    level : {"word", "element"}
        Whether a word has one weight, or each dimension of its vector.
    """

    level: ClassVar[str]

    def sums(self, trace: Any, targets: Targets) -> Sums:  # noqa: ANN401 - a Trace that is Embedded
        """Return what gives the weighted sums of a trace's documents.

        Called with False, a row for each document; with True, one for each word, document after
        document. Relevance is found once, whatever is asked for.

        Parameters
        ----------
        trace : Trace
        targets : (documents, 1) int32
        """


@dataclass(frozen=True)
class ByWord:
    """Σ_t R[t]·x[t, i], docs/method.md (22).

    Attributes
    ----------
    relevance : callable
        From a trace and targets to the words' Relevance.
    """

    relevance: Callable[..., Relevance]
    level: ClassVar[str] = WORD

    def sums(self, trace: Any, targets: Targets) -> Sums:  # noqa: ANN401
        """Return what gives the sums, by the first column of the relevance."""
        return partial(trace.summary, self.relevance(trace, targets))


@dataclass(frozen=True)
class ByElement:
    """Σ_t R[t, i]·x[t, i], docs/method.md (23).

    Attributes
    ----------
    element_sums : callable
        From a trace, targets and whether each word is asked for to the sums.
    """

    element_sums: Callable[..., Rows]
    level: ClassVar[str] = ELEMENT

    def sums(self, trace: Any, targets: Targets) -> Sums:  # noqa: ANN401
        """Return what gives the sums, without the relevance of single elements ever being held."""
        return partial(self.element_sums, trace, targets)


def weighting_of(
    model: TextClassifier, method: str | None, level: str, parameters: Settings
) -> Weighting:
    """Return the weighting that is asked for; raise if it makes no sense.

    Parameters
    ----------
    model : TextClassifier
        One whose documents have vectors.
    method : str, optional
        A method of :func:`~whyword.explain` or one of :data:`WEIGHTINGS`; the model's best by
        default.
    level : {"word", "element"}
    parameters : dict
        Of the method.
    """
    kind = model.trace_kind
    one_of("level", level, LEVELS)
    known = isinstance(method, str) and method in WEIGHTINGS
    chosen = WEIGHTINGS[str(method)] if known else method_for(kind, method)
    if known and not chosen.is_for(kind):
        raise InputError(
            Argument("method", chosen.name),
            f": {chosen.meaning}, which is not known of a model of kind {model.kind!r}; say ",
            Argument("method", "uniform"),
        )
    settings = chosen.settings_of(model, parameters)
    if level == WORD:
        return ByWord(partial(chosen.compute, **settings))
    if chosen.element_sums is None or not issubclass(kind, ElementWise):
        raise InputError(
            Argument("level", ELEMENT),
            " needs a model of word vectors and a method that goes down to their dimensions, not "
            f"{chosen.name!r} of a model of kind {model.kind!r}; say ",
            Argument("level", WORD),
        )
    return ByElement(partial(chosen.element_sums, **settings))


class GivenRelevance:
    """Relevances that came from elsewhere, taken a block at a time.

    Parameters
    ----------
    relevance : iterable
        One entry per text, as :func:`~whyword.explanation.alignment.align` takes them.
    """

    def __init__(self, relevance: Iterable[Any]) -> None:
        self.remaining = items("relevance", relevance, "a list with one entry per text")
        self.taken = 0

    def __call__(self, trace: Trace, targets: Targets) -> Relevance:
        """Return the next documents' relevances, a value for each word."""
        documents = trace.documents
        entries = list(islice(self.remaining, len(documents)))
        weights = align(entries, documents, self.taken)
        for number, values in enumerate(weights, self.taken):
            if np.abs(values).max(initial=0) > _MOST_RELEVANCE:
                raise InputError(
                    Argument("relevance"),
                    f" of document {number} is beyond ±{_MOST_RELEVANCE:g}",
                )
        self.taken += len(documents)
        return Relevance([values[:, None] for values in weights], np.zeros((len(weights), 1)))
