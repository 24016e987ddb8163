"""Word deletion: how fast a decision goes when the words that explain it go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, strings, whole_number
from whyword.base.errors import InputError, NoDocumentsError
from whyword.base.labels import Label
from whyword.evaluation.curves import TRUE, DeletionCurve
from whyword.evaluation.ranking import (
    LEAST,
    MOST,
    RANDOM,
    RANDOM_KNOWN,
    Explainer,
    Ranking,
    checked_name,
    name_of,
    ranking_of,
)
from whyword.evaluation.trajectories import Trajectories, concatenate, trajectories_of
from whyword.methods.registry import METHODS, methods_for
from whyword.methods.targets import PREDICTED, class_number, class_numbers
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Erasable, Erased, Trace

Methods: TypeAlias = Iterable[str | Explainer] | Mapping[str, str | Explainer]

SUBSETS = ("correct", "wrong", "all")
ORDERS = (MOST, LEAST)
ACTIONS = ("delete", "insert")
COMPARED = ("lrp", "sensitivity", RANDOM, RANDOM_KNOWN)  # unless methods are named
EXPERIMENTS: Mapping[int, Mapping[str, Any]] = {
    1: {"subset": "correct", "target": TRUE, "order": "most"},
    2: {"subset": "wrong", "target": TRUE, "order": "least"},
    3: {"subset": "wrong", "target": PREDICTED, "order": "most"},
}
_MOST_STEPS = 100_000
_DOCUMENTS = 256  # whose scores at all steps are held at a time
_CACHE_BYTES = 2**28  # of scores that may be asked for again


def deletion_curve(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    method: str | Explainer | None = None,
    order: str = "most",
    target: object = TRUE,
    subset: str = "correct",
    steps: int = 50,
    *,
    relevance: Iterable[Any] | None = None,
    action: str = "delete",
    least_words: int = 1,
    runs: int = 10,
    seed: int = 0,
    sufficiency: bool = True,
    **parameters: float | str,
) -> DeletionCurve:
    """Take away words by their relevance, and see what the model says after each.

    Relevance is found once, on the intact text. The defaults are the paper's first experiment;
    the three are ``EXPERIMENTS[1]`` to ``EXPERIMENTS[3]``, to be passed as ``**EXPERIMENTS[2]``.

    Parameters
    ----------
    model : TextClassifier, or anything with ``predict_proba(list of str)``
    texts : iterable of str
    labels : iterable
        The true class of each text.
    method : str or callable, optional
        One of :func:`~whyword.explain`'s (by default the best for the model), "random", or
        "random_known": random among the words the model knows (the others follow). Or a function,
        called as ``method(model, texts, targets)``, that returns relevances. Given `relevance`,
        its name.
    order : {"most", "least"}
        Which words go first; among equals, those that stand first.
    target : "true", "predicted" or a class
        For whom relevance is found.
    subset : {"correct", "wrong", "all"}
        Those the model was right about at first, or wrong about.
    steps : int
        How many words go; a shorter document stays as it is when none is left.
    relevance : iterable, optional
        Somebody's relevances, one entry per text: a value for each word, a pair (spans, values)
        with character offsets, or an Explanation. See
        :func:`~whyword.explanation.alignment.align`.
    action : {"delete", "insert"}
        "insert" begins with none of the words, and puts them in.
    least_words : int
        Leave out documents with fewer words; the paper's experiments have 100.
    runs, seed : int
        How often, and from what seed on, the random methods are repeated.
    sufficiency : bool
        Find what the opposite action needs, too. It takes as long again.
    **parameters
        Of the method.

    Returns
    -------
    DeletionCurve
    """
    deletion = _WordDeletion(model, texts, labels)
    experiment = deletion.experiment(order, target, subset, steps, action, least_words, sufficiency)
    ranking = deletion.ranking(method, order, runs, seed, relevance, parameters)
    (curve,) = deletion.curves([(experiment, ranking)])
    if curve is None:
        raise NoDocumentsError(experiment.nothing(len(deletion.texts)))
    return curve


def deletion_curves(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    methods: Methods | None = None,
    experiments: Iterable[int] = tuple(EXPERIMENTS),
    steps: int = 50,
    *,
    least_words: int | None = None,
    runs: int = 10,
    seed: int = 0,
    sufficiency: bool = True,
) -> dict[int, dict[str, DeletionCurve]]:
    """Return the curves of several methods in the paper's experiments, by one pass over the texts.

    Parameters
    ----------
    model, texts, labels, steps, runs, seed
        As for :func:`deletion_curve`.
    methods : iterable of str, or mapping from name to str or callable, optional
        As for :func:`deletion_curve`; by default the paper's, as far as the model is able to.
    experiments : iterable of int
        Of :data:`EXPERIMENTS`.
    least_words : int, optional
        Leave out documents with fewer words; by default, as in the paper, than twice the steps.
    sufficiency : bool
        Find what the opposite action needs, too; not of the random methods.

    Returns
    -------
    dict from experiment to dict from method to DeletionCurve
        Without the experiments that no document is fit for.
    """
    deletion = _WordDeletion(model, texts, labels)
    planned: dict[tuple[int, str], tuple[_Experiment, Ranking]] = {}
    named = named_methods(compared_methods(model) if methods is None else methods)
    least = 2 * whole_number("steps", steps) if least_words is None else least_words
    numbers = list(experiments) if isinstance(experiments, Iterable) else [experiments]
    for number in numbers:
        if not isinstance(number, int) or number not in EXPERIMENTS:
            raise InputError(f"experiments are 1, 2 and 3, not {number!r:.60}")
        settings = dict(EXPERIMENTS[number])
        for name, method in named.items():
            both = sufficiency and method not in (RANDOM, RANDOM_KNOWN)
            experiment = deletion.experiment(
                steps=steps, least_words=least, sufficiency=both, **settings
            )
            ranking = deletion.ranking(method, settings["order"], runs, seed)
            planned[number, name] = experiment, replace(ranking, name=name)
    curves: dict[int, dict[str, DeletionCurve]] = {}
    results = deletion.curves(list(planned.values()))
    for (number, name), curve in zip(planned, results, strict=True):
        if curve is not None:
            curves.setdefault(number, {})[name] = curve
    return curves


def compared_methods(model: object) -> list[str]:
    """Return what is compared unless methods are named: the model's best, and the paper's."""
    able = methods_for(as_classifier(model).trace_kind)
    names = [next(iter(able)), *COMPARED]
    return [name for name in dict.fromkeys(names) if name in able or name == RANDOM_KNOWN]


def named_methods(methods: Methods) -> dict[str, str | Explainer]:
    """Return methods by their names; raise if one is unknown or there is none."""
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Iterable):
        raise InputError(f"methods takes names, or a dict of them, not {type(methods).__name__}")
    named: dict[str, str | Explainer]
    if isinstance(methods, Mapping):
        named = {str(name): method for name, method in methods.items()}
    else:
        named = {name_of(method): method for method in methods}
    for method in named.values():
        if isinstance(method, str):
            checked_name(method)
        else:
            name_of(method)
    if not named:
        raise InputError(f"methods is empty; choose from {', '.join([*METHODS, RANDOM_KNOWN])}")
    return named


# ---- which documents, which words -------------------------------------------------------------


class _WordDeletion:
    """Labelled texts and a model that predicts them while words go."""

    def __init__(self, model: object, texts: Iterable[str], labels: Iterable[Any]) -> None:
        self.given, self.model = model, as_classifier(model)
        if not issubclass(self.model.trace_kind, Erasable):
            raise InputError(
                "word deletion needs a model whose words can be taken away, which one of kind "
                f"{self.model.kind!r} is not"
            )
        self.classes = labels_of(self.model)
        self.texts = strings("texts", texts)
        self.truth = class_numbers(self.classes, one_each("labels", labels, len(self.texts)))

    def experiment(
        self,
        order: str,
        target: object,
        subset: str,
        steps: int,
        action: str = "delete",
        least_words: int = 1,
        sufficiency: bool = True,
    ) -> "_Experiment":
        """Return the experiment of these settings; raise if something does not fit."""
        _check_choice("order", order, ORDERS)
        _check_choice("subset", subset, SUBSETS)
        _check_choice("action", action, ACTIONS)
        steps = whole_number("steps", steps, most=_MOST_STEPS)
        least = whole_number("least_words", least_words)
        return _Experiment(
            self.classes, target, subset, order, action, steps, least, bool(sufficiency)
        )

    def ranking(
        self,
        method: str | Explainer | None,
        order: str,
        runs: int,
        seed: int,
        relevance: Iterable[Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Ranking:
        """Return the order in which words go."""
        count = len(self.texts)
        return ranking_of(self.given, method, relevance, count, order, runs, seed, parameters)

    def curves(
        self, planned: Sequence[tuple["_Experiment", Ranking]]
    ) -> list[DeletionCurve | None]:
        """Return the curve of each experiment; None where no document is fit for it."""
        parts: list[list[Trajectories]] = [[] for _ in planned]
        first = 0
        for trace in self.model.trace(self.texts):
            truth = self.truth[first : first + len(trace)]
            by_step = _ErasedWords(trace)
            for (experiment, ranking), traces in zip(planned, parts, strict=True):
                traces += self._trajectories(experiment, ranking, by_step, truth, first)
            first += len(trace)
        return [
            experiment.curve(ranking.name, concatenate(traces)) if traces else None
            for (experiment, ranking), traces in zip(planned, parts, strict=True)
        ]

    def _trajectories(
        self,
        experiment: "_Experiment",
        ranking: Ranking,
        by_step: "_ErasedWords",
        truth: NDArray[np.intp],
        first: int,
    ) -> Iterator[Trajectories]:
        """Yield what becomes of a block's documents, some at a time."""
        trace = by_step.trace
        chosen = experiment.select(trace, truth)
        targets = experiment.targets(trace, truth)
        longest = max((len(trace.documents[number]) for number in chosen.tolist()), default=0)
        steps = min(experiment.steps, longest)  # after which nothing is left to change
        orders = ranking.orders(trace, targets, first, steps, chosen)
        insert = experiment.action == "insert"
        for start in range(0, len(chosen), _DOCUMENTS):
            part = slice(start, start + _DOCUMENTS)
            some, order = chosen[part], orders[part]
            erased = by_step(some, order, insert)
            opposite = by_step(some, order, not insert) if experiment.both else None
            numbers = targets[some, 0]
            paths = trajectories_of(first + some, erased, opposite, truth[some], numbers)
            yield paths.prolonged(experiment.steps)


