from collections import Counter

import numpy as np
import pytest
from oracle import ngram_frequencies, ngram_shares, ngram_strings, tfidf
from sklearn.feature_extraction.text import TfidfVectorizer

from whyword.models.linear.ngrams import Names, count_words
from whyword.models.linear.tfidf import TfIdf, TrainingRows, fit_tfidf
from whyword.words import Reader, Tokenizer

TEXTS = ["The moon, the MOON and Mars.", "ice and goals", "", "the 42 !", "moon moon moon"]
MORE = ["unknown words", "moon unknown ice Ice", "the moon the moon the", "and goals the moon"]
LENGTHS = [(1, 1), (1, 2), (2, 2), (1, 3)]


def fitted(
    sublinear: bool, lengths: tuple[int, int], reader: Reader | None = None
) -> tuple[TfIdf, TrainingRows]:
    reader = reader or Reader()
    documents = list(reader.documents(TEXTS))
    return fit_tfidf(count_words(documents), len(documents), reader, sublinear, lengths)


def words_of(text: str) -> list[str]:
    return [word.lower() for word in Tokenizer()(text).words]


@pytest.mark.parametrize("sublinear", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_equal_to_the_formula_and_to_scikit_learn(
    sublinear: bool, lengths: tuple[int, int]
) -> None:
    features, rows = fitted(sublinear, lengths)
    theirs = TfidfVectorizer(
        analyzer=lambda text: ngram_strings(words_of(text), *lengths), sublinear_tf=sublinear
    ).fit(TEXTS)
    names = list(Names(features.ngrams, np.arange(len(features.ngrams))))
    assert sorted(names) == theirs.get_feature_names_out().tolist()
    frequencies = dict(zip(names, features.frequencies.tolist(), strict=True))
    assert frequencies == ngram_frequencies(list(map(words_of, TEXTS)), *lengths, 1)
    for number, text in enumerate([*TEXTS, *MORE]):
        row = features.row_of(features.read(text))
        counts = Counter(ngram_strings(words_of(text), *lengths))
        expected = tfidf(counts, frequencies, len(TEXTS), sublinear)
        result = {names[p]: v for p, v in zip(row.places, row.values, strict=True)}
        assert result == pytest.approx(expected)
        dense = [result.get(name, 0.0) for name in theirs.get_feature_names_out()]
        np.testing.assert_allclose(dense, theirs.transform([text]).toarray()[0], atol=1e-12)
        if number < len(TEXTS):
            own = slice(rows.ends[number], rows.ends[number + 1])
            np.testing.assert_array_equal(rows.places[own], row.places)
            np.testing.assert_array_equal(rows.values[own], row.values)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_bags_are_equal_to_the_shares_of_the_formula(lengths: tuple[int, int]) -> None:
    features, _ = fitted(True, lengths)
    names = list(Names(features.ngrams, np.arange(len(features.ngrams))))
    for text in [*TEXTS, *MORE]:
        read = features.read(text)
        bag = features.bag_of(read, features.row_of(read))
        expected = ngram_shares(words_of(text), set(names), *lengths)
        links = zip(bag.words, bag.row.places[bag.link_features], bag.link_shares, strict=True)
        shares: dict[tuple[int, str], float] = {}
        for word, place, share in links:
            key = int(word), names[place]
            shares[key] = shares.get(key, 0.0) + share
        assert shares == pytest.approx(expected)
        known = {word for word, _ in expected}
        assert np.flatnonzero(bag.known).tolist() == sorted(known)


def test_phrases_are_n_grams_where_they_stand() -> None:
    features, _ = fitted(True, (1, 2))
    text = "The MOON: unknown and goals."
    read = features.read(text)
    bag = features.bag_of(read, features.row_of(read))
    values = np.arange(2.0, 2 + len(bag.row.places))[:, None]
    phrases = bag.phrases(values)
    assert phrases.names == ["the", "the moon", "moon", "and", "and goals", "goals"]
    cut = [text[start:end] for start, end in phrases.spans.tolist()]
    assert cut == ["The", "The MOON", "MOON", "and", "and goals", "goals"]
    np.testing.assert_allclose(phrases.relevance.sum(), bag.spread(values).sum())


def test_what_is_left_out_lets_its_neighbours_be_adjacent() -> None:
    features, _ = fitted(True, (1, 2), Reader(ignore=["the"]))
    names = Names(features.ngrams, np.arange(len(features.ngrams)))
    assert "moon moon" in names
    assert "the" not in names
    read = features.read("moon The moon and goals")
    bag = features.bag_of(read, features.row_of(read))
    assert "moon moon" in list(bag.names)
    without = features.bag_without(read.document, np.array([2]))
    assert list(without.names) == ["moon", "and", "goals", "moon and", "and goals"]
    assert without.known.tolist() == [True, False, False, True, True]


def test_places_are_in_order() -> None:
    for lengths in LENGTHS:
        features, _ = fitted(True, lengths)
        row = features.row_of(features.read("the moon and ice goals"))
        assert (np.diff(row.places) > 0).all()
