"""Statistics of words: the same however the documents came, in whatever parts."""

import dataclasses
import re

import numpy as np
import pytest
from networks import made_cnn, made_text
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, explain, from_pipeline, tokenize
from whyword.analysis.class_words import RANKS
from whyword.analysis.word_statistics import WordStatistics

MODEL = made_cnn()
RANDOM = np.random.default_rng(2)
TEXTS = ["Wa wb wa", "", *(made_text(RANDOM.integers(0, 7, 9)) for _ in range(10)), "the WA"]
EXPLAINED = explain(MODEL, TEXTS, "all")


def statistics(parts: list[int], occurrences: int = 0, placed: bool = False) -> WordStatistics:
    """Return the statistics after the documents were added by parts that end there."""
    known = WordStatistics(3, occurrences, named=False, placed=placed)
    for start, end in zip([0, *parts], [*parts, len(EXPLAINED)], strict=True):
        known.add(EXPLAINED[start:end])
    return known


def test_each_word_by_definition() -> None:
    known = statistics([])
    assert (len(known), known.labels) == (len(TEXTS), tuple(MODEL.classes_))
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
    assert not known.is_symbol.any()


@pytest.mark.parametrize("parts", [[1], [3, 6, 9, 12]])
def test_parts_and_merging_do_not_matter(parts: list[int]) -> None:
    whole, by_parts = statistics([], 4), statistics(parts, 4)
    merged = WordStatistics(3, 4, named=False)
    for start, end in zip([0, *parts], [*parts, len(EXPLAINED)], strict=True):
        one = WordStatistics(3, 4, named=False)
        one.add(EXPLAINED[start:end])
        merged.merge(one)
    for other in (by_parts, merged):
        for name in ("numbers", "starts", "best"):
            assert getattr(other, name) == getattr(whole, name)
        for name in ("strongest", "where", "counts", "documents"):
            np.testing.assert_array_equal(getattr(other, name), getattr(whole, name))
        for name in ("sums", "given_sums"):
            np.testing.assert_allclose(getattr(other, name), getattr(whole, name), atol=1e-9)
    before = merged.documents[merged.numbers["wb"]], merged.counts[merged.numbers["wb"]]
    merged.add(EXPLAINED[:1])  # documents after a merge are told from those before
    after = merged.documents[merged.numbers["wb"]], merged.counts[merged.numbers["wb"]]
    assert after == (before[0] + 1, before[1] + 1)


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
    ranked = known.ranked(1, rank, least=2, top=3)
    often = np.flatnonzero((known.counts >= 2) & (values[rank][:, 1] > 0))
    expected = often[np.argsort(-values[rank][often, 1], kind="stable")][:3]
    assert [one.word for one in ranked] == expected.tolist()
    assert known.ranked(1, rank, least=10_000, top=5) == []
    every = known.ranked(1, rank, least=1, top=10_000)  # those that speak against are left out
    assert len(every) == (values[rank][:, 1] > 0).sum()


def test_characters_may_be_units_where_there_is_no_word() -> None:
    """A place of their own, so that they lead to their document and not to the next."""
    vectoriser = CountVectorizer(analyzer="char", ngram_range=(1, 2))
    texts = ["moon !!", "?? !?", "the puck"]
    head = make_pipeline(vectoriser, LogisticRegression())
    model = from_pipeline(head.fit(texts, ["a", "b", "a"]))
    known = WordStatistics(2, 0, named=False, units="phrases")
    known.add(explain(model, texts, "all", level="phrase"))
    assert len(known) == 3
    for name, number in known.numbers.items():
        for column in range(2):
            document, position = known.locate(int(known.where[number, column]))
            assert name in texts[int(document)]
            assert position <= texts[int(document)].count(" ")
    with pytest.raises(InputError, match="explanations have phrases with level='phrase' only"):
        WordStatistics(3, 0, named=False, units="phrases").add(EXPLAINED[:1])


@pytest.mark.parametrize("parts", [[], [2, 5]])
def test_documents_of_words_are_kept_if_asked_for(parts: list[int]) -> None:
    known = statistics(parts, placed=True)
    lowered = [{word.lower() for word in one.words} for one in EXPLAINED]
    assert known.documents_of([]) == {}
    wanted = [*known.numbers][::2]
    assert known.documents_of(wanted) == {
        word: [number for number, words in enumerate(lowered) if word in words] for word in wanted
    }
    with pytest.raises(ValueError, match="not kept"):
        statistics([]).documents_of(["wa"])
    named = WordStatistics(3, 0, named=True)
    named.add(explain(MODEL, ["wa", "", "wb wa"], "all", ids=["a", "b", "c"]))
    assert [named.locate(place) for place in range(3)] == [("a", 0), ("c", 0), ("c", 1)]


def test_which_words_are_symbols() -> None:
    by_blanks = [m.span() for m in re.finditer(r"\S+", "a !!! 😡 c++ 2020 ٣ ป — …")]
    document = tokenize("a !!! 😡 c++ 2020 ٣ ป — …", rule=lambda _: by_blanks)
    relevance = np.arange(27, dtype=np.float32).reshape(9, 3)
    known = np.ones(9, np.bool_)
    one = dataclasses.replace(EXPLAINED[0], document=document, known=known, relevance=relevance)
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
