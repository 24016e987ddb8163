"""The methods by name: what each takes, needs, costs and promises.

What a method computes is an ability of a model's traces; here is what is asked for. Everything that
lists or checks methods reads this: ``explain``, the command line, the page, the documentation.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from whyword.base.checks import names_meant
from whyword.base.errors import Argument, InputError, WhywordError
from whyword.base.printable import shown
from whyword.explanation.phrases import Phrases
from whyword.models.protocol import Decomposable, Rows, TextClassifier, Trace
from whyword.models.relevance import FilterRelevance, Relevance

Settings = dict[str, Any]
Kind = type[Trace]

_LONGEST = 200  # letters of a name that is compared with the methods'


class Cost(StrEnum):
    """What an explanation of a document takes, in passes through the model."""

    SINGLE = "one pass"
    PER_CLASS = "one pass for each class"
    PER_WORD = "one pass for each word"
    PER_STEP = "one pass for each step"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method.

    Attributes
    ----------
    name : str
    default : object
    check : callable
        From the name and a given value to the value as it is used; raises if it is unfit.
    meaning : str
        In a line, for help and documentation.
    values : type, optional
        What they are; by default what the default is.
    names_of : callable, optional
        From a model to the names that it knows, of which a value is one.
    """

    name: str
    default: Any
    check: Callable[[str, Any], Any]
    meaning: str
    values: type | None = None
    names_of: Callable[[TextClassifier], Sequence[str]] | None = None

    def check_name(self, value: object, model: TextClassifier) -> None:
        """Raise if a value is none of the names that the model knows; None stands for none."""
        if self.names_of is None or value is None:
            return
        names = list(self.names_of(model))
        if value not in names:
            hint = names_meant(str(value), names) if names else "it has none"
            said = f"there is no {self.name} {shown(value)} in this model; {hint}"
            raise InputError(said, about=[self.name])


