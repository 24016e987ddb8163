"""Things that stand in about the same documents."""

import numpy as np
import pytest

from whyword.audit.suspicion.same_documents import overlap_above_chance, same_documents


def leaders(sets: list[set[int]], total: int) -> list[int]:
    things = np.array([number for number, one in enumerate(sets) for _ in one], np.int64)
    documents = np.array([document for one in sets for document in sorted(one)], np.int64)
    found: list[int] = same_documents(things, documents, len(sets), total).tolist()
    return found


def test_equal_and_nearly_equal_sets_have_one_leader() -> None:
    many = set(range(40))
    nearly = (many - {3}) | {90}
    other = set(range(20, 60))
    found = leaders([many, other, many, nearly, set(), {5}, {5}], 1000)
    assert found[0] == found[2] == found[3]
    assert found[1] == 1
    assert found[4] == 4
    assert found[5] == found[6]


def test_none_is_less_like_its_leader_than_was_asked_for() -> None:
    random = np.random.default_rng(0)
    base = [set(random.choice(400, 30, replace=False).tolist()) for _ in range(20)]
    sets = [
        one ^ set(random.choice(400, k, replace=False).tolist())
        for one in base
        for k in (0, 1, 3, 9)
    ]
    found = leaders(sets, 1000)
    for one, first in enumerate(found):
        assert found[first] == first
        overlap = len(sets[one] & sets[first]) / len(sets[one] | sets[first])
        assert overlap >= 0.9
    assert len(set(found)) < len(sets)


@pytest.mark.parametrize("share", [0.05, 0.14, 0.5, 0.9])
def test_what_is_frequent_has_its_like_too(share: float) -> None:
    random = np.random.default_rng(0)
    one, other = (set(random.choice(1000, int(1000 * share), replace=False)) for _ in range(2))
    assert leaders([one, other, set(one)], 1000) == [0, 1, 0]


def test_what_is_everywhere_is_like_nothing_else() -> None:
    everywhere, nearly = set(range(100)), set(range(97))
    assert leaders([everywhere, set(everywhere), nearly], 100) == [0, 1, 2]
    assert leaders([], 0) == []


def test_chance_is_taken_off() -> None:
    half, quarter = np.arange(50), np.arange(25, 75)
    assert overlap_above_chance(half, half, 100) == 1
    assert overlap_above_chance(half, quarter, 100) == pytest.approx(0)  # as chance has it
    assert overlap_above_chance(half, half + 50, 100) < 0
    assert overlap_above_chance(half[:9], half[:10], 10**6) == pytest.approx(0.9, abs=1e-4)
