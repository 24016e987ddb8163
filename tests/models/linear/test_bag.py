"""Features, where they stand in a text, and the words they stand for."""

import numpy as np

from whyword import tokenize
from whyword.models.linear.bag import Bag, FeatureRow, Occurrence, linked_bag


def made() -> Bag:
    document = tokenize("not good, so not good")
    row = FeatureRow(np.array([3, 7, 9]), np.array([0.5, 0.2, 0.1]))
    placed = [
        (3, Occurrence("not good", [0, 1], (0, 8))),
        (3, Occurrence("not good", [3, 4], (13, 21))),
        (7, Occurrence("so", [2], (10, 12))),
        (9, Occurrence("<odd>", [], (0, 0))),  # found nowhere
        (5, Occurrence("left out", [0], (0, 3))),  # not a feature of the row
    ]
    places, occurrences = zip(*placed, strict=True)
    return linked_bag(document, row, np.array(places), occurrences)


def test_an_occurrence_shares_its_part_among_its_words() -> None:
    words = made().spread(np.array([[1.0], [2.0], [4.0]]))
    np.testing.assert_allclose(words[:, 0], [0.25, 0.25, 2, 0.25, 0.25])
    assert made().known.all()


def test_phrases_come_in_the_order_of_the_text_and_add_up_to_the_words() -> None:
    values = np.array([[1.0, -1], [2, 3], [4, 5]])
    phrases = made().phrases(values)
    assert phrases.names == ["not good", "so", "not good"]
    assert phrases.spans.tolist() == [[0, 8], [10, 12], [13, 21]]
    np.testing.assert_allclose(phrases.relevance, [[0.5, -0.5], [2.0, 3.0], [0.5, -0.5]])
    np.testing.assert_allclose(phrases.relevance.sum(axis=0), made().spread(values).sum(axis=0))


def test_values_of_words_are_gathered_by_features() -> None:
    gathered = made().gather(np.array([1.0, 2, 4, 8, 16]))
    np.testing.assert_allclose(gathered, [27, 4, 0])


def test_nothing_at_all() -> None:
    row = FeatureRow(np.zeros(0, np.intp), np.zeros(0))
    bag = linked_bag(tokenize(""), row, np.zeros(0, np.intp), [])
    assert bag.spread(np.zeros((0, 2))).shape == (0, 2)
    assert bag.phrases(np.zeros((0, 2))).relevance.shape == (0, 2)


def test_occurrences_that_take_from_a_value_have_a_share_below_zero() -> None:
    row = FeatureRow(np.array([2, 4]), np.array([1.0, 1.0]))
    several = [Occurrence(name, [0], (0, 1)) for name in "abcde"]
    signs = np.array([1.0, 1.0, -1.0, 1.0, -1.0])
    bag = linked_bag(tokenize("a"), row, np.array([2, 2, 2, 4, 4]), several, signs)
    # two that cancel each other, of a feature that has a value all the same, share it equally
    assert bag.shares.tolist() == [1, 1, -1, 0.5, 0.5]
