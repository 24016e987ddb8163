"""The page of class words: words link to their documents, and nothing in them is markup."""

import re

import pytest
from hostile import HOSTILE, Page
from networks import made_cnn

from whyword import class_words
from whyword.analysis.class_words import RANKS, ClassWordsRequest, class_words_choices
from whyword.analysis.class_words_page import explain_documents, needed_documents, word_page

TEXTS = {"a": "wa wb Wa <b>", "<i>": "wc wb", "c": HOSTILE + " we zebra"}


@pytest.fixture
def source() -> str:
    model = made_cnn()
    model.classes_[:] = ["<b>a", '"', "</h2>"]
    words = class_words(model, TEXTS.values(), top=5, rank="strongest", ids=list(TEXTS))
    explanations = explain_documents(model, TEXTS.items(), words)
    assert set(explanations) == set(needed_documents(words))
    return "".join(word_page([words], explanations, title="<script>"))


def test_every_link_leads_somewhere(source: str) -> None:
    targets = set(re.findall(r'href="#([^"]+)"', source))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', source))


def test_nothing_is_markup(source: str) -> None:
    page = Page(source)
    assert set(page.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "article", "h1", "h2", "h3", "small"),
        *("p", "div", "section", "span", "nav", "a", "ol", "li", "bdi"),
    }
    assert "default-src 'none'" in source
    assert "style=" not in source


def test_unseen_words_are_marked(source: str) -> None:
    """A made network saw nothing in training."""
    assert source.count('class="w p20 unseen"') == 3
    assert "5 words, 5 of them unseen in training" in source


def test_all_ranks_and_units_are_there_to_choose_from() -> None:
    """Without a script: what is chosen is a radio button, what is shown follows by CSS."""
    model = made_cnn()
    lists = class_words_choices(model, ClassWordsRequest(top=3), TEXTS.values(), list(TEXTS))
    explanations = explain_documents(model, TEXTS.items(), lists[0])
    assert set(explanations) == set(needed_documents(lists[0]))
    page = "".join(word_page(lists, explanations))
    shown = re.findall(r'class="list (u\d r\d)"', page)
    assert shown[:8] == [f"u{unit} r{rank}" for unit in range(2) for rank in range(4)]
    assert len(shown) == 3 * 8
    chosen = re.findall(r'type="radio" name="(\w+)" id="(\w\d)"[^>]*?( checked)?>', page)
    assert chosen == [
        *[("units", "u0", " checked"), ("units", "u1", ""), ("rank", "r0", " checked")],
        *[("rank", f"r{n}", "") for n in (1, 2, 3)],
    ]
    assert "<script" not in page
    for said in RANKS.values():
        assert f"Each by {said}." in page
    anchors = set(re.findall(r'<div id="(d\d+)">', page))
    linked = re.findall(r'<li><a [^>]*?href="#(\w+)"', page)
    assert set(linked) == anchors  # documents of the first list's words, and all of those
    assert len(anchors) == len(explanations)
    assert len(linked) >= sum(map(len, lists[0].values()))


def test_single_lists_offer_no_choice(source: str) -> None:
    assert "radio" not in source
    model = made_cnn()
    single = class_words(model, TEXTS.values(), top=5, per="occurrence", ids=list(TEXTS))
    page = "".join(word_page([single], {}))
    assert "single occurrences, the strongest first" in page
    nothing = class_words(model, [""], ids=["a"])
    assert "".join(word_page([nothing], {})).count('<p class="count">none</p>') == 3
