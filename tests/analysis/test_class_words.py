"""Words of classes against the literal reading of docs/classes.md, their page, word senses."""

import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE, Page
from keywords import Keywords
from networks import TOPICS, made_cnn, made_text, topical
from oracle import class_word_value
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, SVMClassifier, class_words, explain, from_pipeline
from whyword.analysis import senses
from whyword.analysis.class_words import (
    RANKS,
    ClassWords,
    ClassWordsRequest,
    class_words_choices,
)
from whyword.analysis.class_words_page import explain_documents, needed_documents, word_page
from whyword.base.labels import Label
from whyword.explanation.explanation import Explanation

TEXTS = ["wa wb Wa", "", "wc wb", "wd WD wd we", "unheard wa"]
Occurrences = dict[str, list[tuple[int, int, float, float, bool]]]


def literal(
    model: object, texts: list[str], units: str = "words", shared: bool = False
) -> dict[Label, Occurrences]:
    """All occurrences of each word for each class: document, position, relevance, value, given.

    Of a bag, an occurrence shows the word's whole.
    """
    found: dict[Label, Occurrences] = defaultdict(lambda: defaultdict(list))
    for number, text in enumerate(texts):
        for label in explain(model, text).classes:
            one = explain(model, text, label, level="phrase" if units == "phrases" else "word")
            for name, start, relevance in _said(one, units):
                same = [r for other, _, r in _said(one, units) if other == name]
                position = max(n for n, (at, _) in enumerate(one.spans) if at <= start)
                value = sum(same) if shared else relevance
                own = (number, position, relevance, value, one.predicted == label)
                found[label][name].append(own)
    return found


def _said(one: Explanation, units: str) -> list[tuple[str, int, float]]:
    """Return each occurrence's name, where it begins, its relevance."""
    shown: Any = one.units if units == "phrases" else one
    names = shown.names if units == "phrases" else shown.words
    starts = [start for start, _ in shown.spans.tolist()]
    return list(zip(map(str.lower, names), starts, shown.relevance.tolist(), strict=True))


def check(by_class: ClassWords, expected: dict[Label, Occurrences], rank: str, least: int) -> None:
    """Compare all words of all classes with the literal reading."""
    for label, words in expected.items():
        values = {
            word: class_word_value(rank, [(d, r, v, g) for d, _, r, v, g in those])
            for word, those in words.items()
            if len(those) >= least
        }
        near = {word for word, value in values.items() if abs(value) < 1e-6}
        listed = [entry.word for entry in by_class[label]]
        assert set(listed) - near == {w for w, value in values.items() if value > 0} - near
        given = [entry.relevance for entry in by_class[label]]
        assert given == sorted(given, reverse=True)
        for entry in by_class[label]:
            those = words[entry.word]
            assert entry.relevance == pytest.approx(values[entry.word], rel=1e-4, abs=1e-5)
            assert entry.relevance > 0
            assert entry.occurrences == len(those)
            assert entry.documents == len({document for document, *_ in those})
            places = {(d, p): value for d, p, _, value, _ in those}
            assert isinstance(entry.document, int)
            best = max(value for *_, value, _ in those)
            assert places[entry.document, entry.position] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("rank", RANKS)
def test_each_word_once_by_every_rank(rank: str) -> None:
    texts, labels = topical(9)
    bag = SVMClassifier(C=1.0).fit(texts, labels)
    for model, some, least in ((made_cnn((2,), seed=3), TEXTS, 1), (bag, texts, 3)):
        by_class = class_words(model, some, top=1000, rank=rank, least=least)
        assert by_class.n_documents == len(some)
        check(by_class, literal(model, some, shared=model is bag), rank, least)


@pytest.mark.parametrize("rank", RANKS)
def test_phrases_are_units(rank: str) -> None:
    """Windows of two widths side by side; n-grams of a bag."""
    texts, labels = topical(20)
    bag = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    wrapped = from_pipeline(bag.fit(texts, labels))
    cnn = made_cnn((1, 2), seed=3)
    for model, some in ((cnn, TEXTS[:1] + TEXTS[2:]), (wrapped, texts[:3])):
        by_class = class_words(model, some, top=10_000, rank=rank, units="phrases")
        check(by_class, literal(model, some, "phrases"), rank, 1)
        widths = {len(entry.word.split()) for each in by_class.values() for entry in each}
        assert (by_class.units, widths) == ("phrases", {1, 2})


