"""Scores to probabilities."""

import numpy as np
import pytest

from whyword.models.pipeline.links import LINKS, Link, clipped, sigmoids
from whyword.models.probabilities import softmax

SCORES = np.array([[0.3, -0.5, 2.0], [-900.0, -900.0, -900.0], [-2.0, -3.0, -1.5]])


@pytest.mark.parametrize("name", LINKS)
def test_they_sum_to_one(name: str) -> None:
    for scores in (SCORES, SCORES[None], SCORES[:, :2]):
        chances = Link(name, 0.5).probabilities(scores)
        assert chances.shape == scores.shape
        np.testing.assert_allclose(chances.sum(axis=-1), 1)


def test_their_formulas() -> None:
    each = 1 / (1 + np.exp(-SCORES[0]))
    np.testing.assert_allclose(sigmoids(SCORES)[0], each / each.sum())
    np.testing.assert_allclose(clipped(SCORES)[0], np.array([0.65, 0.25, 1.0]) / 1.9)
    np.testing.assert_allclose(clipped(SCORES)[2], 1 / 3)  # all at the lower end
    two = np.array([[-0.4, 0.4]])
    np.testing.assert_allclose(
        Link("softmax", 2.0).probabilities(two)[0, 1], 1 / (1 + np.exp(-0.4))
    )


def test_its_own_has_the_softmax_for_others_scores() -> None:
    assert Link("own").is_own
    np.testing.assert_array_equal(Link("own").probabilities(SCORES), softmax(SCORES))
