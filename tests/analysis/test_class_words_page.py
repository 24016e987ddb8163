"""The page of class words: words link to their documents, and nothing in them is markup."""

import re

import pytest
from hostile import HOSTILE, Page
from networks import made_cnn

from whyword import class_words
from whyword.analysis.class_words_page import explain_documents, needed_documents, word_page

TEXTS = {"a": "wa wb Wa <b>", "<i>": "wc wb", "c": HOSTILE + " we zebra"}


@pytest.fixture
def source() -> str:
    model = made_cnn()
    model.classes_[:] = ["<b>a", '"', "</h2>"]
    words = class_words(model, TEXTS.values(), top=5, rank="strongest", ids=list(TEXTS))
    explanations = explain_documents(model, TEXTS.items(), [words])
    assert set(explanations) == set(needed_documents([words]))
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
