"""Tests of significance: examples by hand, and how often they err."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from networks import small_cnn, topical
from scipy import stats

from whyword import ExplanatoryPower, InputError, compare, compare_all, deletion_curve
from whyword.evaluation.power import random_halves
from whyword.evaluation.significance import bootstrap_means, corrected_t, holm, of_best

TEXTS, LABELS = topical(60, seed=3)
MODEL = small_cnn()


def power(accuracies: list[float], seed: int = 0, documents: int = 40) -> ExplanatoryPower:
    splits = random_halves(documents, len(accuracies), seed)
    mean = float(np.mean(accuracies))
    return ExplanatoryPower(mean, 7, np.array(accuracies)[:, None], np.array([7]), splits)


def test_an_example_by_hand() -> None:
    """Differences .01, .03, .02, .02 of halves.

    Mean .02; variance ((−.01)² + .01²)/3 = 6.667e-5; corrected by 1/4 + 1 to 8.333e-5, whose root
    is 9.129e-3; t = 2.1909 with 3 degrees of freedom.
    """
    t, p, error = corrected_t([0.01, 0.03, 0.02, 0.02], 50, 50)
    assert t == pytest.approx(0.02 / math.sqrt(1.25 * 2e-4 / 3), rel=1e-12)
    assert t == pytest.approx(2.1909, abs=5e-5)
    assert error == pytest.approx(9.129e-3, abs=5e-7)
    # for 3 degrees of freedom the distribution has a closed form
    x = t / math.sqrt(3)
    tail = 0.5 - (x / (1 + x * x) + math.atan(x)) / math.pi
    assert p == pytest.approx(2 * tail, rel=1e-9)


def test_without_overlap_it_is_the_usual_t_test() -> None:
    values = np.random.default_rng(0).normal(0.3, 1, 12)
    t, p, _ = corrected_t(values, 1, 0)
    usual = stats.ttest_1samp(values, 0)
    assert (t, p) == pytest.approx((usual.statistic, usual.pvalue))


def test_equal_methods_are_told_apart_in_five_percent() -> None:
    """10,000 trials of 10 splits whose differences correlate by n_test / (n_test + n_train)."""
    random = np.random.default_rng(0)
    for train, test in ((1, 1), (9, 1)):
        correlation = test / (test + train)
        common = math.sqrt(correlation) * random.normal(size=(10_000, 1))
        own = math.sqrt(1 - correlation) * random.normal(size=(10_000, 10))
        rejected = [corrected_t(each, train, test)[1] < 0.05 for each in common + own]
        assert abs(np.mean(rejected) - 0.05) < 0.01


def test_equal_curves_are_told_apart_in_five_percent() -> None:
    """The bootstrap, on documents whose differences are chance."""
    random = np.random.default_rng(1)
    rejected = []
    for seed in range(1_000):
        differences = random.normal(size=100)
        mean = differences.mean()
        means = bootstrap_means(differences, 400, seed)
        rejected.append(np.mean(np.abs(means - mean) >= abs(mean)) < 0.05)
    assert abs(np.mean(rejected) - 0.05) < 0.025


def test_differences_that_do_not_vary() -> None:
    assert corrected_t([0.0, 0.0], 1, 1) == (0.0, 1.0, 0.0)
    assert corrected_t([0.1, 0.1], 1, 1)[:2] == (math.inf, 0.5)
    assert corrected_t([-0.1, -0.1, -0.1], 1, 1)[:2] == (-math.inf, 0.25)
    assert corrected_t([0.3 - 0.2, 0.8 - 0.7, 0.5 - 0.4], 1, 1)[1] == 0.25
    found = compare(power([0.8, 0.8]), power([0.7, 0.7]))
    assert not found.significant
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["statistic"] is None


def test_powers() -> None:
    random = np.random.default_rng(0)
    low = random.normal(0.70, 0.005, 10)
    high = low + random.normal(0.10, 0.002, 10)
    found = compare(power(high.tolist()), power(low.tolist()), names=("LRP", "SA"))
    t, p, _ = corrected_t(high - low, 20, 20)
    assert (found.statistic, found.p, found.freedom) == (t, p, 9)
    assert found.winner == "LRP"
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.verdict.startswith("LRP is better than SA: EPI 0.")
    assert "corrected resampled t-test, t(9) = " in found.verdict
    turned = compare(power(low.tolist()), power(high.tolist()), names=("SA", "LRP"))
    assert (turned.p, turned.winner) == (found.p, "LRP")
    alike = compare(power(low.tolist()), power((low + random.normal(0, 0.01, 10)).tolist()))
    assert (alike.significant, alike.winner) == (False, None)
    assert "cannot be told apart here, which does not prove them equal" in alike.verdict


def test_curves() -> None:
    by_lrp = deletion_curve(MODEL, TEXTS, LABELS, steps=5)
    by_chance = deletion_curve(MODEL, TEXTS, LABELS, "random", steps=5)
    found = compare(by_lrp, by_chance)
    assert found.names == ("lrp", "random")
    assert found.difference == pytest.approx(by_lrp.area - by_chance.area)
    assert found.winner == "lrp"  # the lower one
    assert found.interval[1] < 0
    assert str(found) == found.verdict
    again = compare(by_lrp, by_chance)
    assert again == found
    scores = compare(by_lrp, by_chance, measure="score")
    np.testing.assert_allclose(scores.values, [by_lrp.score_area, by_chance.score_area])
    same = compare(by_lrp, by_lrp)
    assert (same.p, same.difference, same.winner) == (1.0, 0.0, None)
    for asked in ({"target": "predicted", "documents": "all"}, {"documents": "all"}):
        options: dict[str, Any] = {**asked, "steps": 5}
        pair = [deletion_curve(MODEL, TEXTS, LABELS, m, **options) for m in ("lrp", "random")]
        either = compare(*pair)
        assert either.significant
        assert (either.winner is None) == ("target" in asked)


def test_few_documents_prove_nothing() -> None:
    for count, p in ((1, 1.0), (2, 0.5), (5, 1 / 16)):
        texts, labels = ["moon orbit rocket the a of"] * count, ["space"] * count
        ways = [[[n, -n, 0, 0, 0, 0] for _ in texts] for n in (1, -1)]
        pair = [deletion_curve(MODEL, texts, labels, relevance=way, steps=1) for way in ways]
        found = compare(*pair, measure="score")
        assert found.difference != 0
        assert found.p == p
        assert not found.significant
    assert "1 document," in compare(*[deletion_curve(MODEL, ["moon"], ["space"])] * 2).verdict


def test_the_best_comes_first() -> None:
    random = np.random.default_rng(3)
    base = random.normal(0.7, 0.01, 6)
    named = {
        name: power((base + add).tolist()) for name, add in (("a", 0), ("b", 0.1), ("c", 0.05))
    }
    best, others = of_best(compare_all(named))
    assert [one.names for one in best] == [("a", "b"), ("b", "c")]
    assert [one.names for one in others] == [("a", "c")]
    assert of_best([]) == ([], [])


def test_holm() -> None:
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1, 1])
    np.testing.assert_allclose(holm([0.2]), [0.2])


def test_many_are_corrected_together() -> None:
    random = np.random.default_rng(2)
    base = random.normal(0.7, 0.005, 10)
    named = {
        name: power((base + random.normal(add, 0.004, 10)).tolist())
        for name, add in (("a", 0.0), ("b", 0.02), ("c", 0.03))
    }
    found = compare_all(named)
    assert [one.names for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    np.testing.assert_allclose([one.adjusted for one in found], holm([one.p for one in found]))
    assert all(one.adjusted >= one.p for one in found)
    assert "after Holm's correction for 3 comparisons" in found[0].verdict
    assert found[1].significant == (found[1].adjusted < 0.05)


def test_what_cannot_be_compared() -> None:
    curve = deletion_curve(MODEL, TEXTS, LABELS, steps=2, sufficiency=False)
    with pytest.raises(InputError, match="ExplanatoryPower and DeletionCurve"):
        compare(power([0.5, 0.6]), curve)
    with pytest.raises(InputError, match="different splits"):
        compare(power([0.5, 0.6]), power([0.5, 0.6], seed=1))
    with pytest.raises(InputError, match="different splits"):
        compare(power([0.5, 0.6]), power([0.5, 0.6, 0.7]))
    with pytest.raises(InputError, match="at least two splits, not 1"):
        compare(power([0.5]), power([0.6]))
    with pytest.raises(InputError, match="differ in their steps: 2 ≠ 3"):
        compare(curve, deletion_curve(MODEL, TEXTS, LABELS, steps=3, sufficiency=False))
    with pytest.raises(InputError, match="differ in their order: most ≠ least"):
        compare(curve, deletion_curve(MODEL, TEXTS, LABELS, order="least", steps=2))
    with pytest.raises(InputError, match="different documents"):
        compare(curve, deletion_curve(MODEL, TEXTS[:-1], LABELS[:-1], steps=2))
    with pytest.raises(InputError, match="at least two"):
        compare_all({"a": curve})
    with pytest.raises(InputError, match="takes a dict from names to measurements, not list"):
        compare_all([curve, curve])  # type: ignore[arg-type]
    for names in (None, ("a",)):
        with pytest.raises(InputError, match="names takes two names"):
            compare(curve, curve, names=names)  # type: ignore[arg-type]
    for alpha in (0, 1, 2, "x"):
        with pytest.raises(InputError, match="alpha must be"):
            compare(curve, curve, alpha=alpha)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="draws must be a whole number from 100"):
        compare(curve, curve, draws=5)


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        corrected_t([0.1, 0.2, 0.4], 1, 1)
