import numpy as np

from whyword.models.relevance import FilterRelevance, Relevance

WORDS = [np.array([[1.0, 2.0, 5.0], [3.0, 4.0, 7.0]]), np.empty((0, 3))]
PADDING = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])


def test_without_a_constant_it_is_0() -> None:
    relevance = Relevance(WORDS, PADDING)
    np.testing.assert_array_equal(relevance.constant, np.zeros((2, 3)))
    assert relevance.constant is not PADDING
    assert (relevance.elements, relevance.units) == (None, None)


def test_a_contrast_takes_the_last_from_all_others() -> None:
    """Equation (12) of docs/method.md, for all parts of the score."""
    elements = [np.stack([words, 2 * words], axis=1).astype(np.float32) for words in WORDS]
    relevance = Relevance(WORDS, PADDING, 2 * PADDING, elements, WORDS[:1]).against_last()
    np.testing.assert_array_equal(relevance.words[0], [[-4, -3], [-4, -3]])
    assert relevance.words[1].shape == (0, 2)
    np.testing.assert_array_equal(relevance.padding, [[-2, -1], [-1, -1]])
    np.testing.assert_array_equal(relevance.constant, [[-4, -2], [-2, -2]])
    assert relevance.elements is not None
    np.testing.assert_array_equal(relevance.elements[0][:, 1], [[-8, -6], [-8, -6]])
    assert relevance.units is not None
    np.testing.assert_array_equal(relevance.units[0], relevance.words[0])


def test_a_contrast_of_words_alone() -> None:
    relevance = Relevance(WORDS, PADDING).against_last()
    assert (relevance.elements, relevance.units) == (None, None)
    np.testing.assert_array_equal(relevance.constant, np.zeros((2, 2)))


def test_a_contrast_of_filters() -> None:
    relevance = FilterRelevance(WORDS, PADDING).against_last()
    np.testing.assert_array_equal(relevance.filters[0], [[-4, -3], [-4, -3]])
    np.testing.assert_array_equal(relevance.constant, [[-2, -1], [-1, -1]])
