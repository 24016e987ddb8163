"""All that an evaluation finds, as one value."""

from dataclasses import dataclass
from typing import Any

from whyword.base.labels import Label
from whyword.base.versions import VERSION
from whyword.evaluation.comparison import Comparison
from whyword.evaluation.copies import CopyQuality
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.power import ExplanatoryPower
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.evaluation.sanity import SanityCheck


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What was found about a model and about explanations of it.

    Attributes
    ----------
    model : str or None
        The model's identity.
    kind : str
    classes : tuple of labels
    quality : ModelQuality, or MultiLabelQuality of a model that predicts several labels
    curves : dict from experiment (1, 2, 3) to dict from method to DeletionCurve
    curve_comparisons : dict from experiment to list of Comparison
    powers : dict from name to ExplanatoryPower
        "(ew)" behind a method stands for element-wise summary vectors.
    power_comparisons : list of Comparison
    checks : dict from method to list of SanityCheck
        Model randomisation: of all layers, and of a network's output layer.
    remarks : list of str
        What was left out, and why.
    copies : CopyQuality or None
        Copies of training documents, and the accuracy without; None if those are not known.
    settings : dict
    seconds : dict from stage to float
    """

    model: str | None
    kind: str
    classes: tuple[Label, ...]
    quality: ModelQuality | MultiLabelQuality
    curves: dict[int, dict[str, DeletionCurve]]
    curve_comparisons: dict[int, list[Comparison]]
    powers: dict[str, ExplanatoryPower]
    power_comparisons: list[Comparison]
    checks: dict[str, list[SanityCheck]]
    remarks: list[str]
    settings: dict[str, Any]
    seconds: dict[str, float]
    copies: CopyQuality | None = None

    def __repr__(self) -> str:
        powers = ", ".join(f"{name} {power.epi:.4f}" for name, power in self.powers.items())
        return (
            f"{type(self).__name__}({self.quality.n_documents:,} documents, accuracy "
            f"{self.quality.accuracy:.4f}{', EPI: ' if powers else ''}{powers})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {
            "model": self.model,
            "kind": self.kind,
            "classes": list(self.classes),
            "quality": self.quality.to_dict(),
            "near_copies": None if self.copies is None else self.copies.to_dict(),
            "deletion": {
                str(number): {
                    "curves": {name: curve.to_dict() for name, curve in curves.items()},
                    "comparisons": [one.to_dict() for one in self.curve_comparisons[number]],
                }
                for number, curves in self.curves.items()
            },
            "explanatory_power": {
                "rows": {name: power.to_dict() for name, power in self.powers.items()},
                "comparisons": [one.to_dict() for one in self.power_comparisons],
            },
            "sanity": {
                name: [check.to_dict() for check in checks] for name, checks in self.checks.items()
            },
            "remarks": self.remarks,
            "settings": self.settings,
            "seconds": self.seconds,
            "whyword": VERSION,
        }
