"""Frequent words' rows give the numbers that each batch's own would."""

import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, topical

from whyword import CNNClassifier, explain
from whyword.models.cnn.lexicon import Lexicon


def with_lexicon(model: CNNClassifier, texts: Sequence[str], budget: int) -> CNNClassifier:
    lexicon = Lexicon.of(model.inputs_, model.network_, texts, budget)
    model.inputs_ = replace(model.inputs_, lexicon=lexicon)
    return model


TEXTS = [
    *(made_text(n) for n in ([0, 1, 6, 2], [], [3], [6, 6, 0, 5, 4, 1])),
    "words that nobody knows",
]


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
@pytest.mark.parametrize("budget", [1, 1_000, 1 << 20])
@pytest.mark.parametrize("seen", [0, 1, 5])
def test_explanations_are_the_same(widths: tuple[int, ...], budget: int, seen: int) -> None:
    plain = made_cnn(widths)
    model = with_lexicon(made_cnn(widths), TEXTS[:seen], budget)
    for texts in (TEXTS, TEXTS[::-1], [TEXTS[3]], [""]):
        for a, b in zip(explain(plain, texts, "all"), explain(model, texts, "all"), strict=True):
            np.testing.assert_allclose(b.relevance, a.relevance, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(b.scores, a.scores, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(b.known, a.known)
            assert b.conserved


def test_the_same_batch_gives_the_same_bits_whatever_came_before() -> None:
    texts, _ = topical(60)
    once = with_lexicon(small_cnn(), texts[:10], 1 << 16)
    fresh = explain(with_lexicon(small_cnn(), texts[:10], 1 << 16), texts[20:30], "all")
    for some in (texts[10:20], texts[50:], ["nothing", ""]):
        explain(once, some, "all")
    for a, b in zip(fresh, explain(once, texts[20:30], "all"), strict=True):
        np.testing.assert_array_equal(a.relevance, b.relevance)
        np.testing.assert_array_equal(a.scores, b.scores)


def test_the_most_frequent_stay() -> None:
    model = made_cnn((2,))
    texts = [made_text([0, 0, 0, 1, 1, 2])]
    row = 4 * (model.network_.row_size() + model.inputs_.vectors.dimensions)
    lexicon = Lexicon.of(model.inputs_, model.network_, texts, 5 * row)
    assert lexicon.room == 1
    expected = model.inputs_.vectors.keys(made_text([0, 1, 2]).split())
    np.testing.assert_array_equal(lexicon.keys, np.sort(expected))
    lexicon = Lexicon.of(model.inputs_, model.network_, texts, 2 * row)
    assert lexicon.keys.tolist() == [expected[0]]


def test_one_in_shared_memory_is_copied() -> None:
    model = made_cnn((2,))
    lexicon = Lexicon.of(model.inputs_, model.network_, TEXTS, 1 << 16)
    assert lexicon.as_writable() is lexicon
    sent = pickle.loads(pickle.dumps(lexicon))
    for array in (sent.vectors, *sent.tables):
        array.flags.writeable = False
    own = sent.as_writable()
    (mine,), (other,) = list(own.batches(TEXTS)), list(lexicon.batches(TEXTS))
    np.testing.assert_array_equal(mine.ids, other.ids)
    np.testing.assert_array_equal(own.tables[0], lexicon.tables[0])
