"""Documents that are copies of others, or nearly, compared with a comparison of all pairs."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import edited
import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest
from edited import cut, scattered, signed, word
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyword import InputError, load_corpus, tokenize
from whyword.corpora.copy_groups import copy_groups
from whyword.corpora.lsh import MOST_FOUND, band_keys, find_candidates
from whyword.corpora.near_copies import Copy, NearCopies, near_copies
from whyword.corpora.shingles import PLACES, RUN, WordNumbers, common_share
from whyword.words.tokenizer import Tokenizer

Write = Callable[[str, "str | bytes"], Path]

TEXTS = [" ".join(text.split()[:60]) for text in edited.TEXTS]
ALIKE = st.lists(st.sampled_from("abc dd ee ff".split()), max_size=12).map(" ".join)


@pytest.fixture(autouse=True)
def same_edits() -> None:
    """Let each test make the same edits, whatever ran before it."""
    edited.RANDOM.bit_generator.state = np.random.default_rng(3).bit_generator.state


def words_of(texts: Sequence[str]) -> list[list[str]]:
    return [[word.lower() for word in tokenize(text).words] for text in texts]


def with_copies(seed: int, texts: Sequence[str], copies: int) -> list[str]:
    """Return texts, copies of them and copies of copies, in random order."""
    random, every = np.random.default_rng(seed), list(texts)
    for number in range(copies):
        source = every[int(random.integers(len(every)))]
        every.append((scattered, cut, signed)[number % 3](source, float(random.uniform(0, 0.1))))
    return [every[n] for n in random.permutation(len(every)).tolist()]


# ---- near copies ------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.6, 0.8])
def test_the_nearest_is_that_of_all_pairs(threshold: float) -> None:
    train, test = with_copies(1, TEXTS[:20], 20), with_copies(2, TEXTS[10:30], 20)
    found = near_copies(train, test, threshold)
    known, asked = words_of(train), words_of(test)
    expected: list[object] = []
    for number, mine in enumerate(asked):
        share, first = max((oracle.common_share(mine, one), -n) for n, one in enumerate(known))
        if share >= threshold:
            expected.append((number, -first, pytest.approx(share)))
    assert found.pairs == expected
    assert 15 < len(found) < len(test)
    assert found.nearest.tolist() == [
        {pair.test: pair.train for pair in found.pairs}.get(n, -1) for n in range(len(test))
    ]
    assert found.is_copy.tolist() == (found.nearest >= 0).tolist()
    assert found.is_exact.tolist() == [mine in known for mine in asked]
    assert (found.exact, found.near) == (found.is_exact.sum(), len(found) - found.exact)


def test_exact_copies() -> None:
    train = ["hello", "Good morning, all of you!", "hello", "", "1 2 3", "good morning"]
    test = ["good MORNING all of you", "Hello!", "", "1 2 3", "?", "hello there", "morning good"]
    found = near_copies(train, test)
    assert found.pairs == [Copy(0, 1, 1.0), Copy(1, 0, 1.0)]
    assert found.is_exact.tolist() == [True, True, False, False, False, False, False]
    assert found.similarity.tolist() == [1, 1, 0, 0, 0, 0, 0]
    assert repr(found) == "NearCopies(2 exact and 0 near copies among 7 documents)"


@pytest.mark.parametrize(
    ("train", "test"), [([], []), ([], ["a b c"]), (["a b c"], []), ([""], [""]), (["?"], ["a b"])]
)
def test_nothing_to_compare(train: list[str], test: list[str]) -> None:
    found = near_copies(train, test)
    assert (len(found), len(found.nearest)) == (0, len(test))


def test_similarity_is_the_share_of_words_in_common_runs() -> None:
    found = near_copies(["one two three four"], ["one two three five", "x y z", "one two"], 0.5)
    assert found.pairs == [Copy(0, 0, 0.75), Copy(2, 0, 2 / 3)]
    once = "one two three four five"
    assert near_copies([once], [" ".join([once] * 100)]).near == 0  # a text repeated
    replies = [f"{one} {other}" for one, other in zip(TEXTS[:9], TEXTS[9:18], strict=True)]
    assert not near_copies(TEXTS[:9], replies).is_copy.any()
    edits = [TEXTS[0], scattered(TEXTS[0], 0.1)]
    assert near_copies(TEXTS[:9], edits, threshold=1).is_copy.tolist() == [True, False]
    base = TEXTS[0].split()
    worse, better = " ".join(base[:-9]), " ".join(base[:-2])
    nearest = near_copies([TEXTS[1], worse, better, better], [TEXTS[0], TEXTS[0]]).nearest
    assert nearest.tolist() == [2, 2]  # the first of equals


def test_documents_that_were_read_already() -> None:
    text = "one two three four five six"
    shortened = tokenize(text + " seven eight nine", max_words=6)
    assert near_copies([tokenize(text)], [shortened]).exact == 1
    assert copy_groups([tokenize(text), shortened, "else"]).tolist() == [0, 0, 1]
    letters = Tokenizer(rule="characters")
    assert near_copies(["abcd"], ["a b c e"], tokenizer=letters).pairs == [Copy(0, 0, 0.75)]
    assert copy_groups(["abcd", "a b c e"], tokenizer=letters).tolist() == [0, 0]


def test_wrong_arguments() -> None:
    for threshold, said in (
        (0.49, r"from 0\.5 to 1, not 0\.49"),
        (1.01, r"from 0\.5 to 1, not 1\.01"),
        ("a", "a number"),
        (float("nan"), "a number"),
    ):
        for call in (lambda one: near_copies(["a"], ["a"], one), lambda one: copy_groups([], one)):
            with pytest.raises(InputError, match=f"^threshold must be {said}"):
                call(threshold)
    with pytest.raises(InputError, match=r"^train takes a list of texts, not str"):
        near_copies("one text", ["a"])
    with pytest.raises(InputError, match=r"^test: a DataFrame, not a column: pass frame\['text'\]"):
        near_copies(["a"], pd.DataFrame({"text": ["a"]}))
    with pytest.raises(InputError, match=r"^texts takes a list of texts, not str"):
        copy_groups("one text")
    assert near_copies(pd.Series(["a b"]), pa.array(["a b"])).exact == 1


def test_a_corpus_has_its_copies_counted_once(write: Write) -> None:
    rows = [f"{TEXTS[0]},x,train", f"{scattered(TEXTS[0], 0.05)},x,test", f"{TEXTS[2]},y,test"]
    path = write("a.csv", "\n".join(["text,label,split", *rows]))
    corpus = load_corpus(path)
    found = corpus.near_copies()
    assert isinstance(found, NearCopies)
    assert found.is_copy.tolist() == [True, False]
    assert corpus.near_copies() is found
    for part, missing in (("train", "test"), ("test", "training")):
        with pytest.raises(InputError, match=f"has no {missing} part here"):
            load_corpus(f"{path}:{part}").near_copies()


OTHERS = st.text(st.characters(exclude_characters="İΣ"), max_size=30)  # special in lower case
ANY_TEXTS = st.lists(ALIKE | OTHERS, max_size=8)


@settings(max_examples=40)
@given(ANY_TEXTS, ANY_TEXTS, st.floats(0.5, 1))
def test_copies_of_any_texts(train: list[str], test: list[str], threshold: float) -> None:
    found = near_copies(train, test, threshold)
    words = words_of(train)
    for number, mine in enumerate(words_of(test)):
        assert found.is_exact[number] == (bool(mine) and mine in words)
        if found.is_exact[number]:
            assert found.nearest[number] == words.index(mine)
        elif found.is_copy[number]:
            share = oracle.common_share(mine, words[found.nearest[number]])
            assert found.similarity[number] == pytest.approx(share)
            assert threshold <= found.similarity[number] <= 1


# ---- groups -----------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.6, 0.9])
def test_groups_are_those_of_all_pairs(threshold: float) -> None:
    texts = with_copies(2, TEXTS[:25], 35)
    groups = copy_groups(texts, threshold).tolist()
    assert groups == oracle.copy_groups(words_of(texts), threshold)
    assert 20 < len(set(groups)) < 60


@settings(max_examples=30)
@given(st.lists(ALIKE, max_size=8), st.sampled_from([0.5, 0.7, 1.0]))
def test_groups_are_not_joined_that_are_apart(texts: list[str], threshold: float) -> None:
    groups = copy_groups(texts, threshold).tolist()
    words = words_of(texts)
    true = oracle.copy_groups(words, threshold)
    assert len(set(zip(groups, true, strict=True))) == len(set(groups))
    assert list(dict.fromkeys(groups)) == list(range(len(set(groups))))
    for one, first in zip(words, groups, strict=True):
        same = {group for other, group in zip(words, groups, strict=True) if one == other}
        assert same == {first} or not one


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        ([], []),
        (["", "", "?"], [0, 1, 2]),  # without words, a copy of none
        (["one"], [0]),
        (["one", "two", "ONE"], [0, 1, 0]),
        (["one two", "two one", "", "one, two!"], [0, 1, 2, 0]),
        (["one two three four", "five", "one two three six"], [0, 1, 0]),
    ],
)
def test_groups_of_short_texts(texts: list[str], groups: list[int]) -> None:
    assert copy_groups(texts).tolist() == groups == oracle.copy_groups(words_of(texts), 0.7)


def test_copies_of_copies_are_of_one_group() -> None:
    words = TEXTS[0].split()
    chain = [" ".join(words[at : at + 30]) for at in range(0, 30, 4)]
    assert oracle.common_share(chain[0].split(), chain[-1].split()) < 0.5
    assert set(copy_groups([*chain, TEXTS[1]]).tolist()) == {0, 1}
    first, second = TEXTS[0], cut(TEXTS[0], 0.2)  # many that are more alike do not hide them
    letters = [f"{text} {word(n)}" for text in (first, second) for n in range(20)]
    assert set(copy_groups(letters).tolist()) == {0}


@pytest.mark.slow(reason="tens of thousands of documents")
def test_thousands_of_documents_that_are_nearly_the_same() -> None:
    """All pairs would be 400 million comparisons."""
    letter = "dear customer your order {} was sent today by {} and will arrive next week thank you"
    letters = [letter.format(word(n), word(7 * n + 1)) for n in range(40_000)]
    assert near_copies(letters[:20_000], letters[20_000:]).near == 20_000
    assert not copy_groups(letters[:20_000]).any()
    same = ["the very same text"] * 50_000
    found = near_copies(same, same)
    assert (found.exact, set(found.nearest.tolist())) == (50_000, {0})


# ---- words as numbers, signatures and candidates ------------------------------------------------


def numbers(*texts: str) -> WordNumbers:
    return WordNumbers.of(Tokenizer().documents(texts))


WORDS = st.lists(st.integers(0, 3), min_size=RUN, max_size=30)


@given(WORDS, WORDS, st.sampled_from([0.0, 0.5, 0.7, 1.0]))
def test_the_share_of_words_in_common(one: list[int], other: list[int], least: float) -> None:
    found = common_share(np.array(one, np.uint32), np.array(other, np.uint32), least)
    literal = oracle.common_share(one, other)
    assert found == pytest.approx(literal) or (found == 0 and literal < least)


def literal_numbers(words: list[str]) -> tuple[list[int], int]:
    """FNV-1a of each word, its high bits mixed into the low ones; and a hash of all."""
    numbers, whole = [], len(words)
    for letters in words:
        value = 0xCBF29CE484222325
        for letter in letters:
            value = (value ^ ord(letter)) * 0x100000001B3 % 2**64
        value ^= value >> 32
        numbers.append(value % 2**32)
        whole = (whole ^ value) * 0x9E3779B97F4A7C15 % 2**64
        whole ^= whole >> 29
    return numbers, whole


def test_words_and_documents_are_numbers() -> None:
    found = numbers("One two, ONE.", "", "three one two one", "İstanbul one")
    assert len(found) == 4
    assert found.lengths.tolist() == [3, 0, 4, 2]
    words = "one two one three one two one İstanbul one".split()
    assert found.words.tolist() == literal_numbers(words)[0]
    assert found.whole[0] == literal_numbers(words[:3])[1]
    whole = numbers("a b c", "A, b c!", "c b a", "a b", "a b c c", "", "?!", "ab c").whole.tolist()
    assert whole[0] == whole[1]
    assert whole[5] == whole[6]
    assert len(set(whole)) == 6
    assert len(numbers()) == len(numbers().words) == 0
    assert numbers().signatures(np.arange(0)).shape == (0, PLACES)


def test_signatures_are_the_least_numbers_of_shingles() -> None:
    text = TEXTS[0].split()
    pairs = [" ".join(pair) for pair in pairwise(text)]
    whole, *each = numbers(" ".join(text), *pairs).signatures(np.arange(len(text))).tolist()
    assert whole == np.min(each, axis=0).tolist()
    assert max(whole) < 0xFFFFFFFF
    chosen = numbers("one", *pairs).signatures(np.array([0, 2, 1])).tolist()
    assert chosen == [[0xFFFFFFFF] * PLACES, each[1], each[0]]


def test_signatures_agree_as_often_as_shingles_are_shared() -> None:
    shared, one, other = np.random.default_rng(0).integers(1 << 32, size=(3, 150), dtype=np.uint32)
    words = np.concatenate([shared, one, shared, other])
    both = WordNumbers(words, np.array([0, 300, 600]), np.zeros(2, np.uint64))
    first, second = both.signatures(np.arange(2))
    assert np.mean(first == second) == pytest.approx(1 / 3, abs=0.1)


def candidates(known: NDArray[np.uint32], asked: NDArray[np.uint32]) -> list[int]:
    """Return the places of the known signatures that may be copies of another one."""
    keys = band_keys(known)
    order = np.argsort(keys, axis=1, kind="stable").astype(np.int32)
    index = np.take_along_axis(keys, order, axis=1), order, known
    seen, found = np.full(len(known), -1, np.int32), np.empty(MOST_FOUND, np.int64)
    own = np.ascontiguousarray(band_keys(asked[None])[:, 0])
    several: list[int] = find_candidates(asked, own, index, seen, 0, found).tolist()
    return several


def test_candidates_share_a_band_and_agree_in_six_places() -> None:
    random = np.random.default_rng(1)
    asked = np.arange(PLACES, dtype=np.uint32)
    known = random.integers(1000, 1 << 32, (30, PLACES), dtype=np.uint32)
    for document in range(30):  # agrees in as many places, of which two make a band
        if document:
            places = random.choice(PLACES, document, replace=False)
            known[document, places] = places
    expected = {}
    for document in range(30):
        same = known[document] == asked
        if (same[::2] & same[1::2]).any() and same.sum() >= 6:
            expected[document] = int(same.sum())
    found = candidates(known, asked)
    assert sorted(found) == sorted(expected)
    assert [expected[one] for one in found] == sorted(expected.values(), reverse=True)
    assert 10 < len(found) < 24
    assert candidates(known[:0], asked) == []


def test_of_many_candidates_those_beside_are_taken() -> None:
    same = np.tile(np.arange(PLACES, dtype=np.uint32), (40, 1))
    assert candidates(same, same[0]) == list(range(8))
    same[:20, 2:] += 1  # these agree in one band only; the others are beside in all
    assert set(candidates(same, same[39])) == set(range(20, 28))


def test_keys_of_bands() -> None:
    signatures = np.arange(3 * PLACES, dtype=np.uint32).reshape(3, PLACES)
    for document, one in enumerate(signatures.tolist()):
        bands = []
        for first, second in zip(one[::2], one[1::2], strict=True):
            value = 0
            for place in (first, second):
                value = (value ^ place) * 0x9E3779B97F4A7C15 % 2**64
                value ^= value >> 32
            bands.append(value)
        for number in range(len(bands)):
            own, following, last = (bands[(number + more) % len(bands)] for more in range(3))
            key = own % 2**32 << 32 | following % 2**16 << 16 | last % 2**16
            assert band_keys(signatures)[number, document] == key
