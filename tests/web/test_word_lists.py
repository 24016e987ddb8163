"""The lists of a corpus's words, by every rank, with and without symbols."""

import pytest
from networks import topical
from toys import RuledClassifier

from whyword import InputError, class_words
from whyword.analysis.class_words import RANKS
from whyword.web.word_lists import TOP_WORDS, WordLists

TEXTS, LABELS = topical(30)
WITH = [
    f"{text} !!!" if label == "space" else text for text, label in zip(TEXTS, LABELS, strict=True)
]


@pytest.fixture(scope="module")
def model() -> RuledClassifier:
    return RuledClassifier().fit(WITH, LABELS)


def test_every_rank_with_and_without_symbols(model: RuledClassifier) -> None:
    lists = WordLists.of(model, WITH)
    assert lists.has_symbols("words")
    for rank in RANKS:
        for symbols in (False, True):
            chosen = lists.choose("words", rank, symbols)
            expected = class_words(model, WITH, top=TOP_WORDS, rank=rank, symbols=symbols)
            assert dict(chosen) == dict(expected)
    where = [n for n, label in enumerate(LABELS) if label == "space"]
    assert lists.documents_of("!!!", "words") == where
    assert lists.strongest("space", "!!!", "words") <= set(where)
    assert lists.strongest("space", "!!!", "words")


def test_where_there_are_none_the_lists_are_the_same(model: RuledClassifier) -> None:
    lists = WordLists.of(model, TEXTS)
    assert not lists.has_symbols("words")
    assert lists.plain == lists.whole


@pytest.mark.parametrize(
    ("units", "rank", "message"),
    [
        ("phrases", "sum", "this model has no phrases"),
        ("letters", "sum", "units may be"),
        ("words", "best", "rank may be"),
    ],
)
def test_lists_that_are_none(model: RuledClassifier, units: str, rank: str, message: str) -> None:
    lists = WordLists.of(model, TEXTS)
    with pytest.raises(InputError, match=message):
        lists.choose(units, rank)
    with pytest.raises(InputError, match="'zebra' is none of the 100 words of any class"):
        lists.documents_of("zebra", "words")