def test_everything_to_choose_from_is_read_once() -> None:
    """All ranks, and phrases where they are not the words; what was asked for comes first."""
    model, texts = made_cnn((2,), seed=3), TEXTS * 2
    asked = ClassWordsRequest.of("all", 4, "word", "sum", 1, "phrases", None, {})
    lists = class_words_choices(model, asked, iter(texts))
    ranks = ["sum", *(rank for rank in RANKS if rank != "sum")]
    both = [(units, rank) for units in ("phrases", "words") for rank in ranks]
    assert [(one.units, one.rank) for one in lists] == both
    for one in lists[::3]:
        alone = class_words(model, texts, top=4, rank=one.rank, units=one.units)
        assert dict(one) == dict(alone)
    for same in (made_cnn((1,), seed=3), Keywords()):  # their phrases are words; it has none
        some = ["the moon", "a puck wa"]
        assert {o.units for o in class_words_choices(same, ClassWordsRequest(), some)} == {"words"}
    by_class = class_words(model, TEXTS, ["class 0"], top=4, per="occurrence", ids=list("abcde"))
    values = [v for words in literal(model, TEXTS)["class 0"].values() for *_, v, _ in words]
    highest = sorted((value for value in values if value > 0), reverse=True)[:4]
    assert [entry.relevance for entry in by_class["class 0"]] == pytest.approx(highest, abs=1e-5)
    assert all(entry.document in "abcde" for entry in by_class["class 0"])  # type: ignore[operator]


def test_unseen_words_are_those_of_no_training_text() -> None:
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    pipeline.fit(["wa wb", "wc wd"], ["first", "second"])
    (word, *_) = class_words(pipeline, ["wa wa wx"], "first")["first"]
    assert (word.word, word.seen) == ("wa", True)
    model, texts = made_cnn((2,), seed=3), ["wa wb we wc wd", "wc wa"]
    model.vocabulary_ = dict.fromkeys(("wa", "wb", "wc", "wd"), 2)
    for entry in class_words(model, texts, "class 1", top=100, units="phrases")["class 1"]:
        assert entry.seen == ("we" not in entry.word)
        said = entry.word.split()
        words = texts[int(entry.document)].split()
        assert words[entry.position : entry.position + len(said)] == said


def test_a_black_box_tells_by_occlusion() -> None:
    texts, labels = topical(15, seed=5)
    by_class = class_words(Keywords(), texts, top=6, rank="strongest", ids=map(str, range(15)))
    for label, entries in by_class.items():
        assert {entry.word for entry in entries} <= set(TOPICS[str(label)])
        for entry in entries:
            assert entry.seen is None  # its training texts are not known
            document = int(entry.document)
            assert labels[document] == label
            one = explain(Keywords(), texts[document], label)
            assert one.words[entry.position].lower() == entry.word
            assert entry.relevance == pytest.approx(float(one.relevance[entry.position]))
    with pytest.raises(InputError, match="units='phrases' needs a model whose units"):
        class_words(Keywords(), ["the moon"], units="phrases")


def test_a_mapping_and_a_frame() -> None:
    by_class = class_words(made_cnn(), TEXTS, np.array(["class 1", "class 0"]), top=2)
    assert (list(by_class), len(by_class)) == (["class 1", "class 0"], 2)
    assert "2 classes, 5 documents" in repr(by_class)
    frame = by_class.to_frame()
    assert list(frame.columns[:4]) == ["class", "place", "word", "relevance"]
    assert len(frame) == sum(map(len, by_class.values()))
    with pytest.raises(InputError, match="there is no class 'class 9'"):
        by_class["class 9"]
    assert class_words(made_cnn(), ["", " "])["class 1"] == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"texts": []}, "there are no texts"),
        ({"top": 0}, "top must be a whole number"),
        ({"per": "letter"}, "per may be 'word' or 'occurrence'"),
        ({"rank": "median"}, "rank may be 'typical' or 'strongest' or 'mean' or 'sum'"),
        ({"units": "letters"}, "units may be 'words' or 'phrases'"),
        ({"per": "occurrence", "rank": "sum"}, "say per='word'"),
        ({"per": "occurrence", "least": 2}, "say per='word'"),
        ({"target": "predicted"}, "name them, or say 'all'"),
    ],
)
def test_invalid_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_words(made_cnn(), **{"texts": TEXTS} | given)


# ---- the page -----------------------------------------------------------------------------------

