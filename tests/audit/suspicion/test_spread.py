"""The two tests, against literal counts and scipy."""

import numpy as np
import oracle
import pytest
from scipy import stats

from whyword.audit.suspicion.spread import fewer_groups, lower_odds


def test_random_orders_have_as_many_groups_as_all_choices() -> None:
    population = [0, 0, 0, 1, 1, 2, 3, 3]
    sizes = np.repeat(np.arange(1, 9), 4)
    groups = np.tile(np.arange(1, 5), 8)
    expected, p = fewer_groups(sizes, groups, np.array(population), seed=0, draws=20_000)
    for size, group, mean, chance in zip(sizes, groups, expected, p, strict=True):
        counts = np.array(oracle.group_counts(population, int(size)))
        assert mean == pytest.approx(counts.mean(), abs=0.03)
        assert chance == pytest.approx(np.mean(counts <= group), abs=0.02)


def test_a_unit_without_documents_is_not_tested_and_p_is_never_zero() -> None:
    population = np.repeat(np.arange(50), 2)
    expected, p = fewer_groups(np.array([0, 50]), np.array([0, 1]), population, seed=1, draws=99)
    assert (expected[0], p[0]) == (0, 1)
    assert p[1] == 0.01
    none = fewer_groups(np.zeros(0, np.intp), np.zeros(0, np.intp), population, seed=1)
    assert len(none[1]) == 0


def test_memory_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (np.array([3, 5]), np.array([1, 4]), np.array([0, 0, 1, 1, 2, 3, 4]), 0, 500)
    whole = fewer_groups(*arguments)
    monkeypatch.setattr("whyword.audit.suspicion.spread._AT_ONCE", 7)
    for one, other in zip(whole, fewer_groups(*arguments), strict=True):
        assert np.allclose(one, other, atol=0.1)


def test_odds_are_fishers() -> None:
    random = np.random.default_rng(0)
    train, other = random.integers(0, 12, 60), random.integers(0, 12, 60)
    train_class, other_class = random.integers(0, train + 1), random.integers(0, other + 1)
    p = lower_odds(train, train_class, other, other_class)
    for a, b, c, d, found in zip(train, train_class, other, other_class, p, strict=True):
        if a == 0 or c == 0:
            assert found == 1
            continue
        assert found == pytest.approx(oracle.fisher(int(a), int(b), int(c), int(d)))
        table = [[b, a - b], [d, c - d]]
        assert found == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue)
