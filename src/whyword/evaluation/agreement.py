"""How far two relevances of the same documents agree: rank correlation, common top words.

The ranks are scipy's; their correlation is two lines here, since scipy's warns of every document
whose words are all equal, and finds a p that is not asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, whole_number
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.printable import shown

Values = NDArray[np.float64]

TOP = 10  # words compared, unless asked otherwise


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How far two relevances of the same documents agree.

    Attributes
    ----------
    correlations : (n,) float64
        Spearman's rank correlation of each document; NaN where one side has no order.
    overlaps : (n,) float64
        Share of the top words that both have in common.
    chance : float
        The overlap to expect of random orders.
    top : int
    """

    correlations: Values
    overlaps: Values
    chance: float
    top: int

    @property
    def correlation(self) -> float:
        """Mean rank correlation of the documents that have one; NaN without any."""
        known = self.correlations[~np.isnan(self.correlations)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def overlap(self) -> float:
        """Mean share of common top words."""
        return float(self.overlaps.mean())

    def __repr__(self) -> str:
        return (
            f"Agreement(rank correlation {self.correlation:.3f}, {self.overlap:.0%} of the top "
            f"{self.top} words in common, {self.chance:.0%} by chance, {len(self.overlaps):,} "
            "documents)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        correlation = self.correlation
        return {
            "documents": len(self.overlaps),
            "without_order": int(np.isnan(self.correlations).sum()),
            "rank_correlation": None if np.isnan(correlation) else correlation,
            "overlap": self.overlap,
            "overlap_by_chance": self.chance,
            "top": self.top,
        }


def agreement(a: Iterable[Any], b: Iterable[Any], top: int = TOP) -> Agreement:
    """Compare two relevances of the same documents, word by word.

    Parameters
    ----------
    a, b : iterables of (T,) arrays or Explanations of one target
        One per document.
    top : int
        How many of the highest words to compare.
    """
    top = whole_number("top", top)
    first, second = (
        [_plain(one) for one in items(name, each, "a list of relevances")]
        for name, each in (("a", a), ("b", b))
    )
    if len(first) != len(second):
        raise InputError(f"the two differ in their documents: {len(first)} ≠ {len(second)}")
    if not first:
        raise InputError("there are no documents to compare")
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        if one.shape != other.shape:
            raise InputError(f"document {number} has {one.size} and {other.size} values")
    pairs = [pair for pair in zip(first, second, strict=True) if pair[0].size]
    if not pairs:
        raise InputError("none of the documents has a word")
    counts = [min(top, one.size) for one, _ in pairs]
    return Agreement(
        np.array([rank_correlation(*pair) for pair in pairs]),
        np.array([_overlap(*pair, count) for pair, count in zip(pairs, counts, strict=True)]),
        float(np.mean([n / one.size for (one, _), n in zip(pairs, counts, strict=True)])),
        top,
    )


def rank_correlation(a: Values, b: Values) -> float:
    """Return Spearman's rank correlation, equal values sharing ranks; NaN if a side is constant."""
    try:
        from scipy.stats import rankdata
    except ImportError:
        raise MissingExtraError("scipy", "evaluate") from None
    first, second = (rankdata(values) - (len(values) + 1) / 2 for values in (a, b))
    lengths = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / lengths if lengths else float("nan")


def _plain(relevance: object) -> Values:
    try:
        values = np.asarray(getattr(relevance, "relevance", relevance), np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a relevance is no list of numbers: {shown(relevance)}") from None
    if values.ndim != 1:
        raise InputError(f"a relevance has shape {values.shape}; one value per word is needed")
    if not np.isfinite(values).all():
        raise InputError("a relevance has a value that is no finite number")
    return values


def _overlap(a: Values, b: Values, count: int) -> float:
    tops = [set(np.argsort(-values, kind="stable")[:count].tolist()) for values in (a, b)]
    return len(tops[0] & tops[1]) / count