NAMED = {"a": "wa wb Wa <b>", "<i>": "wc wb", "c": HOSTILE + " we zebra"}


def test_a_single_list_has_links_and_no_markup_of_texts() -> None:
    model = made_cnn()  # which saw nothing in training
    model.classes_[:] = ["<b>a", '"', "</h2>"]
    words = class_words(model, NAMED.values(), top=5, rank="strongest", ids=list(NAMED))
    explanations = explain_documents(model, NAMED.items(), words)
    assert set(explanations) == set(needed_documents(words))
    source = "".join(word_page([words], explanations, title="<script>"))
    targets = set(re.findall(r'href="#([^"]+)"', source))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', source))
    assert not {"script", "img", "b", "i"} & set(Page(source).tags)
    assert "default-src 'none'" in source
    assert source.count('class="w p20 unseen"') == 3
    assert "5 words, 5 of them unseen in training" in source
    assert "radio" not in source
    single = class_words(model, NAMED.values(), top=5, per="occurrence", ids=list(NAMED))
    assert "single occurrences, the strongest first" in "".join(word_page([single], {}))
    nothing = class_words(model, [""], ids=["a"])
    assert "".join(word_page([nothing], {})).count('<p class="count">none</p>') == 3


def test_all_ranks_and_units_can_be_chosen_without_a_script() -> None:
    model = made_cnn()
    lists = class_words_choices(model, ClassWordsRequest(top=3), NAMED.values(), list(NAMED))
    explanations = explain_documents(model, NAMED.items(), lists[0])
    page = "".join(word_page(lists, explanations))
    shown = re.findall(r'class="list (u\d r\d)"', page)
    assert shown == 3 * [f"u{unit} r{rank}" for unit in range(2) for rank in range(4)]
    chosen = re.findall(r'type="radio" name="(\w+)" id="(\w\d)"[^>]*?( checked)?>', page)
    units = [("units", "u0", " checked"), ("units", "u1", ""), ("rank", "r0", " checked")]
    assert chosen == units + [("rank", f"r{n}", "") for n in (1, 2, 3)]
    assert "<script" not in page
    for said in RANKS.values():
        assert f"Each by {said}." in page
    anchors = set(re.findall(r'<div id="(d\d+)">', page))
    assert set(re.findall(r'<li><a [^>]*?href="#(\w+)"', page)) == anchors
    assert len(anchors) == len(explanations)


# ---- senses -------------------------------------------------------------------------------------


def test_senses_are_the_occurrences_that_speak_for_a_class() -> None:
    random, model = np.random.default_rng(0), made_cnn()
    texts = [made_text(random.integers(0, 6, 7)) for _ in range(24)]
    groups = senses(model, [*texts, "nothing here", ""], "WB", ids=[f"d{n}" for n in range(26)])
    expected = {
        (f"d{document}", position, one.predicted)
        for document, one in enumerate(explain(model, texts))
        for position, word in enumerate(one.words)
        if word == "wb" and one.relevance[position] > 0
    }
    uses = [use for sense in groups for use in sense.uses]
    assert {(use.document, use.position, use.predicted) for use in uses} == expected
    assert len(uses) == len(expected) > 10
    for sense in groups:
        assert sum(sense.classes.values()) == len(sense.uses) > 0
        values = [use.relevance for use in sense.uses]
        assert values == sorted(values, reverse=True)
        assert sense.relevance == pytest.approx(float(np.mean(values)))
        assert "uses, mean relevance" in repr(sense)
        assert all("wb" in use.context for use in sense.uses)
    same = [texts[int(str(uses[0].document)[1:])]] * 6
    alike = senses(model, same, "wb", count=4)
    assert len(alike) == len({use.position for sense in alike for use in sense.uses})
    both = senses(model, texts, "wb", count=2)
    assert len(both[0].uses) >= len(both[1].uses)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"word": "zebra"}, "does not speak for a class anywhere"),
        ({"texts": []}, "does not speak for a class anywhere"),
        ({"ids": ["a"]}, "fewer ids than texts"),
        ({"word": ""}, "a word must be a str"),
        ({"count": 0}, "count must be a whole number"),
        ({"model": Keywords()}, "senses needs a model of word vectors, which .*'Keywords'"),
    ],
)
def test_invalid_senses(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        senses(**{"model": made_cnn(), "texts": ["wa wb", "wb"], "word": "wb", **given})
