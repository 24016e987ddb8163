"""Sums of word vectors against equations (22) and (23) of docs/method.md, literally."""

import math

import numpy as np
import oracle
import pytest
from networks import literal_parts, made_cnn, made_text

from whyword.models.cnn.lrp import GRADIENT_INPUT, Rule
from whyword.models.cnn.summary import lrp_sums, rarity_of, sensitivity_sums, word_sums

TEXTS = [made_text([0, 1, 2, 6, 3]), "", made_text([4])]
TARGETS = np.array([[2], [0], [1]], np.int32)


@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_words_weighted_by_their_relevance(widths: tuple[int, ...]) -> None:
    model = made_cnn(widths, seed=9)
    (trace,) = model.trace(TEXTS)
    words = trace.lrp(TARGETS, epsilon=0.01, bias="shared").words
    sums = word_sums(trace, words, each=False)
    assert sums.dtype == np.float32
    for at, text in enumerate(TEXTS):
        x = model.input_matrix(text).astype(float)[: len(words[at])]
        expected = oracle.summary(x, words[at][:, 0].astype(float)) if len(x) else np.zeros(4)
        np.testing.assert_allclose(sums[at], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rule", [Rule(0.01, shared=True), Rule(1.0, shared=False), GRADIENT_INPUT])
@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_elements_weighted_by_their_lrp(widths: tuple[int, ...], rule: Rule) -> None:
    model = made_cnn(widths, seed=9)
    (trace,) = model.trace(TEXTS)
    sums = lrp_sums(trace, TARGETS, rule, each=False)
    for at, text in enumerate(TEXTS):
        parts = literal_parts(model, text)
        relevance = oracle.lrp(*parts, TARGETS[at, 0], rule.epsilon, rule.shared)
        expected = oracle.summary(parts[0], relevance)
        np.testing.assert_allclose(sums[at], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_elements_weighted_by_their_squared_gradient(widths: tuple[int, ...]) -> None:
    model = made_cnn(widths, seed=9)
    (trace,) = model.trace(TEXTS)
    sums = sensitivity_sums(trace, TARGETS, each=False)
    for at, text in enumerate(TEXTS):
        inputs, convolutions, weight, _ = literal_parts(model, text)
        gradient = oracle.score_gradient(inputs, convolutions, weight, TARGETS[at, 0])
        expected = oracle.summary(inputs, gradient**2)
        np.testing.assert_allclose(sums[at], expected, rtol=1e-4, atol=1e-4)


def test_each_words_part_of_the_sum() -> None:
    (trace,) = made_cnn((2,), seed=9).trace(TEXTS)
    rule = Rule(0.01, shared=True)
    relevance = trace.lrp(TARGETS, epsilon=0.01, bias="shared")
    for whole, each in (
        (word_sums(trace, relevance.words, False), word_sums(trace, relevance.words, True)),
        (lrp_sums(trace, TARGETS, rule, False), lrp_sums(trace, TARGETS, rule, True)),
        (sensitivity_sums(trace, TARGETS, False), sensitivity_sums(trace, TARGETS, True)),
    ):
        assert each.shape == (5 + 0 + 1, 4)  # document after document, padding left out
        for at, words in enumerate((each[:5], each[5:5], each[5:])):
            np.testing.assert_allclose(words.sum(axis=0), whole[at], rtol=1e-4, atol=1e-5)


def test_rarity_is_the_inverse_document_frequency() -> None:
    rarity = rarity_of({"moon": 3, "the": 10}, 10)
    assert rarity("the") == 1
    assert rarity("Moon") == rarity("moon") == pytest.approx(math.log(11 / 4) + 1)
    assert rarity("unheard") == pytest.approx(math.log(11) + 1)
    assert rarity_of({}, 0)("moon") == 1
