"""A corpus as a model sees it."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import TOPICS, topical
from served import KINDS, LABELS, TEXTS, arrived, ask, library, model, records

from whyword import InputError, SearchIndex, SVMClassifier, class_words, explain, summarize
from whyword.analysis.class_words import RANKS
from whyword.analysis.document_map import project
from whyword.base.progress import Progress
from whyword.corpora.source import Record
from whyword.web import library as module
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import Library, open_library
from whyword.words.document import Document

QUERY = "the moon and the rocket orbit"


def everything(of: Library) -> list[Any]:
    """Return all that can be asked without an argument of one's own."""
    label = str(of.judged.classes[0])
    answers = [of.about(), of.map(), of.class_words(None, 10), of.class_words(label, 10)]
    answers += [of.documents(None, None, 0, 50), *map(of.document, range(len(of)))]
    words = of.lists.choose("words", "strongest")[of.judged.classes[0]]
    answers += [of.word_documents(label, words[0].word, 5)] if words else []
    return [arrived(answer) for answer in answers]


# ---- the whole --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_corpus_in_figures(kind: str) -> None:
    used, corpus = model(kind), library(kind)
    assert len(corpus) == 40
    labels = LABELS if kind != "numbers" else [""] * 40  # its labels are none of the classes
    right = np.mean([str(a) == b for a, b in zip(used.predict(TEXTS), labels, strict=True)])
    about = {"name": "posts", "documents": 40, "labelled": 40, "accuracy": right, "vectors": True}
    assert arrived(corpus.about()) == about
    everything(corpus)


@pytest.mark.parametrize("kind", KINDS)
def test_the_map_is_that_of_the_summaries(kind: str) -> None:
    drawn = arrived(library(kind).map())
    points, share = project(summarize(model(kind), TEXTS))
    given = np.array(drawn["points"])
    assert given.min() >= 0
    assert given.max() <= 1
    assert (given.max(axis=0) - given.min(axis=0)).max() == pytest.approx(1)  # it fills the plane
    scale = (points.max(axis=0) - points.min(axis=0)).max()
    expected = (points - points.mean(axis=0)) / scale
    np.testing.assert_allclose(given - given.mean(axis=0), expected, atol=1e-3)
    assert drawn["share"] == pytest.approx(share, abs=1e-6)
    assert drawn["numbers"] == list(range(40))
    assert drawn["ids"] == [f"post {number}" for number in range(40)]
    predicted = [drawn["classes"][number] for number in drawn["predicted"]]
    assert predicted == model(kind).predict(TEXTS).tolist()
    assert [drawn["label_names"][number] for number in drawn["labels"]] == LABELS


def test_a_map_of_many_shows_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_POINTS", 15)
    whole = library().points
    assert whole is not None
    drawn = arrived(library().map())
    assert drawn["documents"] == 40
    assert drawn["numbers"] == list(range(0, 40, 3))
    np.testing.assert_allclose(drawn["points"], whole[::3], atol=1e-4)
    for name in ("points", "ids", "predicted", "labels"):
        assert len(drawn[name]) == 14


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_confusions_count_every_labelled_document(kind: str) -> None:
    wrong = ["hockey", None, *LABELS[2:]]
    used = model(kind)
    confusion = arrived(open_library(used, records(labels=wrong), "x").confusion())
    assert confusion["labels"] == confusion["classes"] == used.classes_.tolist()
    expected = np.zeros((3, 3), int)
    classes = used.classes_.tolist()
    for label, predicted in zip(wrong, used.predict(TEXTS), strict=True):
        if label is not None:
            expected[classes.index(label), classes.index(predicted)] += 1
    assert confusion["counts"] == expected.tolist()
    assert np.sum(confusion["counts"]) == 39


