"""How far two relevances agree: by ranks, by their top words."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import made_cnn, made_text
from scipy import stats

from whyword import Explanations, InputError, explain
from whyword.evaluation import agreement
from whyword.evaluation.agreement import rank_correlation


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12))
def test_rank_correlation_is_spearmans(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, np.float64).T
    correlation = rank_correlation(a, b)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert math.isnan(correlation)
    else:
        assert correlation == pytest.approx(stats.spearmanr(a, b).statistic)


def test_agreement() -> None:
    a = [np.array([3.0, 2, 1, 0]), np.array([1.0, 1]), np.empty(0)]
    b = [np.array([3.0, 1, 2, 0]), np.array([0.0, 5]), np.empty(0)]
    similarity = agreement(a, b, top=2)
    np.testing.assert_allclose(similarity.correlations, [0.8, np.nan])
    np.testing.assert_allclose(similarity.overlaps, [0.5, 1.0])
    assert similarity.correlation == pytest.approx(0.8)
    assert (similarity.overlap, similarity.chance) == (0.75, 0.75)
    assert json.loads(json.dumps(similarity.to_dict(), allow_nan=False))["without_order"] == 1
    assert "rank correlation 0.800, 75% of the top 2" in repr(similarity)
    explained = explain(made_cnn(), [made_text([0, 1, 2]), made_text([3, 1])])
    assert agreement(explained, explained).correlation == pytest.approx(1)


def test_without_any_order_there_is_no_correlation() -> None:
    similarity = agreement([np.ones(3)], [np.ones(3)])
    assert math.isnan(similarity.correlation)
    assert similarity.to_dict()["rank_correlation"] is None


def test_bad_questions() -> None:
    with pytest.raises(InputError, match="differ in their documents: 1 ≠ 2"):
        agreement([np.ones(2)], [np.ones(2)] * 2)
    with pytest.raises(InputError, match="document 0 has 2 and 3 values"):
        agreement([np.ones(2)], [np.ones(3)])
    with pytest.raises(InputError, match="no documents"):
        agreement([], [])
    with pytest.raises(InputError, match="none of the documents has a word"):
        agreement([np.empty(0)], [np.empty(0)])
    with pytest.raises(InputError, match="a relevance is no list of numbers"):
        agreement([([(0, 1)], [1.0])], [np.ones(1)])
    with pytest.raises(InputError, match="no finite number"):
        agreement([np.array([np.nan])], [np.ones(1)])
    with pytest.raises(InputError, match=r"shape \(2, 3\)"):
        agreement(Explanations([explain(made_cnn(), "wa wb", target="all")]), [np.ones(2)])


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        rank_correlation(np.ones(2), np.ones(2))
