"""The value that says which words mattered, and what is made of it alone."""

from whyword.explanation.explanation import Explanation
from whyword.explanation.explanations import Explanations
from whyword.explanation.filters import FilterExplanation
from whyword.explanation.passages import Passage, passages

__all__ = [
    "Explanation",
    "Explanations",
    "FilterExplanation",
    "Passage",
    "passages",
]
