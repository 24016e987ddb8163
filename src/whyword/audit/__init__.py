"""Models examined: against one another, and for what they should not have learned."""

from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.table import Suspects

__all__ = [
    "ModelComparison",
    "ModelRow",
    "PairRow",
    "Suspect",
    "Suspects",
    "Turned",
    "compare_models",
]
