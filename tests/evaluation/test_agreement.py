"""Agreement of two relevances: rank correlation and common top words."""

import math
from collections.abc import Callable
from typing import Any

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


def test_agreement_by_hand() -> None:
    """The second document has no order on one side; the third has no words and does not count."""
    a = [np.array([3.0, 2, 1, 0]), np.array([1.0, 1]), np.empty(0)]
    b = [np.array([3.0, 1, 2, 0]), np.array([0.0, 5]), np.empty(0)]
    similarity = agreement(a, b, top=2)
    np.testing.assert_allclose(similarity.correlations, [0.8, np.nan])
    np.testing.assert_allclose(similarity.overlaps, [0.5, 1.0])
    assert similarity.to_dict() == {
        "documents": 2,
        "without_order": 1,
        "rank_correlation": pytest.approx(0.8),
        "overlap": 0.75,
        "overlap_by_chance": 0.75,
        "top": 2,
    }
    assert repr(similarity) == (
        "Agreement(rank correlation 0.800, 75% of the top 2 words in common, 75% by chance, "
        "2 documents)"
    )
    explained = explain(made_cnn(), [made_text([0, 1, 2]), made_text([3, 1])])
    assert agreement(explained, explained).correlation == pytest.approx(1)
    without = agreement([np.ones(3)], [np.ones(3)])
    assert (without.to_dict()["rank_correlation"], without.top) == (None, 10)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([np.ones(2)], [np.ones(2)] * 2, "differ in their documents: 1 ≠ 2"),
        ([np.ones(2)], [np.ones(3)], "document 0 has 2 and 3 values"),
        ([], [], "no documents"),
        ([np.empty(0)], [np.empty(0)], "none of the documents has a word"),
        ([([(0, 1)], [1.0])], [np.ones(1)], "a relevance is no list of numbers"),
        ([np.array([np.nan])], [np.ones(1)], "no finite number"),
        (5, [np.ones(1)], "a takes a list of relevances, not int"),
    ],
)
def test_invalid_relevances(a: Any, b: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        agreement(a, b)


def test_one_value_per_word_is_needed() -> None:
    with pytest.raises(InputError, match=r"shape \(2, 3\)"):
        agreement(Explanations([explain(made_cnn(), "wa wb", target="all")]), [np.ones(2)])
    with pytest.raises(InputError, match="top must be a whole number"):
        agreement([np.ones(2)], [np.ones(2)], top=0)


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        rank_correlation(np.ones(2), np.ones(2))
