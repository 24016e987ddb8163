import numpy as np
import pytest

from whyword.base.errors import ModelError
from whyword.models.probabilities import check_finite, softmax


def test_softmax_of_large_scores() -> None:
    probabilities = softmax(np.array([[1000.0, 1000.0], [0.0, -1e6]]))
    np.testing.assert_allclose(probabilities, np.array([[0.5, 0.5], [1.0, 0.0]]))


def test_softmax_of_any_shape() -> None:
    scores = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    probabilities = softmax(scores)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1)
    np.testing.assert_allclose(probabilities, softmax(scores + 7), rtol=1e-5)
    np.testing.assert_allclose(
        probabilities[1, 2], np.exp(scores[1, 2]) / np.exp(scores[1, 2]).sum(), rtol=1e-6
    )


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers(number: float) -> None:
    scores = np.zeros((4, 5), np.float32)
    assert check_finite(scores) is scores
    scores[2, 1] = number
    with pytest.raises(ModelError) as error:
        check_finite(scores, first=10, text="abcd".__getitem__)
    said = f"the model's scores of text 12 ('c') are no numbers: 0, {number:g}, 0, …;"
    assert str(error.value).startswith(said)
    with pytest.raises(ModelError, match="the model's probabilities of text 2 are no numbers"):
        check_finite(scores, "probabilities")


@pytest.mark.filterwarnings("ignore:invalid value")  # numpy's, which is right
def test_the_softmax_of_what_is_no_number_is_none() -> None:
    chances = softmax(np.array([[np.inf, 0.0], [np.nan, 0.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(np.isfinite(chances).all(axis=1), [False, False, True])
