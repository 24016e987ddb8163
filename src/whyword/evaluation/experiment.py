"""An experiment of word deletion: which documents, whose score, which words go or come."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, one_of, whole_number
from whyword.base.labels import Label
from whyword.evaluation.curves import TRUE, DeletionCurve
from whyword.evaluation.erased_words import ErasedWords
from whyword.evaluation.ranking import LEAST, MOST, Ranking
from whyword.evaluation.trajectories import Trajectories, trajectories_of
from whyword.methods.targets import PREDICTED, class_number
from whyword.models.protocol import Trace

CORRECT, WRONG, EVERY = SUBSETS = ("correct", "wrong", "all")
ORDERS = (MOST, LEAST)
DELETE, INSERT = ACTIONS = ("delete", "insert")
# the paper's three
EXPERIMENTS: Mapping[int, Mapping[str, Any]] = {
    1: {"subset": CORRECT, "target": TRUE, "order": MOST},
    2: {"subset": WRONG, "target": TRUE, "order": LEAST},
    3: {"subset": WRONG, "target": PREDICTED, "order": MOST},
}
MOST_STEPS = 100_000
_DOCUMENTS = 256  # whose scores at all steps are held at a time


@dataclass(frozen=True)
class Experiment:
    """Which documents take part, whose score is looked at, and what is done to the words.

    Attributes
    ----------
    classes : sequence of C labels
    target : "true", "predicted" or a class
    subset, order, action : str
    steps : int
        How many words go.
    least_words : int
        That a document must have.
    sufficiency : bool
        Whether the opposite action is looked at, too.
    """

    classes: Sequence[Label]
    target: object
    subset: str
    order: str
    action: str
    steps: int
    least_words: int
    sufficiency: bool

    @classmethod
    def of(
        cls,
        classes: Sequence[Label],
        order: str,
        target: object,
        subset: str,
        steps: int,
        action: str = DELETE,
        least_words: int = 1,
        sufficiency: bool = True,
    ) -> "Experiment":
        """Return the experiment of these settings; raise if something does not fit."""
        one_of("order", order, ORDERS)
        one_of("subset", subset, SUBSETS)
        one_of("action", action, ACTIONS)
        steps = whole_number("steps", steps, most=MOST_STEPS)
        least = whole_number("least_words", least_words)
        both = flag("sufficiency", sufficiency)
        if not isinstance(target, str) or target not in (TRUE, PREDICTED):
            class_number(classes, target)
        return cls(classes, target, subset, order, action, steps, least, both)

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
        if self.subset != EVERY:
            within &= right if self.subset == CORRECT else ~right
        return np.flatnonzero(within)

    def trajectories(
        self, ranking: Ranking, erased: ErasedWords, truth: NDArray[np.intp], first: int
    ) -> Iterator[Trajectories]:
        """Yield what becomes of a block's documents, some at a time.

        Parameters
        ----------
        ranking : Ranking
            The order in which words go.
        erased : ErasedWords
            Of the block's trace.
        truth : (documents,) intp
        first : int
            The number of the block's first document.
        """
        trace = erased.trace
        chosen, targets = self.select(trace, truth), self.targets(trace, truth)
        longest = max((len(trace.documents[number]) for number in chosen.tolist()), default=0)
        steps = min(self.steps, longest)  # after which nothing is left to change
        orders = ranking.orders(trace, targets, first, steps, chosen)
        insert = self.action == INSERT
        for start in range(0, len(chosen), _DOCUMENTS):
            part = slice(start, start + _DOCUMENTS)
            some, order = chosen[part], orders[part]
            after = erased(some, order, insert)
            opposite = erased(some, order, not insert) if self.sufficiency else None
            paths = trajectories_of(first + some, after, opposite, truth[some], targets[some, 0])
            yield paths.prolonged(self.steps)

    def curve(self, name: str, trajectories: Trajectories) -> DeletionCurve:
        """Return what became of the documents, by the method of that name."""
        target = self.target if isinstance(self.target, Label) else str(self.target)
        return DeletionCurve(name, self.subset, target, self.order, self.action, *trajectories)


def nothing_to_start_from(subset: str, least_words: int, texts: int) -> str:
    """Return the message that none of the texts is of the kind that an experiment needs."""
    if not texts:
        return "there are no texts"
    kind = {CORRECT: "predicted right", WRONG: "predicted wrong", EVERY: "there"}[subset]
    words = f"{least_words} word{'s' if least_words > 1 else ''}"
    return f"none of the {texts:,} texts is {kind} and has at least {words}"
