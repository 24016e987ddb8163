"""A corpus as a model sees it: documents, words of classes, map, search, and what if."""

from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import TOPICS, topical
from numpy.typing import NDArray
from served import LABELS, TEXTS, arrived, ask, library, model, records
from toys import RuledClassifier

import whyword as ww
from whyword import InputError, SearchIndex, SVMClassifier, class_words, explain, summarize
from whyword.analysis.class_words import RANKS
from whyword.analysis.document_map import project
from whyword.audit.changes import TURNS
from whyword.base.labels import Label
from whyword.base.progress import Progress
from whyword.corpora.source import Record
from whyword.methods.predict import Prediction
from whyword.web import library as module
from whyword.web import what_if
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.gate import TooLongError
from whyword.web.judged import Judged
from whyword.web.library import Library, open_library
from whyword.web.word_lists import TOP_WORDS, WordLists

QUERY = "the moon and the rocket orbit"
EACH_KIND = pytest.mark.parametrize("kind", ["cnn", "svm", "numbers"])


def everything(of: Library) -> list[Any]:
    """Return all that can be asked without an argument of one's own."""
    label = str(of.judged.classes[0])
    answers = [of.about(), of.map(), of.class_words(None, 10), of.class_words(label, 10)]
    answers += [of.documents(None, None, 0, 50), *map(of.document, range(len(of)))]
    words = of.lists.choose("words", "strongest")[of.judged.classes[0]]
    answers += [of.word_documents(label, words[0].word, 5)] if words else []
    return [arrived(answer) for answer in answers]


# ---- predictions and labels ---------------------------------------------------------------------


def judged(labels: list[Any], predicted: list[Any], best: list[int]) -> Judged:
    classes: list[Label] = ["a", "b", 3]
    chances = [np.eye(3)[number] * 0.9 for number in best]
    pairs = enumerate(zip(predicted, chances, strict=True))
    predictions = [Prediction(str(n), *both[:1], None, both[1], 1) for n, both in pairs]
    return Judged.of(classes, labels, predictions)


ONE = judged(["a", "c", None, "", "3"], ["a", "b", "a", "a", "3"], [0, 1, 0, 0, 2])
SEVERAL = judged(
    [("b", "a"), (), ("3",), None, ("c",)], [("a", "b"), (), ("a",), (), ("3",)], [0, 1, 0, 0, 2]
)


def test_right_and_wrong() -> None:
    assert [ONE.is_right(n) for n in range(5)] == [True, False, None, None, True]
    assert (ONE.n_labelled, ONE.accuracy) == (3, 2 / 3)
    assert [SEVERAL.is_right(n) for n in range(5)] == [True, True, False, None, False]
    assert (SEVERAL.n_labelled, SEVERAL.accuracy) == (4, 0.5)
    assert judged([None], ["a"], [0]).accuracy is None
    assert SEVERAL.prediction(4) == (3,)  # as the model has it
    assert [one.labels_are_foreign for one in (ONE, SEVERAL)] == [False, False]
    assert judged([("x",)], [("a",)], [0]).labels_are_foreign
    assert not judged([()], [()], [0]).labels_are_foreign
    assert judged([("\ud800",)], [()], [0]).labels == [("\ufffd",)]


def test_groups_and_selections() -> None:
    assert ONE.groups(range(5)) == {
        "predicted": [0, 1, 0, 0, 2],
        "label_names": ["a", "b", "3", "c"],
        "labels": [0, 3, -1, -1, 2],
        "right": [True, False, None, None, True],
    }
    assert SEVERAL.names() == ["a", "b", "3", "no label", "several labels", "c"]
    assert SEVERAL.groups([0, 1, 4])["predicted"] == [4, 3, 2]
    assert SEVERAL.groups([0, 1, 4])["labels"] == [4, 3, 5]
    assert ONE.select(None, "a").tolist() == [0, 2, 3]
    assert ONE.select("c", None).tolist() == [1]
    assert SEVERAL.select("a", "b").tolist() == [0]
    assert SEVERAL.select(None, "3").tolist() == [4]
    with pytest.raises(InputError, match="there is no class 'z'"):
        SEVERAL.select(None, "z")


