"""The two tests, against literal counts and scipy."""

import numpy as np
import oracle
import pytest
from scipy import stats

from whyword.audit.suspicion.spread import chance_bound, fewer_groups, lower_odds
from whyword.evaluation.significance import benjamini_hochberg


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
    assert 0 < p[1] < 1e-300  # 50 documents cannot be of one group of two
    none = fewer_groups(np.zeros(0, np.intp), np.zeros(0, np.intp), population, seed=1)
    assert len(none[1]) == 0


@pytest.mark.parametrize(
    "population", [[0, 0, 0, 1, 1, 2, 3, 3], [0] * 7, list(range(6)), [0, 0, 0, 0, 0, 1, 2, 3, 4]]
)
def test_the_bound_is_the_sum_over_sets_of_groups(population: list[int]) -> None:
    sizes = np.repeat(np.arange(1, len(population) + 1), max(population) + 1)
    groups = np.tile(np.arange(1, max(population) + 2), len(population))
    bounds = chance_bound(sizes, groups, np.array(population))
    for size, group, bound in zip(sizes.tolist(), groups.tolist(), bounds, strict=True):
        literal = oracle.group_sets(population, size, group)
        assert bound == pytest.approx(min(1.0, literal), rel=1e-9)
        exact = np.mean(np.array(oracle.group_counts(population, size)) <= group)
        assert bound >= exact - 1e-12


def test_one_habit_among_very_many_units_is_seen() -> None:
    """Random orders alone cannot say less than 1e-4, which is nothing among 30,000 units."""
    population = np.concatenate([np.arange(500), np.full(20, 500)])  # one person wrote 20 of 520
    _, p = fewer_groups(np.array([15]), np.array([1]), population, seed=0)
    assert p[0] == pytest.approx(oracle.group_sets(population.tolist(), 15, 1), rel=1e-6)
    others = np.random.default_rng(0).uniform(size=30_000)
    assert benjamini_hochberg(np.append(p, others))[0] < 1e-10


def test_the_bound_of_very_many_documents_ends_and_does_not_overflow() -> None:
    population = np.arange(20_000) // 2
    bounds = chance_bound(np.array([3, 900, 900]), np.array([2, 450, 9_000]), population)
    assert (bounds > 0).all()
    assert (bounds <= 1).all()
    large = np.repeat(np.arange(1_500), 2)
    bounds = chance_bound(np.array([1_000, 3_000]), np.array([50, 1_500]), large)
    assert (bounds >= 0).all()
    assert bounds[1] == 1
    assert (
        fewer_groups(
            np.array([600]), np.array([1]), np.array([0] * 600 + list(range(1, 9_000))), 0, 9
        )[1]
        > 0
    )


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
