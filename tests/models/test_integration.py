"""The points of the path: an exact rule for polynomials, as captum's."""

import numpy as np
import pytest

from whyword.models.integration import MOST_STEPS, path_points


@pytest.mark.parametrize("steps", [1, 2, 5, 50])
def test_polynomials_are_integrated_exactly(steps: int) -> None:
    for degree in range(2 * steps):
        total = sum(weight * alpha**degree for alpha, weight in path_points(steps))
        assert total == pytest.approx(1 / (degree + 1), rel=1e-12)


def test_one_step_is_the_middle() -> None:
    assert path_points(1) == ((0.5, 1.0),)


@pytest.mark.parametrize("steps", [1, 3, 50, MOST_STEPS])
def test_points_are_inside_and_in_order(steps: int) -> None:
    alphas, weights = np.array(path_points(steps)).T
    assert len(alphas) == steps
    assert alphas.min() > 0
    assert alphas.max() < 1
    assert (np.diff(alphas) > 0).all()
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-12)
