"""Models examined: against one another, and for what they should not have learned."""

from whyword.audit.changes import Change, ChangedConfusion, ChangedPredictions
from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.strategies import strategies
from whyword.audit.strategy import Strategy, StrategyWord
from whyword.audit.strategy_table import Strategies
from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.search import suspects
from whyword.audit.suspicion.table import Suspects
from whyword.audit.what_if import what_if, without
from whyword.audit.what_if_result import WhatIf

__all__ = [
    "Change",
    "ChangedConfusion",
    "ChangedPredictions",
    "ModelComparison",
    "ModelRow",
    "PairRow",
    "Strategies",
    "Strategy",
    "StrategyWord",
    "Suspect",
    "Suspects",
    "Turned",
    "WhatIf",
    "compare_models",
    "strategies",
    "suspects",
    "what_if",
    "without",
]
