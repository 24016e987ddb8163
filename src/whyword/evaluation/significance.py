"""Tests of significance: corrected resampled t-test, bootstrap, McNemar's test; corrections.

By hand, but for the distributions: scipy has neither the corrected test nor McNemar's nor Holm's
correction, and its bootstrap gives an interval, while the p of a comparison needs the resampled
means.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyword.base.checks import whole_number
from whyword.base.errors import InputError, MissingExtraError

Numbers = NDArray[np.float64]

_DRAWS = 1 << 22  # random numbers held at a time


def corrected_t(differences: ArrayLike, train: float, test: float) -> tuple[float, float, float]:
    """Return t, two-sided p and standard error of the corrected resampled t-test.

    docs/method.md (26).

    t = mean / √((1/J + test/train) · variance) with J − 1 degrees of freedom: splits of the same
    documents overlap, so their differences are correlated, which the second term allows for. Where
    they do not vary at all t is infinite, and p that of J coins falling alike.

    Parameters
    ----------
    differences : (J,) floats
        Of two accuracies on the same split.
    train, test : float
        Sizes of the parts of a split.
    """
    values = np.asarray(differences, np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"the t-test needs at least two splits, not {values.size}")
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    error = math.sqrt((1 / len(values) + test / train) * variance)
    if error <= 1e-12 * float(np.abs(values).max()):  # equal but for rounding
        if mean == 0:
            return 0.0, 1.0, 0.0
        return math.copysign(math.inf, mean), 2.0 ** (1 - len(values)), 0.0
    t = mean / error
    return t, float(2 * _student().sf(abs(t), len(values) - 1)), error


def critical_t(alpha: float, freedom: int) -> float:
    """Return the value that Student's |t| exceeds by chance with probability alpha."""
    return float(_student().ppf(1 - alpha / 2, freedom))


def bootstrap_means(
    values: Numbers, draws: int, seed: int, units: NDArray[np.integer] | None = None
) -> Numbers:
    """Return the means of random resamples with replacement, (draws,).

    Parameters
    ----------
    values : (n,) float64
    draws, seed : int
    units : (n,) int, optional
        What is drawn, with all its values: those of a document belong together. By default each
        value is drawn by itself.
    """
    if units is not None:
        numbers = np.unique(units, return_inverse=True)[1]
        counts = np.bincount(numbers).astype(np.float64)
        if counts.max(initial=1) > 1:
            sums = np.bincount(numbers, values).astype(np.float64)
            # drawn alike, since they have the same seed and number
            whole = bootstrap_means(sums, draws, seed)
            return np.asarray(whole / bootstrap_means(counts, draws, seed))
    random = np.random.default_rng(whole_number("seed", seed, least=0))
    count, at_once = len(values), max(1, _DRAWS // max(1, len(values)))
    means = []
    for first in range(0, draws, at_once):
        rows = min(at_once, draws - first)
        means.append(values[random.integers(0, count, (rows, count))].mean(axis=1))
    return np.concatenate(means)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided p of McNemar's exact test of two models on the same documents.

    p = 2 · P(X ≤ min(b, c)) for X of b + c coins, at most 1: documents that both models have right,
    or both wrong, tell nothing; were the two equally good, each of the others would be a coin.

    Parameters
    ----------
    only_first, only_second : int
        How many documents only the first has right, and only the second.
    """
    fewer, both = min(only_first, only_second), only_first + only_second
    return min(1.0, 2 * float(distribution("binom").cdf(fewer, both, 0.5)))


def share_interval(count: int, total: int, alpha: float) -> tuple[float, float]:
    """Return where a share is, with confidence 1 − alpha: Wilson's interval.

    Parameters
    ----------
    count, total : int
        So many of so many were counted; at least one of them.
    alpha : float
    """
    z2, share = _normal(alpha) ** 2, count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    reach = math.sqrt(z2 * (share * (1 - share) + z2 / (4 * total)) / total) / (1 + z2 / total)
    # rounding leaves no share below 0 or above 1
    return max(0.0, middle - reach), min(1.0, middle + reach)


def paired_interval(
    only_first: int, only_second: int, total: int, alpha: float
) -> tuple[float, float]:
    """Return where the difference of two shares of the same documents is, at 1 − alpha.

    Agresti and Min's: Wald's interval once half a document is added to each of the four cells (both
    right, only one of them, none).

    Parameters
    ----------
    only_first, only_second : int
        As for :func:`mcnemar`.
    total : int
        Of how many documents.
    alpha : float
    """
    first, second, count = only_first + 0.5, only_second + 0.5, total + 2
    middle = (first - second) / count
    variance = (first + second - (first - second) ** 2 / count) / count**2
    reach = _normal(alpha) * math.sqrt(variance)
    return max(-1.0, middle - reach), min(1.0, middle + reach)


def holm(probabilities: Sequence[float]) -> Numbers:
    """Return the probabilities after Holm's step-down correction, in the same order."""
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(probabilities: Numbers) -> Numbers:
    """Return the probabilities after Benjamini and Hochberg's correction, in the same order.

    docs/method.md (45).
    """
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(stepped[::-1])[::-1])
    return adjusted


def _normal(alpha: float) -> float:
    """Return the value that a normal number's size exceeds by chance with probability alpha."""
    return NormalDist().inv_cdf(1 - alpha / 2)


def _student() -> Any:  # noqa: ANN401 - scipy has no types
    return distribution("t")


def distribution(name: str) -> Any:  # noqa: ANN401 - scipy has no types
    """Return one of scipy's distributions."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError("scipy", "evaluate") from None
    return getattr(stats, name)
