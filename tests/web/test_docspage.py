"""The API on one page."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from networks import made_cnn
from served import app, ask

from whyword.web.app import create_app
from whyword.web.docspage import docs_page
from whyword.web.engine import Engine
from whyword.web.limits import Limits

APP = create_app(Engine(made_cnn()))
SCHEMA: Any = ask(APP, "/api/openapi.json").json
PAGE = docs_page(SCHEMA)


class Words(HTMLParser):
    """What a reader sees, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.seen = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen += data


def test_every_way_and_every_kind_is_on_it() -> None:
    read = Words(PAGE)
    assert read.open == []
    for path, methods in SCHEMA["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in read.seen
            assert operation["description"] in read.seen
    for name, part in SCHEMA["components"]["schemas"].items():
        assert f'<h3 id="{name}">' in PAGE
        assert part["description"] in read.seen


def test_links_lead_somewhere() -> None:
    anchors = set(re.findall(' id="([^"]+)"', PAGE))
    links = set(re.findall('href="([^"]+)"', PAGE))
    assert {link[1:] for link in links if link.startswith("#")} <= anchors
    for link in links:
        if link.startswith("/"):
            assert ask(APP, link).status == 200, link


def test_what_this_server_takes_is_in_words() -> None:
    seen = Words(PAGE).seen
    assert "documents list of DocumentIn or string (at most 1,000,000) (1 to 64)" in seen
    assert '"predicted", "all", "class 0", "class 1", "class 2"' in seen
    assert "top integer (1 to 50)" in seen
    assert "deleted list of integer (at least 0) (at most 20,000), by default []" in seen
    assert "against one of" in seen
    assert "word string (at most 1,000) (needed)" in seen
    assert "curl -s localhost:PORT/api/explain" in seen
    assert "200 ExplainAnswer, 401 Problem" in seen


def test_a_long_list_of_classes_is_cut_short() -> None:
    page = docs_page(ask(create_app(Engine(made_cnn(classes=40))), "/api/openapi.json").json)
    assert "… (42 in all)" in page
    assert "class 39" not in page


def test_examples_can_be_sent_as_they_are() -> None:
    for path, methods in SCHEMA["paths"].items():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                for example in content["examples"].values():
                    given = example["value"]
                    if "query" in given:
                        given = given | {"query": "moon"}  # the small model knows few words
                    assert ask(app(), path, given).status == 200


def test_nothing_of_the_page_runs_or_comes_from_elsewhere() -> None:
    read = Words(PAGE)
    assert not read.tags & {"script", "style", "img", "iframe", "form"}
    assert "style=" not in PAGE
    assert not re.search("https?://", PAGE)


def test_hostile_names_are_shown_and_nothing_else() -> None:
    model = made_cnn()
    model.classes_[:] = ["<img x>", "</co", '"&"']  # 7 characters at most
    page = docs_page(ask(create_app(Engine(model)), "/api/openapi.json").json)
    read = Words(page)
    assert read.tags == Words(PAGE).tags
    assert '"<img x>", "</co", "\\"&\\""' in read.seen


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 3}, "integer (at least 3)"),
        ({"type": "integer", "maximum": 3000}, "integer (at most 3,000)"),
        ({"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}, "string or null"),
        ({"type": "array"}, "list of anything"),
        ({}, "anything"),
        ({"$ref": "#/components/schemas/Problem"}, "Problem"),
    ],
)
def test_kinds_in_words(schema: dict[str, Any], words: str) -> None:
    page = docs_page(
        {
            "info": {"title": "t", "description": "d"},
            "paths": {},
            "components": {"schemas": {"Kind": {"properties": {"field": schema}}}},
        }
    )
    assert f"<code>field</code> {words}, by default null" in page


def test_the_page_is_served() -> None:
    answer = ask(APP, "/api/docs")
    assert answer.body.decode() == PAGE
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    small = create_app(Engine(made_cnn(), Limits(documents=7)))
    assert "(1 to 7)" in ask(small, "/api/docs").body.decode()
