"""Tests of significance: examples by hand, and how often they err."""

import math
from collections.abc import Callable

import numpy as np
import oracle
import pytest
from scipy import stats

from whyword.evaluation.significance import (
    benjamini_hochberg,
    bootstrap_means,
    corrected_t,
    critical_t,
    holm,
    mcnemar,
    paired_interval,
    share_interval,
)


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


def test_the_critical_value_is_exceeded_by_chance_that_often() -> None:
    for alpha, freedom in ((0.05, 9), (0.2, 3)):
        assert 2 * stats.t.sf(critical_t(alpha, freedom), freedom) == pytest.approx(alpha)


@pytest.mark.slow(reason="hundreds of repetitions")
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


def test_holm() -> None:
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1, 1])
    np.testing.assert_allclose(holm([0.2]), [0.2])


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        corrected_t([0.1, 0.2, 0.4], 1, 1)


def test_a_document_is_drawn_with_all_its_values() -> None:
    """Against resamples of whole documents, made by hand."""
    values, units = np.array([1.0, 2, 3, 10, 20]), np.array([7, 7, 7, 2, 4])
    means = bootstrap_means(values, 4_000, 0, units)
    parts = {2: [10.0], 4: [20.0], 7: [1.0, 2, 3]}
    drawn = np.random.default_rng(0).integers(0, 3, (4_000, 3))
    expected = [
        np.mean(np.concatenate([parts[(2, 4, 7)[number]] for number in row])) for row in drawn
    ]
    np.testing.assert_allclose(means, expected)
    alone = np.arange(5)
    by_value = bootstrap_means(values, 100, 0)
    np.testing.assert_array_equal(bootstrap_means(values, 100, 0, alone), by_value)


@pytest.mark.parametrize(
    ("first", "second"), [(0, 0), (0, 1), (1, 1), (0, 6), (3, 9), (9, 3), (40, 41), (10, 90)]
)
def test_mcnemars_test_counts_coins(first: int, second: int) -> None:
    p = mcnemar(first, second)
    assert p == pytest.approx(oracle.mcnemar(first, second), rel=1e-9)
    if first + second:
        assert p == pytest.approx(stats.binomtest(first, first + second).pvalue, rel=1e-9)


def test_mcnemars_test_of_many_documents() -> None:
    assert mcnemar(400_000, 401_000) == pytest.approx(0.264, abs=1e-3)
    assert 0 <= mcnemar(0, 1_000_000) < 1e-300


@pytest.mark.parametrize(("count", "total"), [(0, 1), (1, 1), (0, 40), (7, 40), (40, 40), (3, 5)])
@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_the_interval_of_a_share_is_wilsons(count: int, total: int, alpha: float) -> None:
    usual = stats.binomtest(count, total).proportion_ci(1 - alpha, method="wilson")
    assert share_interval(count, total, alpha) == pytest.approx((usual.low, usual.high), abs=1e-12)


def test_the_interval_of_a_difference_by_hand() -> None:
    """40 against 20 of 144 documents, half a document more in each cell: 20/146 ± 1.96 · 0.0523."""
    low, high = paired_interval(40, 20, 144, 0.05)
    error = math.sqrt(40.5 + 20.5 - 20**2 / 146) / 146
    assert (low + high) / 2 == pytest.approx(20 / 146)
    assert (high - low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
    assert paired_interval(20, 40, 144, 0.05) == pytest.approx((-high, -low))
    assert paired_interval(1, 0, 1, 0.001) == (-1.0, 1.0)


def test_the_interval_of_a_difference_has_it_that_often() -> None:
    random = np.random.default_rng(2)
    shares = [0.7, 0.12, 0.06, 0.12]
    drawn = random.multinomial(200, shares, 2_000)
    intervals = [paired_interval(b, c, 200, 0.05) for _, b, c, _ in drawn.tolist()]
    has = [low <= 0.06 <= high for low, high in intervals]
    assert abs(np.mean(has) - 0.95) < 0.02


def test_the_correction_is_benjamini_and_hochbergs() -> None:
    random = np.random.default_rng(0)
    for size in (1, 2, 7, 40):
        p = random.random(size) ** 3
        p[: size // 2] = p[0]
        assert np.allclose(benjamini_hochberg(p), oracle.false_discovery(p.tolist()))
        assert np.allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    assert len(benjamini_hochberg(np.zeros(0))) == 0
