from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from edited import TEXTS, cut, scattered, signed, word
from fuzzing import Fuzzer
from hypothesis import strategies as st

from whyword import InputError, load_corpus, tokenize
from whyword.corpora.near_copies import Copy, NearCopies, near_copies

Write = Callable[[str, "str | bytes"], Path]


@pytest.mark.parametrize("edit", [scattered, cut, signed])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.15])
def test_planted_copies_are_found(edit: Callable[[str, float], str], share: float) -> None:
    planted = [edit(text, share) for text in TEXTS[:200]]
    found = near_copies(TEXTS, planted + TEXTS[:50])
    assert np.mean(found.nearest[:200] == np.arange(200)) >= 0.95
    assert found.nearest[200:].tolist() == list(range(50))
    assert found.exact >= 50
    assert found.exact + found.near == len(found) == len(found.pairs)


def test_other_texts_are_no_copies() -> None:
    found = near_copies(TEXTS[:200], TEXTS[200:])
    assert len(found) == 0
    assert found.nearest.tolist() == [-1] * 200
    assert found.similarity.tolist() == [0] * 200


def test_a_reply_that_says_as_much_is_no_copy() -> None:
    replies = [f"{one} {other}" for one, other in zip(TEXTS[:100], TEXTS[100:200], strict=True)]
    longer = [n for n in range(100) if len(TEXTS[100 + n]) > 1.2 * len(TEXTS[n])]
    assert not near_copies(TEXTS[:100], [replies[n] for n in longer]).is_copy.any()
    assert near_copies(TEXTS[:100], replies, threshold=0.5).is_copy.any()


def test_exact_copies() -> None:
    train = ["hello", "Good morning, all of you!", "hello", "", "1 2 3", "good morning"]
    test = ["good MORNING all of you", "Hello!", "", "1 2 3", "?", "hello there", "morning good"]
    found = near_copies(train, test)
    assert found.pairs == [Copy(0, 1, 1.0), Copy(1, 0, 1.0)]
    assert found.is_exact.tolist() == [True, True, False, False, False, False, False]
    assert (found.exact, found.near) == (2, 0)
    assert repr(found) == "NearCopies(2 exact and 0 near copies among 7 documents)"


def test_the_nearest_of_several_and_of_equals_the_first() -> None:
    base = TEXTS[0].split()
    worse, better = " ".join(base[:-20]), " ".join(base[:-4])
    found = near_copies([TEXTS[1], worse, better, better], [TEXTS[0], TEXTS[0]])
    assert found.nearest.tolist() == [2, 2]
    assert found.similarity[0] == pytest.approx((2 * len(base) - 8) / (2 * len(base) - 4), abs=0.02)


@pytest.mark.parametrize(
    ("train", "test"), [([], []), ([], ["a b c"]), (["a b c"], []), ([""], [""]), (["?"], ["a b"])]
)
def test_nothing_to_compare(train: list[str], test: list[str]) -> None:
    found = near_copies(train, test)
    assert (len(found), len(found.nearest)) == (0, len(test))


def test_one_document() -> None:
    found = near_copies(["one two three four"], ["one two three five"])
    assert found.pairs == [Copy(0, 0, 0.75)]


@pytest.mark.slow(reason="half a second and more")
def test_thousands_of_the_same_are_compared_once() -> None:
    found = near_copies(["the very same text"] * 50_000, ["the very same text"] * 50_000)
    assert found.exact == 50_000
    assert set(found.nearest.tolist()) == {0}


@pytest.mark.slow("tens of thousands of documents")
def test_thousands_that_are_nearly_the_same_are_not_all_compared() -> None:
    """All pairs would be 400 million comparisons: the test would not end."""
    letter = "dear customer your order {} was sent today by {} and will arrive next week thank you"
    letters = [letter.format(word(n), word(7 * n + 1)) for n in range(40_000)]
    found = near_copies(letters[:20_000], letters[20_000:])
    assert found.near == 20_000


def test_a_text_repeated_is_no_copy_of_itself() -> None:
    once = "one two three four five"
    assert near_copies([once], [" ".join([once] * 100)]).near == 0
    assert near_copies(["ab " * 100_000], ["ab " * 90_000]).near == 1


def test_documents_that_were_read_already() -> None:
    text = "one two three four five six"
    shortened = tokenize(text + " seven eight nine", max_words=6)
    assert near_copies([tokenize(text)], [shortened]).exact == 1


@pytest.mark.parametrize("threshold", [0.49, 1.01, "a", None, float("nan")])
def test_thresholds(threshold: float) -> None:
    with pytest.raises(InputError, match="threshold must be"):
        near_copies(["a"], ["a"], threshold)


def test_a_threshold_of_one_takes_what_has_the_same_runs() -> None:
    edited = scattered(TEXTS[0], 0.1)
    assert near_copies(TEXTS, [TEXTS[0], edited], threshold=1).is_copy.tolist() == [True, False]


def test_what_is_no_list_of_texts() -> None:
    with pytest.raises(InputError, match="train takes a list of texts, not str"):
        near_copies("one text", ["a"])
    with pytest.raises(InputError, match=r"test: a DataFrame, not a column: pass frame\['text'\]"):
        near_copies(["a"], pd.DataFrame({"text": ["a"]}))
    assert near_copies(pd.Series(["a b"]), pa.array(["a b"])).exact == 1


def fuzzer() -> Fuzzer:
    """Texts of few words, so that many are alike, and of any characters."""
    alike = st.lists(st.sampled_from("abc dd ee ff".split()), max_size=12).map(" ".join)
    others = st.text(
        st.characters(exclude_characters="İΣ"), max_size=30
    )  # lower case is longer, or depends
    texts = st.lists(alike | others, max_size=8)
    return Fuzzer("near copies", st.tuples(texts, texts, st.floats(0.5, 1)), check_copies)


def check_copies(case: tuple[list[str], list[str], float]) -> None:
    train, test, threshold = case
    found = near_copies(train, test, threshold)
    words = [[w.lower() for w in tokenize(text).words] for text in train]
    for number, text in enumerate(test):
        mine = [w.lower() for w in tokenize(text).words]
        assert found.is_exact[number] == (bool(mine) and mine in words)
        if found.is_copy[number]:
            assert threshold <= found.similarity[number] <= 1
            assert set(mine) & set(words[found.nearest[number]])
        if found.is_exact[number]:
            assert found.nearest[number] == words.index(mine)


@pytest.mark.slow(reason="many cases")
def test_fuzz() -> None:
    fuzzer().check(150)


def test_a_corpus_has_its_copies_counted_once(write: Write) -> None:
    rows = [f"{TEXTS[0]},x,train", f"{scattered(TEXTS[0], 0.05)},x,test", f"{TEXTS[2]},y,test"]
    corpus = load_corpus(write("a.csv", "\n".join(["text,label,split", *rows])))
    found = corpus.near_copies()
    assert isinstance(found, NearCopies)
    assert found.is_copy.tolist() == [True, False]
    assert corpus.near_copies() is found
    for part, missing in (("train", "test"), ("test", "training")):
        alone = load_corpus(f"{write('a.csv', chr(10).join(['text,label,split', *rows]))}:{part}")
        with pytest.raises(InputError, match=f"has no {missing} part here"):
            alone.near_copies()
