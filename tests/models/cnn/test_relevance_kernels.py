"""The loops by themselves; the formulas are held against the oracle in test_lrp.py and others."""

import numpy as np
from networks import made_cnn, made_text

from whyword.models.cnn.relevance_kernels import (
    OutputRelevance,
    element_relevance,
    exact_scores,
    relevance_ratios,
    word_relevance,
)


def test_results_are_added_to_what_is_there() -> None:
    (trace,) = made_cnn().trace([made_text([0, 1, 2]), made_text([3])], columns=2)
    (activations,) = trace.activations
    targets = np.array([[0, 2], [1, 1]], np.int32)
    ones = np.ones(targets.shape)
    output = OutputRelevance(trace.network.output_weight, targets, ones, ones)
    first = np.zeros((len(activations.ids), 2), np.float32)
    word_relevance(activations, output, 0.01, True, first)
    again = first.copy()
    word_relevance(activations, output, 0.01, True, again)
    np.testing.assert_allclose(again, 2 * first, rtol=1e-6)
    np.testing.assert_array_equal(first[3:, 0], first[3:, 1])


def test_each_filter_passes_on_all_it_gets() -> None:
    """With R[j, k] = 1 for every filter, the words together get their number."""
    (trace,) = made_cnn((3,), filters=50).trace([made_text([0, 1, 2, 3, 6]), "wa"])
    (activations,) = trace.activations
    targets = np.zeros((2, 1), np.int32)
    ones = np.ones((2, 1))
    output = OutputRelevance(np.zeros_like(trace.network.output_weight), targets, ones, ones)
    words = np.zeros((len(activations.ids), 1), np.float32)
    word_relevance(activations, output, 0.01, True, words)
    np.testing.assert_allclose([words[:5].sum(), words[5:].sum()], 50, rtol=1e-4)


def test_a_words_elements_sum_to_its_relevance() -> None:
    """Equation (9) of docs/method.md: (8), summed over the dimensions, is (30)."""
    (trace,) = made_cnn((3,), filters=20).trace([made_text([0, 1, 2, 3, 6]), "wa"])
    (activations,) = trace.activations
    targets = np.array([[1], [2]], np.int32)
    ones = np.ones((2, 1))
    output = OutputRelevance(trace.network.output_weight, targets, ones, ones)
    for shared in (True, False):
        words = np.zeros((len(activations.ids), 1), np.float32)
        elements = np.zeros((len(activations.ids), activations.vectors.shape[1]), np.float32)
        word_relevance(activations, output, 0.01, shared, words)
        element_relevance(activations, output, 0.01, shared, 0, elements)
        np.testing.assert_allclose(elements.sum(axis=1), words[:, 0], rtol=1e-4, atol=1e-4)


def test_ratios_of_filters_that_fire_and_that_do_not() -> None:
    pooled, bias = np.array([2, 0], np.float32), np.array([1, -3], np.float32)
    responses, weight = np.array([2.0, -1.0]), np.array([[3], [5]], np.float32)
    ratios, shares = np.empty(2, np.float32), np.empty(2, np.float32)
    filters, inputs, epsilon = (pooled, responses, bias, weight), 4, 0.25
    relevance_ratios(*filters, 0, 0.5, 2.0, epsilon, True, inputs, ratios, shares)
    np.testing.assert_allclose(ratios, [(2 * 3 + 0.5) * 2 / 2.25, 0.5 * 2 / -1.25])
    np.testing.assert_allclose(shares, ratios * np.array([1.25, -3.25]) / 4)
    relevance_ratios(*filters, 0, 0.0, 2.0, epsilon, False, inputs, ratios, shares)
    np.testing.assert_allclose(ratios, [2 * 3 * 2 / 2.25, 0])
    np.testing.assert_array_equal(shares, 0)


def test_exact_scores_are_the_scores() -> None:
    (trace,) = made_cnn().trace([made_text([0, 1, 2]), made_text([3])])
    (activations,) = trace.activations
    exact = np.tile(trace.network.output_bias.astype(np.float64), (2, 1))
    exact_scores(activations, trace.network.output_weight, np.array([1]), exact)
    np.testing.assert_array_equal(exact[0], trace.network.output_bias)
    np.testing.assert_allclose(exact[1], trace.scores[1], rtol=1e-5, atol=1e-6)
