"""Cached answers to words change no prediction and no explanation."""

import copy
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, topical
from numpy.typing import NDArray

from whyword import CNNClassifier, InputError, Vectors, explain
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Convolution, Network
from whyword.models.cnn.word_cache import (
    Floats,
    FrequentWords,
    KeptRows,
    RecentWords,
    WordLookup,
)
from whyword.words.reader import Reader

FIRST = Vectors(["Moon", "moon", "orbit"], np.arange(6, dtype=np.float32).reshape(3, 2) + 1)
SECOND = Vectors(["moon", "sun"], -np.arange(2, dtype=np.float32).reshape(2, 1) - 1)
BOTH = Vectors.from_tables([*FIRST.tables, *SECOND.tables])
WORDS = ["Moon", "moon", "MOON", "orbit", "Sun", "nobody", "", "Orbit"]
INPUTS = Inputs(Reader(), BOTH, 0.5, 2.0, shortest=3)
TEXTS = [
    *(made_text(n) for n in ([0, 1, 6, 2], [], [3], [6, 6, 0, 5, 4, 1])),
    "words that nobody knows",
]


def made_network() -> Network:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> Floats:
        return random.normal(size=shape).astype(np.float32)

    return Network(tuple(Convolution(draw(w, 4, 3), draw(4)) for w in (1, 2)), draw(8, 3), draw(3))


NETWORK = made_network()


