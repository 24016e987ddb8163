"""How good a model is on documents that are no copies of those it was trained on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whyword.corpora.near_copies import NearCopies, near_copies
from whyword.evaluation.quality import model_quality
from whyword.models.blackbox import as_classifier


@dataclass(frozen=True, eq=False, repr=False)
class CopyQuality:
    """Copies of training documents among those a model is judged by, and its accuracy without.

    Attributes
    ----------
    copies : NearCopies
    rest : int
        How many documents are no copies.
    accuracy : float or None
        On these, of several labels with all of them right; None if there are none.
    """

    copies: NearCopies
    rest: int
    accuracy: float | None

    def __repr__(self) -> str:
        shown = "nothing" if self.accuracy is None else f"{self.accuracy:.4f}"
        return f"CopyQuality({self.copies!r}, accuracy without them {shown})"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "exact": self.copies.exact,
            "near": self.copies.near,
            "threshold": self.copies.threshold,
            "documents_without": self.rest,
            "accuracy_without": self.accuracy,
        }


def copy_quality(
    model: object,
    train: Iterable[str],
    texts: Sequence[str],
    labels: Sequence[Any],
    accuracy: float,
) -> CopyQuality:
    """Find the texts that are copies of training texts, as the model reads them.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    train : iterable of str
        The texts it was trained on.
    texts, labels : sequences of n
        Those it is judged by.
    accuracy : float
        On all of them; only the copies are predicted again.
    """
    traced = as_classifier(model)
    copies = near_copies(traced.documents(train), traced.documents(texts))
    chosen = np.flatnonzero(copies.is_copy).tolist()
    rest = len(texts) - len(chosen)
    if not chosen or not rest:
        return CopyQuality(copies, rest, accuracy if rest else None)
    of_copies = model_quality(traced, [texts[n] for n in chosen], [labels[n] for n in chosen])
    right = round(of_copies.accuracy * len(chosen))
    return CopyQuality(copies, rest, (round(accuracy * len(texts)) - right) / rest)
