"""Significance tests against scipy, closed forms and literal counts."""

import math
from collections.abc import Callable

import numpy as np
import oracle
import pytest
from scipy import stats

from whyword import InputError
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


def test_corrected_t_by_hand() -> None:
    """Differences .01, .03, .02, .02 of halves.

    Mean .02; variance ((−.01)² + .01²)/3 = 6.667e-5; corrected by 1/4 + 1 to 8.333e-5, whose root
    is 9.129e-3; t = 2.1909 with 3 degrees of freedom.
    """
    t, p, error = corrected_t([0.01, 0.03, 0.02, 0.02], 50, 50)
    assert t == pytest.approx(0.02 / math.sqrt(1.25 * 2e-4 / 3), rel=1e-12)
    assert error == pytest.approx(9.129e-3, abs=5e-7)
    # for 3 degrees of freedom the distribution has a closed form
    x = t / math.sqrt(3)
    tail = 0.5 - (x / (1 + x * x) + math.atan(x)) / math.pi
    assert p == pytest.approx(2 * tail, rel=1e-9)
    assert corrected_t([0.01, 0.03, 0.02, 0.02], 30, 10)[2] == pytest.approx(
        math.sqrt((1 / 4 + 10 / 30) * 2e-4 / 3)
    )


def test_corrected_t_without_overlap_is_the_usual_t_test() -> None:
    values = np.random.default_rng(0).normal(-0.3, 1, 12)
    t, p, _ = corrected_t(values, 1, 0)
    usual = stats.ttest_1samp(values, 0)
    assert (t, p) == pytest.approx((usual.statistic, usual.pvalue))


def test_differences_that_do_not_vary() -> None:
    assert corrected_t([0.0, 0.0], 1, 1) == (0.0, 1.0, 0.0)
    assert corrected_t([0.1, 0.1], 1, 1) == (math.inf, 0.5, 0.0)
    assert corrected_t([-0.1, -0.1, -0.1], 1, 1)[:2] == (-math.inf, 0.25)
    assert corrected_t([0.3 - 0.2, 0.8 - 0.7, 0.5 - 0.4], 1, 1)[1] == 0.25
    for wrong in ([0.1], [[0.1, 0.2]], []):
        with pytest.raises(InputError, match="needs at least two splits"):
            corrected_t(wrong, 1, 1)


def test_critical_t() -> None:
    for alpha, freedom in ((0.05, 9), (0.2, 3)):
        assert 2 * stats.t.sf(critical_t(alpha, freedom), freedom) == pytest.approx(alpha)


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        corrected_t([0.1, 0.2, 0.4], 1, 1)


def test_bootstrap_draws_documents_with_all_their_values() -> None:
    values, units = np.array([1.0, 2, 3, 10, 20]), np.array([7, 7, 7, 2, 4])
    parts = {2: [10.0], 4: [20.0], 7: [1.0, 2, 3]}
    drawn = np.random.default_rng(0).integers(0, 3, (4_000, 3))
    expected = [
        np.mean(np.concatenate([parts[(2, 4, 7)[number]] for number in row])) for row in drawn
    ]
    np.testing.assert_allclose(bootstrap_means(values, 4_000, 0, units), expected)
    by_value = values[np.random.default_rng(5).integers(0, 5, (100, 5))].mean(axis=1)
    np.testing.assert_array_equal(bootstrap_means(values, 100, 5), by_value)
    np.testing.assert_array_equal(bootstrap_means(values, 100, 5, np.arange(5)), by_value)
    with pytest.raises(InputError, match="seed must be a whole number"):
        bootstrap_means(values, 100, -1)


def test_bootstrap_of_many_values_goes_in_portions() -> None:
    values, random = np.arange(2.0**21), np.random.default_rng(1)
    expected = [values[random.integers(0, len(values), len(values))].mean() for _ in range(3)]
    np.testing.assert_allclose(bootstrap_means(values, 3, 1), expected)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 1), (0, 6), (9, 3), (40, 41)])
def test_mcnemar_counts_coins(first: int, second: int) -> None:
    p = mcnemar(first, second)
    assert p == pytest.approx(oracle.mcnemar(first, second), rel=1e-9)
    if first + second:
        assert p == pytest.approx(stats.binomtest(first, first + second).pvalue, rel=1e-9)


def test_mcnemar_of_many_documents() -> None:
    assert mcnemar(400_000, 401_000) == pytest.approx(0.264, abs=1e-3)
    assert 0 <= mcnemar(0, 1_000_000) < 1e-300


@pytest.mark.parametrize(("count", "total"), [(0, 1), (1, 1), (7, 40), (40, 40), (0, 40)])
@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_interval_of_a_share_is_wilsons(count: int, total: int, alpha: float) -> None:
    usual = stats.binomtest(count, total).proportion_ci(1 - alpha, method="wilson")
    low, high = share_interval(count, total, alpha)
    assert (low, high) == pytest.approx((usual.low, usual.high), abs=1e-12)
    assert 0 <= low <= high <= 1


def test_interval_of_a_difference_by_hand() -> None:
    """40 against 20 of 144 documents, half a document more in each cell: 20/146 ± 1.96 · 0.0523."""
    low, high = paired_interval(40, 20, 144, 0.05)
    error = math.sqrt(40.5 + 20.5 - 20**2 / 146) / 146
    assert (low + high) / 2 == pytest.approx(20 / 146)
    assert (high - low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
    assert paired_interval(20, 40, 144, 0.05) == pytest.approx((-high, -low))
    assert paired_interval(1, 0, 1, 0.001) == (-1.0, 1.0)


def test_holm() -> None:
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1, 1])
    np.testing.assert_allclose(holm([0.2]), [0.2])


def test_benjamini_hochberg_is_scipys() -> None:
    random = np.random.default_rng(0)
    for size in (1, 2, 7, 40):
        p = random.random(size) ** 3
        p[: size // 2] = p[0]
        np.testing.assert_allclose(benjamini_hochberg(p), oracle.false_discovery(p.tolist()))
        np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    assert len(benjamini_hochberg(np.zeros(0))) == 0
