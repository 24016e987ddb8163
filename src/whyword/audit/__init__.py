"""Models examined: against one another, and how they recognise what they recognise."""

from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.strategies import strategies
from whyword.audit.strategy import Strategy, StrategyWord
from whyword.audit.strategy_table import Strategies

__all__ = [
    "ModelComparison",
    "ModelRow",
    "PairRow",
    "Strategies",
    "Strategy",
    "StrategyWord",
    "compare_models",
    "strategies",
]
