from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import cbow_batch

from whyword.vectors.cbow_kernels import (
    _sigmoid,
    alias_tables,
    cut_batches,
    draw_windows,
    draw_words,
    train_batches,
)


def state(seed: int = 1) -> np.ndarray:
    return np.array([seed], np.uint64)


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, np.int32)


@settings(deadline=None, max_examples=60)
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


def test_sigmoid() -> None:
    for x in np.linspace(-12, 12, 4001).astype(np.float32):
        assert _sigmoid(x) == pytest.approx(1 / (1 + np.exp(-x, dtype=float)), abs=6e-5)


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
    drawn = np.empty(200_000, np.int32)
    draw_words(*alias_tables(np.array([1.0, 2.0, 5.0])), state(), drawn)
    shares = np.bincount(drawn) / drawn.size
    np.testing.assert_allclose(shares, [1 / 8, 2 / 8, 5 / 8], atol=0.005)


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
        assert left[:4].min() == 0
        assert right[:4].max() <= 4
        assert left[4:].min() >= 4
        assert (left <= np.arange(10)).all()
        assert (right > np.arange(10)).all()
        radii.add(int(7 - left[7]))
    assert radii == {1, 2, 3}


def test_frequent_words_are_thinned_out() -> None:
    ids = ints([0, 1] * 20_000)
    chances = np.array([0xFFFFFFFF // 4, 0xFFFFFFFF], np.uint64)
    kept, left, right = (np.empty(40_000, np.int32) for _ in range(3))
    offsets = np.array([0, 40_000], np.int64)
    count = draw_windows(ids, offsets, chances, 3, state(), kept, left, right)
    assert np.bincount(kept[:count])[0] == pytest.approx(5_000, rel=0.05)
    assert np.bincount(kept[:count])[1] == 20_000


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 3))
def test_batches_are_short_and_repeat_no_word_too_often(
    words: list[int], batch: int, repeats: int
) -> None:
    starts = cut_batches(ints(words), batch, repeats, ints([0] * 4), ints([0] * 4)).tolist()
    assert starts[0] == 0
    assert starts[-1] == len(words)
    for start, stop in pairwise(starts):
        assert 1 <= stop - start <= batch
        assert np.bincount(words[start:stop]).max() <= repeats
