"""What explanations of every kind have in common: the parts of a score."""

import dataclasses

import numpy as np
import pytest
from networks import made_cnn

from whyword import ConservationError, explain


@pytest.mark.parametrize("level", ["word", "element", "filter"])
def test_the_parts_of_a_score(level: str) -> None:
    one = explain(made_cnn(), "wa wb", "class 1", level=level)  # type: ignore[call-overload]
    assert one.constant == 0
    assert one.residual == pytest.approx(0, abs=1e-5)
    apart = dataclasses.replace(one, constant=0.5)
    assert apart.residual == pytest.approx(one.residual - 0.5)
    every = explain(made_cnn(), "wa wb", "all", level=level)  # type: ignore[call-overload]
    np.testing.assert_array_equal(every.constant, [0, 0, 0])
    moved = dataclasses.replace(every, constant=np.array([1.0, 0, -2]))
    np.testing.assert_allclose(moved.residual, every.residual - [1, 0, -2])


def test_one_constant_stands_for_all_targets() -> None:
    every = explain(made_cnn(), "wa wb", "all")
    np.testing.assert_array_equal(dataclasses.replace(every, constant=0.5).constant, [0.5] * 3)


def test_what_is_not_conserved_is_named() -> None:
    made = explain(made_cnn(), ["wa wb"], "all", ids=["mail 7"])[0]
    assert made.check() is made
    broken = dataclasses.replace(made, constant=np.array([0, 0.5, 0]))
    assert not broken.conserved
    with pytest.raises(ConservationError, match=r"^mail 7: .* residual is 0\.5, .*'lrp'"):
        broken.check()
