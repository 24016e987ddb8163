"""CBOW: its batches equal the literal formula, and results are reproducible and cached."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import cbow_batch

from whyword import InputError, Vectors
from whyword.base.progress import Progress
from whyword.vectors import cbow
from whyword.vectors.cbow import CBOW
from whyword.vectors.cbow_kernels import (
    alias_tables,
    cut_batches,
    draw_windows,
    draw_words,
    train_batches,
)


def topical_texts(count: int) -> list[str]:
    """Return texts of two topics with separate words, and a word that is everywhere."""
    random = np.random.default_rng(0)
    topics = ["orbit moon rocket shuttle launch".split(), "puck goal ice skate team".split()]
    return [" ".join(["The", *random.choice(topics[i % 2], 30)]) for i in range(count)]


def test_words_of_a_topic_come_together() -> None:
    vectors = Vectors.train_cbow(topical_texts(400), dimensions=20, epochs=10, cache=False)
    for word, others in {"moon": "orbit rocket shuttle launch", "ice": "puck goal skate"}.items():
        assert set(others.split()) <= {near.word for near in vectors.nearest(word, 4)}


def test_the_same_seed_gives_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYWORD_CACHE", "/proc/nowhere")  # not needed without a cache

    def train(seed: int = 0) -> Vectors:
        return Vectors.train_cbow(
            topical_texts(100), dimensions=9, epochs=3, seed=seed, cache=False
        )

    first, again, other = train(), train(), train(seed=1)
    np.testing.assert_array_equal(first.rows(first.words), again.rows(again.words))
    assert (first.rows(first.words) != other.rows(first.words)).any()


def test_results_are_cached_by_content(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = topical_texts(20)
    first = Vectors.train_cbow(texts, dimensions=5, epochs=2)
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[:100])  # damaged: it is trained again
    again = Vectors.train_cbow(texts, dimensions=5, epochs=2)
    np.testing.assert_array_equal(first["moon"], again["moon"])

    def no_training(*_: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(cbow, "train_batches", no_training)
    again = Vectors.train_cbow(list(texts), dimensions=5, epochs=2)
    np.testing.assert_array_equal(first.rows(first.words), again.rows(again.words))
    for changed, seed, window in ((texts, 1, 10), (texts, 0, 2), ([*texts, "moon"], 0, 10)):
        with pytest.raises(AssertionError, match="trained again"):
            Vectors.train_cbow(changed, dimensions=5, epochs=2, seed=seed, window=window)


def test_progress_is_reported_after_each_epoch() -> None:
    events: list[Progress] = []
    CBOW(dimensions=3, epochs=4).fit([["a", "b"]] * 9, cache=False, on_progress=events.append)
    assert [(event.number, event.total, event.share) for event in events] == [
        (n, 4, n / 4) for n in range(1, 5)
    ]
    assert {event.stage for event in events} == {"training word vectors"}


def test_case_and_rare_words() -> None:
    documents = [["Moon", "moon", "MOON", "once"]]
    assert CBOW(dimensions=4, epochs=1).fit(documents, cache=False)[0] == ["moon"]
    kept = CBOW(dimensions=4, epochs=1, lowercase=False, min_count=1).fit(documents, cache=False)
    assert kept[0] == ["MOON", "Moon", "moon", "once"]


@pytest.mark.parametrize("text", ["a " * 4_000, "x", "b b"])
def test_degenerate_texts_stay_finite(text: str) -> None:
    words, matrix = CBOW(dimensions=8, epochs=20, min_count=1).fit([text.split()], cache=False)
    assert len(words) == 1
    assert np.abs(matrix).max() < 100


def test_bad_settings() -> None:
    wrong = {"epochs": 0, "window": 2**62, "dimensions": 8.5, "seed": -1, "negative": True}
    for name, value in wrong.items():
        with pytest.raises(InputError, match=f"{name} must be a whole number"):
            CBOW(**{name: value})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"learning_rate must be in \(0, 1\] and sample in"):
        CBOW(learning_rate=0)
    assert CBOW(dimensions=np.int64(8)).dimensions == 8  # type: ignore[arg-type]
    for documents in ([["a", "b"], []], []):
        with pytest.raises(InputError, match="no word occurs 2 times"):
            CBOW().fit(documents)


# ---- compiled loops ---------------------------------------------------------------------------


def state(seed: int = 1) -> np.ndarray:
    return np.array([seed], np.uint64)


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, np.int32)


@settings(max_examples=60)
@given(
    words=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    cuts=st.sets(st.integers(1, 11)),
    window=st.integers(1, 4),
    seed=st.integers(0, 1000),
)
def test_batches_equal_the_literal_formula(
    words: list[int], cuts: set[int], window: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    n = len(words)
    source = random.normal(size=(6, 7)).astype(np.float32)
    target = random.normal(size=(6, 7)).astype(np.float32)
    windows = [(max(0, i - window), min(n, i + 1 + int(random.integers(1, 4)))) for i in range(n)]
    starts = [0, *sorted(cut for cut in cuts if cut < n), n]
    noise = random.integers(0, 6, (len(starts) - 1, 5)).astype(np.int32)
    rates = (0.05, 0.01)
    expected = source.astype(float), target.astype(float)
    for batch, (start, stop) in enumerate(pairwise(starts)):
        rate = rates[0] + (rates[1] - rates[0]) * start / n
        expected = cbow_batch(
            *expected, words, windows, range(start, stop), noise[batch].tolist(), 0.6, rate
        )
    left, right = ints([a for a, _ in windows]), ints([b for _, b in windows])
    train_batches(source, target, ints(words), left, right, ints(starts), noise, 0.6, rates)
    np.testing.assert_allclose(source, expected[0], atol=2e-4)
    np.testing.assert_allclose(target, expected[1], atol=2e-4)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
def test_alias_tables_hold_the_weights(weights: list[float]) -> None:
    keep, other = alias_tables(np.array(weights))
    chances = np.zeros(len(weights))
    for slot in range(len(weights)):
        kept = float(keep[slot]) / 0xFFFFFFFF
        chances[slot] += kept
        chances[other[slot]] += 1 - kept
    np.testing.assert_allclose(chances / len(weights), np.array(weights) / sum(weights), atol=1e-6)


def test_words_are_drawn_by_weight() -> None:
    drawn = np.empty(20_000, np.int32)
    draw_words(*alias_tables(np.array([1.0, 2.0, 5.0])), state(), drawn)
    np.testing.assert_allclose(np.bincount(drawn) / drawn.size, [1 / 8, 2 / 8, 5 / 8], atol=0.01)


def test_windows_stay_in_their_document() -> None:
    ids = ints(list(range(10)))
    offsets = np.array([0, 4, 4, 10], np.int64)
    all_kept = np.full(10, 0xFFFFFFFF, np.uint64)
    kept, left, right = (np.empty(10, np.int32) for _ in range(3))
    radii = set()
    for seed in range(50):
        count = draw_windows(ids, offsets, all_kept, 3, state(seed), kept, left, right)
        assert count == 10
        assert kept.tolist() == ids.tolist()
        assert (left[:4].min(), right[:4].max() <= 4, left[4:].min() >= 4) == (0, True, True)
        assert (left <= np.arange(10)).all()
        assert (right > np.arange(10)).all()
        radii.add(int(7 - left[7]))
    assert radii == {1, 2, 3}


def test_frequent_words_are_thinned_out() -> None:
    ids = ints([0, 1] * 5_000)
    chances = np.array([0xFFFFFFFF // 4, 0xFFFFFFFF], np.uint64)
    kept, left, right = (np.empty(10_000, np.int32) for _ in range(3))
    offsets = np.array([0, 10_000], np.int64)
    count = draw_windows(ids, offsets, chances, 3, state(), kept, left, right)
    thinned, others = np.bincount(kept[:count])
    assert thinned == pytest.approx(1_250, rel=0.1)
    assert others == 5_000


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 3))
def test_batches_are_short_and_repeat_no_word_too_often(
    words: list[int], batch: int, repeats: int
) -> None:
    starts = cut_batches(ints(words), batch, repeats, ints([0] * 4), ints([0] * 4)).tolist()
    assert (starts[0], starts[-1]) == (0, len(words))
    for start, stop in pairwise(starts):
        assert 1 <= stop - start <= batch
        assert np.bincount(words[start:stop]).max() <= repeats
