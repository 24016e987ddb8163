"""The corpus and the suspects by the API: those of the library, and mistakes in what is asked."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from pydantic import TypeAdapter
from served import LABELS, TEXT, TEXTS, app, arrived, ask, check_refused, library, model
from suspected import one_suspect, some_suspects

import whyword as ww
from whyword import InputError
from whyword.audit.suspicion.row import reasons
from whyword.audit.suspicion.table import COLUMNS
from whyword.cli.word_lists import ignored_words
from whyword.web import audit_schema
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.suspects import SuspectList


def test_the_corpus_by_the_api_is_that_of_the_library() -> None:
    corpus = library()
    word = corpus.lists.choose("words", "typical")["space"][0].word
    phrase = corpus.lists.choose("phrases", "typical")["space"][0].word
    of_phrase = f"target=space&word={quote(phrase)}&top=4&units=phrases"
    for path, expected in (
        ("/api/words?target=space&top=5", corpus.class_words("space", 5)),
        ("/api/words?rank=sum&units=phrases", corpus.class_words(None, 30, "sum", "phrases")),
        (f"/api/words/documents?{of_phrase}", corpus.word_documents("space", phrase, 4, "phrases")),
        (
            f"/api/words/documents?target=space&word={word}&top=4",
            corpus.word_documents("space", word, 4),
        ),
        ("/api/documents?predicted=space&offset=2&limit=3", corpus.documents(None, "space", 2, 3)),
        ("/api/documents?label=space", corpus.documents("space", None, 0, 10)),
        ("/api/documents?label=nowhere", {"found": 0, "documents": []}),
        ("/api/documents/3", corpus.document(3)),
        ("/api/confusion", corpus.confusion()),
        ("/api/map", corpus.map()),
    ):
        answer = ask(app(), path)
        assert answer.status == 200
        assert answer.json == arrived(expected)
    confusion = arrived(corpus.confusion())
    assert [sum(row) for row in confusion["counts"]] == [*map(LABELS.count, confusion["labels"])]
    hits = ask(app(), "/api/search", {"query": TEXT, "top": 4}).json["hits"]
    expected_hits = ww.SearchIndex(model("cnn"), TEXTS).search(TEXT, top=4)
    np.testing.assert_allclose(
        [hit["similarity"] for hit in hits], [hit.similarity for hit in expected_hits], atol=1e-5
    )
    words = ["moon", "/[g-s].*/", "no such phrase"]
    assert ask(app(), "/api/what-if", {"words": words}).json == arrived(corpus.what_if(words))
    nowhere = ask(app(), "/api/what-if", {"words": ["\ud800 nowhere", "\x00"]}).json
    assert (nowhere["with_words"], nowhere["changes"]) == (0, [])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("words?target=spac", "did you mean space"),
        ("words?top=0", "top"),
        ("words?top=101", "top"),
        ("words?rank=median", "rank may be 'typical'"),
        ("words?units=letters", "units may be 'words' or 'phrases'"),
        ("words/documents?target=space", "word: is missing"),
        ("words/documents?target=space&word=zebra", "none of the 100 words"),
        ("words/documents?target=space&word=%ed%a0%80", "none of the 100 words"),
        (f"words/documents?target=space&word={'x' * 1001}", "at most 1000 characters"),
        ("words/documents?target=%ff&word=moon", "there is no class"),
        ("documents?predicted=nowhere", "there is no class 'nowhere'"),
        ("documents?offset=-1", "offset"),
        (f"documents?offset={2**63}", "offset"),
        (f"documents?limit={'9' * 5000}", "limit"),
        ("documents/-1", "number"),
        ("documents/%F0%9F%8C%99", "number"),
        (f"documents/{2**31}", "number"),
    ],
)
def test_mistakes_in_an_address(path: str, said: str) -> None:
    check_refused(ask(app(), f"/api/{path}"), 422, said)


@pytest.mark.parametrize(
    ("path", "given", "said"),
    [
        ("search", {"query": ""}, "knows no word of this query"),
        ("search", {"query": "\x00"}, "knows no word of this query"),
        ("search", {"query": "moon", "top": 0}, "top must be from 1 to 50, not 0"),
        ("search", {"query": "moon", "top": 51}, "top must be from 1 to 50, not 51"),
        ("search", {"query": "moon", "top": 10**4000}, "numbered beyond reason"),
        ("search", {"query": "moon " * 2001}, "a query may have 10,000 characters at most"),
        ("search", {"query": "moon", "topp": 5}, "topp: is no field of this request"),
        ("search", {"query": None}, "query: Input should be a valid string"),
        ("what-if", {"words": []}, "words must have from 1 to 1,000 items, not 0"),
        ("what-if", {"words": ["moon"] * 1001}, "words must have from 1 to 1,000 items, not 1,001"),
        ("what-if", {"words": ["x" * 1001]}, "the words may have 1,000 characters at most"),
        ("what-if", {"words": [" "]}, "words holds an empty word"),
        ("what-if", {"words": ["/(/"]}, "words"),
        ("what-if", {"words": ["/(a+)+b/"]}, "words"),
        ("what-if", {"words": "moon"}, "words: Input should be a valid list"),
        ("what-if", {"words": ["a"], "labels": []}, "there are 2 fields where there can be words"),
        ("what-if", {}, "words: is missing"),
    ],
)
def test_mistakes_in_a_body(path: str, given: object, said: str) -> None:
    check_refused(ask(app(), f"/api/{path}", given), 422, said)


def test_documents_and_labels_that_are_not_there() -> None:
    check_refused(ask(app(), "/api/documents/40"), 404, "there is no document 40, only 0 … 39")
    check_refused(ask(app(), f"/api/documents/{2**31 - 1}"), 404)
    served = library("svm")
    without = replace(served, judged=replace(served.judged, labels=[None] * 40))
    answer = ask(create_app(Engine(model("svm")), without), "/api/confusion")
    check_refused(answer, 422, "no labels")


# ---- suspects -----------------------------------------------------------------------------------

ROWS = [
    one_suspect("moon", "=cmd", label="space"),
    one_suspect("<b>\u202e", "x" * 5_000, label="hockey", verdict="noise"),
    one_suspect("orbit", label="space", verdict="no evidence"),
    one_suspect("rocket", label="space"),
]
FOUND = some_suspects(ROWS, "abc")
LIST = SuspectList(FOUND, "abc")


def test_the_list_in_figures() -> None:
    assert arrived(LIST.about) == {
        "verdicts": {"suspect": 2, "noise": 1, "no evidence": 1},
        "classes": ["hockey", "space"],
        "units": 99,
        "train_documents": 60,
        "held_out_documents": 40,
        "remarks": FOUND.remarks,
        "warning": None,
    }
    for of, served, same in (("abc", "abd", False), ("abc", None, False), (None, None, True)):
        assert (SuspectList(some_suspects(ROWS, of), served).warning is None) == same


def test_rows_by_class_and_verdict() -> None:
    for label, verdict, numbers in (
        (None, None, [0, 1, 2, 3]),
        ("space", None, [0, 2, 3]),
        (None, "noise", [1]),
        ("space", "suspect", [0, 3]),
        ("crypto", "noise", []),
    ):
        found = arrived(LIST.rows(label, verdict, 0, 30))
        assert found["found"] == len(numbers)
        assert [row["number"] for row in found["rows"]] == numbers
        for row in found["rows"]:
            assert row["entries"] == list(ROWS[row["number"]].entries)
            assert row["reasons"] == reasons(ROWS[row["number"]], "authors")
        parts = [LIST.rows(label, verdict, offset, 2)["rows"] for offset in (0, 2, 4)]
        assert [row for part in parts for row in arrived(part)] == found["rows"]


def test_the_table_is_what_training_ignores(tmp_path: Path) -> None:
    text = LIST.table([3, 0, 3])["csv"]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["artefact"] for row in rows] == ["yes", "", "", "yes"]
    (tmp_path / "suspects.csv").write_text(text, newline="")
    assert ignored_words(str(tmp_path / "suspects.csv")) == ["moon", "=cmd", "rocket"]
    assert LIST.table([])["csv"] == FOUND.to_csv()
    for number in (-1, 4):
        with pytest.raises(InputError, match="artefacts are numbers of rows, from 0 to 3"):
            LIST.table([0, number])


def test_the_suspects_by_the_api_are_those_of_the_list() -> None:
    served = create_app(Engine(model("svm")), library("svm"), suspects=LIST)
    found = ask(served, "/api/suspects")
    assert found.json == arrived(LIST.rows(None, None, 0, 30))
    read = TypeAdapter(audit_schema.SuspectsAnswer).validate_json(found.body, strict=True)
    assert TypeAdapter(audit_schema.SuspectsAnswer).dump_python(read, mode="json") == found.json
    some = ask(served, "/api/suspects?label=space&verdict=suspect&offset=1&limit=1").json
    assert [row["number"] for row in some["rows"]] == [3]
    table = ask(served, "/api/suspects/table", {"artefacts": [1]})
    assert table.json == LIST.table([1])
    assert ask(served, "/api/about").json["suspects"] == arrived(LIST.about)
    for path, given, said in (
        ("?label=spac", None, "did you mean space"),
        ("?verdict=guilty", None, "verdict may be 'suspect'"),
        ("?limit=101", None, "limit"),
        (f"?offset={2**31}", None, "offset"),
        ("/table", {"artefacts": [4]}, "artefacts are numbers of rows, from 0 to 3"),
        ("/table", {"artefacts": [2**70]}, "artefacts"),
        ("/table", {"artefacts": ["x"]}, "artefacts"),
        ("/table", {"artefacts": [0] * 10_001}, "artefacts must have at most 10,000 items"),
        ("/table", {}, "artefacts: is missing"),
    ):
        check_refused(ask(served, f"/api/suspects{path}", given), 422, said)
    alone = app("svm", False)
    for answer in (
        ask(alone, "/api/suspects"),
        ask(alone, "/api/suspects/table", {"artefacts": []}),
    ):
        check_refused(answer, 404, "whyword serve MODEL CORPUS --suspects FOLDER")
    assert ask(alone, "/api/about").json["suspects"] is None
