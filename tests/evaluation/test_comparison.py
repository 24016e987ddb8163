"""Comparisons of explanatory powers and deletion curves, on numbers set by hand."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from whyword import InputError, compare
from whyword.evaluation import Comparison, DeletionCurve, ExplanatoryPower, compare_all
from whyword.evaluation.comparison import of_best
from whyword.evaluation.power import random_halves
from whyword.evaluation.significance import corrected_t, holm


def power(accuracies: Any, seed: int = 0, n_documents: int = 41) -> ExplanatoryPower:  # noqa: ANN401
    """Return the power of such accuracies with 7 neighbors; a split has 21 and 20 documents."""
    each = np.array(accuracies, float)
    splits = random_halves(n_documents, len(each), seed)
    return ExplanatoryPower(float(each.mean()), 7, each[:, None], np.array([7]), splits)


def curve(areas: Any, method: str = "lrp", **changed: Any) -> DeletionCurve:  # noqa: ANN401
    """Return a curve of two steps in which each document has such a score area."""
    heights = np.array(areas, np.float32)
    scores: NDArray[np.float32] = np.stack([heights, heights, heights], axis=1)[None]
    fields: dict[str, Any] = {"method": method, "subset": "correct", "target": "true"}
    fields |= {"order": "most", "action": "delete", "steps": np.arange(3)}
    fields |= {"chosen": np.arange(len(heights)), "correct": scores > 0.5}
    return DeletionCurve(**fields | {"scores": scores, "probabilities": scores} | changed)


def test_powers_are_compared_by_the_corrected_t_test() -> None:
    random = np.random.default_rng(0)
    low = random.normal(0.70, 0.005, 10)
    high = low + random.normal(0.10, 0.002, 10)
    comparison = compare(power(high), power(low), names=("LRP", "SA"), alpha=0.01)
    t, p, error = corrected_t(high - low, 21, 20)
    assert (comparison.statistic, comparison.p, comparison.freedom) == (t, p, 9)
    assert (comparison.adjusted, comparison.comparisons, comparison.alpha) == (p, 1, 0.01)
    mean, reach = float(np.mean(high - low)), stats.t.ppf(0.995, 9) * error
    assert comparison.difference == pytest.approx(mean)
    assert comparison.interval == pytest.approx((mean - reach, mean + reach))
    assert comparison.winner == "LRP"
    assert comparison.verdict == (
        f"LRP is better than SA: EPI {np.mean(high):.4f} (LRP, K = 7) against {np.mean(low):.4f} "
        f"(SA, K = 7), difference +{mean:.4f} (99% interval +{mean - reach:.4f} to "
        f"+{mean + reach:.4f}; corrected resampled t-test, t(9) = {t:.2f}, p < 0.0001)."
    )
    turned = compare(power(low), power(high), names=("SA", "LRP"))
    assert (turned.p, turned.winner) == (comparison.p, "LRP")
    assert f"t(9) = −{t:.2f}" in turned.verdict
    alike = compare(power(low), power(low + random.normal(0, 0.01, 10)))
    assert (alike.significant, alike.winner) == (False, None)
    assert alike.verdict.startswith(
        "the first and the second cannot be told apart here, which does not prove them equal: EPI"
    )


def test_differences_that_do_not_vary() -> None:
    comparison = compare(power([0.8, 0.8]), power([0.7, 0.7]))
    assert not comparison.significant
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["statistic"] is None


def test_curves_are_compared_by_the_paired_bootstrap() -> None:
    random = np.random.default_rng(1)
    low, high = random.random(12), random.random(12) + 0.3
    comparison = compare(curve(low), curve(high, "random"), measure="score", draws=500, seed=3)
    differences = (low.astype(np.float32) - high.astype(np.float32)).astype(float)
    mean = differences.mean()
    means = differences[np.random.default_rng(3).integers(0, 12, (500, 12))].mean(axis=1)
    p = (1 + np.sum(np.abs(means - mean) >= abs(mean))) / 501
    assert comparison.difference == pytest.approx(mean, abs=1e-6)
    assert comparison.interval == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=1e-6)
    assert comparison.p == pytest.approx(p) == comparison.adjusted
    assert 1 / 501 < p < 0.05
    assert comparison.values == pytest.approx((low.mean(), high.mean()), abs=1e-6)
    assert (comparison.names, comparison.winner) == (("lrp", "random"), "lrp")
    assert str(comparison) == comparison.verdict
    ends = [f"−{-end:.4f}" for end in np.quantile(means, [0.025, 0.975])]
    assert comparison.verdict == (
        f"lrp is better than random: score area {low.mean():.4f} (lrp) against {high.mean():.4f} "
        f"(random), 12 documents, difference −{-mean:.4f} (95% interval {ends[0]} to {ends[1]}; "
        f"paired bootstrap, p = {p:.4f})."
    )
    assert repr(comparison) == f"Comparison(lrp is better than random: −{-mean:.4f}, p = {p:.4f})"
    expected = {"values": list(comparison.values), "difference": comparison.difference}
    expected |= {"names": ["lrp", "random"], "test": "paired bootstrap", "statistic": None}
    expected |= {"freedom": None, "interval": list(comparison.interval), "p": comparison.p}
    expected |= {"adjusted": comparison.p, "comparisons": 1, "alpha": 0.05, "significant": True}
    assert comparison.to_dict() == expected | {"winner": "lrp", "verdict": comparison.verdict}
    same = compare(curve(low), curve(low))
    assert (same.p, same.difference, same.winner) == (1.0, 0.0, None)


def test_accuracy_is_what_curves_are_compared_by() -> None:
    """Half of the documents are lost at once; their score areas say the contrary."""
    first, second = curve([0.6] * 8), curve([0.4] * 4 + [4.0] * 4)
    assert compare(first, second).difference == 0.5
    assert compare(first, second, names=("a", "b")).details.startswith("accuracy area 1.0000 (a)")
    assert compare(first, second, measure="score").difference == pytest.approx(0.6 - 2.2)


@pytest.mark.parametrize(
    ("changed", "winner", "finding"),
    [
        ({}, "b", "b is better than a"),
        ({"order": "least"}, "a", "a is better than b"),
        ({"subset": "all", "target": "predicted"}, None, "a is higher than b"),
    ],
)
def test_which_area_wins(changed: dict[str, Any], winner: str | None, finding: str) -> None:
    pair = [curve(np.full(9, height), **changed) for height in (1.0, 0.0)]
    comparison = compare(*pair, names=("a", "b"))
    assert (comparison.winner, comparison.finding) == (winner, finding)
    turned = compare(*pair[::-1], names=("b", "a"))
    assert turned.winner == winner
    assert turned.finding == finding.replace("a is higher than b", "b is lower than a")


def test_few_documents_prove_nothing() -> None:
    for count, p in ((1, 1.0), (2, 0.5), (5, 1 / 16)):
        comparison = compare(curve([1.0] * count), curve([0.0] * count))
        assert (comparison.difference, comparison.p) == (1.0, p)
        assert not comparison.significant
    labels = [curve([height] * 6, chosen=np.array([0, 0, 0, 4, 4, 4])) for height in (1, 0)]
    assert compare(*labels).p == 0.5  # of two documents
    assert "6 labels of 2 documents, difference" in compare(*labels).verdict


def test_comparisons_made_together_are_corrected() -> None:
    random = np.random.default_rng(2)
    base = random.normal(0.7, 0.005, 10)
    added = (("a", 0.0), ("b", 0.02), ("c", 0.01))
    named = {name: power(base + random.normal(add, 0.004, 10)) for name, add in added}
    comparisons = compare_all(named, alpha=0.2)
    assert [one.names for one in comparisons] == [("a", "b"), ("a", "c"), ("b", "c")]
    adjusted = holm([one.p for one in comparisons])
    np.testing.assert_allclose([one.adjusted for one in comparisons], adjusted)
    assert {(one.comparisons, one.alpha) for one in comparisons} == {(3, 0.2)}
    last = comparisons[2]
    assert last.headline.endswith(
        f", p = {last.adjusted:.4f} after Holm's correction for 3 comparisons"
    )
    assert "(80% interval, uncorrected, " in last.verdict
    best, others = of_best(comparisons)
    assert ([one.names for one in best], [one.names for one in others]) == (
        [("a", "b"), ("b", "c")],
        [("a", "c")],
    )
    assert of_best([]) == ([], [])


def test_the_best_curve_is_the_lowest_and_else_the_first() -> None:
    def best(**changed: Any) -> list[Comparison]:  # noqa: ANN401
        heights = {"a": 1.0, "b": 0.0, "c": 2.0}
        curves = {name: curve([height] * 4, **changed) for name, height in heights.items()}
        return of_best(compare_all(curves, measure="score", draws=100, seed=1))[0]

    assert [one.names for one in best()] == [("a", "b"), ("b", "c")]
    assert [one.names for one in best(order="least")] == [("a", "c"), ("b", "c")]


CURVE = curve([0.0, 1.0])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (power([0.5, 0.6]), "or two DeletionCurve can be compared, not DeletionCurve and Explan"),
        (curve([0, 1], steps=np.array([0, 1, 5])), r"differ in their steps: 2 ≠ \[0, 1, 5\]"),
        (curve([0, 1], order="least"), "differ in their order: most ≠ least"),
        (curve([0, 1], subset="all"), "differ in their subset: correct ≠ all"),
        (curve([0, 1], target="space"), "differ in their target: true ≠ space"),
        (curve([0, 1], action="insert"), "differ in their action: delete ≠ insert"),
        (curve([0, 1], chosen=np.array([0, 2])), "the two curves are of different documents"),
    ],
)
def test_curves_that_cannot_be_compared(other: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        compare(CURVE, other)


@pytest.mark.parametrize("other", [power([0.5, 0.6], seed=1), power([0.5, 0.6, 0.7])])
def test_powers_of_different_splits(other: ExplanatoryPower) -> None:
    with pytest.raises(InputError, match="different splits"):
        compare(power([0.5, 0.6]), other)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        *(({"names": names}, "names takes two names") for names in (None, ("a",), ("a", None))),
        *(({"alpha": alpha}, "alpha must be") for alpha in (0, 1, 2, "x")),
        ({"draws": 99}, "draws must be a whole number from 100 to 10,000,000, not 99"),
        ({"measure": "speed"}, "measure may be 'accuracy' or 'score'"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(CURVE, CURVE, **asked)


def test_too_little_to_compare() -> None:
    with pytest.raises(InputError, match="at least two splits, not 1"):
        compare(power([0.5]), power([0.6]))
    with pytest.raises(InputError, match="at least two explanations are compared, not 1"):
        compare_all({"a": CURVE})
    with pytest.raises(InputError, match="takes a dict from names to measurements, not list"):
        compare_all([CURVE, CURVE])  # type: ignore[arg-type]