def test_confusions() -> None:
    assert ONE.confusion()["counts"] == [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]]
    with pytest.raises(InputError, match="several labels, each by itself"):
        SEVERAL.confusion()
    with pytest.raises(InputError, match="no labels"):
        judged([None], [("a",)], [0]).confusion()
    of_several = judged([("a", "b"), ("a",)], ["a", "b"], [0, 1])  # whose model predicts a class
    assert of_several.confusion()["labels"] == ["a", "b", "3", "several labels"]


# ---- the whole ----------------------------------------------------------------------------------


@EACH_KIND
def test_the_corpus_in_figures(kind: str) -> None:
    used, corpus = model(kind), library(kind)
    labels = LABELS if kind != "numbers" else [""] * 40  # its labels are none of the classes
    right = np.mean([str(a) == b for a, b in zip(used.predict(TEXTS), labels, strict=True)])
    about = {"name": "posts", "documents": 40, "labelled": 40, "accuracy": right, "vectors": True}
    assert arrived(corpus.about()) == about
    everything(corpus)


@EACH_KIND
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
    assert {one["label"] for one in made.documents(None, None, 0, 50)["documents"]} == {None}
    everything(made)


# ---- documents ----------------------------------------------------------------------------------


@EACH_KIND
def test_documents_by_label_and_prediction(kind: str) -> None:
    used, corpus = model(kind), library(kind)
    predicted, chances = used.predict(TEXTS), used.predict_proba(TEXTS).max(axis=1)
    for label in (None, "hockey", "nowhere"):
        for chosen in (None, *used.classes_.tolist()):
            name = None if chosen is None else str(chosen)
            answer = arrived(corpus.documents(label, name, 0, 50))
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
                assert (entry["id"], entry["text"]) == (f"post {number}", TEXTS[number])
                assert (entry["label"], entry["predicted"]) == (LABELS[number], predicted[number])
                assert entry["probability"] == pytest.approx(chances[number])


def test_documents_page_by_page() -> None:
    whole = arrived(library().documents(None, None, 0, 50))["documents"]
    pages = [arrived(library().documents(None, None, at, 15)) for at in (0, 15, 30, 45, 2**31 - 1)]
    assert [entry for page in pages for entry in page["documents"]] == whole
    assert {page["found"] for page in pages} == {40}
    with pytest.raises(InputError, match="there is no class 'spac'; did you mean space"):
        library().documents(None, "spac", 0, 10)


@EACH_KIND
def test_one_document_and_the_words_for_its_class(kind: str) -> None:
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


# ---- words --------------------------------------------------------------------------------------


@EACH_KIND
def test_words_of_classes_are_those_of_the_library(kind: str) -> None:
    """A network has windows, a pipeline n-grams; the phrases of a bag of words are its words."""
    corpus = library(kind)
    expected = class_words(model(kind), TEXTS, top=7)
    words = arrived(corpus.class_words(None, 7))
    assert words["documents"] == 40
    assert [each["target"] for each in words["classes"]] == list(expected)
    for each in words["classes"]:
        assert arrived(corpus.class_words(str(each["target"]), 7))["classes"] == [each]
        for entry, other in zip(each["words"], expected[each["target"]], strict=True):
            assert entry.pop("relevance") == pytest.approx(other.relevance, rel=1e-4, abs=1e-6)
            assert entry == {k: v for k, v in other._asdict().items() if k != "relevance"}
    units = ["words"] if kind == "svm" else ["words", "phrases"]
    for unit in units:
        for rank in RANKS:
            given = arrived(corpus.class_words(None, 5, rank, unit))
            assert (given["rank"], given["units"], given["choices"]) == (rank, unit, units)
            expected = class_words(model(kind), TEXTS, top=5, rank=rank, units=unit)
            assert [[one["word"] for one in each["words"]] for each in given["classes"]] == [
                [one.word for one in each] for each in expected.values()
            ]
    for arguments, message in (
        (("nowhere", 7), "there is no class"),
        ((None, 5, "median"), "rank may be 'typical'"),
        ((None, 5, "sum", "letters"), "units may be 'words' or 'phrases'"),
    ):
        with pytest.raises(InputError, match=message):
            corpus.class_words(*arguments)
    if len(units) == 1:
        with pytest.raises(InputError, match="has no phrases that are not its words"):
            corpus.class_words(None, 5, "sum", "phrases")


