"""How far explanations, and the model itself, can be trusted: deletion, power, sanity."""

from whyword.evaluation.agreement import Agreement, agreement
from whyword.evaluation.comparison import Comparison, compare, compare_all
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.deletion import deletion_curve, deletion_curves
from whyword.evaluation.evaluate import Evaluation, evaluate
from whyword.evaluation.experiment import EXPERIMENTS
from whyword.evaluation.power import ExplanatoryPower, explanatory_power
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality, model_quality
from whyword.evaluation.sanity import (
    SanityCheck,
    input_invariance,
    model_randomisation,
    seed_stability,
)

__all__ = [
    "EXPERIMENTS",
    "Agreement",
    "Comparison",
    "DeletionCurve",
    "Evaluation",
    "ExplanatoryPower",
    "ModelQuality",
    "MultiLabelQuality",
    "SanityCheck",
    "agreement",
    "compare",
    "compare_all",
    "deletion_curve",
    "deletion_curves",
    "evaluate",
    "explanatory_power",
    "input_invariance",
    "model_quality",
    "model_randomisation",
    "seed_stability",
]
