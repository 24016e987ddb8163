"""What is known of words: the same however the documents came, in whatever parts."""

import dataclasses
import re

import numpy as np
import pytest
from networks import small_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, explain, from_pipeline, tokenize
from whyword.analysis.class_words import RANKS
from whyword.analysis.word_statistics import Occurrence, WordStatistics

MODEL = small_cnn()
TEXTS = ["Moon orbit moon", "", *topical(10, seed=2)[0], "the MOON"]
EXPLAINED = explain(MODEL, TEXTS, "all")


def statistics(parts: list[int], occurrences: int = 0) -> WordStatistics:
    """Return what is known after the documents were taken in by parts that end there."""
    known = WordStatistics(3, occurrences, named=False)
    start = 0
    for end in [*parts, len(EXPLAINED)]:
        known.add(EXPLAINED[start:end])
        start = end
    return known


def test_each_word_by_definition() -> None:
    known = statistics([])
    assert len(known) == len(TEXTS)
    assert known.labels == tuple(MODEL.classes_)
    for word, number in known.numbers.items():
        rows = [
            (one.relevance[position], document, position)
            for document, one in enumerate(EXPLAINED)
            for position, own in enumerate(one.words)
            if own.lower() == word
        ]
        values = np.array([row[0] for row in rows])
        assert known.counts[number] == len(rows)
        assert known.documents[number] == len({row[1] for row in rows})
        np.testing.assert_allclose(known.sums[number], values.sum(axis=0), rtol=1e-5, atol=1e-6)
        given = np.zeros(3)
        for row in rows:
            column = MODEL.classes_.tolist().index(EXPLAINED[row[1]].predicted)
            given[column] += row[0][column]
        np.testing.assert_allclose(known.given_sums[number], given, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(known.strongest[number], values.max(axis=0))
        for column in range(3):
            _, document, position = rows[int(values[:, column].argmax())]
            assert known.locate(int(known.where[number, column])) == (document, position)


@pytest.mark.parametrize("parts", [[1], [2, 5], [3, 6, 9, 12]])
def test_parts_and_merging_do_not_matter(parts: list[int]) -> None:
    whole, by_parts = statistics([], 4), statistics(parts, 4)
    merged = WordStatistics(3, 4, named=False)
    for start, end in zip([0, *parts], [*parts, len(EXPLAINED)], strict=True):
        one = WordStatistics(3, 4, named=False)
        one.add(EXPLAINED[start:end])
        merged.merge(one)
    for other in (by_parts, merged):
        assert other.numbers == whole.numbers
        assert other.starts == whole.starts
        assert other.best == whole.best
        np.testing.assert_array_equal(other.strongest, whole.strongest)
        np.testing.assert_array_equal(other.where, whole.where)
        np.testing.assert_array_equal(other.counts, whole.counts)
        np.testing.assert_array_equal(other.documents, whole.documents)
        np.testing.assert_allclose(other.sums, whole.sums, atol=1e-9)
        np.testing.assert_allclose(other.given_sums, whole.given_sums, atol=1e-9)


def test_what_was_merged_goes_on() -> None:
    """Documents after a merge are told from those before, though all are numbered."""
    known = WordStatistics(3, 0, named=False)
    for part in (EXPLAINED[:1], EXPLAINED[:2]):
        other = WordStatistics(3, 0, named=False)
        other.add(part)
        known.merge(other)
    known.add(EXPLAINED[:1])
    assert known.documents[known.numbers["moon"]] == 3
    assert known.counts[known.numbers["moon"]] == 6


@pytest.mark.parametrize("rank", RANKS)
def test_the_highest_come_first(rank: str) -> None:
    known = statistics([])
    n = known.documents[:, None]
    values: dict[str, NDArray[np.floating]] = {
        "typical": known.given_sums / n * np.log(1 + n) ** 2,
        "strongest": known.strongest,
        "mean": known.sums / known.counts[:, None],
        "sum": known.sums,
    }
    ranked = known.ranked(1, rank, least=2, top=4)
    often = np.flatnonzero((known.counts >= 2) & (values[rank][:, 1] > 0))
    expected = often[np.argsort(-values[rank][often, 1], kind="stable")][:4]
    assert len(expected) == 4
    assert [one.word for one in ranked] == expected.tolist()
    assert all(isinstance(one, Occurrence) for one in ranked)
    assert known.ranked(1, rank, least=10_000, top=5) == []
    against = known.ranked(1, rank, least=1, top=10_000)  # what does not speak for it is left out
    assert len(against) == (values[rank][:, 1] > 0).sum() < len(known.numbers)


def test_characters_may_be_units_where_there_is_no_word() -> None:
    """A place of their own, so that they lead to their document and not to the next."""
    vectoriser = CountVectorizer(analyzer="char", ngram_range=(1, 2))
    texts = ["moon !!", "?? !?", "the puck"]
    model = from_pipeline(
        make_pipeline(vectoriser, LogisticRegression()).fit(texts, ["a", "b", "a"])
    )
    known = WordStatistics(2, 0, named=False, units="phrases")
    known.add(explain(model, texts, "all", level="phrase"))
    assert len(known) == 3
    for name, number in known.numbers.items():
        for column in range(2):
            document, position = known.locate(int(known.where[number, column]))
            assert name in texts[int(document)]
            assert position <= texts[int(document)].count(" ")


@pytest.mark.parametrize("parts", [[], [2, 5]])
def test_documents_of_words_are_kept_if_asked_for(parts: list[int]) -> None:
    known = WordStatistics(3, 0, named=False, placed=True)
    for start, end in zip([0, *parts], [*parts, len(EXPLAINED)], strict=True):
        known.add(EXPLAINED[start:end])
    lowered = [{word.lower() for word in one.words} for one in EXPLAINED]
    assert known.documents_of([]) == {}
    wanted = [*known.numbers][::2]
    assert known.documents_of(wanted) == {
        word: [number for number, words in enumerate(lowered) if word in words] for word in wanted
    }
    with pytest.raises(ValueError, match="not kept"):
        statistics([]).documents_of(["moon"])


def test_phrases_must_have_been_asked_for() -> None:
    with pytest.raises(InputError, match="explanations have phrases with level='phrase' only"):
        WordStatistics(3, 0, named=False, units="phrases").add(EXPLAINED[:1])


def test_documents_may_have_names() -> None:
    known = WordStatistics(3, 0, named=True)
    known.add(explain(MODEL, ["moon", "", "orbit moon"], "all", ids=["a", "b", "c"]))
    assert [known.locate(place) for place in range(3)] == [("a", 0), ("c", 0), ("c", 1)]


def test_which_words_are_symbols() -> None:
    known = statistics([2, 5])
    assert not known.is_symbol.any()
    document = tokenize(
        "a !!! 😡 c++ 2020 ٣ ป — …", rule=lambda text: [m.span() for m in re.finditer(r"\S+", text)]
    )
    one = dataclasses.replace(
        EXPLAINED[0],
        document=document,
        known=np.ones(9, np.bool_),
        relevance=np.arange(27, dtype=np.float32).reshape(9, 3),
    )
    made = WordStatistics(3, 4, named=False, symbols=False)
    made.add([one])
    symbols = [word for word, number in made.numbers.items() if made.is_symbol[number]]
    assert symbols == ["!!!", "😡", "—", "…"]
    names = list(made.numbers)
    assert [names[o.word] for o in made.best[0]] == ["ป", "٣", "2020", "c++"]
    assert [names[o.word] for o in made.ranked(0, "sum", 1, 3, symbols=False)] == ["ป", "٣", "2020"]
    assert [names[o.word] for o in made.ranked(0, "sum", 1, 3)] == ["…", "—", "ป"]
    merged = WordStatistics(3, 4, named=False, symbols=False)
    merged.merge(made)
    merged.merge(made)
    assert merged.is_symbol.tolist() == made.is_symbol.tolist()
