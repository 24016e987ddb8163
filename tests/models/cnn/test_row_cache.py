"""What is cached is what would be computed."""

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, topical
from numpy.typing import NDArray

from whyword import InputError, explain
from whyword.models.cnn.row_cache import Floats, RowCache


class Source:
    """Two tables whose rows are known beforehand; counts what was made."""

    def __init__(self, keys: Sequence[int]) -> None:
        self.keys = keys
        self.made: list[int] = []

    def __call__(self, new: NDArray[np.intp]) -> list[Floats]:
        chosen = [self.keys[n] for n in new.tolist()]
        self.made += chosen
        return expected(chosen)


def expected(keys: Sequence[int]) -> list[Floats]:
    numbers = np.array(keys, np.float32).reshape(-1, 1)
    return [numbers.repeat(3, axis=1), (numbers * 10).repeat(4, axis=1).reshape(-1, 2, 2)]


def computed_keys(cache: RowCache, keys: Sequence[int]) -> list[int]:
    """Ask, compare, and return the keys that had to be made."""
    source = Source(keys)
    for rows, wanted in zip(
        cache.rows(np.array(keys, np.int64), source), expected(keys), strict=True
    ):
        np.testing.assert_array_equal(rows, wanted)
    return source.made


ROW = 4 * (3 + 4)


def test_rows_are_made_once() -> None:
    cache = RowCache([(3,), (2, 2)], 100 * ROW)
    assert cache.capacity == 100
    assert computed_keys(cache, [5, 1, 7]) == [5, 1, 7]
    assert computed_keys(cache, [7, 2, 5]) == [2]
    assert computed_keys(cache, []) == []
    assert len(cache) == 4


def test_the_one_not_asked_for_longest_goes() -> None:
    cache = RowCache([(3,), (2, 2)], 3 * ROW)
    computed_keys(cache, [1, 2, 3])
    computed_keys(cache, [1])
    computed_keys(cache, [4])
    assert computed_keys(cache, [1, 3, 4]) == []
    assert computed_keys(cache, [2]) == [2]
    assert len(cache) == 3


def test_more_keys_than_room() -> None:
    cache = RowCache([(3,), (2, 2)], 1)
    assert cache.capacity == 1
    assert computed_keys(cache, range(10)) == list(range(10))
    assert len(cache) == 1
    assert computed_keys(cache, [*range(5), 0][1:]) == [1, 2, 3, 4]  # 0 was kept


def test_a_copy_has_a_cache_of_its_own() -> None:
    cache = RowCache([(3,), (2, 2)], 50 * ROW)
    computed_keys(cache, [1, 2])
    other = copy.deepcopy(cache)
    assert (other.capacity, len(other)) == (50, 0)


def test_threads_get_the_right_rows_while_others_make_them_go() -> None:
    cache = RowCache([(3,), (2, 2)], 20 * ROW)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(200):
            computed_keys(cache, random.choice(60, 15, replace=False).tolist())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(cache) == 20


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
@pytest.mark.parametrize("budget", [1, 300, 1 << 20])
def test_explanations_are_the_same_with_a_memory(widths: tuple[int, ...], budget: int) -> None:
    texts = [made_text(numbers) for numbers in ([0, 1, 6, 2], [], [3], [6, 6, 0, 5, 4, 1])]
    texts.append("words that nobody knows")
    plain, model = made_cnn(widths), made_cnn(widths).cache_words(budget)
    for text in texts * 2:
        a, b = explain(plain, text, "all"), explain(model, text, "all")
        np.testing.assert_allclose(b.relevance, a.relevance, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(b.scores, a.scores, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(b.known, a.known)
        assert b.conserved


def test_it_is_no_part_of_the_model() -> None:
    model = small_cnn()
    before, texts = model.identity, topical(30)[0]
    predicted = model.predict(texts)
    model.cache_words(1 << 20)
    np.testing.assert_array_equal(model.predict(texts), predicted)
    assert model.network_.cache is not None
    assert len(model.network_.cache) > 5
    assert model.identity == before
    assert model.cache_words(0).network_.cache is None


def test_unfit_budgets() -> None:
    with pytest.raises(InputError, match="budget must be a whole number"):
        small_cnn().cache_words(-1)
