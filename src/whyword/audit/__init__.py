"""Models examined: against one another, and for what they should not have learned."""

from whyword.audit.changes import Change, ChangedConfusion, WhatIf
from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.search import suspects
from whyword.audit.suspicion.table import Suspects
from whyword.audit.what_if import what_if, without

__all__ = [
    "Change",
    "ChangedConfusion",
    "ModelComparison",
    "ModelRow",
    "PairRow",
    "Suspect",
    "Suspects",
    "Turned",
    "WhatIf",
    "compare_models",
    "suspects",
    "what_if",
    "without",
]
