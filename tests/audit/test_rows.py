"""The rows of a comparison: what is read from them."""

import dataclasses

import numpy as np
import pytest
from compared import compared

from whyword.audit.rows import agrees


@pytest.mark.slow(reason="compares models")
def test_a_gain_is_what_relevance_knows_better_than_chance() -> None:
    row = compared().models["cnn"]
    for number in (1, 2, 3):
        curve, chance = row.curve(number), row.chance_curve(number)
        assert curve is row.curves[number]["lrp"]
        assert chance is row.curves[number]["random"]
        sign = -1 if number == 1 else 1  # the area is to be low, or high
        assert row.gain(number) == pytest.approx(sign * (curve.area - chance.area))
    assert row.curve(4) is None
    assert row.gain(4) is None
    nothing = dataclasses.replace(row, method=None, curves={})
    assert (nothing.curve(1), nothing.chance_curve(1), nothing.gain(1)) == (None, None, None)


@pytest.mark.slow(reason="compares models")
def test_labels_agree_if_all_do() -> None:
    row = compared().models["cnn"]
    a, b = (
        dataclasses.replace(row, predicted=np.array(said))
        for said in ([[True, False], [True, True]], [[True, False], [True, False]])
    )
    assert agrees(a, b).tolist() == [True, False]