def test_labels_that_are_no_class_of_the_model() -> None:
    labels = ["sport", "", None, *LABELS[3:]]
    made = open_library(model("svm"), records(labels=labels), "x")
    confusion = arrived(made.confusion())
    assert confusion["labels"] == ["crypto", "hockey", "space", "sport"]
    assert [sum(row) for row in confusion["counts"]] == [12, 12, 13, 1]
    drawn = arrived(made.map())
    assert drawn["label_names"] == confusion["labels"]
    assert drawn["labels"][:3] == [3, -1, -1]
    assert arrived(made.documents("sport", None, 0, 10))["documents"][0]["number"] == 0
    assert made.about()["labelled"] == 38


def test_a_corpus_without_labels() -> None:
    made = open_library(model("cnn"), records(labels=None), "x")
    figures = {"name": "x", "documents": 40, "labelled": 0, "accuracy": None, "vectors": True}
    assert arrived(made.about()) == figures
    with pytest.raises(InputError, match="the documents have no labels"):
        made.confusion()
    assert set(arrived(made.map())["labels"]) == {-1}
    assert {
        entry["label"] for entry in arrived(made.documents(None, None, 0, 50))["documents"]
    } == {None}
    everything(made)


# ---- documents --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_documents_by_label_and_prediction(kind: str) -> None:
    used, corpus = model(kind), library(kind)
    predicted, chances = used.predict(TEXTS), used.predict_proba(TEXTS).max(axis=1)
    for label in (None, "hockey", "nowhere"):
        for chosen in (None, *used.classes_.tolist()):
            answer = arrived(
                corpus.documents(label, None if chosen is None else str(chosen), 0, 50)
            )
            numbers = [
                number
                for number in range(40)
                if label in (None, LABELS[number]) and chosen in (None, predicted[number])
            ]
            assert answer["found"] == len(numbers)
            assert sorted(entry["number"] for entry in answer["documents"]) == numbers
            sure = [entry["probability"] for entry in answer["documents"]]
            assert sure == sorted(sure, reverse=True)
            for entry in answer["documents"]:
                number = entry["number"]
                assert entry["text"] == TEXTS[number]
                assert entry["id"] == f"post {number}"
                assert entry["label"] == LABELS[number]
                assert entry["predicted"] == predicted[number]
                assert entry["probability"] == pytest.approx(chances[number])


def test_documents_page_by_page() -> None:
    whole = arrived(library().documents(None, None, 0, 50))["documents"]
    pages = [arrived(library().documents(None, None, at, 15)) for at in (0, 15, 30, 45, 2**31 - 1)]
    assert [entry for page in pages for entry in page["documents"]] == whole
    assert {page["found"] for page in pages} == {40}
    with pytest.raises(InputError, match="there is no class 'spac'; did you mean space"):
        library().documents(None, "spac", 0, 10)


@pytest.mark.parametrize("kind", KINDS)
def test_one_document_and_what_speaks_for_its_class(kind: str) -> None:
    document = arrived(library(kind).document(7))
    expected = explain(model(kind), TEXTS[7])
    for_it = [(word, value) for word, value in expected.as_list() if value > 0][:8]
    assert [word for word, _ in document["strongest"]] == [word for word, _ in for_it]
    np.testing.assert_allclose(
        [value for _, value in document["strongest"]], [value for _, value in for_it], rtol=1e-4
    )
    assert (document["text"], document["predicted"]) == (TEXTS[7], expected.predicted)
    for number in (-1, 40):
        with pytest.raises(InputError, match="only 0 … 39"):
            library(kind).document(number)


def test_the_beginning_of_a_long_text_is_one_short_line() -> None:
    texts = ["moon\n\n  orbit\t" * 500, "moon", "a" * 500]
    made = open_library(model("cnn"), records(texts, None), "x")
    first, second, third = [arrived(made.document(n))["beginning"] for n in range(3)]
    assert first.startswith("moon orbit moon orbit")
    assert len(first) <= 160
    assert (second, third) == ("moon", "a" * 160)


