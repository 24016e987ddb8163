"""Relevance from elsewhere, by word and by stretches of text."""

from itertools import pairwise

import numpy as np
import pytest
from networks import made_cnn

from whyword import InputError, explain, tokenize
from whyword.explanation.alignment import align, by_span
from whyword.words import Tokenizer

TEXT = "The shuttle reached orbit."  # spans 0–3, 4–11, 12–19, 20–25
DOCUMENT = tokenize(TEXT)


def test_a_value_per_word_is_taken_as_it_is() -> None:
    (values,) = align([[1, -2, 0.5, 4]], [DOCUMENT])
    assert values.tolist() == [1, -2, 0.5, 4]


@pytest.mark.parametrize(
    ("spans", "values", "expected"),
    [
        ([(4, 11)], [3.0], [0, 3, 0, 0]),
        ([(4, 8), (8, 11)], [1.0, 2.0], [0, 3, 0, 0]),  # pieces of a word add up
        ([(0, 11)], [10.0], [3, 7, 0, 0]),  # shared by characters
        ([(25, 26)], [5.0], [0, 0, 0, 0]),  # punctuation is no word
        ([(3, 4), (26, 26)], [5.0, 1.0], [0, 0, 0, 0]),
        ([], [], [0, 0, 0, 0]),
        ([(18, 22)], [3.0], [0, 0, 1, 2]),
        (np.empty((0, 2)), [], [0, 0, 0, 0]),
        ([(5, 5)], [2.0], [0, 0, 0, 0]),
    ],
)
def test_stretches_go_to_the_words_they_overlap(
    spans: list[tuple[int, int]], values: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(by_span(spans, values, DOCUMENT), expected)
    (result,) = align([(spans, values)], [DOCUMENT])
    np.testing.assert_allclose(result, expected)


def test_values_on_words_are_kept() -> None:
    """Any cutting of the text: the sum is that of the stretches that touch a word."""
    random = np.random.default_rng(0)
    for _ in range(30):
        cuts = np.flatnonzero(random.random(len(TEXT) - 1) < 0.3) + 1
        bounds = np.array(list(pairwise([0, *cuts.tolist(), len(TEXT)])))
        values = random.normal(size=len(bounds))
        touching = [
            any(a < end and start < b for start, end in DOCUMENT.spans.tolist())
            for a, b in bounds.tolist()
        ]
        result = by_span(bounds, values, DOCUMENT)
        np.testing.assert_allclose(result.sum(), values[touching].sum(), atol=1e-9)


def test_explanations_are_taken_also_of_other_words() -> None:
    model = made_cnn()
    explanation = explain(model, "wa wb wc")
    (same,) = align([explanation], [explanation.document])
    np.testing.assert_array_equal(same, explanation.relevance)
    (other,) = align([explanation], [Tokenizer(max_words=2)("wa wb wc")])
    np.testing.assert_allclose(other, explanation.relevance[:2])
    with pytest.raises(InputError, match="document 0 explains another text: 'wa wb wc', not 'wb'"):
        align([explanation], [tokenize("wb")])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 2, 3]], "document 7 has 3 values, but the model sees 4 words"),
        ([np.ones((4, 2))], r"document 7 has shape \(4, 2\)"),
        ([[1, 2, 3, np.nan]], r"nan at word 3 \('orbit'\)"),
        ([[1, np.inf, 3, 4]], r"inf at word 1 \('shuttle'\)"),
        ([([(0, 3)], [1.0, 2.0])], "2 values for 1 spans"),
        ([([(3, 0)], [1.0])], "start ≤ end"),
        ([([(0, np.inf)], [1.0])], "start ≤ end"),
        ([([(20, 90)], [1.0])], r"which has 26 characters: \[20, 90\)"),
        ([([(-1, 3)], [1.0])], "reach out of its text"),
        ([{"orbit": 1.0}], "no list of numbers: .*give a value per word"),
        ([[("orbit", 1.0)]], "no list of numbers"),
        ([([(0, 3, 5)], [1.0])], r"spans of document 7 have shape \(1, 3\)"),
        ([([(0, 3)], [np.nan])], "nan at word 0"),
        ([["a", "b", "c", "d"]], "no list of numbers"),
        ([None], "no list of numbers|has shape"),
        ([[1, 2, 3, 4]] * 2, "relevance and texts differ in length: 2 ≠ 1"),
        (5, "one entry per text, not int"),
        ("abcd", "one entry per text, not str"),
    ],
)
def test_what_does_not_fit_is_named(given: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        align(given, [DOCUMENT], first=7)


def test_one_class_is_needed() -> None:
    explanation = explain(made_cnn(), "wa wb", target="all")
    with pytest.raises(InputError, match="explains 3 classes; one is needed"):
        align([explanation], [explanation.document])
