"""Whether one explanation is better than another, or chance has it so."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.power import ExplanatoryPower
from whyword.evaluation.significance import bootstrap_means, corrected_t, critical_t, holm
from whyword.evaluation.steps import plain_steps

Measurement: TypeAlias = ExplanatoryPower | DeletionCurve

T_TEST, BOOTSTRAP = "corrected resampled t-test", "paired bootstrap"


@dataclass(frozen=True, repr=False)
class Comparison:
    """How two explanations compare.

    Attributes
    ----------
    names : (str, str)
    test : str
    values : (float, float)
        What is compared: EPI, or the area of a deletion curve.
    difference : float
        The first minus the second.
    statistic : float or None
        Student's t.
    freedom : int or None
        Its degrees of freedom.
    interval : (float, float)
        Where the difference is, with confidence 1 − alpha.
    p : float
        How probable a difference at least as large is if there is none.
    adjusted : float
        The same after Holm's correction for all comparisons made together.
    comparisons : int
        How many those were.
    alpha : float
    better : "higher", "lower" or None
        Which value speaks for an explanation.
    details : str
        About the values, for the verdict.
    """

    names: tuple[str, str]
    test: str
    values: tuple[float, float]
    difference: float
    statistic: float | None
    freedom: int | None
    interval: tuple[float, float]
    p: float
    adjusted: float
    comparisons: int
    alpha: float
    better: str | None
    details: str

    @property
    def significant(self) -> bool:
        """Whether chance is a poor explanation of the difference."""
        return self.adjusted < self.alpha

    @property
    def winner(self) -> str | None:
        """The better one, if the difference is significant and one of them can be called better."""
        if not self.significant or self.better is None:
            return None
        first = (self.difference > 0) == (self.better == "higher")
        return self.names[0] if first else self.names[1]

    @property
    def finding(self) -> str:
        """Which is better, or that it is open, in a few words."""
        a, b = self.names
        if self.winner is not None:
            return f"{self.winner} is better than {b if self.winner == a else a}"
        if self.significant:
            return f"{a} is {'higher' if self.difference > 0 else 'lower'} than {b}"
        return f"{a} and {b} cannot be told apart here"

    @property
    def headline(self) -> str:
        """The finding, the difference and its p."""
        return f"{self.finding}: {_with_sign(self.difference)}, {self.corrected_p}"

    @property
    def verdict(self) -> str:
        """What the numbers say, in a sentence."""
        caution = "" if self.significant else ", which does not prove them equal"
        share = f"{1 - self.alpha:.0%} interval{', uncorrected,' if self.comparisons > 1 else ''}"
        low, high = (_with_sign(end) for end in self.interval)
        test = self.test
        if self.statistic is not None:
            test += f", t({self.freedom}) = {self.statistic:.2f}".replace("-", "−")
        return (
            f"{self.finding}{caution}: {self.details}, difference {_with_sign(self.difference)} "
            f"({share} {low} to {high}; {test}, {self.corrected_p})."
        )

    @property
    def corrected_p(self) -> str:
        """How probable chance is, and for how many comparisons that is corrected."""
        if self.comparisons == 1:
            return _probability(self.p)
        return (
            f"{_probability(self.adjusted)} after Holm's correction for {self.comparisons} "
            "comparisons"
        )

    def __str__(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"Comparison({self.headline})"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; infinite statistics as None."""
        finite = self.statistic is not None and math.isfinite(self.statistic)
        return {
            "names": list(self.names),
            "test": self.test,
            "values": list(self.values),
            "difference": self.difference,
            "statistic": self.statistic if finite else None,
            "freedom": self.freedom,
            "interval": list(self.interval),
            "p": self.p,
            "adjusted": self.adjusted,
            "comparisons": self.comparisons,
            "alpha": self.alpha,
            "significant": self.significant,
            "winner": self.winner,
            "verdict": self.verdict,
        }


