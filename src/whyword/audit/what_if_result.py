"""What a model says of texts with some words, and without them: the value."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.audit.changes import ChangedPredictions
from whyword.audit.pairs import compare_accuracies
from whyword.base.files import save_or_return
from whyword.evaluation.comparison import Comparison
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.evaluation.significance import share_interval

_NAMES = ("with them", "without them")


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(ChangedPredictions):
    """What a model says of n texts with some words, and without them.

    Attributes
    ----------
    classes, before, after, truth
        As of :class:`ChangedPredictions`.
    words : tuple of str
        Words, phrases and patterns that were taken away, in lower case.
    documents : (H,) intp
        The numbers of the documents that hold one of them where the model read it; the others
        cannot change.
    qualities : pair of ModelQuality or MultiLabelQuality, or None
        How good predictions are, before and after.
    alpha : float
        Of the intervals and the test.
    """

    words: tuple[str, ...]
    documents: NDArray[np.intp]
    qualities: tuple[ModelQuality | MultiLabelQuality, ModelQuality | MultiLabelQuality] | None
    alpha: float

    def __repr__(self) -> str:
        words = f"{len(self.words):,} word{'s' * (len(self.words) != 1)}"
        held = f"in {len(self.documents):,} of {self.n_documents:,} documents"
        changed = f"{len(self.changed):,} prediction{'s' * (len(self.changed) != 1)} changed"
        said = f"{words} {held}, {changed}"
        if self.qualities is not None:
            before, after = (one.accuracy for one in self.qualities)
            said += f", accuracy {before:.4f} → {after:.4f}"
        return f"WhatIf({said})"

    @property
    def intervals(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Where the accuracies are, before and after, with confidence 1 − alpha: Wilson's."""
        if self.right is None:
            return None
        before, after = (share_interval(int(one.sum()), len(one), self.alpha) for one in self.right)
        return before, after

    @property
    def accuracy(self) -> Comparison | None:
        """The accuracies compared by McNemar's exact test; None if nobody knows the truth."""
        return None if self.right is None else compare_accuracies(_NAMES, self.right, self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; of documents those that changed."""
        qualities, intervals, compared = self.qualities, self.intervals, self.accuracy
        judged = None
        if qualities is not None and intervals is not None and compared is not None:
            judged = {
                side: {"quality": quality.to_dict(), "accuracy_interval": list(interval)}
                for side, quality, interval in zip(
                    ("before", "after"), qualities, intervals, strict=True
                )
            } | {"comparison": compared.to_dict()}
        return {
            "words": list(self.words),
            "with_words": len(self.documents),
            **super().to_dict(),
            "judged": judged,
            "alpha": self.alpha,
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all figures as JSON; given a path, write them."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)
