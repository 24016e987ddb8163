"""Words, n-grams and TF-IDF against literal formulas and scikit-learn."""

from collections import Counter

import numpy as np
import pytest
from oracle import ngram_frequencies, ngram_shares, ngram_strings, tfidf
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from whyword import tokenize
from whyword.models.linear.bag import Bag, FeatureRow, Occurrence, linked_bag
from whyword.models.linear.ngrams import Names, Ngrams, count_words, learn_ngrams
from whyword.models.linear.tfidf import TfIdf, TrainingRows, fit_tfidf
from whyword.words import Reader, Tokenizer

# ---- features and the words they cover ----------------------------------------------------------


def made_bag() -> Bag:
    document = tokenize("not good, so not good")
    row = FeatureRow(np.array([3, 7, 9]), np.array([0.5, 0.2, 0.1]))
    placed = [
        (3, Occurrence("not good", [0, 1], (0, 8))),
        (3, Occurrence("not good", [3, 4], (13, 21))),
        (7, Occurrence("so", [2], (10, 12))),
        (9, Occurrence("<odd>", [], (0, 0))),  # found nowhere
        (5, Occurrence("left out", [0], (0, 3))),  # not a feature of the row
    ]
    places, occurrences = zip(*placed, strict=True)
    return linked_bag(document, row, np.array(places), occurrences)


def test_an_occurrence_shares_its_part_among_its_words() -> None:
    words = made_bag().spread(np.array([[1.0], [2.0], [4.0]]))
    np.testing.assert_allclose(words[:, 0], [0.25, 0.25, 2, 0.25, 0.25])
    assert made_bag().known.all()


def test_phrases_come_in_the_order_of_the_text_and_add_up_to_the_words() -> None:
    values = np.array([[1.0, -1], [2, 3], [4, 5]])
    phrases = made_bag().phrases(values)
    assert phrases.names == ["not good", "so", "not good"]
    assert phrases.spans.tolist() == [[0, 8], [10, 12], [13, 21]]
    np.testing.assert_allclose(phrases.relevance, [[0.5, -0.5], [2.0, 3.0], [0.5, -0.5]])
    several = [Occurrence(name, [0], span) for name, span in (("ab", (0, 2)), ("a", (0, 1)))]
    row = FeatureRow(np.array([0, 1]), np.ones(2))
    nested = linked_bag(tokenize("ab"), row, np.array([0, 1]), several)
    assert nested.phrases(np.ones((2, 1))).names == ["a", "ab"]


def test_values_of_words_are_gathered_by_features() -> None:
    np.testing.assert_allclose(made_bag().gather(np.array([1.0, 2, 4, 8, 16])), [27, 4, 0])
    row = FeatureRow(np.array([0, 1]), np.ones(2))
    both = [Occurrence("a", [0], (0, 1)), Occurrence("ab", [0, 1], (0, 3))]
    bag = linked_bag(tokenize("a b"), row, np.array([0, 1]), both)
    np.testing.assert_allclose(bag.gather(np.array([3.0, 5.0])), [1.5, 6.5])


def test_a_bag_of_nothing() -> None:
    row = FeatureRow(np.zeros(0, np.intp), np.zeros(0))
    bag = linked_bag(tokenize(""), row, np.zeros(0, np.intp), [])
    assert bag.spread(np.zeros((0, 2))).shape == (0, 2)
    assert bag.phrases(np.zeros((0, 2))).relevance.shape == (0, 2)


def test_occurrences_that_take_from_a_value_have_a_share_below_zero() -> None:
    row = FeatureRow(np.array([2, 4]), np.array([1.0, 1.0]))
    several = [Occurrence(name, [0], (0, 1)) for name in "abcde"]
    signs = np.array([1.0, 1.0, -1.0, 1.0, -1.0])
    bag = linked_bag(tokenize("a"), row, np.array([2, 2, 2, 4, 4]), several, signs)
    # two that cancel each other, of a feature that has a value all the same, share it equally
    assert bag.shares.tolist() == [1, 1, -1, 0.5, 0.5]


# ---- n-grams ------------------------------------------------------------------------------------

LENGTHS = [(1, 1), (1, 2), (2, 2), (1, 3), (3, 5)]


def random_texts(seed: int, count: int = 30) -> list[str]:
    """Return texts of few words, so that n-grams come again; some empty."""
    random = np.random.default_rng(seed)
    words = np.array(["wa", "Wb", "wc", "the", "WA", "of"])
    return [" ".join(random.choice(words, random.integers(0, 12))) for _ in range(count)]


def names_of(ngrams: Ngrams) -> list[str]:
    return list(Names(ngrams, np.arange(len(ngrams))))


def names_in(ngrams: Ngrams, text: str) -> Counter[str]:
    """Return how often each n-gram is in a text."""
    places = [ngrams.index.get(word.lower(), -1) for word in tokenize(text).words]
    numbers = np.array([place for place in places if place != -2], np.intp)
    return Counter(name for one in ngrams.find(numbers) for name in Names(ngrams, one.places))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(("least", "stop"), [(1, ()), (2, ("the", "of", "unseen")), (7, ())])
