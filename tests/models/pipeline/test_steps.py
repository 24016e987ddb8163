"""Steps forward: what scikit-learn's transformers make of the same rows."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import Binarizer, Normalizer

from whyword import InputError
from whyword.models.pipeline.steps import (
    Binarising,
    Centring,
    Normalising,
    Projecting,
    Scaling,
    Selecting,
    Step,
    Sublinear,
)

RANDOM = np.random.default_rng(1)
DENSE = RANDOM.integers(0, 4, (6, 5)).astype(float)
DENSE[2] = 0
ROWS = csr_matrix(DENSE)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Sublinear(), TfidfTransformer(use_idf=False, norm=None, sublinear_tf=True)),
        (Binarising(1.0), Binarizer(threshold=1.0)),
        *((Normalising(norm), Normalizer(norm)) for norm in ("l1", "l2", "max")),
    ],
)
def test_steps_do_what_scikit_learns_do(step: Step, expected: Any) -> None:  # noqa: ANN401
    theirs = expected.fit(ROWS).transform(ROWS).toarray()
    np.testing.assert_allclose(step.forward(ROWS).toarray(), theirs, atol=1e-15)
    np.testing.assert_array_equal(ROWS.toarray(), DENSE)  # what is given is not changed


def test_negative_values_have_a_norm() -> None:
    rows = csr_matrix(np.array([[-3.0, 1.0]]))
    assert Normalising("max").forward(rows).toarray().tolist() == [[-1.0, 1 / 3]]


def test_numbers_of_their_own() -> None:
    numbers, components = RANDOM.normal(size=5), RANDOM.normal(size=(3, 5))
    np.testing.assert_allclose(Scaling(numbers).forward(ROWS).toarray(), DENSE * numbers)
    np.testing.assert_allclose(Centring(numbers).forward(ROWS).toarray(), DENSE - numbers)
    np.testing.assert_allclose(Projecting(components).forward(ROWS).toarray(), DENSE @ components.T)
    chosen = np.array([1, 4])
    np.testing.assert_array_equal(Selecting(chosen, 5).forward(ROWS).toarray(), DENSE[:, chosen])


@pytest.mark.parametrize(
    "step",
    [
        Scaling(np.ones(4)),
        Centring(np.ones(4)),
        Projecting(np.ones((2, 4))),
        Selecting(np.array([1]), 4),
    ],
)
def test_a_step_for_others_is_refused(step: Step) -> None:
    with pytest.raises(InputError, match="of 4 features stands over 5"):
        step.width(5)


def test_a_selection_from_very_many() -> None:
    """Nothing as long as all features is made: there may be two thousand millions."""
    many = (1 << 31) - 1
    rows = csr_matrix((np.arange(1.0, 4), ([0, 0, 1], [5, many - 1, 6])), (2, many))
    chosen = np.array([5, 7, many - 1])
    result = Selecting(chosen, many).forward(rows)
    assert result.toarray().tolist() == [[1, 0, 2], [0, 0, 0]]


def test_a_bound_of_its_numbers() -> None:
    assert Scaling(np.array([2.0, -5.0, np.inf])).reach(3) == 15
    assert Normalising("l2").reach(1e9) == Binarising().reach(1e9) == 1
    assert Centring(np.array([-7.0])).reach(3) == 10
    assert Projecting(np.array([[-7.0]])).reach(3) == 21
    assert Sublinear().reach(3) == Selecting(np.array([0]), 1).reach(3) == 3