def _with_sign(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def _probability(p: float) -> str:
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


def compare(
    a: Measurement,
    b: Measurement,
    *,
    names: tuple[str, str] = ("the first", "the second"),
    measure: str = "accuracy",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Test whether two explanations differ.

    Two explanatory powers, of the same splits and each at its own best number of neighbours, by
    the corrected resampled t-test of Nadeau & Bengio; two deletion curves, of the same documents,
    by the paired bootstrap over documents, each with all its labels. Of n documents its p is at
    least 2^(1 − n), what n coins falling alike have: few documents prove nothing, however alike
    they are.

    Parameters
    ----------
    a, b : ExplanatoryPower, or DeletionCurve
    names : pair of str
        For the verdict; those of deletion curves are their methods' by default.
    measure : {"accuracy", "score"}
        Of deletion curves: compare the area under the accuracy, or under the target's score.
    alpha : float
        The risk to take a difference by chance for a real one.
    draws, seed : int
        Of the bootstrap.

    Returns
    -------
    Comparison
    """
    alpha = risk("alpha", alpha)
    pair = isinstance(names, Sequence) and len(names) == 2
    if not pair or not all(isinstance(name, Label) for name in names):
        raise InputError(Argument("names"), f" takes two names, not {shown(names)}")
    if isinstance(a, ExplanatoryPower) and isinstance(b, ExplanatoryPower):
        return _compare_powers(a, b, names, alpha)
    if isinstance(a, DeletionCurve) and isinstance(b, DeletionCurve):
        if names == ("the first", "the second"):
            names = (a.method, b.method)
        return _compare_curves(a, b, names, measure, alpha, draws, seed)
    kinds = f"{type(a).__name__} and {type(b).__name__}"
    raise InputError(f"two ExplanatoryPower or two DeletionCurve can be compared, not {kinds}")


def risk(name: str, value: object) -> float:
    """Return the value as a float; raise unless 0 < value < 1."""
    number = real_number(name, value, above=0)
    if number >= 1:
        raise InputError(Argument(name), f" must be below 1, not {number:g}")
    return number


def of_best(comparisons: Sequence[Comparison]) -> tuple[list[Comparison], list[Comparison]]:
    """Return the comparisons with the best of all, and the others; those of the first if open."""
    if not comparisons:
        return [], []
    values = {n: v for one in comparisons for n, v in zip(one.names, one.values, strict=True)}
    better = comparisons[0].better
    best = comparisons[0].names[0]
    if better is not None:
        best = max(values, key=lambda name: values[name] if better == "higher" else -values[name])
    return (
        [one for one in comparisons if best in one.names],
        [one for one in comparisons if best not in one.names],
    )


def compare_all(
    measured: Mapping[str, Measurement],
    *,
    measure: str = "accuracy",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Compare each pair, and correct for their number by Holm's method.

    Parameters
    ----------
    measured : mapping from name to ExplanatoryPower, or to DeletionCurve
    measure, alpha, draws, seed
        As for :func:`compare`.

    Returns
    -------
    list of Comparison
        In the order of the names; ``adjusted`` is the corrected p.
    """
    if not isinstance(measured, Mapping):
        kind = type(measured).__name__
        raise InputError(f"compare_all takes a dict from names to measurements, not {kind}")
    if len(measured) < 2:
        raise InputError(f"at least two explanations are compared, not {len(measured)}")
    options: dict[str, Any] = {"measure": measure, "alpha": alpha, "draws": draws, "seed": seed}
    comparisons = [
        compare(measured[one], measured[other], names=(one, other), **options)
        for one, other in combinations(measured, 2)
    ]
    return corrected(comparisons)


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons that were made together, corrected for their number by Holm's method."""
    adjusted = holm([comparison.p for comparison in comparisons]).tolist()
    return [
        replace(comparison, adjusted=p, comparisons=len(comparisons))
        for comparison, p in zip(comparisons, adjusted, strict=True)
    ]


def _compare_powers(
    a: ExplanatoryPower, b: ExplanatoryPower, names: tuple[str, str], alpha: float
) -> Comparison:
    same = len(a.splits) == len(b.splits) and all(
        np.array_equal(x, y)
        for one, other in zip(a.splits, b.splits, strict=True)
        for x, y in zip(one, other, strict=True)
    )
    if not same:
        raise InputError(
            "the two were measured on different splits; use the same documents, ",
            Argument("splits", ...),
            " and ",
            Argument("seed", ...),
        )
    differences = a.by_split - b.by_split
    train = float(np.mean([len(part) for part, _ in a.splits]))
    test = float(np.mean([len(part) for _, part in a.splits]))
    t, p, error = corrected_t(differences, train, test)
    mean, freedom = float(differences.mean()), len(differences) - 1
    reach = critical_t(alpha, freedom) * error
    return Comparison(
        names=names,
        test=T_TEST,
        values=(a.epi, b.epi),
        difference=mean,
        statistic=t,
        freedom=freedom,
        interval=(mean - reach, mean + reach),
        p=p,
        adjusted=p,
        comparisons=1,
        alpha=alpha,
        better="higher",
        details=(
            f"EPI {a.epi:.4f} ({names[0]}, K = {a.k}) against {b.epi:.4f} ({names[1]}, K = {b.k})"
        ),
    )


def _compare_curves(
    a: DeletionCurve,
    b: DeletionCurve,
    names: tuple[str, str],
    measure: str,
    alpha: float,
    draws: int,
    seed: int,
) -> Comparison:
    for what, of in _ALIKE.items():
        first, second = of(a), of(b)
        if first != second:
            raise InputError(f"the two curves differ in their {what}: {first} ≠ {second}"[:300])
    if not np.array_equal(a.chosen, b.chosen):
        raise InputError("the two curves are of different documents")
    return bootstrap_comparison(
        names,
        (a.document_areas(measure), b.document_areas(measure)),
        a.chosen,
        better=a.better if measure == "accuracy" else a.better_score,
        what=f"{measure} area",
        size=a.size,
        alpha=alpha,
        draws=draws,
        seed=seed,
    )


def bootstrap_comparison(
    names: tuple[str, str],
    measured: tuple[NDArray[np.float64], NDArray[np.float64]],
    units: NDArray[np.integer],
    *,
    better: str | None,
    what: str,
    size: str,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare the means of two measurements of the same documents by the paired bootstrap.

    Parameters
    ----------
    names : pair of str
    measured : pair of (n,) float64
    units : (n,) int
        The document that each is of; one may have several.
    better : "higher", "lower" or None
    what, size : str
        What was measured, and of how many, for the verdict.
    alpha, draws, seed
        As for :func:`compare`.
    """
    draws = whole_number("draws", draws, least=100, most=10_000_000)
    first, second = measured
    differences = first - second
    mean = float(differences.mean())
    means = bootstrap_means(differences, draws, seed, units)
    beyond = np.abs(means - mean) >= abs(mean) * (1 - 1e-9)  # rounding decides nothing
    p = max((1 + int(beyond.sum())) / (1 + draws), 2.0 ** (1 - len(np.unique(units))))
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2]).tolist()
    values = (float(first.mean()), float(second.mean()))
    return Comparison(
        names=names,
        test=BOOTSTRAP,
        values=values,
        difference=mean,
        statistic=None,
        freedom=None,
        interval=(low, high),
        p=min(1.0, p),
        adjusted=min(1.0, p),
        comparisons=1,
        alpha=alpha,
        better=better,
        details=(
            f"{what} {values[0]:.4f} ({names[0]}) against {values[1]:.4f} ({names[1]}), {size}"
        ),
    )


_ALIKE: Mapping[str, Callable[[DeletionCurve], Any]] = {
    "subset": lambda curve: curve.subset,
    "target": lambda curve: curve.target,
    "order": lambda curve: curve.order,
    "action": lambda curve: curve.action,
    "steps": lambda curve: plain_steps(curve.steps),
}