def test_ngrams_equal_those_of_strings(
    lengths: tuple[int, int], least: int, stop: tuple[str, ...]
) -> None:
    texts = random_texts(least)
    training = count_words([tokenize(text) for text in texts], stop_words=frozenset(stop))
    ngrams, found = learn_ngrams(training, lengths, least)
    read = [
        [word.lower() for word in tokenize(text).words if word.lower() not in stop]
        for text in texts
    ]
    expected = ngram_frequencies(read, *lengths, least)
    assert sorted(names_of(ngrams)) == sorted(expected)
    for text, words in zip(texts, read, strict=True):
        counts = Counter(ngram_strings(words, *lengths))
        assert names_in(ngrams, text) == {k: n for k, n in counts.items() if k in expected}
    owners = np.concatenate([training.documents[one.starts] for one in found])
    names = Names(ngrams, np.concatenate([one.places for one in found]))
    assert Counter(zip(owners.tolist(), names, strict=True)) == {
        (number, name): count
        for number, text in enumerate(texts)
        for name, count in names_in(ngrams, text).items()
    }


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("least", [1, 3])
def test_ngrams_equal_scikit_learns(lengths: tuple[int, int], least: int) -> None:
    texts = random_texts(5)
    training = count_words([tokenize(text) for text in texts], least, frozenset({"of"}))
    ngrams, _ = learn_ngrams(training, lengths, least)
    theirs = CountVectorizer(ngram_range=lengths, min_df=least, stop_words=["of"]).fit(texts)
    known = theirs.get_feature_names_out()
    assert set(names_of(ngrams)) == set(known)
    for text in ("wa xx wb of wc wa", "of", "", "xx", *random_texts(6, 9)):
        row = theirs.transform([text]).toarray()[0]
        assert names_in(ngrams, text) == Counter(dict(zip(known, row.tolist(), strict=True)))


def test_words_come_first_each_length_in_the_order_of_its_words() -> None:
    training = count_words([tokenize("b a c"), tokenize("a c b a")])
    ngrams, _ = learn_ngrams(training, (1, 3), 1)
    pairs = ["a c", "b a", "c b"]
    assert names_of(ngrams) == ["a", "b", "c", *pairs, "a c b", "b a c", "c b a"]
    assert ngrams.sizes == [3, 3, 3]
    for texts in ([], [""], ["1 2", ""]):
        ngrams, found = learn_ngrams(count_words([tokenize(text) for text in texts]), (1, 2), 1)
        assert len(ngrams) == sum(len(one.places) for one in found) == 0
        assert not names_in(ngrams, "a b c")


def test_a_word_of_too_few_documents_stands_between_its_neighbors() -> None:
    training = count_words([tokenize("a rare b"), tokenize("b a"), tokenize("a b b")], least=2)
    ngrams, _ = learn_ngrams(training, (1, 2), 1)
    assert names_of(ngrams) == ["a", "b", "a b", "b a", "b b"]
    assert names_in(ngrams, "a rare b") == {"a": 1, "b": 1}
    assert names_in(ngrams, "b b b") == {"b": 3, "b b": 2}


# ---- TF-IDF -------------------------------------------------------------------------------------

TEXTS = ["The moon, the MOON and Mars.", "ice and goals", "", "the 42 !", "moon moon moon"]
MORE = ["unknown words", "moon unknown ice Ice", "the moon the moon the", "and goals the moon"]


def fitted(
    sublinear: bool, lengths: tuple[int, int], reader: Reader | None = None
) -> tuple[TfIdf, TrainingRows]:
    reader = reader or Reader()
    documents = list(reader.documents(TEXTS))
    return fit_tfidf(count_words(documents), len(documents), reader, sublinear, lengths)


def words_of(text: str) -> list[str]:
    return [word.lower() for word in Tokenizer()(text).words]


@pytest.mark.parametrize("sublinear", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS[:4])
def test_tfidf_equals_the_formula_and_scikit_learn(
    sublinear: bool, lengths: tuple[int, int]
) -> None:
    features, rows = fitted(sublinear, lengths)
    theirs = TfidfVectorizer(
        analyzer=lambda text: ngram_strings(words_of(text), *lengths), sublinear_tf=sublinear
    ).fit(TEXTS)
    names = names_of(features.ngrams)
    assert sorted(names) == theirs.get_feature_names_out().tolist()
    frequencies = dict(zip(names, features.frequencies.tolist(), strict=True))
    assert frequencies == ngram_frequencies(list(map(words_of, TEXTS)), *lengths, 1)
    for number, text in enumerate([*TEXTS, *MORE]):
        row = features.row_of(features.read(text))
        assert (np.diff(row.places) > 0).all()
        counts = Counter(ngram_strings(words_of(text), *lengths))
        result = {names[p]: v for p, v in zip(row.places, row.values, strict=True)}
        assert result == pytest.approx(tfidf(counts, frequencies, len(TEXTS), sublinear))
        dense = [result.get(name, 0.0) for name in theirs.get_feature_names_out()]
        np.testing.assert_allclose(dense, theirs.transform([text]).toarray()[0], atol=1e-12)
        if number < len(TEXTS):
            own = slice(rows.ends[number], rows.ends[number + 1])
            np.testing.assert_array_equal(rows.places[own], row.places)
            np.testing.assert_array_equal(rows.values[own], row.values)


@pytest.mark.parametrize("lengths", LENGTHS[:4])
def test_bags_have_the_shares_of_the_formula(lengths: tuple[int, int]) -> None:
    features, _ = fitted(True, lengths)
    names = names_of(features.ngrams)
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
        assert np.flatnonzero(bag.known).tolist() == sorted({word for word, _ in expected})


def test_phrases_are_ngrams_at_their_spans() -> None:
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


def test_ignored_and_deleted_words_let_their_neighbors_be_adjacent() -> None:
    features, _ = fitted(True, (1, 2), Reader(ignore=["the"]))
    assert "moon moon" in names_of(features.ngrams)
    assert "the" not in names_of(features.ngrams)
    read = features.read("moon The moon and goals")
    bag = features.bag_of(read, features.row_of(read))
    assert "moon moon" in list(bag.names)
    without = features.bag_without(read.document, np.array([2]))
    assert list(without.names) == ["moon", "and", "goals", "moon and", "and goals"]
    assert without.known.tolist() == [True, False, False, True, True]
