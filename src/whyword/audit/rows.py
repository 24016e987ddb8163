"""What is found about one model, and about two of them: the rows of a comparison."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.audit.changes import alike
from whyword.evaluation.agreement import Agreement
from whyword.evaluation.comparison import Comparison
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.power import ExplanatoryPower
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.evaluation.ranking import RANDOM

POWER, DELETION, WORDS = "explanatory power", "word deletion", "words"  # what a row may lack
EXPLANATION, SIZE, ACCURACY = "explanation", "size", "accuracy"


class Times(NamedTuple):
    """How long one document takes, asked about by itself: medians.

    Attributes
    ----------
    prediction : float
        Seconds.
    explanation : float or None
        Seconds, the prediction included.
    n_documents : int
        That were measured.
    """

    prediction: float
    explanation: float | None
    n_documents: int


@dataclass(frozen=True, eq=False, repr=False)
class ModelRow:
    """What was found about one of several models, on the same n documents.

    Attributes
    ----------
    name : str
    model : str or None
        Its identity.
    kind : str
    numbers : (C,) intp
        For each of the model's own classes, the number that it has in the comparison.
    predicted : (n,) intp, or (n, C) bool of several labels
        The class of each document, by the comparison's numbers; or which labels it has.
    right : (n,) bool
        Whether that is true; of several labels, whether all of them are right.
    quality : ModelQuality, or MultiLabelQuality
    interval : (float, float)
        Where the accuracy is, with confidence 1 − alpha.
    method : str or None
        What explains it; None if what was asked for is not for such a model.
    power : ExplanatoryPower or None
        By that method, element by element where the model's words have dimensions.
    uniform : ExplanatoryPower or None
        With the same weight for all words: what its vectors tell without any explanation.
    curves : dict from experiment (1, 2, 3) to dict from method to DeletionCurve
        The model's method, and "random".
    times : Times
    n_bytes : int or None
        Its numbers and words.
    lacks : dict from str to str
        What could not be measured, and why.
    """

    name: str
    model: str | None
    kind: str
    numbers: NDArray[np.intp]
    predicted: NDArray[Any]
    right: NDArray[np.bool_]
    quality: ModelQuality | MultiLabelQuality
    interval: tuple[float, float]
    method: str | None
    power: ExplanatoryPower | None
    uniform: ExplanatoryPower | None
    curves: dict[int, dict[str, DeletionCurve]]
    times: Times
    n_bytes: int | None
    lacks: dict[str, str]

    def __repr__(self) -> str:
        power = "" if self.power is None else f", EPI {self.power.epi:.4f}"
        return f"ModelRow({self.name}: accuracy {self.quality.accuracy:.4f}{power})"

    def curve(self, experiment: int) -> DeletionCurve | None:
        """Return what becomes of documents by the model's method, if that was measured."""
        return self.curves.get(experiment, {}).get(str(self.method))

    def chance_curve(self, experiment: int) -> DeletionCurve | None:
        """Return what becomes of the same documents by chance."""
        return self.curves.get(experiment, {}).get(RANDOM)

    def gain(self, experiment: int) -> float | None:
        """Return by how much deletion by the method is better than by chance, in area."""
        curve, chance = self.curve(experiment), self.chance_curve(experiment)
        if curve is None or chance is None or curve is chance:
            return None
        return chance.area - curve.area if curve.better == "lower" else curve.area - chance.area

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data; what was predicted of each document is left out."""
        return {
            "name": self.name,
            "model": self.model,
            "kind": self.kind,
            "quality": self.quality.to_dict(),
            "accuracy_interval": list(self.interval),
            "method": self.method,
            "explanatory_power": None if self.power is None else self.power.to_dict(),
            "explanatory_power_uniform": None if self.uniform is None else self.uniform.to_dict(),
            "deletion": {
                str(number): {name: curve.to_dict() for name, curve in curves.items()}
                | {"gain": self.gain(number)}
                for number, curves in self.curves.items()
            },
            "seconds_prediction": self.times.prediction,
            "seconds_explanation": self.times.explanation,
            "timed_documents": self.times.n_documents,
            "bytes": self.n_bytes,
            "lacks": self.lacks,
        }


def agrees(a: ModelRow, b: ModelRow) -> NDArray[np.bool_]:
    """Return whether two models predict the same of each document, (n,); of labels, all of them."""
    return alike(a.predicted, b.predicted)


@dataclass(frozen=True, eq=False, repr=False)
class PairRow:
    """How two models compare.

    Attributes
    ----------
    names : (str, str)
    same : int
        Documents of which both predict the same.
    both_right, only_first, only_second, both_wrong : int
        Documents.
    same_mistake : int
        Documents that both have wrong in the same way.
    accuracy : Comparison
        By McNemar's exact test.
    power : Comparison or None
        Of the EPI, by the corrected resampled t-test.
    deletion : Comparison or None
        Of what deletion by relevance gains over deletion by chance, in the first experiment, on
        documents that both have right: by the paired bootstrap.
    words : Agreement or None
        How far they find the same words relevant, of documents that both have right.
    lacks : dict from str to str
        What could not be compared, and why.
    """

    names: tuple[str, str]
    same: int
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    same_mistake: int
    accuracy: Comparison
    power: Comparison | None
    deletion: Comparison | None
    words: Agreement | None
    lacks: dict[str, str]

    def __repr__(self) -> str:
        return f"PairRow({self.accuracy.headline}; same prediction {self.share:.0%})"

    @property
    def n_documents(self) -> int:
        """How many documents were predicted."""
        return self.both_right + self.only_first + self.only_second + self.both_wrong

    @property
    def share(self) -> float:
        """Of the documents, those of which both predict the same."""
        return self.same / self.n_documents

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "names": list(self.names),
            "same_prediction": self.share,
            "both_right": self.both_right,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "both_wrong": self.both_wrong,
            "same_mistake": self.same_mistake,
            "accuracy": self.accuracy.to_dict(),
            "explanatory_power": None if self.power is None else self.power.to_dict(),
            "deletion": None if self.deletion is None else self.deletion.to_dict(),
            "words": None if self.words is None else self.words.to_dict(),
            "lacks": self.lacks,
        }
