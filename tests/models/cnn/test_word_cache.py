"""Words are what they were the first time."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from networks import made_cnn

from whyword import Vectors, explain
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.word_cache import WordCache
from whyword.words.tokenizer import Tokenizer

FIRST = Vectors(["Moon", "moon", "orbit"], np.arange(6, dtype=np.float32).reshape(3, 2) + 1)
SECOND = Vectors(["moon", "sun"], -np.arange(2, dtype=np.float32).reshape(2, 1) - 1)
BOTH = Vectors.from_tables([*FIRST.tables, *SECOND.tables])
WORDS = ["Moon", "moon", "MOON", "orbit", "Sun", "nobody", "", "Orbit"]


def test_keys_tell_vectors_apart() -> None:
    keys = BOTH.keys(WORDS)
    np.testing.assert_array_equal(BOTH.rows_of(keys), BOTH.rows(WORDS))
    np.testing.assert_array_equal(keys > 0, BOTH.known(WORDS))
    assert len(set(keys.tolist())) == 5  # moon = MOON, orbit = Orbit, nobody = ""
    assert BOTH.keys([]).shape == (0,)


@pytest.mark.parametrize("most_words", [1 << 16, 3, 1])
def test_remembered_keys_are_those_looked_up(
    most_words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordCache, "_MOST_WORDS", most_words)
    memory = WordCache(3, 1 << 10)
    random = np.random.default_rng(0)
    for _ in range(50):
        words = random.choice(WORDS, random.integers(0, 6)).tolist()
        np.testing.assert_array_equal(memory.keys(words, BOTH), BOTH.keys(words))
        assert len(memory._keys) <= max(most_words, 5)


def test_endless_words_are_not_kept() -> None:
    memory = WordCache(3, 1 << 10)
    assert memory.keys(["x" * 1_000_000, "moon"], BOTH)[0] == 0
    assert list(memory._keys) == ["moon"]


@pytest.mark.parametrize("budget", [12, 40, 1 << 10])
def test_batches_are_the_same_with_a_memory(budget: int) -> None:
    plain = Inputs(Tokenizer(), BOTH, 0.5, 2.0, shortest=3)
    inputs = plain.with_cache(budget)
    for text in ["Moon moon MOON", "", "nobody", "the Sun, an orbit", "moon sun Sun", ""]:
        a, b = plain.batch([text]), inputs.batch([text])
        np.testing.assert_array_equal(a.vectors[a.ids], b.vectors[b.ids])
        np.testing.assert_array_equal(a.known[a.ids], b.known[b.ids])
        np.testing.assert_array_equal(a.offsets, b.offsets)
        assert not b.vectors[0].any()
        assert a.keys is None
        assert b.keys is not None
        assert len(b.keys) == len(b.vectors)
    assert inputs.with_cache(0).cache is None


def test_more_tables_than_a_key_can_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are looked up as without a memory."""
    monkeypatch.setattr(Vectors, "sizes", lambda _: (3 << 40, 2 << 40))
    vectors = Vectors.from_tables(BOTH.tables)
    assert not vectors.has_keys
    assert Inputs(Tokenizer(), vectors).with_cache(1 << 20).cache is None


def test_threads_get_the_right_keys() -> None:
    memory = WordCache(3, 24)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(200):
            words = random.choice(WORDS, 4).tolist()
            np.testing.assert_array_equal(memory.keys(words, BOTH), BOTH.keys(words))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_a_copy_has_a_cache_of_its_own() -> None:
    memory = WordCache(3, 1 << 10)
    memory.keys(WORDS, BOTH)
    other = copy.deepcopy(memory)
    assert (other.vectors.capacity, other._keys) == (memory.vectors.capacity, {})


def test_new_texts_after_a_copy_of_the_model() -> None:
    model = copy.deepcopy(made_cnn((2,)).cache_words(1 << 16))
    assert explain(model, "w0 w1 w2", "all").conserved