@EACH_KIND
def test_documents_of_a_word_are_those_where_it_is_strongest(kind: str) -> None:
    """Against a search through the explanations of all documents."""
    used, corpus = model(kind), library(kind)
    label = corpus.judged.classes[-1]
    for entry in corpus.lists.choose("words", "strongest")[label][:4]:
        values: dict[int, float] = {}
        for number, one in enumerate(explain(used, TEXTS, label)):
            for word, value in zip(one.words, one.word_values()[:, 0].tolist(), strict=True):
                if word.lower() == entry.word:
                    values[number] = max(value, values.get(number, -np.inf))
        check_documents(corpus.word_documents(str(label), entry.word.upper(), 5), values)


def check_documents(answer: dict[str, Any], values: dict[int, float]) -> None:
    """Compare with the strongest relevance of a word in each document."""
    assert answer["found"] == answer["compared"] == len(values)
    best = sorted(values, key=lambda number: -values[number])[:5]
    given = [one["relevance"] for one in answer["documents"]]
    np.testing.assert_allclose(given, [values[number] for number in best], rtol=1e-4, atol=1e-6)
    for one in answer["documents"]:
        assert one["relevance"] == pytest.approx(values[one["number"]], rel=1e-4, abs=1e-6)


def test_documents_of_a_phrase_are_those_where_it_is_strongest() -> None:
    corpus = library()
    for entry in corpus.lists.choose("phrases", "strongest")["space"][:4]:
        values: dict[int, float] = {}
        for number, one in enumerate(explain(model("cnn"), TEXTS, "space", level="phrase")):
            assert one.units is not None
            for name, value in zip(one.units.names, one.units.relevance.tolist(), strict=True):
                if name == entry.word:
                    values[number] = max(value, values.get(number, -np.inf))
        answer = corpus.word_documents("space", entry.word, 5, "phrases")
        check_documents(answer, values)
        first = answer["documents"][0]
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


def test_unknown_words() -> None:
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


def test_words_with_and_without_symbols() -> None:
    labelled = list(zip(*topical(30), strict=True))
    texts = [f"{text} !!!" if label == "space" else text for text, label in labelled]
    used = RuledClassifier().fit(texts, [label for _, label in labelled])
    lists = WordLists.of(used, texts)
    assert lists.has_symbols("words")
    for rank in RANKS:
        for symbols in (False, True):
            expected = class_words(used, texts, top=TOP_WORDS, rank=rank, symbols=symbols)
            assert dict(lists.choose("words", rank, symbols)) == dict(expected)
    where = [n for n, (_, label) in enumerate(labelled) if label == "space"]
    assert lists.documents_of("!!!", "words") == where
    assert lists.strongest("space", "!!!", "words") <= set(where)
    assert lists.strongest("space", "!!!", "words")
    plain = WordLists.of(used, [text for text, _ in labelled])
    assert not plain.has_symbols("words")
    assert plain.plain == plain.whole
    with pytest.raises(InputError, match="this model has no phrases"):
        plain.choose("phrases", "sum")


# ---- search -------------------------------------------------------------------------------------


@EACH_KIND
def test_hits_are_those_of_a_search_index(kind: str) -> None:
    expected = SearchIndex(model(kind), TEXTS).search(QUERY, top=6)
    hits = arrived(library(kind).search(QUERY, 6))["hits"]
    assert len(hits) == len(expected)
    for hit, other in zip(hits, expected, strict=True):
        assert hit["similarity"] == pytest.approx(other.similarity, abs=1e-5)
        for part, text in ((hit["query"], QUERY), (hit["text"], TEXTS[hit["number"]])):
            assert part["text"] == text
            assert [text[start:end] for start, end in part["spans"]] == part["words"]
            assert sum(part["carried"]) == pytest.approx(hit["similarity"], abs=1e-3)
    by_number = {int(other.id): other for other in expected}
    hit = next(hit for hit in hits if hit["number"] in by_number)
    carried = np.zeros(len(hit["text"]["words"]))
    for carrier in by_number[hit["number"]].words:
        carried[carrier.position] = carrier.similarity
    np.testing.assert_allclose(hit["text"]["carried"], carried, atol=1e-4)
    for query in ("", "zebra", "\x00", "🌙"):
        with pytest.raises(InputError, match="knows no word of this query"):
            library(kind).search(query, 5)


