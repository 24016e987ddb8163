"""Models examined against one another: which is more accurate, which more explainable."""

from whyword.audit.compare import ModelComparison, compare_models
from whyword.audit.rows import ModelRow, PairRow

__all__ = ["ModelComparison", "ModelRow", "PairRow", "compare_models"]
