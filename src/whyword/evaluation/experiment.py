"""An experiment of word deletion: which documents, whose score, which words go or come."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whyword.base.checks import flag, one_of, whole_number
from whyword.base.labels import Label
from whyword.evaluation.curves import TRUE, DeletionCurve
from whyword.evaluation.decisions import CORRECT, EVERY, SUBSETS, WRONG, Decisions, Round
from whyword.evaluation.erased_words import ErasedWords
from whyword.evaluation.ranking import LEAST, MOST, Ranking
from whyword.evaluation.steps import StepNumbers, Steps, step_numbers
from whyword.evaluation.trajectories import Trajectories, trajectories_of
from whyword.methods.targets import PREDICTED, class_number

ORDERS = (MOST, LEAST)
DELETE, INSERT = ACTIONS = ("delete", "insert")
# the paper's three
EXPERIMENTS: Mapping[int, Mapping[str, Any]] = {
    1: {"subset": CORRECT, "target": TRUE, "order": MOST},
    2: {"subset": WRONG, "target": TRUE, "order": LEAST},
    3: {"subset": WRONG, "target": PREDICTED, "order": MOST},
}
_DOCUMENTS = 256  # whose scores at all steps are held at a time


@dataclass(frozen=True, eq=False)
class Experiment:
    """Which documents take part, whose score is looked at, and what is done to the words.

    Attributes
    ----------
    classes : sequence of C labels
    target : "true", "predicted" or a class
    subset, order, action : str
    steps : (S,) intp
        After how many words the model is asked, from 0 on.
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
    steps: StepNumbers
    least_words: int
    sufficiency: bool

    @classmethod
    def of(
        cls,
        classes: Sequence[Label],
        order: str,
        target: object,
        subset: str,
        steps: Steps,
        action: str = DELETE,
        least_words: int = 1,
        sufficiency: bool = True,
    ) -> "Experiment":
        """Return the experiment of these settings; raise if something does not fit."""
        one_of("order", order, ORDERS)
        one_of("subset", subset, SUBSETS)
        one_of("action", action, ACTIONS)
        numbers = step_numbers(steps)
        least = whole_number("least_words", least_words)
        both = flag("sufficiency", sufficiency)
        if not isinstance(target, str) or target not in (TRUE, PREDICTED):
            class_number(classes, target)
        return cls(classes, target, subset, order, action, numbers, least, both)

    def trajectories(
        self, ranking: Ranking, erased: ErasedWords, decisions: Decisions, first: int
    ) -> Iterator[Trajectories]:
        """Yield what becomes of a block's documents, some at a time.

        Parameters
        ----------
        ranking : Ranking
            The order in which words go.
        erased : ErasedWords
            Of the block's trace.
        decisions : Decisions
        first : int
            The number of the block's first document.
        """
        trace, insert = erased.trace, self.action == INSERT
        rounds = decisions.rounds(trace, first, self.target, self.subset, self.least_words)
        for chosen, targets in rounds:
            longest = max((len(trace.documents[number]) for number in chosen.tolist()), default=0)
            # after the longest's words nothing is left to change
            steps, places = np.unique(np.minimum(self.steps, longest), return_inverse=True)
            orders = ranking.orders(trace, targets, first, int(steps[-1]), chosen)
            for start in range(0, len(chosen), _DOCUMENTS):
                some, order = chosen[start:][:_DOCUMENTS], orders[start:][:_DOCUMENTS]
                after = erased(some, order, insert, steps)
                opposite = erased(some, order, not insert, steps) if self.sufficiency else None
                right = decisions.right(trace, first, Round(some, targets), after)
                paths = trajectories_of(first + some, after, opposite, right, targets[some, 0])
                yield paths.at(places)

    def curve(self, name: str, trajectories: Trajectories) -> DeletionCurve:
        """Return what became of the documents, by the method of that name."""
        target = self.target if isinstance(self.target, Label) else str(self.target)
        return DeletionCurve(
            name, self.subset, target, self.order, self.action, self.steps, *trajectories
        )


def nothing_to_start_from(subset: str, least_words: int, texts: int) -> str:
    """Return the message that none of the texts is of the kind that an experiment needs."""
    if not texts:
        return "there are no texts"
    kind = {CORRECT: "predicted right", WRONG: "predicted wrong", EVERY: "there"}[subset]
    words = f"{least_words} word{'s' if least_words > 1 else ''}"
    return f"none of the {texts:,} texts is {kind} and has at least {words}"