@dataclass(frozen=True)
class Method:
    """A way of finding relevance.

    Attributes
    ----------
    name : str
    meaning : str
        In a line, for help and documentation.
    compute : callable
        ``compute(trace, targets, elements=…, **settings)`` returns a Relevance.
    needs : type
        The ability that a trace must have.
    parameters : tuple of Parameter
    conserves : callable
        From a kind of trace and the settings to whether relevance adds up to the score.
    residual : str
        What a residual is where relevance is meant to add up but does not: recorded, and shown
        with its size. Of a method whose numbers are no shares of the score, nothing.
    cost : Cost
    passes : callable
        From a kind of trace and the settings to how many passes a document takes, where words are
        not taken out one by one.
    of_output : bool
        Whether what it finds are changes of the model's output, be that scores or probabilities.
    element_sums : callable, or None
        ``element_sums(trace, targets, each=…, **settings)``: document vectors by the relevance of
        input dimensions, of an :class:`~whyword.models.protocol.ElementWise` trace.
    of_features : bool
        Whether what it finds is of the model's features, so that, where those are words, all
        occurrences of a word share its value.
    filters : callable, or None
        ``filters(trace, targets, **settings)``: the relevance of the filters of a
        :class:`~whyword.models.protocol.Filtered` trace.
    phrases : callable, or None
        ``phrases(trace, targets, **settings)``: the relevance of what a
        :class:`~whyword.models.protocol.Phrased` trace used as units, of each document.
    """

    name: str
    meaning: str
    compute: Callable[..., Relevance]
    needs: type = Trace
    parameters: tuple[Parameter, ...] = ()
    conserves: Callable[[Kind, Settings], bool] = lambda kind, settings: False
    residual: str = ""
    cost: Cost = Cost.SINGLE
    passes: Callable[[Kind, Settings], int] = lambda kind, settings: 1
    of_features: bool = False
    of_output: bool = False
    element_sums: Callable[..., Rows] | None = None
    filters: Callable[..., FilterRelevance] | None = None
    phrases: Callable[..., list[Phrases]] | None = None

    def is_for(self, kind: Kind) -> bool:
        """Whether traces of this kind can do what the method needs."""
        return issubclass(kind, self.needs)

    def parameters_for(self, kind: Kind) -> tuple[Parameter, ...]:
        """Return the parameters that it has for a kind of trace.

        A rule may have fewer, and defaults of its own.
        """
        rule = self._rule_of(kind)
        if rule is None:
            return self.parameters
        return tuple(
            replace(one, default=rule.rule_defaults.get(one.name, one.default))
            for one in self.parameters
            if one.name in rule.rule_parameters
        )

    def _rule_of(self, kind: Kind) -> type[Decomposable] | None:
        """Return the kind as what has a rule of its own, if the method goes by that."""
        if self.needs is Decomposable and issubclass(kind, Decomposable):
            return kind
        return None

    def settings(self, kind: Kind, given: Mapping[str, Any]) -> Settings:
        """Return the parameters' values for a kind of trace; raise if a given one is unfit."""
        self.check_kind(kind)
        parameters = {one.name: one for one in self.parameters_for(kind)}
        for name in given:
            if name not in parameters:
                raise self._no_parameter(name, parameters)
        with self._named_in_errors():
            settings = {
                name: one.check(name, given[name]) if name in given else one.default
                for name, one in parameters.items()
            }
            rule = self._rule_of(kind)
            return settings if rule is None else rule.check_rule(settings, frozenset(given))

    def settings_of(self, model: TextClassifier, given: Mapping[str, Any]) -> Settings:
        """Return the parameters' values for a model; raise if a given one is unfit."""
        settings = self.settings(model.trace_kind, given)
        for one in self.parameters:
            one.check_name(settings.get(one.name), model)
        return settings

    def _no_parameter(self, name: str, known: Iterable[str]) -> InputError:
        whose = " for this model" if name in {one.name for one in self.parameters} else ""
        listed = [part for one in known for part in (", ", Argument(one, of=self.name))][1:]
        return InputError(
            f"method {self.name!r} has no parameter '",
            Argument(name, of=self.name),
            f"'{whose}; it has: ",
            *(listed or ["none"]),
        )

    @contextmanager
    def _named_in_errors(self) -> Iterator[None]:
        try:
            yield
        except WhywordError as error:  # a check knows names only, not whose they are
            error.replace_arguments(lambda argument: replace(argument, of=self.name))
            raise

    def predicts_anew(self, kind: Kind) -> bool:
        """Whether an explanation is made of predictions of texts without some of their words."""
        return self.cost is Cost.PER_WORD and kind.predicts_anew

    def predictions(self, kind: Kind, words: int, settings: Settings) -> int:
        """Return how often a model is asked for an explanation of a text of so many words."""
        return 1 + words if self.predicts_anew(kind) else self.passes(kind, settings)

    def check_kind(self, kind: Kind) -> None:
        """Raise unless traces of this kind can do what the method needs."""
        if not self.is_for(kind):
            able = ", ".join(repr(name) for name in methods_for(kind))
            raise InputError(
                f"method {self.name!r} needs a model that is {self.needs.__name__.lower()}, which "
                f"this one is not; what works here: {able}"
            )


METHODS: dict[str, Method] = {}


def register(method: Method, replace: bool = False) -> Method:
    """Let everybody know a method, by its name; return it.

    Parameters
    ----------
    method : Method
    replace : bool
        Whether it may take the name of one that is there: a notebook's cell is run twice.
    """
    if method.name in METHODS and not replace:
        raise InputError(
            f"there is a method {method.name!r} already; say ",
            Argument("replace", True),
            " to replace it",
        )
    METHODS[method.name] = method
    return method


def find_method(name: object) -> Method:
    """Return the method of that name; raise with the choices if there is none."""
    if not isinstance(name, str) or name not in METHODS:
        close = get_close_matches(name[:_LONGEST], METHODS, n=1) if isinstance(name, str) else []
        hint = f"did you mean {close[0]!r}? there are" if close else "choose from"
        said = f"there is no method {shown(name)}; {hint} {', '.join(METHODS)}"
        raise InputError(said, about=["method"])
    return METHODS[name]


def methods_for(kind: Kind) -> dict[str, Method]:
    """Return the methods that work for a kind of trace, the best first."""
    return {name: method for name, method in METHODS.items() if method.is_for(kind)}


def method_for(kind: Kind, name: str | None) -> Method:
    """Return the method of that name, or by default the best for a kind of trace."""
    return next(iter(methods_for(kind).values())) if name is None else find_method(name)
