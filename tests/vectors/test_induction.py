"""Vectors for unknown words, inferred from their contexts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracle import context_means

from whyword import Vectors
from whyword.vectors.induction import context_sums, induce_vectors
from whyword.vectors.vocabulary import token_ids


def test_words_become_numbers() -> None:
    tokens = token_ids([["B", "a", "c"], [], ["b", "a"]])
    assert tokens.words == ["a", "b", "c"]  # the most frequent first, then alphabetical
    assert tokens.counts.tolist() == [2, 2, 1]
    assert tokens.ids.tolist() == [1, 0, 2, 1, 0]
    assert tokens.ids.dtype == np.int32
    assert tokens.offsets.tolist() == [0, 3, 3, 5]
    rare = token_ids([["a", "b", "a"]], min_count=2)
    assert (rare.words, rare.ids.tolist()) == (["a"], [0, 0])
    assert token_ids([["A", "a"]], lowercase=False).words == ["A", "a"]
    assert token_ids([]).offsets.tolist() == [0]


documents = st.lists(st.lists(st.integers(0, 5), max_size=12), min_size=1, max_size=4)


@given(documents, st.lists(st.booleans(), min_size=6, max_size=6), st.integers(1, 4))
def test_context_sums_equal_the_literal_ones(
    texts: list[list[int]], known: list[bool], window: int
) -> None:
    vectors = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
    ids = np.array([word for text in texts for word in text], np.int32)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    sums, used = context_sums(ids, offsets, vectors, np.array(known), window)
    expected, expected_used = context_means(texts, vectors.astype(float), known, window)
    np.testing.assert_allclose(sums, expected, atol=1e-6)
    np.testing.assert_array_equal(used, expected_used)


def test_the_map_is_the_weighted_ridge_regression() -> None:
    random = np.random.default_rng(3)
    tokens = token_ids([[str(word) for word in random.integers(0, 40, 300)]])
    known = random.random(40) < 0.8
    vectors = random.normal(size=(40, 3)).astype(np.float32)
    sums, used = context_sums(tokens.ids, tokens.offsets, vectors, known, 2)
    contexts = sums / used[:, None]
    root = np.sqrt(np.log1p(used[known]))[:, None]
    ridge = 1e-3 * np.sum((root * contexts[known]) ** 2) / 3
    inputs = np.concatenate([root * contexts[known], np.sqrt(ridge) * np.eye(3)])
    outputs = np.concatenate([root * vectors[known], np.zeros((3, 3))])
    straighten, *_ = np.linalg.lstsq(inputs, outputs, rcond=None)
    inferred = induce_vectors(tokens, vectors, known, 2)
    np.testing.assert_allclose(inferred, contexts @ straighten, atol=1e-5)


def test_an_unknown_word_is_near_its_topic() -> None:
    random = np.random.default_rng(0)
    topics = ["orbit moon rocket shuttle launch".split(), "puck goal ice skate team".split()]
    texts = [" ".join(random.choice(topics[i % 2], 30)) for i in range(200)]
    words = "orbit moon rocket launch puck goal ice team".split()
    means = np.repeat([[1.0, 0, 0], [0, 1, 0]], 4, axis=0)
    matrix = means + np.random.default_rng(2).normal(scale=0.1, size=(8, 3))
    vectors = Vectors(words, matrix.astype(np.float32))
    induced = vectors.induce(texts)
    assert induced.words[:8] == words
    assert set(induced.words[8:]) == {"shuttle", "skate"}
    np.testing.assert_array_equal(induced["moon"], vectors["moon"])
    nearest = {near.word for near in induced.nearest("shuttle", 4)}
    assert nearest == {"orbit", "moon", "rocket", "launch"}
    np.testing.assert_array_equal(induced["Shuttle"], induced["shuttle"])
    parts = [Vectors(["orbit", "puck"], np.eye(2, dtype=np.float32)) for _ in range(2)]
    assert Vectors.stack(*parts).induce(texts)["moon"].shape == (4,)


def test_rare_words_and_nothing_known() -> None:
    vectors = Vectors(["a"], np.ones((1, 2), np.float32))
    assert vectors.induce(["a once"], min_count=2).words == ["a"]
    assert vectors.induce(["b c d b c d"]).words == ["a"]
    assert vectors.induce([]).words == ["a"]
