"""Word deletion: how fast a decision goes when the words that explain it go."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from whyword.base.checks import flag, items, one_each, strings
from whyword.base.errors import Argument, InputError, NoDocumentsError
from whyword.base.printable import shown
from whyword.evaluation.curves import TRUE, DeletionCurve
from whyword.evaluation.decisions import decisions_of
from whyword.evaluation.erased_words import ErasedWords
from whyword.evaluation.experiment import EXPERIMENTS, Experiment, nothing_to_start_from
from whyword.evaluation.ranking import (
    RANDOM,
    RANDOM_KNOWN,
    Explainer,
    Methods,
    Ranking,
    compared_methods,
    named_methods,
    ranking_of,
)
from whyword.evaluation.steps import Steps, step_numbers
from whyword.evaluation.trajectories import Trajectories, concatenate
from whyword.methods.targets import PREDICTED
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import Erasable, TextClassifier

Planned: TypeAlias = tuple[Experiment, Ranking]


def deletion_curve(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    method: str | Explainer | None = None,
    order: str = "most",
    target: object = TRUE,
    subset: str = "correct",
    steps: Steps = 50,
    *,
    relevance: Iterable[Any] | None = None,
    action: str = "delete",
    least_words: int = 1,
    runs: int = 10,
    seed: int = 0,
    sufficiency: bool = True,
    **parameters: float | str,
) -> DeletionCurve:
    """Take away words by their relevance, and see what the model says then.

    Relevance is found once, on the intact text. The defaults are the paper's first experiment;
    the three are ``EXPERIMENTS[1]`` to ``EXPERIMENTS[3]``, to be passed as ``**EXPERIMENTS[2]``.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
    labels : iterable
        The true class of each text; for a model that predicts several labels a list for each, and
        each text takes part once for each of its labels (or those predicted).
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
    steps : int, or increasing list of int
        How many words go, if the model is asked after each; or after which numbers of words it is
        asked (0 is added): 0, 1, 2, 5, 10, 20, 50 are 7 predictions for a curve instead of 51. A
        shorter document stays as it is when no word is left.
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
    count = len(deletion.texts)
    experiment = Experiment.of(
        deletion.classes, order, target, subset, steps, action, least_words, sufficiency
    )
    if relevance is not None and is_multilabel(deletion.model) and target in (TRUE, PREDICTED):
        raise InputError(
            Argument("relevance"),
            " is given for one target of each text, and there may be several labels; name one: ",
            Argument("target", ...),
        )
    ranking = ranking_of(model, method, relevance, count, order, runs, seed, parameters)
    (curve,) = deletion.curves([(experiment, ranking)])
    if curve is None:
        raise NoDocumentsError(nothing_to_start_from(subset, experiment.least_words, count))
    return curve


def deletion_curves(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    methods: Methods | None = None,
    experiments: Iterable[int] = tuple(EXPERIMENTS),
    steps: Steps = 50,
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
        Leave out documents with fewer words; by default, as in the paper, than twice the last step.
    sufficiency : bool
        Find what the opposite action needs, too; not of the random methods.

    Returns
    -------
    dict from experiment to dict from method to DeletionCurve
        Without the experiments that no document is fit for.
    """
    deletion = _WordDeletion(model, texts, labels)
    sufficiency = flag("sufficiency", sufficiency)
    named = named_methods(compared_methods(model) if methods is None else methods)
    numbers = step_numbers(steps)
    least = 2 * int(numbers[-1]) if least_words is None else least_words
    planned: dict[tuple[int, str], Planned] = {}
    for number in _experiment_numbers(experiments):
        settings = dict(EXPERIMENTS[number])
        for name, method in named.items():
            both = sufficiency and method not in (RANDOM, RANDOM_KNOWN)
            experiment = Experiment.of(
                deletion.classes, steps=numbers, least_words=least, sufficiency=both, **settings
            )
            ranking = ranking_of(
                model, method, None, len(deletion.texts), settings["order"], runs, seed
            )
            planned[number, name] = experiment, replace(ranking, name=name)
    curves: dict[int, dict[str, DeletionCurve]] = {}
    results = deletion.curves(list(planned.values()))
    for (number, name), curve in zip(planned, results, strict=True):
        if curve is not None:
            curves.setdefault(number, {})[name] = curve
    return curves


def _experiment_numbers(experiments: Iterable[int]) -> list[int]:
    """Return the numbers of the paper's experiments; raise if there is another."""
    given = [experiments] if isinstance(experiments, int | np.integer) else experiments
    numbers = list(items("experiments", given, "a list of numbers"))
    for number in numbers:
        if not isinstance(number, int | np.integer) or number not in EXPERIMENTS:
            raise InputError(Argument("experiments"), f" are 1, 2 and 3, not {shown(number)}")
    return list(map(int, numbers))


def check_erasable(model: TextClassifier) -> TextClassifier:
    """Return the model; raise unless words can be taken out of its documents."""
    if not issubclass(model.trace_kind, Erasable):
        raise InputError(
            "word deletion needs a model whose words can be taken away, which one of kind "
            f"{model.kind!r} is not"
        )
    return model


class _WordDeletion:
    """Labelled texts and a model that predicts them while words go."""

    def __init__(self, model: object, texts: Iterable[str], labels: Iterable[Any]) -> None:
        self.model = check_erasable(as_classifier(model))
        self.classes = labels_of(self.model)
        self.texts = strings("texts", texts)
        each = one_each("labels", labels, len(self.texts))
        self.decisions = decisions_of(self.model, self.classes, each)

    def curves(self, planned: Sequence[Planned]) -> list[DeletionCurve | None]:
        """Return the curve of each experiment; None where no document is fit for it."""
        parts: list[list[Trajectories]] = [[] for _ in planned]
        first = 0
        for trace in self.model.trace(self.texts):
            erased = ErasedWords(trace)
            for (experiment, ranking), paths in zip(planned, parts, strict=True):
                paths += experiment.trajectories(ranking, erased, self.decisions, first)
            first += len(trace)
        return [
            experiment.curve(ranking.name, concatenate(paths)) if paths else None
            for (experiment, ranking), paths in zip(planned, parts, strict=True)
        ]