def assert_same_explanations(
    plain: CNNClassifier, model: CNNClassifier, texts: Sequence[str]
) -> None:
    gone = [list(range(0, len(text.split()), 2)) for text in texts]
    whole, rest = (
        [*explain(one, texts, "all"), *explain(one, texts, "all", deleted=gone)]
        for one in (plain, model)
    )
    for a, b in zip(whole, rest, strict=True):
        np.testing.assert_allclose(b.relevance, a.relevance, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(b.scores, a.scores, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(b.known, a.known)
        assert b.conserved


@pytest.mark.parametrize("most_rows", [1, 5, 1000])
def test_batches_hold_as_many_rows_as_fit(most_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["moon sun", "", "orbit moon", "a b c d e f g", "a b", "Moon"]
    whole = INPUTS.batch(texts)
    monkeypatch.setattr(Network, "most_rows", lambda _: most_rows)
    parts = list(WordLookup(INPUTS, NETWORK).batches(texts))
    sizes = {1: [1, 1, 1, 1, 1, 1], 5: [3, 1, 2], 1000: [6]}
    assert [len(part) for part in parts] == sizes[most_rows]
    together = np.concatenate([part.vectors[part.ids] for part in parts])
    np.testing.assert_array_equal(together, whole.vectors[whole.ids])
    repeated = list(WordLookup(INPUTS, NETWORK).batches(["moon sun", "moon sun moon sun moon"]))
    assert len(repeated) == (2 if most_rows == 1 else 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WordLookup(INPUTS, NETWORK),
        lambda: RecentWords(INPUTS, NETWORK, 12),
        lambda: RecentWords(INPUTS, NETWORK, 1 << 10),
        lambda: FrequentWords(INPUTS, NETWORK, [], 1),
        lambda: FrequentWords(INPUTS, NETWORK, ["moon moon Sun"], 1 << 10),
    ],
)
def test_a_batch_has_the_rows_of_its_words(make: Callable[[], WordLookup]) -> None:
    words = make()
    for text in ["Moon moon MOON", "", "nobody", "the Sun, an orbit", "moon sun Sun", ""]:
        plain, (batch,) = INPUTS.batch([text]), words.batches([text])
        np.testing.assert_array_equal(batch.vectors[batch.ids], plain.vectors[plain.ids])
        np.testing.assert_array_equal(batch.known[batch.ids], plain.known[plain.ids])
        np.testing.assert_array_equal(batch.offsets, plain.offsets)
        assert not batch.vectors[0].any()
        for read, expected in zip(
            NETWORK.activate(batch), NETWORK.tables(plain.vectors), strict=True
        ):
            np.testing.assert_allclose(read.table[batch.ids], expected[plain.ids], atol=1e-6)


# ---- recent words -----------------------------------------------------------------------------


def test_keys_tell_vectors_apart() -> None:
    keys = BOTH.keys(WORDS)
    np.testing.assert_array_equal(BOTH.rows_of(keys), BOTH.rows(WORDS))
    np.testing.assert_array_equal(keys > 0, BOTH.known(WORDS))
    assert len(set(keys.tolist())) == 5  # moon = MOON, orbit = Orbit, nobody = ""
    assert BOTH.keys([]).shape == (0,)


def test_remembered_keys_are_those_looked_up() -> None:
    """Also of more words than are remembered, of endless ones, and in several threads."""
    recent = RecentWords(INPUTS, NETWORK, 24)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(50):
            words = random.choice(WORDS, random.integers(0, 6)).tolist()
            np.testing.assert_array_equal(recent.keys(words), BOTH.keys(words))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert recent.keys(["x" * 1_000_000, "moon"]).tolist() == BOTH.keys(["q", "moon"]).tolist()
    many = [f"word{number}" for number in range(70_000)]
    assert not recent.keys(many).any()
    work(9)


def test_tables_too_large_for_keys_are_looked_up_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    model = made_cnn()
    monkeypatch.setattr(Vectors, "sizes", lambda _: (3 << 40, 2 << 40))
    assert not model.inputs_.vectors.has_keys
    assert type(model.cache_words(1 << 20).words_) is WordLookup
    assert model.cache_frequent_words(TEXTS, 1 << 20) is model


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
@pytest.mark.parametrize("budget", [1, 300, 1 << 20])
def test_explanations_are_the_same_with_recent_words(widths: tuple[int, ...], budget: int) -> None:
    plain, model = made_cnn(widths), made_cnn(widths).cache_words(budget)
    for text in TEXTS * 2:
        assert_same_explanations(plain, model, [text])


@pytest.mark.parametrize("how", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_of_the_model_has_recent_words_of_its_own(
    how: Callable[[CNNClassifier], CNNClassifier],
) -> None:
    model = made_cnn().cache_words(1 << 16)
    explain(model, TEXTS, "all")
    other = how(model)
    assert isinstance(model.words_, RecentWords)
    assert isinstance(other.words_, RecentWords)
    assert (other.words_.kept.capacity, len(other.words_.kept)) == (model.words_.kept.capacity, 0)
    assert_same_explanations(made_cnn(), other, TEXTS)


def test_what_is_cached_is_no_part_of_the_model() -> None:
    model = small_cnn()
    before, texts = model.identity, topical(30)[0]
    predicted = model.predict(texts)
    model.cache_words(1 << 20)
    np.testing.assert_array_equal(model.predict(texts), predicted)
    assert isinstance(model.words_, RecentWords)
    assert len(model.words_.kept) > 5
    assert model.identity == before
    assert type(model.cache_words(0).words_) is WordLookup
    with pytest.raises(InputError, match="budget must be a whole number"):
        model.cache_words(-1)


@pytest.mark.parametrize(
    "cache",
    [
        lambda model: model.cache_words(1 << 20),
        lambda model: model.cache_frequent_words(TEXTS, 1 << 20),
    ],
)
def test_other_weights_are_not_given_this_networks_rows(
    cache: Callable[[CNNClassifier], CNNClassifier],
) -> None:
    plain, model = made_cnn(), cache(made_cnn())
    explain(model, TEXTS)
    for expected, other in (
        (plain.shuffled("all", 3), model.shuffled("all", 3)),
        (plain.shifted(0.5), model.shifted(0.5)),
        (plain.with_reader(Reader(ignore=["wa"])), model.with_reader(Reader(ignore=["wa"]))),
    ):
        np.testing.assert_array_equal(other.class_scores(TEXTS), expected.class_scores(TEXTS))


# ---- rows by key ------------------------------------------------------------------------------

ROW = 4 * (3 + 4)


def computed_keys(kept: KeptRows, keys: Sequence[int]) -> list[int]:
    """Ask for the rows of keys, compare them, and return the keys that were computed."""
    made: list[int] = []

    def rows_of(chosen: Sequence[int]) -> list[Floats]:
        numbers = np.array(chosen, np.float32).reshape(-1, 1)
        return [numbers.repeat(3, axis=1), (numbers * 10).repeat(4, axis=1).reshape(-1, 2, 2)]

    def source(new: NDArray[np.intp]) -> list[Floats]:
        made.extend(keys[n] for n in new.tolist())
        return rows_of([keys[n] for n in new.tolist()])

    for rows, wanted in zip(
        kept.rows(np.array(keys, np.int64), source), rows_of(keys), strict=True
    ):
        np.testing.assert_array_equal(rows, wanted)
    return made


def test_rows_are_computed_once() -> None:
    kept = KeptRows([(3,), (2, 2)], 100 * ROW)
    assert kept.capacity == 100
    assert computed_keys(kept, [5, 1, 7]) == [5, 1, 7]
    assert computed_keys(kept, [7, 2, 5]) == [2]
    assert computed_keys(kept, []) == []
    assert len(kept) == 4


def test_the_least_recently_used_row_is_evicted() -> None:
    kept = KeptRows([(3,), (2, 2)], 3 * ROW)
    computed_keys(kept, [1, 2, 3])
    computed_keys(kept, [1])
    computed_keys(kept, [4])
    assert computed_keys(kept, [1, 3, 4]) == []
    assert computed_keys(kept, [2]) == [2]
    assert len(kept) == 3


def test_more_keys_than_room() -> None:
    kept = KeptRows([(3,), (2, 2)], 1)
    assert kept.capacity == 1
    assert computed_keys(kept, range(10)) == list(range(10))
    assert len(kept) == 1
    assert computed_keys(kept, [1, 2, 3, 4, 0]) == [1, 2, 3, 4]  # 0 was kept


def test_threads_get_the_right_rows_while_others_evict_them() -> None:
    kept = KeptRows([(3,), (2, 2)], 20 * ROW)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(100):
            computed_keys(kept, random.choice(60, 15, replace=False).tolist())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(kept) == 20


# ---- frequent words ---------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [1, 1_000, 1 << 20])
@pytest.mark.parametrize("seen", [0, 1, 5])
def test_explanations_are_the_same_with_frequent_words(budget: int, seen: int) -> None:
    plain = made_cnn((1, 3))
    model = plain.cache_frequent_words(TEXTS[:seen], budget)
    assert isinstance(model.words_, FrequentWords)
    assert type(plain.words_) is WordLookup
    for texts in (TEXTS, TEXTS[::-1], [TEXTS[3]], [""]):
        assert_same_explanations(plain, model, texts)


def test_the_same_batch_gives_the_same_bits_whatever_came_before() -> None:
    texts, _ = topical(60)
    once = small_cnn().cache_frequent_words(texts[:10], 1 << 16)
    fresh = explain(small_cnn().cache_frequent_words(texts[:10], 1 << 16), texts[20:30], "all")
    for some in (texts[10:20], texts[50:], ["nothing", ""]):
        explain(once, some, "all")
    for a, b in zip(fresh, explain(once, texts[20:30], "all"), strict=True):
        np.testing.assert_array_equal(a.relevance, b.relevance)
        np.testing.assert_array_equal(a.scores, b.scores)


def test_the_most_frequent_words_stay() -> None:
    model = made_cnn((2,))
    texts = [made_text([0, 0, 0, 1, 1, 2])]
    row = 4 * (model.network_.row_size() + model.inputs_.vectors.dimensions)
    words = FrequentWords(model.inputs_, model.network_, texts, 12 * row)
    assert words.room == 2
    expected = model.inputs_.vectors.keys(made_text([0, 1, 2]).split())
    np.testing.assert_array_equal(words.keys, np.sort(expected))
    words = FrequentWords(model.inputs_, model.network_, texts, 2 * row)
    assert (words.room, words.keys.tolist()) == (1, [expected[0]])


def test_a_copy_in_shared_memory_writes_to_its_own() -> None:
    """As other processes get it: arrays out of band, and read-only."""
    model = made_cnn((2,)).cache_frequent_words(TEXTS[:2], 1 << 16)
    buffers: list[pickle.PickleBuffer] = []
    sent = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    shared = [bytes(buffer.raw()) for buffer in buffers]
    other: CNNClassifier = pickle.loads(sent, buffers=shared)
    assert isinstance(other.words_, FrequentWords)
    for a, b in zip(explain(model, TEXTS, "all"), explain(other, TEXTS, "all"), strict=True):
        np.testing.assert_array_equal(a.relevance, b.relevance)
