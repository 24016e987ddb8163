"""The curve of a word deletion: what became of documents, and the figures read from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_of
from whyword.base.labels import Label
from whyword.evaluation.ranking import MOST
from whyword.evaluation.steps import StepNumbers, plain_steps, shown_steps
from whyword.methods.targets import PREDICTED

TRUE = "true"


@dataclass(frozen=True, eq=False, repr=False)
class DeletionCurve:
    """What became of n documents while words of theirs went (or came), in R runs, at S steps.

    Attributes
    ----------
    method, subset, target, order, action : str
        As they were asked for.
    steps : (S,) intp
        After how many words the model was asked: 0, the start, to K.
    chosen : (n,) intp
        Which of the texts took part; where texts have several labels, one may do so with each.
    correct : (R, n, S) bool
        Whether the prediction was the true class at each of the steps.
        Of several labels: whether the target is rightly said, or not said, of the text.
    scores, probabilities : (R, n, S) float32
        Of the target class.
    opposite : (R, n, S) float32, or None
        The target's probability if the same words are put into the empty document instead
        (taken out of the whole one, if the action is to insert).
    targets : (n,) int32, or None
        The numbers of the target classes.
    """

    method: str
    subset: str
    target: Label
    order: str
    action: str
    steps: StepNumbers
    chosen: NDArray[np.intp]
    correct: NDArray[np.bool_]
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    opposite: NDArray[np.float32] | None = None
    targets: NDArray[np.int32] | None = None

    def __repr__(self) -> str:
        return (
            f"DeletionCurve({self.method}: {self.action} {self.order} relevant first, "
            f"{self.size}, steps {self._shown_steps}, area {self.area:.4f})"
        )

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def n_documents(self) -> int:
        """How many texts took part."""
        return len(np.unique(self.chosen))

    @property
    def size(self) -> str:
        """How much took part, in words: documents, or labels of so many documents."""
        texts = f"{self.n_documents:,} document{'' if self.n_documents == 1 else 's'}"
        return texts if self.n_documents == len(self) else f"{len(self):,} labels of {texts}"

    @property
    def _shown_steps(self) -> str:
        return shown_steps(plain_steps(self.steps))

    @property
    def runs(self) -> int:
        """How many orders were tried: 1, or the runs of a random baseline."""
        return len(self.correct)

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """Share of the documents predicted right at each step, mean of the runs: (S,)."""
        mean: NDArray[np.float64] = self.correct.mean(axis=(0, 1))
        return mean

    @property
    def mean_score(self) -> NDArray[np.float64]:
        """The target's score at each step, mean of documents and runs: (S,)."""
        mean: NDArray[np.float64] = self.scores.mean(axis=(0, 1), dtype=np.float64)
        return mean

    @property
    def area(self) -> float:
        """Area under the accuracy over the words, as a share of the largest possible."""
        return float(self.document_areas().mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of that area over the runs; 0 for a single run."""
        areas = _areas(self.correct, self.steps).mean(axis=1)
        return float(areas.std(ddof=1)) if self.runs > 1 else 0.0

    @property
    def score_area(self) -> float:
        """Mean height of the target's score over the words."""
        return float(self.document_areas("score").mean())

    def document_areas(self, measure: str = "accuracy") -> NDArray[np.float64]:
        """Return each document's area, mean of the runs, (n,); they average to :attr:`area`.

        Parameters
        ----------
        measure : {"accuracy", "score"}
        """
        one_of("measure", measure, ("accuracy", "score"))
        traces = self.correct if measure == "accuracy" else self.scores
        mean: NDArray[np.float64] = _areas(traces, self.steps).mean(axis=0)
        return mean

    @property
    def aopc(self) -> float:
        """Mean change of the target's score after 0 … K words (Samek et al., 2017).

        How far it has fallen since the start; for insertion, risen. Between steps that are not
        next to one another the change is taken to be even.
        """
        mean = self.mean_score
        change = float(_at_all(mean[0] - mean, self.steps).mean())
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
        falls = (whole[:, :, :1] - traces).mean(axis=(0, 1), dtype=np.float64)
        return float(_at_all(falls, self.steps)[1:].mean())

    @property
    def better(self) -> str | None:
        """Whether a "lower" or a "higher" area speaks for the method; None if that is open."""
        if self.target == TRUE or (self.target, self.subset) == (PREDICTED, "correct"):
            return self.better_score
        if (self.target, self.subset) == (PREDICTED, "wrong"):  # the wrong class goes
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
            "subset": self.subset,
            "target": self.target,
            "order": self.order,
            "action": self.action,
            "count": len(self),
            "steps": self.steps.tolist(),
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


def _areas(traces: NDArray[Any], steps: StepNumbers) -> NDArray[np.float64]:
    """Return the mean height over the words by the trapezoidal rule, equation (28): (R, n)."""
    gaps = np.diff(steps)
    ends = (gaps[0] * traces[..., 0].astype(np.float64) + gaps[-1] * traces[..., -1]) / 2
    inner = (traces[..., 1:-1] * ((gaps[:-1] + gaps[1:]) / 2)).sum(axis=2)
    areas: NDArray[np.float64] = (ends + inner) / steps[-1]
    return areas


def _at_all(heights: NDArray[np.float64], steps: StepNumbers) -> NDArray[np.float64]:
    """Return a curve after 0, 1, … K words, straight between its steps: (K + 1,)."""
    every: NDArray[np.float64] = np.interp(np.arange(steps[-1] + 1), steps, heights)
    return every
