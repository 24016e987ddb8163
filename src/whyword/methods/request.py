"""What is asked of a model: whose scores, by which method; answered a block at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from whyword.base.checks import one_of
from whyword.base.errors import Argument, InputError
from whyword.methods.registry import Method, Settings, method_for
from whyword.methods.targets import Target, target_of
from whyword.models.abilities import Recorded
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import (
    ElementWise,
    Filtered,
    Phrased,
    Positions,
    Targets,
    TextClassifier,
    Trace,
)
from whyword.models.relevance import FilterRelevance, Relevance
from whyword.words.document import Text

WORD, PHRASE, ELEMENT, FILTER = LEVELS = ("word", "phrase", "element", "filter")


class Answer(NamedTuple):
    """The relevance in a block.

    Attributes
    ----------
    trace : Trace
    targets : (documents, K) int32
        The numbers of the classes, that of a contrast left out.
    relevance : Relevance
    """

    trace: Trace
    targets: Targets
    relevance: Relevance


class FilterAnswer(NamedTuple):
    """The same for a network's filters."""

    trace: Any  # a Trace that is Filtered
    targets: Targets
    relevance: FilterRelevance


@dataclass(frozen=True, eq=False)
class Request:
    """A model and what is asked of it.

    Attributes
    ----------
    model : TextClassifier
    target : Target
    method : Method
    settings : dict
        The method's parameters.
    level : {"word", "phrase", "element", "filter"}
    given : object
        The model as it was passed: somebody's pipeline, say, that is wrapped.
    """

    model: TextClassifier
    target: Target
    method: Method
    settings: Settings
    level: str = WORD
    given: object = None

    @classmethod
    def of(
        cls,
        model: object,
        target: object,
        method: str | None = None,
        *,
        targets: Iterable[Any] | None = None,
        against: object = None,
        top_classes: int | None = None,
        level: str = WORD,
        parameters: Settings | None = None,
    ) -> "Request":
        """Return a request that makes sense; raise if it does not."""
        classifier = as_classifier(model)
        kind = classifier.trace_kind
        chosen = method_for(kind, method)
        whose = target_of(labels_of(classifier), target, targets, against, top_classes)
        settings = chosen.settings_of(classifier, parameters or {})
        _check_level(level, chosen, classifier)
        return cls(classifier, whose, chosen, settings, level, model)

    def answers(
        self, texts: Iterable[Text], deleted: Iterator[Positions] | None = None
    ) -> Iterator[Answer]:
        """Yield the relevance in each block of the texts."""
        elements = self.level == ELEMENT
        extra = {"elements": True} if elements else {}
        columns = self.target.count
        done = 0
        for trace in self.model.trace(texts, deleted=deleted, columns=columns, elements=elements):
            targets = self.target.numbers(trace.predicted_from(done), trace.scores)
            done += len(trace)
            relevance = self.method.compute(trace, targets, **extra, **self.settings)
            _check_relevance(relevance, trace, targets, self.method.name)
            if self.level == PHRASE and self.method.phrases is not None:
                phrases = self.method.phrases(trace, targets, **self.settings)
                relevance = replace(relevance, phrases=phrases)
            for number, document in enumerate(trace.documents):
                if len(document.unread):
                    relevance.move_to_padding(number, document.ignored)
            if self.target.against is not None:
                relevance, targets = relevance.against_last(), targets[:, :-1]
            yield Answer(trace, targets, relevance)

    def filter_answers(self, texts: Iterable[Text]) -> Iterator[FilterAnswer]:
        """Yield the relevance of the filters in each block of the texts."""
        if self.method.filters is None:
            raise TypeError(f"{self.method.name} does not go through filters")
        done = 0
        for trace in self.model.trace(texts, columns=self.target.count):
            targets = self.target.numbers(trace.predicted_from(done), trace.scores)
            done += len(trace)
            relevance = self.method.filters(trace, targets, **self.settings)
            if self.target.against is not None:
                relevance, targets = relevance.against_last(), targets[:, :-1]
            yield FilterAnswer(trace, targets, relevance)

    def predictions(self, words: int) -> int:
        """Return how often the model is asked for an explanation of a text of so many words."""
        return self.method.predictions(self.model.trace_kind, words, self.settings)

    @property
    def conserves(self) -> bool:
        """Whether relevance must add up to the score."""
        return self.method.conserves(self.model.trace_kind, self.settings)

    @property
    def recorded(self) -> Settings:
        """What explanations record as their parameters."""
        kind = self.model.trace_kind
        recorded = dict(self.model.recorded) if isinstance(self.model, Recorded) else {}
        recorded |= {name: value for name, value in self.settings.items() if value is not None}
        if self.method.residual and not self.conserves:
            recorded["residual"] = self.method.residual
        if self.target.top is not None:
            recorded["top_classes"] = self.target.top
        if self.target.against is not None:
            recorded["against"] = self.target.labels[self.target.against]
        if self.method.of_features and kind.equal_shares:
            recorded["occurrences"] = "equal shares"
        if self.method.of_output:
            recorded["output"] = kind.output
        return recorded


def _check_relevance(relevance: Relevance, trace: Trace, targets: Targets, method: str) -> None:
    """Raise if a method, perhaps somebody's own, returned something of another shape."""
    shapes = [np.shape(words) for words in relevance.words[:1]]
    expected = [(len(document), targets.shape[1]) for document in trace.documents[:1]]
    fits = shapes == expected and len(relevance.words) == len(trace)
    if not fits or np.shape(relevance.padding) != targets.shape:
        raise InputError(
            f"method {method!r} returned words of shape {shapes} and padding of shape "
            f"{np.shape(relevance.padding)}; {expected} and {targets.shape} are needed: a row for "
            "each word (or document), a column for each target"
        )


def has_phrases(method: Method | str | None, model: TextClassifier) -> bool:
    """Return whether a method (or its name) finds the relevance of a model's phrases."""
    kind = model.trace_kind
    chosen = method if isinstance(method, Method) else method_for(kind, method)
    return chosen.phrases is not None and issubclass(kind, Phrased)


def check_phrases(
    method: Method, model: TextClassifier, asked: Argument, instead: Argument
) -> None:
    """Raise unless a method finds the relevance of a model's phrases; name what was asked for."""
    if not has_phrases(method, model):
        raise InputError(
            asked,
            " needs a model whose units are several words, a CNN's windows or n-grams (attention "
            "and recurrence make none), and a method that adds up ('lrp', 'gradient_input'), not "
            f"{method.name!r} of a model of kind {model.kind!r}; say ",
            instead,
        )


def _check_level(level: object, method: Method, model: TextClassifier) -> None:
    """Raise unless the method and the model go down, or stop, there."""
    one_of("level", level, LEVELS)
    kind = model.trace_kind
    if level == ELEMENT and not (method.element_sums and issubclass(kind, ElementWise)):
        raise InputError(
            Argument("level", ELEMENT),
            " needs a model of word vectors and a method that goes down to their dimensions, not "
            f"{method.name!r} of a model of kind {model.kind!r}; say ",
            Argument("level", WORD),
        )
    if level == PHRASE:
        check_phrases(method, model, Argument("level", PHRASE), Argument("level", WORD))
    if level == FILTER and not (method.filters and issubclass(kind, Filtered)):
        raise InputError(
            Argument("level", FILTER),
            " needs a network with filters and a method that goes through its layers, not "
            f"{method.name!r} of a model of kind {model.kind!r}; say ",
            Argument("level", WORD),
        )
