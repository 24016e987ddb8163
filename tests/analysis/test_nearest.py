"""Nearest vectors: by definition, whichever way they are looked for."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from whyword.analysis.nearest import ExactNearest, GraphNearest
from whyword.analysis.rows import unit_vectors

UNITS = unit_vectors(np.random.default_rng(3).normal(size=(200, 8)).astype(np.float32))


@pytest.mark.parametrize("make", [np.array, csr_matrix])
def test_the_exact_search_is_the_definition(make: type) -> None:
    vectors = make(UNITS)
    for number in (0, 17, 199):
        nearest = ExactNearest(vectors).search(vectors[number], 6)
        cosines = UNITS.astype(float) @ UNITS[number].astype(float)
        expected = np.argsort(-cosines, kind="stable")[:6]
        assert [place for place, _ in nearest] == expected.tolist()
        np.testing.assert_allclose([cosine for _, cosine in nearest], cosines[expected], atol=1e-6)
        assert max(cosine for _, cosine in nearest) <= 1


def test_equally_near_ones_come_in_their_order() -> None:
    alike = np.tile(UNITS[:1], (50, 1))
    assert [place for place, _ in ExactNearest(alike).search(UNITS[0], 4)] == [0, 1, 2, 3]


def test_more_than_there_are() -> None:
    for kind in (ExactNearest, GraphNearest):
        assert sorted(place for place, _ in kind(UNITS[:3]).search(UNITS[0], 9)) == [0, 1, 2]
        assert kind(UNITS[:0]).search(UNITS[0], 9) == []


def test_the_graph_finds_nearly_all() -> None:
    exact, graph = ExactNearest(UNITS), GraphNearest(UNITS)
    for unit in UNITS[:20]:
        best, near = (dict(one.search(unit, 10)) for one in (exact, graph))
        assert len(best.keys() & near.keys()) >= 9
        for place in best.keys() & near.keys():
            assert near[place] == pytest.approx(best[place], abs=1e-6)