# ---- corpora that are odd -----------------------------------------------------------------------


def test_hostile_ids_and_labels() -> None:
    """Nothing that a table may hold breaks the answers: they can be written, all of them."""
    odd = ["\ud800", "\x00", "", "same", "same", "<script>", "a\nb", "\u202e", "9" * 500, "\ufffe"]
    rows = [Record(odd[n % len(odd)], TEXTS[n], odd[-n % len(odd)], None) for n in range(40)]
    rows[3] = rows[3]._replace(text="moon \ud83d orbit \udc00")
    made = open_library(model("cnn"), rows, "\ufffd")
    everything(made)
    assert arrived(made.search(QUERY, 40))["hits"]
    assert arrived(made.document(0))["id"] == "\ufffd"
    assert arrived(made.document(3))["text"] == "moon \ufffd orbit \ufffd"
    assert arrived(made.document(13))["id"] == arrived(made.document(14))["id"] == "same"
    confusion = arrived(made.confusion())
    assert np.sum(confusion["counts"]) == sum(record.label != "" for record in rows)
    assert arrived(made.documents("\ufffd", None, 0, 50))["found"] == 4


@EACH_KIND
def test_documents_without_words_or_all_equal(kind: str) -> None:
    texts = ["", "moon orbit", "  \n", "unheard zebra", "moon puck", "\x00"]
    made = open_library(model(kind), records(texts, None), "x")
    everything(made)
    hits = arrived(made.search(QUERY, 10))["hits"]
    assert {hit["number"] for hit in hits} <= {1, 3, 4}
    assert arrived(made.document(0))["strongest"] == []
    assert np.isfinite(np.array(arrived(made.map())["points"], float)).all()
    for text in ("moon orbit", "", "unheard"):
        made = open_library(model(kind), records([text] * 4, None), "x")
        everything(made)
        points = np.array(arrived(made.map())["points"], float)
        np.testing.assert_allclose(points, 0.5, atol=1e-4)  # one point, in the middle


def test_two_documents_are_no_corpus() -> None:
    for count in (0, 2):
        with pytest.raises(InputError, match=f"posts: a corpus to look at needs 3 .* not {count}"):
            open_library(model("svm"), records(TEXTS[:count], LABELS[:count]), "posts")
    events: list[Progress] = []
    made = open_library(model("svm"), records(TEXTS[:3], LABELS[:3]), "posts", events.append)
    assert len(made) == 3
    assert [event.stage for event in events] == [
        "predicting 3 documents",
        "finding the classes' words",
        "preparing the search",
        "drawing the map",
    ]


def test_a_black_box_has_neither_map_nor_search() -> None:
    events: list[Progress] = []
    corpus = open_library(Keywords(), records(), "posts", events.append)
    assert len(events) == 2
    assert corpus.about()["accuracy"] > 0.9
    assert not corpus.about()["vectors"]
    words = corpus.class_words("space", 3)["classes"][0]["words"]
    assert {word["word"] for word in words} <= set(TOPICS["space"])
    assert {word["seen"] for word in words} == {None}
    shown = arrived(corpus.word_documents("space", words[0]["word"], 5))
    assert all(entry["relevance"] > 0 for entry in shown["documents"])
    assert arrived(corpus.document(0))["strongest"]
    assert sum(map(sum, corpus.confusion()["counts"])) == 40
    app = create_app(Engine(Keywords()), corpus)
    for path, body in (("/api/map", None), ("/api/search", {"query": QUERY})):
        answer = ask(app, path, body)
        assert answer.status == 422
        assert "this model's documents have no vectors" in answer.problem
    assert ask(app, "/api/words").status == 200
    schema = ask(app, "/api/openapi.json").json["components"]["schemas"]["ExplainRequest"]
    assert schema["properties"]["method"]["enum"] == ["occlusion", "random"]
    assert schema["properties"]["method"]["default"] == "occlusion"


# ---- what if ------------------------------------------------------------------------------------

WORDS = ["Moon", "puck goal", "/[g-s].*/"]


