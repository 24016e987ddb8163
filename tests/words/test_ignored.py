"""Words that are not read, compared with the literal rule."""

import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError
from whyword.words.ignored import Ignored

LETTERS = st.sampled_from(["a", "b", "A", "ab", "B"])
ENTRIES = st.lists(st.lists(LETTERS, min_size=1, max_size=4).map(" ".join), max_size=6)


@given(st.lists(LETTERS, max_size=20), ENTRIES, st.booleans())
def test_against_the_literal_rule(words: list[str], entries: list[str], pattern: bool) -> None:
    entries += ["/.b/"] if pattern else []
    expected = oracle.ignored_words(words, entries)
    assert Ignored(entries).among(words).tolist() == expected


def test_phrases_that_overlap_or_lie_within_each_other() -> None:
    ignored = Ignored(["a b c d", "b c", "c d e", "d"])
    assert ignored.among("x a b c".split()).tolist() == [False, False, True, True]
    assert ignored.among("a b c d e f".split()).tolist() == [True] * 5 + [False]
    assert Ignored(["a a"]).among("a a a b a".split()).tolist() == [True] * 3 + [False] * 2


def test_entries_are_normalized() -> None:
    ignored = Ignored(["  Gordon\t Banks ", "gordon banks", "THE", "/N[AB]SA/"])
    assert ignored.entries == ("/N[AB]SA/", "gordon banks", "the")
    assert "The" in ignored
    assert "NASA" in ignored
    assert "nasa" not in ignored
    assert "gordon" not in ignored
    assert "gordon banks" in ignored  # of a rule that cuts such words
    assert Ignored(ignored.entries).entries == ignored.entries
    again = pickle.loads(pickle.dumps(ignored))
    assert again.among(["Gordon", "BANKS"]).tolist() == [True, True]
    assert Ignored([]).among(["a"]).tolist() == [False]
    assert (ignored.longest, Ignored(["a"]).longest) == (2, 1)


def test_absent_entries() -> None:
    ignored = Ignored(["The", "gordon banks", "banks gordon", "a a b", "rocket", "/x.*/"])
    texts = [["the", "Gordon", "Banks"], ["a", "a", "A", "B"], []]
    assert ignored.absent(texts) == ["banks gordon", "rocket"]
    assert ignored.absent([]) == ["a a b", "banks gordon", "gordon banks", "rocket", "the"]
    assert ignored.absent(iter([["see", "gordon banks", "gordon"]]))[2:] == ["rocket", "the"]
    assert Ignored(["/x/"]).absent([["a"]]) == []


@given(st.lists(st.lists(st.sampled_from("abAc"))), st.lists(st.text("ab c", min_size=1)))
def test_absent_entries_take_no_word_away(texts: list[list[str]], entries: list[str]) -> None:
    for entry in Ignored([one for one in entries if one.strip()]).entries:
        one = Ignored([entry])
        stands = any(one.among(words).any() for words in texts)
        assert one.absent(texts) == ([] if stands else [entry])


def test_many_phrases_with_the_same_beginning() -> None:
    words = [f"w{number}" for number in range(200)]
    phrases = [f"a a a {word}" for word in words] + ["a " * 30 + "b"]
    text = (["a"] * 29 + ["c"] + ["a"] * 31 + ["b"]) * 3
    expected = ([False] * 31 + [True] * 31) * 3
    assert Ignored([*words, *phrases]).among(text).tolist() == expected


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["a", "\u2003"], "words holds an empty word"),
        (["/(a+)+b/"], "would never end"),
        (["/(/"], "is no regular expression"),
        ([f"/{n}/" for n in range(1_001)], "words has 1,001 patterns; 1,000 may be"),
        (["a b " * 100_001], "words has phrases of 200,002 words together; 200,000 may be"),
        ("the", "words must be a list of strings"),
    ],
)
def test_wrong_entries(entries: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Ignored(entries, "words")


def test_many_patterns_match_as_each_alone() -> None:
    hosts = [rf"/(?:.+\.)?host{n}\.edu/" for n in range(90)]
    own = ["/(a|b)c/", "/(?i)X+y/", "/p|q/"]  # a group, a flag, two ways
    ignored = Ignored([*hosts, *own])
    words = ["mail.host7.edu", "host89.edu", "xhost3.edu", "host90.edu", "ac", "abc"]
    words += ["xxY", "p", "q", "pq"]
    each = [any(word in Ignored([one]) for one in (*hosts, *own)) for word in words]
    assert ignored.among(words).tolist() == each
    assert sum(each) == 6


def test_hostile_words() -> None:
    ignored = Ignored(["\ud800 \x00", "İ", "/.*/"])
    words = ["\ud800", "\x00", "x" * 100_000, "İ", ""]
    assert ignored.among(words).tolist() == [True, True, False, True, True]
    assert ignored.among([]).dtype == np.bool_
