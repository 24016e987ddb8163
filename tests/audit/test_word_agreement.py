"""Words of two models, aligned by characters."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import small_cnn

from whyword import BlackBox, InputError, Reader, explain
from whyword.audit.word_agreement import (
    WordRelevance,
    common_units,
    word_agreement,
    word_relevances,
)
from whyword.words import Tokenizer


def relevance(text: str, spans: list[tuple[int, int]], values: list[float]) -> WordRelevance:
    return WordRelevance(text, np.array(spans, np.int32).reshape(-1, 2), np.array(values))


def test_pieces_of_a_word_add_up() -> None:
    whole = relevance("did n't go", [(0, 3), (4, 7), (8, 10)], [1.0, 2.0, 3.0])
    joined = relevance("did n't go", [(0, 7), (8, 9), (9, 10)], [5.0, 1.0, 0.5])
    first, second = common_units(whole, joined)
    assert first.tolist() == [3.0, 3.0]
    assert second.tolist() == [5.0, 1.5]


def test_words_that_touch_stay_apart() -> None:
    a = relevance("abcd", [(0, 2), (2, 4)], [1.0, 2.0])
    assert common_units(a, a)[0].tolist() == [1.0, 2.0]


def test_where_a_model_has_no_word_it_says_nothing() -> None:
    a = relevance("a b c", [(0, 1), (2, 3)], [1.0, 2.0])
    b = relevance("a b c", [(2, 3), (4, 5)], [4.0, 8.0])
    first, second = common_units(a, b)
    assert first.tolist() == [1.0, 2.0, 0.0]
    assert second.tolist() == [0.0, 4.0, 8.0]
    nothing = relevance("a b c", [], [])
    assert [one.tolist() for one in common_units(nothing, nothing)] == [[], []]


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted), max_size=8)


@pytest.mark.slow(reason="tries many spans")
@given(SPANS, SPANS, st.integers(0, 99))
def test_it_is_what_letters_say(
    first: list[tuple[int, int]], second: list[tuple[int, int]], seed: int
) -> None:
    """Whatever the spans: in any order, one within another, without letters."""
    random = np.random.default_rng(seed)
    spans = [[(start, end) for start, end in one] for one in (first, second)]
    values = [random.integers(-9, 9, len(one)).astype(float).tolist() for one in spans]
    text = "x" * 12
    found = common_units(*map(relevance, (text, text), spans, values))
    expected = oracle.common_stretches(12, spans, values)
    assert [one.tolist() for one in found] == expected


def test_relevances_are_those_of_explanations() -> None:
    model, texts = small_cnn(), ["moon orbit the goal", "puck"]
    found = word_relevances(model, texts, ["space", "hockey"], "lrp")
    for one, said in zip(
        found, explain(model, texts, targets=["space", "hockey"], method="lrp"), strict=True
    ):
        assert one.text == said.text
        np.testing.assert_array_equal(one.spans, said.spans)
        np.testing.assert_array_equal(one.values, said.relevance)
    assert word_relevances(model, [], [], "lrp") == []
    with pytest.raises(InputError, match="no class 'sea'"):
        word_relevances(model, ["a"], ["sea"], "lrp")


def letters(texts: list[str]) -> list[list[float]]:
    return [[0.2 + 0.6 * ("o" in text), 0.8 - 0.6 * ("o" in text)] for text in texts]


@pytest.mark.slow(reason="compiles loops")
def test_models_with_other_words() -> None:
    """Words against letters: the letters' relevance adds up to the words'."""
    text = "so a bit"
    by_letter = BlackBox(
        letters, ["o", "other"], reader=Reader(tokenizer=Tokenizer(rule="characters"))
    )
    by_word = BlackBox(letters, ["o", "other"])
    a, b = (
        dict(enumerate(word_relevances(one, [text], ["o"], "occlusion")))
        for one in (by_letter, by_word)
    )
    assert (len(a[0].spans), len(b[0].spans)) == (6, 3)
    agreed = word_agreement(a, b, top=1)
    assert agreed is not None
    assert (agreed.correlation, agreed.overlap, agreed.chance) == pytest.approx((1, 1, 1 / 3))


def test_only_documents_that_both_read_alike_count() -> None:
    one, other = relevance("a b", [(0, 1), (2, 3)], [1.0, 2.0]), relevance("b", [(0, 1)], [1.0])
    empty = relevance("", [], [])
    assert word_agreement({0: one}, {1: one}) is None
    assert word_agreement({0: one}, {0: other}) is None
    assert word_agreement({0: empty}, {0: empty}) is None
    agreed = word_agreement({0: one, 1: one, 2: empty, 3: other}, {0: one, 1: other, 2: empty})
    assert agreed is not None
    assert len(agreed.overlaps) == 1
