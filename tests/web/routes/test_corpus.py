"""The corpus by the API: that of the library, and mistakes in what is asked of it."""

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from served import LABELS, TEXT, TEXTS, app, arrived, ask, check_refused, library, model

import whyword as ww
from whyword.web.app import create_app
from whyword.web.engine import Engine


def test_the_corpus_by_the_api_is_that_of_the_library() -> None:
    corpus = library()
    word = corpus.lists.choose("words", "typical")["space"][0].word
    phrase = corpus.lists.choose("phrases", "typical")["space"][0].word
    for path, expected in (
        ("/api/words?target=space&top=5", corpus.class_words("space", 5)),
        ("/api/words?rank=sum&units=phrases", corpus.class_words(None, 30, "sum", "phrases")),
        (
            f"/api/words/documents?target=space&word={quote(phrase)}&top=4&units=phrases",
            corpus.word_documents("space", phrase, 4, "phrases"),
        ),
        (f"/api/words/documents?target=space&word={word}&top=4", None),
        ("/api/documents?predicted=space&offset=2&limit=3", corpus.documents(None, "space", 2, 3)),
        ("/api/documents?label=space", corpus.documents("space", None, 0, 10)),
        ("/api/documents/3", corpus.document(3)),
        ("/api/confusion", corpus.confusion()),
        ("/api/map", corpus.map()),
    ):
        expected = expected or corpus.word_documents("space", word, 4)
        answer = ask(app(), path)
        assert answer.status == 200
        assert answer.json == arrived(expected)
    twice = [ask(app(), "/api/map").body for _ in range(2)]
    assert twice[0] == twice[1]
    hits = ask(app(), "/api/search", {"query": TEXT, "top": 4}).json["hits"]
    wanted_hits = ww.SearchIndex(model("cnn"), TEXTS).search(TEXT, top=4)
    np.testing.assert_allclose(
        [hit["similarity"] for hit in hits], [hit.similarity for hit in wanted_hits], atol=1e-5
    )


def test_labels_of_the_corpus_are_those_of_the_texts() -> None:
    confusion = ask(app(), "/api/confusion").json
    assert [sum(row) for row in confusion["counts"]] == [
        LABELS.count(label) for label in confusion["labels"]
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/words?target=spac", "did you mean space"),
        ("/api/words?top=0", "top"),
        ("/api/words?top=101", "top"),
        ("/api/words?top=x", "top"),
        ("/api/words?rank=median", "rank may be 'typical'"),
        ("/api/words?units=letters", "units may be 'words' or 'phrases'"),
        ("/api/words/documents?target=space", "word: is missing"),
        ("/api/words/documents?target=space&word=zebra", "none of the 100 words"),
        ("/api/words/documents?target=space&word=%00%0a", "none of the 100 words"),
        ("/api/words/documents?target=space&word=%ed%a0%80", "none of the 100 words"),
        (f"/api/words/documents?target=space&word={'x' * 1001}", "at most 1000 characters"),
        ("/api/words/documents?target=%ff&word=moon", "there is no class"),
        ("/api/documents?predicted=nowhere", "there is no class 'nowhere'"),
        ("/api/documents?offset=-1", "offset"),
        (f"/api/documents?offset={2**63}", "offset"),
        (f"/api/documents?limit={'9' * 5000}", "limit"),
        ("/api/documents/-1", "number"),
        ("/api/documents/1.5", "number"),
        ("/api/documents/%F0%9F%8C%99", "number"),
        (f"/api/documents/{2**31}", "number"),
    ],
)
def test_mistakes_in_an_address(path: str, said: str) -> None:
    check_refused(ask(app(), path), 422, said)


def test_a_document_that_is_not_there() -> None:
    check_refused(ask(app(), "/api/documents/40"), 404, "there is no document 40, only 0 … 39")
    check_refused(ask(app(), f"/api/documents/{2**31 - 1}"), 404)
    assert ask(app(), "/api/documents?label=nowhere").json == {"found": 0, "documents": []}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"query": "zebra"}, "knows no word of this query"),
        ({"query": "\x00"}, "knows no word of this query"),
        ({"query": ""}, "knows no word of this query"),
        ({"query": "moon", "top": 0}, "top must be from 1 to 50, not 0"),
        ({"query": "moon", "top": 51}, "top must be from 1 to 50, not 51"),
        ({"query": "moon", "top": 10**4000}, "numbered beyond reason"),
        ({"query": "moon " * 2001}, "a query may have 10,000 characters at most"),
        ({"query": "moon", "topp": 5}, "topp: is no field of this request"),
        ({"query": None}, "query: Input should be a valid string"),
    ],
)
def test_mistakes_in_a_search(given: object, said: str) -> None:
    check_refused(ask(app(), "/api/search", given), 422, said)


def test_what_if_by_the_api_is_that_of_the_library() -> None:
    words = ["moon", "/[g-s].*/", "no such phrase"]
    answer = ask(app(), "/api/what-if", {"words": words})
    assert answer.status == 200
    assert answer.json == arrived(library().what_if(words))
    nowhere = ask(app(), "/api/what-if", {"words": ["\ud800 nowhere", "\x00"]}).json
    assert (nowhere["with_words"], nowhere["changes"]) == (0, [])
    check_refused(ask(app("cnn", False), "/api/what-if", {"words": ["moon"]}), 404, "no corpus")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": []}, "words must have from 1 to 1,000 items, not 0"),
        ({"words": ["moon"] * 1001}, "words must have from 1 to 1,000 items, not 1,001"),
        ({"words": ["x" * 1001]}, "each of the words may have 1,000 characters at most"),
        ({"words": [" "]}, "words holds an empty word"),
        ({"words": ["/(/"]}, "words"),
        ({"words": ["/(a+)+b/"]}, "words"),
        ({"words": "moon"}, "words: Input should be a valid list"),
        ({"words": [1]}, "words"),
        ({"words": ["moon"], "labels": []}, "there are 2 fields where there can be words"),
        ({}, "words: is missing"),
    ],
)
def test_mistakes_in_a_what_if(given: object, said: str) -> None:
    check_refused(ask(app(), "/api/what-if", given), 422, said)


def test_a_corpus_without_labels_has_no_confusions() -> None:
    served = library("svm")
    without = replace(served, judged=replace(served.judged, labels=[None] * 40))
    check_refused(
        ask(create_app(Engine(model("svm")), without), "/api/confusion"), 422, "no labels"
    )