def changes(found: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - an answer
    """Return numbers, before, after and turn of what changed, in the order of the documents."""
    rows = [(one["number"], one["before"], one["after"], one["turn"]) for one in found["changes"]]
    return sorted(rows)


@EACH_KIND
def test_what_if_is_that_of_the_library(kind: str) -> None:
    labels = None if kind == "numbers" else LABELS  # its labels are none of the classes
    expected = ww.what_if(model(kind), WORDS, TEXTS, labels)
    found = arrived(library(kind).what_if(WORDS))
    assert found["words"] == list(expected.words)
    assert (found["documents"], found["with_words"]) == (40, len(expected.documents))
    assert found["changed"] == len(expected.changes) > 0
    assert changes(found) == [(*one[:3], one.turn) for one in expected.changes]
    assert all(one["id"] == f"post {one['number']}" for one in found["changes"])
    if labels is None:
        assert found["accuracy"] is None
        return
    accuracy, compared, intervals = found["accuracy"], expected.accuracy, expected.intervals
    assert compared is not None
    assert intervals is not None
    assert (accuracy["before"], accuracy["after"]) == compared.values
    assert (accuracy["before_interval"], accuracy["after_interval"]) == tuple(map(list, intervals))
    assert (accuracy["p"], accuracy["alpha"], accuracy["documents"]) == (compared.p, 0.05, 40)
    assert accuracy["turns"] == expected.turns
    order = [TURNS.index(one["turn"]) for one in found["changes"]]
    assert order == sorted(order)


def test_only_documents_with_the_words_are_asked_again() -> None:
    asked: list[str] = []

    class Asked(Keywords):
        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            asked.extend(texts)
            return super().predict_proba(texts)

    opened = open_library(Asked(), records(TEXTS[:8], LABELS[:8]), "posts")
    asked.clear()
    found = opened.what_if(["moon"])
    assert len(asked) == found["with_words"] < 8


def test_what_if_where_some_labels_are_unknown() -> None:
    given: list[Any] = [
        None if n % 3 == 0 else "cats" if n % 3 == 1 else LABELS[n] for n in range(40)
    ]
    found = arrived(open_library(model("svm"), records(TEXTS, given), "posts").what_if(WORDS))
    whole = ww.what_if(model("svm"), WORDS, TEXTS)
    assert [row[:3] for row in changes(found)] == [one[:3] for one in whole.changes]
    assert {one["turn"] is None for one in found["changes"] if one["number"] % 3 < 2} == {True}
    some = range(2, 40, 3)
    known = ww.what_if(model("svm"), WORDS, [TEXTS[n] for n in some], [LABELS[n] for n in some])
    assert known.accuracy is not None
    assert found["accuracy"]["documents"] == len(some)
    assert found["accuracy"]["after"] == known.accuracy.values[1]
    assert found["accuracy"]["turns"] == known.turns


def test_what_if_of_several_labels() -> None:
    def probabilities(texts: list[str]) -> NDArray[np.float64]:
        return np.array([["moon" in text, "puck" in text] for text in texts], float)

    used = ww.BlackBox(probabilities, ["space", "hockey"], multilabel=True)
    rows: list[Any] = [("space",), (), ("hockey", "cats"), ("hockey", "space")]
    opened = open_library(used, records(["moon", "puck", "puck", "moon puck"], rows), "posts")
    found = arrived(opened.what_if(["PUCK"]))
    assert changes(found) == [
        (1, ["hockey"], [], "wrong to right"),
        (2, ["hockey"], [], None),  # cats are no label of the model
        (3, ["space", "hockey"], ["space"], "right to wrong"),
    ]
    assert found["accuracy"]["documents"] == 3
    assert found["accuracy"]["before"] == found["accuracy"]["after"] == pytest.approx(2 / 3)


def test_what_if_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = library("svm").what_if(WORDS)
    monkeypatch.setattr(what_if, "MOST_CHANGES", 2)
    found = library("svm").what_if(WORDS)
    assert found["changed"] == whole["changed"] > 2
    assert found["changes"] == whole["changes"][:2]
    with pytest.raises(TooLongError, match=r"not ready after .*name fewer words"):
        library().what_if(WORDS, -1.0)
