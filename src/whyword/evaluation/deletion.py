"""Word deletion: how fast a decision goes when the words that explain it go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, strings, whole_number
from whyword.base.errors import InputError, NoDocumentsError
from whyword.base.labels import Label
from whyword.evaluation.erasure import scores_by_step
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
from whyword.methods.blocks import Block, blocks, kind_of, model_classes
from whyword.methods.registry import METHODS
from whyword.methods.targets import PREDICTED, class_number, class_numbers
from whyword.models.estimator import Estimator

Methods: TypeAlias = Iterable[str | Explainer] | Mapping[str, str | Explainer]

TRUE = "true"
STARTS = ("correct", "wrong", "all")
ORDERS = (MOST, LEAST)
ACTIONS = ("delete", "insert")
COMPARED = ("lrp", "sensitivity", RANDOM, RANDOM_KNOWN)  # unless methods are named
EXPERIMENTS: Mapping[int, Mapping[str, Any]] = {
    1: {"documents": "correct", "target": TRUE, "order": "most"},
    2: {"documents": "wrong", "target": TRUE, "order": "least"},
    3: {"documents": "wrong", "target": PREDICTED, "order": "most"},
}
_MOST_STEPS = 100_000
_DOCUMENTS = 256  # whose scores at all steps are held at a time
_KEPT_BYTES = 2**27  # of scores that may be asked for again


@dataclass(frozen=True, eq=False, repr=False)
class DeletionCurve:
    """What became of n documents while up to K of their words went (or came), in R runs.

    Attributes
    ----------
    method, documents, target, order, action : str
        As they were asked for.
    chosen : (n,) intp
        Which of the texts took part.
    correct : (R, n, K + 1) bool
        Whether the prediction was the true class after each step; the first column is the start.
    scores, probabilities : (R, n, K + 1) float32
        Of the target class.
    opposite : (R, n, K + 1) float32, or None
        The target's probability if the same words are put into the empty document instead
        (taken out of the whole one, if the action is to insert).
    """

    method: str
    documents: str
    target: Label
    order: str
    action: str
    chosen: NDArray[np.intp]
    correct: NDArray[np.bool_]
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    opposite: NDArray[np.float32] | None = None

    def __repr__(self) -> str:
        return (
            f"DeletionCurve({self.method}: {self.action} {self.order} relevant first, "
            f"{len(self):,} documents, {self.steps} steps, area {self.area:.4f})"
        )

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def steps(self) -> int:
        """How many words went, K."""
        return int(self.correct.shape[2]) - 1

    @property
    def runs(self) -> int:
        """How many orders were tried: 1, or the runs of a random baseline."""
        return len(self.correct)

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """Share of the documents predicted right after each step, mean of the runs: (K + 1,)."""
        mean: NDArray[np.float64] = self.correct.mean(axis=(0, 1))
        return mean

    @property
    def mean_score(self) -> NDArray[np.float64]:
        """The target's score after each step, mean of documents and runs: (K + 1,)."""
        mean: NDArray[np.float64] = self.scores.mean(axis=(0, 1), dtype=np.float64)
        return mean

    @property
    def area(self) -> float:
        """Area under the accuracy over the steps, as a share of the largest possible."""
        return float(self.document_areas().mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of that area over the runs; 0 for a single run."""
        areas = _areas(self.correct).mean(axis=1)
        return float(areas.std(ddof=1)) if self.runs > 1 else 0.0

    @property
    def score_area(self) -> float:
        """Mean height of the target's score over the steps."""
        return float(self.document_areas("score").mean())

    def document_areas(self, measure: str = "accuracy") -> NDArray[np.float64]:
        """Return each document's area, mean of the runs, (n,); they average to :attr:`area`.

        Parameters
        ----------
        measure : {"accuracy", "score"}
        """
        if measure not in ("accuracy", "score"):
            raise InputError(f"measure may be 'accuracy' or 'score', not {measure!r}")
        traces = self.correct if measure == "accuracy" else self.scores
        mean: NDArray[np.float64] = _areas(traces).mean(axis=0)
        return mean

    @property
    def aopc(self) -> float:
        """Mean change of the target's score over the steps 0 … K (Samek et al., 2017).

        How far it has fallen since the start; for insertion, risen.
        """
        mean = self.mean_score
        change = float((mean[0] - mean).mean())
        return change if self.action == "delete" else -change

    @property
    def comprehensiveness(self) -> float | None:
        """Mean fall of the target's probability when the first 1 … K words are taken away."""
        return self._fall(self.probabilities if self.action == "delete" else self.opposite)

    @property
    def sufficiency(self) -> float | None:
        """Mean fall of the target's probability when only the first 1 … K words are kept."""
        return self._fall(self.opposite if self.action == "delete" else self.probabilities)

    def _fall(self, traces: NDArray[np.float32] | None) -> float | None:
        whole = self.probabilities if self.action == "delete" else self.opposite
        if traces is None or whole is None:
            return None
        return float((whole[:, :, :1] - traces[:, :, 1:]).mean(dtype=np.float64))

    @property
    def better(self) -> str | None:
        """Whether a "lower" or a "higher" area speaks for the method; None if that is open."""
        if self.target == TRUE or (self.target, self.documents) == (PREDICTED, "correct"):
            return self.better_score
        if (self.target, self.documents) == (PREDICTED, "wrong"):  # the wrong class goes
            return "higher" if self.better_score == "lower" else "lower"
        return None

    @property
    def better_score(self) -> str:
        """Whether a "lower" or a "higher" mean score of the target speaks for the method."""
        return "lower" if (self.action == "delete") == (self.order == MOST) else "higher"

    def to_dict(self) -> dict[str, Any]:
        """Return the curve's figures as plain data; the documents' traces are left out."""
        return {
            "method": self.method,
            "documents": self.documents,
            "target": self.target,
            "order": self.order,
            "action": self.action,
            "count": len(self),
            "steps": self.steps,
            "runs": self.runs,
            "accuracy": self.accuracy.tolist(),
            "mean_score": self.mean_score.tolist(),
            "area": self.area,
            "area_deviation": self.deviation,
            "score_area": self.score_area,
            "aopc": self.aopc,
            "comprehensiveness": self.comprehensiveness,
            "sufficiency": self.sufficiency,
        }


def deletion_curve(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    method: str | Explainer | None = None,
    order: str = "most",
    target: object = TRUE,
    documents: str = "correct",
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
    model : CNNClassifier, SVMClassifier or anything with ``predict_proba(list of str)``
    texts : iterable of str
    labels : iterable
        The true class of each text.
    method : str or callable, optional
        One of :func:`~whyword.explain`'s ("lrp" by default), "random", or "random_known": random
        among the words the model knows (the others follow). Or a function, called as
        ``method(model, texts, targets)``, that returns relevances. Given `relevance`, its name.
    order : {"most", "least"}
        Which words go first; among equals, those that stand first.
    target : "true", "predicted" or a class
        For whom relevance is found.
    documents : {"correct", "wrong", "all"}
        Those the model was right about at first, or wrong about.
    steps : int
        How many words go; a shorter document stays as it is when none is left.
    relevance : iterable, optional
        Somebody's relevances, one entry per text: a value for each word, a pair (spans, values)
        with character offsets, or an Explanation. See
        :func:`~whyword.explanation.alignment.aligned`.
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
    study = _Study(model, texts, labels)
    question = study.question(order, target, documents, steps, action, least_words, sufficiency)
    ranking = study.ranking(method, order, runs, seed, relevance, parameters)
    (curve,) = study.curves([(question, ranking)])
    if curve is None:
        raise NoDocumentsError(question.nothing(len(study.texts)))
    return curve


def deletion_curves(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    methods: Methods = COMPARED,
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
    methods : iterable of str, or mapping from name to str or callable
        As for :func:`deletion_curve`.
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
    study = _Study(model, texts, labels)
    asked: dict[tuple[int, str], tuple[_Question, Ranking]] = {}
    named = named_methods(methods)
    least = 2 * whole_number("steps", steps) if least_words is None else least_words
    numbers = list(experiments) if isinstance(experiments, Iterable) else [experiments]
    for number in numbers:
        if not isinstance(number, int) or number not in EXPERIMENTS:
            raise InputError(f"experiments are 1, 2 and 3, not {number!r:.60}")
        experiment = dict(EXPERIMENTS[number])
        for name, method in named.items():
            both = sufficiency and method not in (RANDOM, RANDOM_KNOWN)
            question = study.question(
                steps=steps, least_words=least, sufficiency=both, **experiment
            )
            order = experiment["order"]
            ranking = replace(study.ranking(method, order, runs, seed), name=name)
            asked[number, name] = question, ranking
    found: dict[int, dict[str, DeletionCurve]] = {}
    for (number, name), curve in zip(asked, study.curves(list(asked.values())), strict=True):
        if curve is not None:
            found.setdefault(number, {})[name] = curve
    return found


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


class _Study:
    """Labelled texts and a model that predicts them while words go."""

    def __init__(self, model: object, texts: Iterable[str], labels: Iterable[Any]) -> None:
        kind_of(model)
        self.model = model
        self.classes = model_classes(model)
        self.texts = strings("texts", texts)
        self.truth = class_numbers(self.classes, one_each("labels", labels, len(self.texts)))

    def question(
        self,
        order: str,
        target: object,
        documents: str,
        steps: int,
        action: str = "delete",
        least_words: int = 1,
        sufficiency: bool = True,
    ) -> "_Question":
        """Return what is asked; raise if something does not fit."""
        _check_choice("order", order, ORDERS)
        _check_choice("documents", documents, STARTS)
        _check_choice("action", action, ACTIONS)
        steps = whole_number("steps", steps, most=_MOST_STEPS)
        least = whole_number("least_words", least_words)
        return _Question(
            self.classes, target, documents, order, action, steps, least, bool(sufficiency)
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
        return ranking_of(self.model, method, relevance, count, order, runs, seed, parameters)

    def curves(self, asked: Sequence[tuple["_Question", Ranking]]) -> list[DeletionCurve | None]:
        """Return the curve of each question; None where no document is fit for it."""
        parts: list[list[_Traces]] = [[] for _ in asked]
        first = 0
        for block in blocks(self.model, self.texts, 1, elements=False):
            truth = self.truth[first : first + len(block.documents)]
            by_step = _ScoresByStep(block)
            for (question, ranking), traces in zip(asked, parts, strict=True):
                traces += self._traces(question, ranking, by_step, truth, first)
            first += len(block.documents)
        return [
            question.curve(ranking.name, _joined(traces)) if traces else None
            for (question, ranking), traces in zip(asked, parts, strict=True)
        ]

    def _traces(
        self,
        question: "_Question",
        ranking: Ranking,
        by_step: "_ScoresByStep",
        truth: NDArray[np.intp],
        first: int,
    ) -> "Iterator[_Traces]":
        """Yield what becomes of a block's documents, some at a time."""
        block = by_step.block
        chosen = question.chosen(block, truth)
        targets = question.targets(block, truth)
        longest = max((len(block.documents[number]) for number in chosen.tolist()), default=0)
        steps = min(question.steps, longest)  # after which nothing is left to change
        orders = ranking.orders(block, targets, first, steps, chosen)
        insert = question.action == "insert"
        for start in range(0, len(chosen), _DOCUMENTS):
            part = slice(start, start + _DOCUMENTS)
            some, order = chosen[part], orders[part]
            found = by_step(some, order, insert)
            opposite = by_step(some, order, not insert) if question.both else None
            numbers = targets[some, 0]
            found_traces = _traces(self.model, first + some, found, opposite, truth[some], numbers)
            yield found_traces.prolonged(question.steps)


class _ScoresByStep:
    """What the model says of a block's documents, step by step.

    Questions may ask for the same: words by chance go in the same order whatever the target. So
    the last answers are kept, as far as they take little room.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self._kept: dict[tuple[bytes, bytes, bool], NDArray[np.float64]] = {}

    def __call__(
        self, documents: NDArray[np.intp], orders: NDArray[np.int32], insert: bool
    ) -> NDArray[np.float64]:
        """Return what :func:`~whyword.evaluation.erasure.scores_by_step` does."""
        asked = documents.tobytes(), orders.tobytes(), insert
        if asked not in self._kept:
            found = scores_by_step(self.block, documents, orders, insert)
            while self._kept and self._size() + found.nbytes > _KEPT_BYTES:
                del self._kept[next(iter(self._kept))]
            self._kept[asked] = found
        return self._kept[asked]

    def _size(self) -> int:
        return sum(scores.nbytes for scores in self._kept.values())


@dataclass(frozen=True)
class _Question:
    """Which documents take part, whose score is looked at, and what is done to the words."""

    classes: list[Label]
    target: object
    start: str
    order: str
    action: str
    steps: int
    least_words: int
    both: bool

    def targets(self, block: Block, truth: NDArray[np.intp]) -> NDArray[np.int32]:
        """Return the target of each document of a block, (documents, 1)."""
        if isinstance(self.target, str) and self.target == TRUE:
            numbers = truth
        elif isinstance(self.target, str) and self.target == PREDICTED:
            numbers = block.scores.argmax(axis=1)
        else:
            numbers = np.full(len(truth), class_number(self.classes, self.target))
        return np.ascontiguousarray(numbers[:, None], np.int32)

    def chosen(self, block: Block, truth: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of the block's documents that take part."""
        right = block.scores.argmax(axis=1) == truth
        within = np.array([len(document) >= self.least_words for document in block.documents])
        if self.start != "all":
            within &= right if self.start == "correct" else ~right
        return np.flatnonzero(within)

    def curve(self, name: str, traces: "_Traces") -> DeletionCurve:
        """Return the answer."""
        target = self.target if isinstance(self.target, Label) else str(self.target)
        return DeletionCurve(name, self.start, target, self.order, self.action, *traces)

    def nothing(self, texts: int) -> str:
        """Return why there was no document to start from."""
        return nothing_to_start_from(self.start, self.least_words, texts)


def nothing_to_start_from(documents: str, least_words: int, texts: int) -> str:
    """Return the message that none of the texts is of the kind that an experiment needs."""
    if not texts:
        return "there are no texts"
    kind = {"correct": "predicted right", "wrong": "predicted wrong", "all": "there"}[documents]
    words = f"{least_words} word{'s' if least_words > 1 else ''}"
    return f"none of the {texts:,} texts is {kind} and has at least {words}"


# ---- what became of them ----------------------------------------------------------------------


class _Traces(NamedTuple):
    """Of some documents: the fields of DeletionCurve from `chosen` on."""

    chosen: NDArray[np.intp]
    correct: NDArray[np.bool_]
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    opposite: NDArray[np.float32] | None

    def prolonged(self, steps: int) -> "_Traces":
        """Return traces of so many steps: the last ones change nothing."""
        more = ((0, 0), (0, 0), (0, steps + 1 - self.correct.shape[2]))
        return _Traces(
            self.chosen,
            np.pad(self.correct, more, "edge"),
            np.pad(self.scores, more, "edge"),
            np.pad(self.probabilities, more, "edge"),
            None if self.opposite is None else np.pad(self.opposite, more, "edge"),
        )


def _traces(
    model: object,
    chosen: NDArray[np.intp],
    scores: NDArray[np.float64],
    opposite: NDArray[np.float64] | None,
    truth: NDArray[np.intp],
    targets: NDArray[np.int32],
) -> _Traces:
    """Return the traces of n documents from all classes' scores, (n, R, K + 1, C)."""
    return _Traces(
        chosen,
        np.moveaxis(scores.argmax(axis=3) == truth[:, None, None], 0, 1),
        _of_target(scores, targets),
        _of_target(_probabilities(model, scores), targets),
        None if opposite is None else _of_target(_probabilities(model, opposite), targets),
    )


def _of_target(values: NDArray[np.float64], targets: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the targets' values of all classes', (R, n, K + 1)."""
    column = targets.astype(np.intp)[:, None, None, None]
    chosen = np.take_along_axis(values, column, axis=3)[..., 0]
    return np.moveaxis(chosen, 0, 1).astype(np.float32)


def _probabilities(model: object, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if not isinstance(model, Estimator):
        return scores  # they are probabilities
    flat = model.probabilities(scores.reshape(-1, scores.shape[-1]))
    return flat.reshape(scores.shape)


def _joined(parts: list[_Traces]) -> _Traces:
    opposite = [part.opposite for part in parts if part.opposite is not None]
    return _Traces(
        np.concatenate([part.chosen for part in parts]),
        np.concatenate([part.correct for part in parts], axis=1),
        np.concatenate([part.scores for part in parts], axis=1),
        np.concatenate([part.probabilities for part in parts], axis=1),
        np.concatenate(opposite, axis=1) if opposite else None,
    )


def _areas(traces: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean height of traces over their steps, by the trapezoidal rule: (R, n)."""
    ends = (traces[..., 0].astype(np.float64) + traces[..., -1]) / 2
    inner = traces[..., 1:-1].sum(axis=2, dtype=np.float64)
    areas: NDArray[np.float64] = (ends + inner) / (traces.shape[2] - 1)
    return areas


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} may be {' or '.join(map(repr, choices))}, not {value!r:.60}")
