"""Gradients that were handed down: each equals the sums written out."""

import numpy as np

from whyword.models.pipeline.gradients import Chosen, Gradient, Part, Projected, Values, Weights

RANDOM = np.random.default_rng(0)
WEIGHT = RANDOM.normal(size=(4, 3))
ROWS = RANDOM.normal(size=2)


def check(gradient: Gradient, expected: list[Values]) -> None:
    """Compare with the whole gradient of each document."""
    coefficients = RANDOM.normal(size=len(expected[0]))
    sums = np.array([row * coefficients @ each for row, each in zip(ROWS, expected, strict=True)])
    np.testing.assert_allclose(gradient.weighted(ROWS, coefficients), sums)
    for document, whole in enumerate(expected):
        places = np.array([2, 0])
        np.testing.assert_allclose(gradient.at(document, places), whole[places])


def test_weights_are_the_same_for_all() -> None:
    check(Weights(WEIGHT), [WEIGHT, WEIGHT])


def test_a_part_of_what_stands_side_by_side() -> None:
    check(Part(Weights(WEIGHT), 1, 4), [WEIGHT[1:], WEIGHT[1:]])


def test_places_that_were_chosen() -> None:
    chosen = np.array([0, 2, 3, 6])
    gradient = Chosen(Weights(WEIGHT), chosen)
    np.testing.assert_array_equal(gradient.at(1, np.array([2, 6])), WEIGHT[[1, 3]])
    np.testing.assert_array_equal(gradient.at(1, np.array([1, 7, 0])), [[0] * 3] * 2 + [WEIGHT[0]])
    coefficients = np.arange(8.0)
    expected = ROWS[:, None] * (coefficients[chosen] @ WEIGHT)
    np.testing.assert_allclose(gradient.weighted(ROWS, coefficients), expected)


def test_projections_have_frozen_factors() -> None:
    components = RANDOM.normal(size=(4, 5))
    rows, columns = np.array([0.5, 2.0]), RANDOM.normal(size=4)
    gradient = Projected(Weights(WEIGHT), components, rows, columns)
    check(gradient, [components.T @ (row * columns[:, None] * WEIGHT) for row in rows])
    twice = Projected(gradient, RANDOM.normal(size=(5, 6)), rows, np.ones(5))
    inner = [components.T @ (row * columns[:, None] * WEIGHT) for row in rows]
    check(twice, [twice.components.T @ (row * one) for row, one in zip(rows, inner, strict=True)])