class _ErasedWords:
    """What the model says of a trace's documents, step by step.

    Experiments may need the same: words by chance go in the same order whatever the target. So
    the last results are kept, as far as they take little room.
    """

    def __init__(self, trace: Any) -> None:  # noqa: ANN401 - a Trace that is Erasable
        self.trace = trace
        self._cache: dict[tuple[bytes, bytes, bool], Erased] = {}

    def __call__(
        self, documents: NDArray[np.intp], orders: NDArray[np.int32], insert: bool
    ) -> Erased:
        """Return what :meth:`~whyword.models.protocol.Erasable.erase` does."""
        key = documents.tobytes(), orders.tobytes(), insert
        if key not in self._cache:
            erased = self.trace.erase(documents, orders, insert)
            while self._cache and self._size() + _size(erased) > _CACHE_BYTES:
                del self._cache[next(iter(self._cache))]
            self._cache[key] = erased
        return self._cache[key]

    def _size(self) -> int:
        return sum(map(_size, self._cache.values()))


def _size(erased: Erased) -> int:
    return erased.scores.nbytes + erased.probabilities.nbytes


@dataclass(frozen=True)
class _Experiment:
    """Which documents take part, whose score is looked at, and what is done to the words."""

    classes: list[Label]
    target: object
    subset: str
    order: str
    action: str
    steps: int
    least_words: int
    both: bool

    def targets(self, trace: Trace, truth: NDArray[np.intp]) -> NDArray[np.int32]:
        """Return the target of each document of a trace, (documents, 1)."""
        if isinstance(self.target, str) and self.target == TRUE:
            numbers = truth
        elif isinstance(self.target, str) and self.target == PREDICTED:
            numbers = trace.predicted
        else:
            numbers = np.full(len(truth), class_number(self.classes, self.target))
        return np.ascontiguousarray(numbers[:, None], np.int32)

    def select(self, trace: Trace, truth: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of the trace's documents that take part."""
        right = trace.predicted == truth
        within = np.array([len(document) >= self.least_words for document in trace.documents])
        if self.subset != "all":
            within &= right if self.subset == "correct" else ~right
        return np.flatnonzero(within)

    def curve(self, name: str, trajectories: Trajectories) -> DeletionCurve:
        """Return what became of the documents."""
        target = self.target if isinstance(self.target, Label) else str(self.target)
        return DeletionCurve(name, self.subset, target, self.order, self.action, *trajectories)

    def nothing(self, texts: int) -> str:
        """Return why there was no document to start from."""
        return nothing_to_start_from(self.subset, self.least_words, texts)


def nothing_to_start_from(subset: str, least_words: int, texts: int) -> str:
    """Return the message that none of the texts is of the kind that an experiment needs."""
    if not texts:
        return "there are no texts"
    kind = {"correct": "predicted right", "wrong": "predicted wrong", "all": "there"}[subset]
    words = f"{least_words} word{'s' if least_words > 1 else ''}"
    return f"none of the {texts:,} texts is {kind} and has at least {words}"


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} may be {' or '.join(map(repr, choices))}, not {value!r:.60}")
