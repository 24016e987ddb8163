"""The loops by themselves; the formulas are held against the oracle in test_lrp.py and others."""

import numpy as np
from networks import made_cnn, made_text

from whyword.methods.blocks import network_blocks
from whyword.models.cnn.relevance_kernels import FromAbove, word_relevance


def test_results_are_added_to_what_is_there() -> None:
    (block,) = network_blocks(made_cnn(), [made_text([0, 1, 2]), made_text([3])], 2)
    (found,) = block.found
    targets = np.array([[0, 2], [1, 1]], np.int32)
    ones = np.ones(targets.shape)
    above = FromAbove(block.network.output_weight, targets, ones, ones)
    first = np.zeros((len(found.ids), 2), np.float32)
    word_relevance(found, above, 0.01, True, first)
    again = first.copy()
    word_relevance(found, above, 0.01, True, again)
    np.testing.assert_allclose(again, 2 * first, rtol=1e-6)
    np.testing.assert_array_equal(first[3:, 0], first[3:, 1])


def test_each_filter_hands_down_all_it_gets() -> None:
    """With R_j = 1 for every filter, the words together get their number."""
    (block,) = network_blocks(made_cnn((3,), filters=50), [made_text([0, 1, 2, 3, 6]), "wa"], 1)
    (found,) = block.found
    targets = np.zeros((2, 1), np.int32)
    ones = np.ones((2, 1))
    above = FromAbove(np.zeros_like(block.network.output_weight), targets, ones, ones)
    words = np.zeros((len(found.ids), 1), np.float32)
    word_relevance(found, above, 0.01, True, words)
    np.testing.assert_allclose([words[:5].sum(), words[5:].sum()], 50, rtol=1e-4)
