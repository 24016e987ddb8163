"""N-grams by numbers: equal to those by strings, and to scikit-learn's."""

from collections import Counter

import numpy as np
import pytest
from oracle import ngram_frequencies, ngram_strings
from sklearn.feature_extraction.text import CountVectorizer

from whyword import tokenize
from whyword.models.linear.ngrams import Names, Ngrams, count_words, learn_ngrams

LENGTHS = [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 5)]


def some_texts(seed: int, count: int = 30) -> list[str]:
    """Return texts of few words, so that n-grams come again; some empty."""
    random = np.random.default_rng(seed)
    words = np.array(["wa", "Wb", "wc", "the", "WA", "of"])
    return [" ".join(random.choice(words, random.integers(0, 12))) for _ in range(count)]


def names_in(ngrams: Ngrams, text: str) -> Counter[str]:
    """Return how often each n-gram is in a text."""
    places = [ngrams.index.get(word.lower(), -1) for word in tokenize(text).words]
    numbers = np.array([place for place in places if place != -2], np.intp)
    return Counter(name for one in ngrams.find(numbers) for name in Names(ngrams, one.places))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("least", [1, 2, 7])
@pytest.mark.parametrize("stop", [frozenset(), frozenset({"the", "of", "unseen"})])
def test_equal_to_strings(lengths: tuple[int, int], least: int, stop: frozenset[str]) -> None:
    texts = some_texts(least)
    training = count_words([tokenize(text) for text in texts], stop_words=stop)
    ngrams, found = learn_ngrams(training, lengths, least)
    read = [
        [word.lower() for word in tokenize(text).words if word.lower() not in stop]
        for text in texts
    ]
    expected = ngram_frequencies(read, *lengths, least)
    assert sorted(Names(ngrams, np.arange(len(ngrams)))) == sorted(expected)
    for text, words in zip(texts, read, strict=True):
        counts = Counter(ngram_strings(words, *lengths))
        assert names_in(ngrams, text) == {k: n for k, n in counts.items() if k in expected}
    owners = np.concatenate([training.documents[one.starts] for one in found])
    names = Names(ngrams, np.concatenate([one.places for one in found]))
    together = Counter(zip(owners.tolist(), names, strict=True))
    assert together == {
        (number, name): count
        for number, text in enumerate(texts)
        for name, count in names_in(ngrams, text).items()
    }


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("least", [1, 3])
def test_equal_to_scikit_learns(lengths: tuple[int, int], least: int) -> None:
    texts = some_texts(5)
    training = count_words([tokenize(text) for text in texts], least, frozenset({"of"}))
    ngrams, _ = learn_ngrams(training, lengths, least)
    theirs = CountVectorizer(ngram_range=lengths, min_df=least, stop_words=["of"]).fit(texts)
    known = set(theirs.get_feature_names_out())
    assert set(Names(ngrams, np.arange(len(ngrams)))) == known
    for text in ("wa xx wb of wc wa", "of", "", "xx", *some_texts(6)):
        row = theirs.transform([text]).toarray()[0]
        expected = dict(zip(theirs.get_feature_names_out(), row.tolist(), strict=True))
        assert names_in(ngrams, text) == Counter(expected)


def test_words_come_first_each_length_in_the_order_of_its_words() -> None:
    training = count_words([tokenize("b a c"), tokenize("a c b a")])
    ngrams, _ = learn_ngrams(training, (1, 3), 1)
    assert list(Names(ngrams, np.arange(len(ngrams)))) == [
        *("a", "b", "c"),
        *("a c", "b a", "c b"),
        *("a c b", "b a c", "c b a"),
    ]
    assert ngrams.sizes == [3, 3, 3]


def test_nothing_to_learn() -> None:
    for texts in ([], [""], ["1 2", ""]):
        training = count_words([tokenize(text) for text in texts])
        for lengths in LENGTHS:
            ngrams, found = learn_ngrams(training, lengths, 1)
            assert len(ngrams) == sum(len(one.places) for one in found) == 0
            assert not names_in(ngrams, "a b c")


def test_a_word_of_too_few_documents_stands_between_its_neighbours() -> None:
    training = count_words([tokenize("a rare b"), tokenize("b a"), tokenize("a b b")], least=2)
    ngrams, _ = learn_ngrams(training, (1, 2), 1)
    assert list(Names(ngrams, np.arange(len(ngrams)))) == ["a", "b", "a b", "b a", "b b"]
    assert names_in(ngrams, "a rare b") == {"a": 1, "b": 1}
    assert names_in(ngrams, "b b b") == {"b": 3, "b b": 2}
