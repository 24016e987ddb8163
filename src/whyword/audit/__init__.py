"""Models examined: against one another, and against themselves without some words."""

from whyword.audit.changes import Change, ChangedConfusion, WhatIf
from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.what_if import what_if, without

__all__ = [
    "Change",
    "ChangedConfusion",
    "ModelComparison",
    "ModelRow",
    "PairRow",
    "WhatIf",
    "compare_models",
    "what_if",
    "without",
]
