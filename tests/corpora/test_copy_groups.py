"""Texts that are copies of one another, against comparing all of them."""

from collections.abc import Sequence

import numpy as np
import oracle
import pytest
from edited import TEXTS, cut, scattered, signed, word
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError, tokenize
from whyword.corpora.copy_groups import copy_groups


def literal(texts: Sequence[str], threshold: float = 0.7) -> list[int]:
    words = [[word.lower() for word in tokenize(text).words] for text in texts]
    return oracle.copy_groups(words, threshold)


@pytest.mark.parametrize("threshold", [0.6, 0.7, 0.9])
def test_groups_are_those_of_all_pairs(threshold: float) -> None:
    random = np.random.default_rng(2)
    edits = (scattered, cut, signed)
    texts = list(TEXTS[:40])
    for number in range(60):  # copies, and copies of copies
        source = texts[int(random.integers(len(texts)))]
        texts.append(edits[number % 3](source, float(random.uniform(0, 0.1))))
    texts = [texts[n] for n in random.permutation(len(texts)).tolist()]
    groups = copy_groups(texts, threshold)
    assert groups.tolist() == literal(texts, threshold)
    assert 30 < len(set(groups.tolist())) < 100


ALIKE = st.lists(st.sampled_from("ab cd ef gh".split()), max_size=8).map(" ".join)


@pytest.mark.slow(reason="half a second and more")
@given(st.lists(ALIKE, max_size=12), st.sampled_from([0.5, 0.7, 1.0]))
def test_nothing_is_joined_that_is_apart(texts: list[str], threshold: float) -> None:
    groups, true = copy_groups(texts, threshold).tolist(), literal(texts, threshold)
    assert len(set(zip(groups, true, strict=True))) == len(set(groups))
    assert list(dict.fromkeys(groups)) == list(range(len(set(groups))))
    words = [tokenize(text).words for text in texts]
    for one, first in zip(words, groups, strict=True):
        same = {group for other, group in zip(words, groups, strict=True) if one == other}
        assert same == {first} or not one


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        ([], []),
        ([""], [0]),
        (["", "", "?"], [0, 1, 2]),  # without words, a copy of none
        (["one"], [0]),
        (["one", "two", "ONE"], [0, 1, 0]),
        (["one two", "two one", "", "one, two!"], [0, 1, 2, 0]),
        (["one two three four", "five", "one two three six"], [0, 1, 0]),
    ],
)
def test_texts_of_few_words(texts: list[str], groups: list[int]) -> None:
    assert copy_groups(texts).tolist() == groups == literal(texts)


def test_copies_of_copies_are_of_one_group() -> None:
    words = TEXTS[0].split()
    half = len(words) // 4
    chain = [" ".join(words[at : at + 2 * half]) for at in range(0, 2 * half, half // 4)]
    assert oracle.common_share(chain[0].split(), chain[-1].split()) < 0.5
    assert set(copy_groups([*chain, TEXTS[1]]).tolist()) == {0, 1}


def test_many_that_are_nearly_the_same_do_not_hide_those_that_are_less_so() -> None:
    first, second = TEXTS[0], cut(TEXTS[0], 0.2)
    letters = [f"{text} {word(n)}" for text in (first, second) for n in range(100)]
    assert oracle.common_share(first.split(), second.split()) >= 0.7
    assert set(copy_groups(letters).tolist()) == {0}


@pytest.mark.slow("tens of thousands of documents")
def test_thousands_that_are_nearly_the_same_are_one_group_in_seconds() -> None:
    """All pairs would be 200 million comparisons: the test would not end."""
    letter = "dear customer your order {} was sent today by {} and will arrive next week thank you"
    letters = [letter.format(word(n), word(7 * n + 1)) for n in range(20_000)]
    assert not copy_groups(letters).any()


def test_documents_that_were_read_already() -> None:
    text = "one two three four five six"
    shortened = tokenize(text + " seven eight nine", max_words=6)
    assert copy_groups([tokenize(text), shortened, "else"]).tolist() == [0, 0, 1]


def test_what_makes_no_sense_is_one_line() -> None:
    with pytest.raises(InputError, match="texts takes a list of texts, not str"):
        copy_groups("one text")
    with pytest.raises(InputError, match=r"threshold must be from 0\.5 to 1, not 0\.2"):
        copy_groups(["a"], 0.2)