# ---- words ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_class_words_are_those_of_the_library(kind: str) -> None:
    expected = class_words(model(kind), TEXTS, top=7)
    words = arrived(library(kind).class_words(None, 7))
    assert words["documents"] == 40
    assert [each["target"] for each in words["classes"]] == list(expected)
    for each in words["classes"]:
        assert arrived(library(kind).class_words(str(each["target"]), 7))["classes"] == [each]
        for entry, other in zip(each["words"], expected[each["target"]], strict=True):
            assert entry.pop("relevance") == pytest.approx(other.relevance, rel=1e-4, abs=1e-6)
            assert entry == {k: v for k, v in other._asdict().items() if k != "relevance"}
    with pytest.raises(InputError, match="there is no class"):
        library(kind).class_words("nowhere", 7)


@pytest.mark.parametrize("kind", KINDS)
def test_documents_of_a_word_are_those_where_it_speaks_most(kind: str) -> None:
    """Against a search through the explanations of all documents."""
    used, corpus = model(kind), library(kind)
    label = corpus.judged.classes[-1]
    for entry in corpus.lists.choose("words", "strongest")[label][:4]:
        values: dict[int, float] = {}
        for number, one in enumerate(explain(used, TEXTS, label)):
            for said, value in zip(one.words, one.word_values()[:, 0].tolist(), strict=True):
                if said.lower() == entry.word:
                    values[number] = max(value, values.get(number, -np.inf))
        answer = arrived(corpus.word_documents(str(label), entry.word.upper(), 5))
        assert answer["found"] == answer["compared"] == len(values)
        given = [one["relevance"] for one in answer["documents"]]
        best = sorted(values.values(), reverse=True)[:5]
        np.testing.assert_allclose(given, best, rtol=1e-4, atol=1e-6)
        assert given[0] == pytest.approx(entry.relevance, rel=1e-4)
        for one in answer["documents"]:
            assert one["relevance"] == pytest.approx(values[one["number"]], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_every_rank_and_the_phrases_are_those_of_the_library(kind: str) -> None:
    """A network has windows, a pipeline n-grams; the phrases of a bag of words are its words."""
    corpus = library(kind)
    units = ["words"] if kind == "svm" else ["words", "phrases"]
    for unit in units:
        for rank in RANKS:
            given = arrived(corpus.class_words(None, 5, rank, unit))
            assert (given["rank"], given["units"], given["choices"]) == (rank, unit, units)
            expected = class_words(model(kind), TEXTS, top=5, rank=rank, units=unit)
            assert [[one["word"] for one in each["words"]] for each in given["classes"]] == [
                [one.word for one in each] for each in expected.values()
            ]
    with pytest.raises(InputError, match="rank may be 'typical'"):
        corpus.class_words(None, 5, "median")
    with pytest.raises(InputError, match="units may be 'words' or 'phrases'"):
        corpus.class_words(None, 5, "sum", "letters")
    if len(units) == 1:
        with pytest.raises(InputError, match="has no phrases that are not its words"):
            corpus.class_words(None, 5, "sum", "phrases")


def test_documents_of_a_phrase_are_those_where_it_speaks_most() -> None:
    corpus = library()
    for entry in corpus.lists.choose("phrases", "strongest")["space"][:4]:
        values: dict[int, float] = {}
        for number, one in enumerate(explain(model("cnn"), TEXTS, "space", level="phrase")):
            assert one.units is not None
            for name, value in zip(one.units.names, one.units.relevance.tolist(), strict=True):
                if name == entry.word:
                    values[number] = max(value, values.get(number, -np.inf))
        answer = arrived(corpus.word_documents("space", entry.word, 5, "phrases"))
        assert answer["found"] == answer["compared"] == len(values)
        first = answer["documents"][0]
        assert first["relevance"] == pytest.approx(entry.relevance, rel=1e-4)
        assert first["number"] == entry.document
        assert first["said"].lower().split() == entry.word.split()
        assert first["before"] + first["said"] + first["after"] in TEXTS[first["number"]]
    with pytest.raises(InputError, match="none of the 100 phrases of any class"):
        corpus.word_documents("space", "moon zebra", 5, "phrases")


def test_a_frequent_word_is_looked_for_in_some_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COMPARED", 5)
    corpus = library()
    entry = corpus.lists.choose("words", "strongest")["space"][0]
    answer = arrived(corpus.word_documents("space", entry.word, 20))
    assert answer["found"] > answer["compared"] <= 6
    best = answer["documents"][0]
    assert best["number"] == entry.document  # the strongest place of all is never left out
    assert best["relevance"] == pytest.approx(entry.relevance, rel=1e-4)


def test_words_that_are_none() -> None:
    for word in ("zebra", "", "moon rocket", "\x00", "x" * 500):
        with pytest.raises(InputError, match="is none of the 100 words of any class") as caught:
            library().word_documents("space", word, 5)
        assert len(str(caught.value)) < 150
    with pytest.raises(InputError, match="there is no class 'nowhere'"):
        library().word_documents("nowhere", "moon", 5)


@pytest.mark.parametrize("name", ["all", "predicted"])
def test_a_class_that_is_called_like_a_question(name: str) -> None:
    texts, labels = topical(40)
    labels = [{"space": name, "crypto": "aaa"}.get(label, label) for label in labels]
    used = SVMClassifier(C=1.0).fit(texts, labels)
    made = open_library(used, records(texts, labels), "x")
    places = made.lists.places["words"]
    common = max(places, key=lambda word: len(places[word]))
    answer = arrived(made.word_documents(name, common, 50))
    assert len(answer["documents"]) == len(places[common]) > 8
    for document in answer["documents"]:
        one = explain(used, texts[document["number"]], [name])
        value = one.word_values()[[word.lower() for word in one.words].index(common), 0]
        assert document["relevance"] == pytest.approx(value, rel=1e-4, abs=1e-6)


# ---- search -----------------------------------------------------------------------------------


def test_a_query_is_not_tokenised_for_each_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, asked = library(), []
    real = corpus.model.documents

    def documents(texts: Iterable[str]) -> Iterator[Document]:
        asked.append(list(texts))
        return real(asked[-1])

    monkeypatch.setattr(corpus.model, "documents", documents)
    hits = corpus.search(QUERY, 6)["hits"]
    assert asked == [[QUERY, *(TEXTS[hit["number"]] for hit in hits)]]


@pytest.mark.parametrize("kind", KINDS)
def test_hits_are_those_of_a_search_index(kind: str) -> None:
    expected = SearchIndex(model(kind), TEXTS).search(QUERY, top=6)
    hits = arrived(library(kind).search(QUERY, 6))["hits"]
    assert len(hits) == len(expected)
    for hit, other in zip(hits, expected, strict=True):
        assert hit["similarity"] == pytest.approx(other.similarity, abs=1e-5)
        for part, text in ((hit["query"], QUERY), (hit["text"], TEXTS[hit["number"]])):
            assert part["text"] == text
            spans = part["spans"]
            assert [text[start:end] for start, end in spans] == part["words"]
            assert sum(part["carried"]) == pytest.approx(hit["similarity"], abs=1e-3)
    by_number = {int(other.id): other for other in expected}
    hit = next(hit for hit in hits if hit["number"] in by_number)
    other = by_number[hit["number"]]
    carried = np.zeros(len(hit["text"]["words"]))
    for carrier in other.words:
        carried[carrier.position] = carrier.similarity
    np.testing.assert_allclose(hit["text"]["carried"], carried, atol=1e-4)


def test_queries_without_a_known_word() -> None:
    for query in ("", "zebra", "\x00", "🌙"):
        with pytest.raises(InputError, match="knows no word of this query"):
            library().search(query, 5)


# ---- corpora that are odd ---------------------------------------------------------------------


def test_hostile_ids_and_labels() -> None:
    """Nothing that a table may hold breaks the answers: they can be written, all of them."""
    odd = ["\ud800", "\x00", "", "same", "same", "<script>", "a\nb", "\u202e", "9" * 500, "\ufffe"]
    rows = [Record(odd[n % len(odd)], TEXTS[n], odd[-n % len(odd)], None) for n in range(40)]
    rows[3] = rows[3]._replace(text="moon \ud83d orbit \udc00")
    for kind in ("cnn", "svm", "pipeline"):
        made = open_library(model(kind), rows, "\ufffd")
        everything(made)
        assert arrived(made.search(QUERY, 40))["hits"]
        assert arrived(made.document(0))["id"] == "\ufffd"
        assert arrived(made.document(3))["text"] == "moon \ufffd orbit \ufffd"
        assert arrived(made.document(13))["id"] == arrived(made.document(14))["id"] == "same"
        confusion = arrived(made.confusion())
        assert np.sum(confusion["counts"]) == sum(record.label != "" for record in rows)
        assert arrived(made.documents("\ufffd", None, 0, 50))["found"] == 4


@pytest.mark.parametrize("kind", ["cnn", "svm", "pipeline"])
def test_documents_without_words(kind: str) -> None:
    texts = ["", "moon orbit", "  \n", "unheard zebra", "moon puck", "\x00"]
    made = open_library(model(kind), records(texts, None), "x")
    everything(made)
    hits = arrived(made.search(QUERY, 10))["hits"]
    assert {hit["number"] for hit in hits} <= {1, 3, 4}
    assert arrived(made.document(0))["strongest"] == []
    assert np.isfinite(np.array(arrived(made.map())["points"], float)).all()


@pytest.mark.parametrize("kind", ["cnn", "svm", "pipeline"])
@pytest.mark.parametrize("text", ["moon orbit", "", "unheard"])
def test_documents_that_are_all_alike(kind: str, text: str) -> None:
    made = open_library(model(kind), records([text] * 4, None), "x")
    everything(made)
    points = np.array(arrived(made.map())["points"], float)
    np.testing.assert_allclose(points, 0.5, atol=1e-4)  # one point, in the middle


def test_two_documents_are_no_corpus() -> None:
    for count in (0, 2):
        with pytest.raises(InputError, match=f"posts: a corpus to look at needs 3 .* not {count}"):
            open_library(model("svm"), records(TEXTS[:count], LABELS[:count]), "posts")
    assert len(open_library(model("svm"), records(TEXTS[:3], LABELS[:3]), "posts")) == 3


def test_the_stages_are_told() -> None:
    events: list[Progress] = []
    open_library(model("svm"), records(), "x", events.append)
    assert events[0].stage == "predicting 40 documents"
    assert len(events) == 4


# ---- somebody's model -------------------------------------------------------------------------


def test_somebodys_model_has_neither_map_nor_search() -> None:
    events: list[Progress] = []
    corpus = open_library(Keywords(), records(), "posts", events.append)
    assert [event.stage for event in events] == [
        "predicting 40 documents",
        "finding the classes' words",
    ]
    assert corpus.about()["accuracy"] > 0.9
    assert not corpus.about()["vectors"]
    for asked in (corpus.map, lambda: corpus.search(QUERY, 3)):
        with pytest.raises(InputError, match="this model's documents have no vectors") as refusal:
            asked()
        assert "\n" not in str(refusal.value)
    words = corpus.class_words("space", 3)["classes"][0]["words"]
    assert {word["word"] for word in words} <= set(TOPICS["space"])
    assert {word["seen"] for word in words} == {None}
    shown = arrived(corpus.word_documents("space", words[0]["word"], 5))
    assert all(entry["relevance"] > 0 for entry in shown["documents"])
    assert arrived(corpus.document(0))["strongest"]
    assert sum(map(sum, corpus.confusion()["counts"])) == 40


def test_the_server_says_so() -> None:
    given = open_library(Keywords(), records(), "posts")
    app = create_app(Engine(Keywords()), given)
    for path, body in (("/api/map", None), ("/api/search", {"query": QUERY})):
        answer = ask(app, path, body)
        assert answer.status == 422
        assert "this model's documents have no vectors" in answer.problem
    assert ask(app, "/api/words").status == 200
    schema = ask(app, "/api/openapi.json").json["components"]["schemas"]["ExplainRequest"]
    assert schema["properties"]["method"]["enum"] == ["occlusion", "random"]
    assert schema["properties"]["method"]["default"] == "occlusion"
    explained = ask(app, "/api/explain", {"documents": ["To the moon"]}).json
    assert explained["explanations"][0]["method"] == "occlusion"
