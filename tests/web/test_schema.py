"""The OpenAPI schema, the page of the API that is made from it, and the files of the page."""

import hashlib
import re
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from networks import made_cnn
from pydantic import TypeAdapter, ValidationError
from served import app, ask, model

import whyword
from whyword import explain
from whyword.explanation.row import NAMES, PHRASES
from whyword.methods.registry import METHODS
from whyword.web.app import create_app
from whyword.web.assets import PAGE, asset, assets
from whyword.web.audit_schema import TableRequest, WhatIfRequest
from whyword.web.docspage import docs_page
from whyword.web.engine import Engine
from whyword.web.limits import MOST_ARTEFACTS, MOST_WORDS, WORD_CHARACTERS, Limits
from whyword.web.schema import (
    MOST_HITS,
    QUERY_CHARACTERS,
    DocumentIn,
    ExplainRequest,
    ExplanationOut,
    PredictRequest,
    SearchRequest,
    TextIn,
)

APP = create_app(Engine(made_cnn()))
SCHEMA: Any = ask(APP, "/api/openapi.json").json


def properties(schema: Any, name: str) -> Any:  # noqa: ANN401 - JSON
    return schema["components"]["schemas"][name]["properties"]


# ---- the schema ---------------------------------------------------------------------------------


def test_the_schema_has_the_limits_of_this_server() -> None:
    small = create_app(Engine(made_cnn(), Limits(documents=5, characters=99)))
    schema = ask(small, "/api/openapi.json").json
    for name in ("PredictRequest", "ExplainRequest"):
        documents = properties(schema, name)["documents"]
        assert (documents["minItems"], documents["maxItems"]) == (1, 5)
        assert [form.get("maxLength") for form in documents["items"]["anyOf"]] == [None, 99]
    for name in ("TextIn", "DocumentIn"):
        assert properties(schema, name)["text"]["maxLength"] == 99
    deleted = properties(schema, "DocumentIn")["deleted"]
    assert (deleted["items"]["minimum"], deleted["default"]) == (0, [])
    asked = properties(schema, "ExplainRequest")
    one, several = asked["target"]["anyOf"]
    classes = ["class 0", "class 1", "class 2"]
    assert one["enum"] == ["predicted", "all", *classes]
    assert several["items"]["enum"] == asked["against"]["anyOf"][0]["enum"] == classes
    whole = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
    assert asked["top_classes"]["anyOf"][0] == whole
    assert (asked["method"]["enum"], asked["method"]["default"]) == (list(METHODS), "lrp")
    for path in ("/api/words", "/api/words/documents"):
        target = schema["paths"][path]["get"]["parameters"][0]
        assert (target["name"], str(classes) in str(target["schema"])) == ("target", True)
    search = properties(schema, "SearchRequest")
    assert search["query"]["maxLength"] == QUERY_CHARACTERS
    assert (search["top"]["minimum"], search["top"]["maximum"]) == (1, MOST_HITS)
    words = properties(schema, "WhatIfRequest")["words"]
    assert (words["minItems"], words["maxItems"]) == (1, MOST_WORDS)
    assert words["items"]["maxLength"] == WORD_CHARACTERS
    artefacts = properties(schema, "TableRequest")["artefacts"]
    assert (artefacts["maxItems"], artefacts["items"]["minimum"]) == (MOST_ARTEFACTS, 0)
    assert "(1 to 5)" in ask(small, "/api/docs").body.decode()


def test_numbers_as_classes_are_asked_for_as_text() -> None:
    schema = ask(app("numbers"), "/api/openapi.json").json
    assert properties(schema, "ExplainRequest")["against"]["anyOf"][0]["enum"] == ["105", "106"]
    answer = ask(app("numbers"), "/api/explain", {"documents": ["moon"], "target": "105"})
    assert answer.json["explanations"][0]["target"] == 105


def test_every_path_and_every_error_is_described() -> None:
    schema = ask(app(), "/api/openapi.json").json
    assert set(schema["paths"]) == {
        *("/healthz", "/api/about", "/api/predict", "/api/explain", "/api/words"),
        *("/api/words/documents", "/api/search", "/api/map", "/api/confusion", "/api/what-if"),
        *("/api/suspects", "/api/suspects/table"),
        *("/api/documents", "/api/documents/{number}"),
    }
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["description"].endswith(".")
            assert {"200", "503"} <= set(operation["responses"])
            if path.startswith("/api/"):
                assert {"401", "403", "408", "413", "422", "504"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                if status != "200":
                    content = answer["content"]["application/json"]["schema"]
                    assert content == {"$ref": "#/components/schemas/Problem"}
    for name in ("TextIn", "DocumentIn", "PredictRequest", "ExplainRequest", "SearchRequest"):
        assert schema["components"]["schemas"][name]["additionalProperties"] is False
    assert ask(app(corpus=False), "/api/openapi.json").json == schema


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (WhatIfRequest, {}),
        (WhatIfRequest, []),
        (WhatIfRequest, {"words": [], "x": 1}),
        (TableRequest, {"artefacts": 1}),
        (DocumentIn, {"text": "a", "txt": "b"}),
        (DocumentIn, {"id": "a"}),
        (DocumentIn, {"text": None}),
        (DocumentIn, {"text": ["a"]}),
        (DocumentIn, {"text": "a", "deleted": None}),
        (DocumentIn, {"text": "a", "deleted": [0.5]}),
        (DocumentIn, {"text": "a", "id": 5}),
        (TextIn, {"text": "a", "deleted": []}),
        (PredictRequest, {"documents": [["a"]]}),
        (PredictRequest, {"documents": ["a"], "target": "all"}),
        (ExplainRequest, {"documents": ["a"], "target": None}),
        (ExplainRequest, {"documents": ["a"], "target": [["space"]]}),
        (ExplainRequest, {"documents": ["a"], "method": None}),
        (ExplainRequest, {"documents": ["a"], "epsilon": 0.1}),
        (ExplainRequest, {"documents": ["a"], "phrases": 1}),
        (ExplainRequest, {"documents": ["a"], "phrases": "true"}),
        (SearchRequest, {"query": "a", "top": 1.5}),
        (SearchRequest, {"query": "a", "top": None}),
        (SearchRequest, {"top": 5}),
    ],
)
def test_what_does_not_fit_is_refused(kind: Any, wrong: object) -> None:  # noqa: ANN401
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(wrong)


def test_plain_texts_and_documents_may_be_mixed() -> None:
    given = {"documents": ["a", {"text": "b", "id": "x", "deleted": [0]}, {"text": "c"}]}
    request = TypeAdapter(ExplainRequest).validate_python(given)
    assert request.documents == ["a", DocumentIn("b", "x", [0]), DocumentIn("c")]
    assert (request.target, request.against, request.method) == ("predicted", None, "")


def test_answers_have_the_fields_of_an_explanation() -> None:
    described = [field.name for field in fields(ExplanationOut)]
    phrases = [field.name for field in PHRASES]
    assert described == [*NAMES, *phrases, "predicted", "probabilities", "conserved"]
    assert set(explain(model("cnn"), "moon").fields()) == set(NAMES)
    assert set(explain(model("cnn"), "moon", level="phrase").fields()) == {*NAMES, *phrases}
    published = properties(SCHEMA, "ExplanationOut")
    assert list(published) == described
    assert published["conserves"]["type"] == "boolean"
    assert published["constant"]["anyOf"] == published["padding"]["anyOf"]


# ---- the page of the API ------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags of a page, its text, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}


def test_the_page_of_the_api() -> None:
    page = ask(APP, "/api/docs").body.decode()
    assert page == docs_page(SCHEMA)
    read = Tags(page)
    assert read.open == []
    assert not read.names & {"script", "style", "img", "iframe", "form"}
    assert "style=" not in page
    assert not re.search("https?://", page)
    for path, methods in SCHEMA["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in read.text
            assert operation["description"] in read.text
    for name, part in SCHEMA["components"]["schemas"].items():
        assert f'<h3 id="{name}">' in page
        assert part["description"] in read.text
    anchors = {f"#{name}" for name in re.findall(' id="([^"]+)"', page)}
    for link in re.findall('href="([^"]+)"', page):
        assert link in anchors if link.startswith("#") else ask(APP, link).status == 200
    for said in (
        "documents list of DocumentIn or string (at most 1,000,000) (1 to 64)",
        '"predicted", "all", "class 0", "class 1", "class 2"',
        "top integer (1 to 50)",
        "deleted list of integer (at least 0) (at most 20,000), by default []",
        "word string (at most 1,000) (needed)",
        "curl -s localhost:PORT/api/explain",
        "200 ExplainAnswer, 401 Problem",
    ):
        assert said in read.text
    many = ask(create_app(Engine(made_cnn(classes=40))), "/api/docs").body.decode()
    assert "… (42 in all)" in many
    assert "class 39" not in many


def test_examples_can_be_sent_as_they_are() -> None:
    for path, methods in SCHEMA["paths"].items():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            for example in content["examples"].values() if content else ():
                given = example["value"]
                if "query" in given:
                    given = given | {"query": "moon"}  # the small model knows few words
                assert ask(app(), path, given).status == 200


def test_hostile_names_of_classes_are_text_on_the_page_of_the_api() -> None:
    used = made_cnn()
    used.classes_[:] = ["<img x>", "</co", '"&"']  # 7 characters at most
    page = ask(create_app(Engine(used)), "/api/docs").body.decode()
    assert Tags(page).names == Tags(docs_page(SCHEMA)).names
    assert '"<img x>", "</co", "\\"&\\""' in Tags(page).text
    assert "&lt;img x&gt;" in page
    assert "<img" not in page


# ---- the files of the page ----------------------------------------------------------------------

FILES = assets()
FOLDER = Path(whyword.__file__).parent / "web" / "static"


def content_of(name: str) -> str:
    return FILES[name].content.decode("utf-8")


def test_files_are_sent_with_their_types_and_tags() -> None:
    assert set(FILES) == {path.name for path in FOLDER.iterdir()} | {"scatter.js", "heatmap.css"}
    assert all(FILES[path.name].content == path.read_bytes() for path in FOLDER.iterdir())
    for name, kind in (
        ("a.html", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.min.js", "text/javascript; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
    ):
        file = asset(name, b"content")
        digest = hashlib.sha256(b"content").hexdigest()
        assert file == (b"content", kind, f'"{digest[:20]}"')


def test_the_page_asks_for_nothing_else_and_nothing_that_its_policy_forbids() -> None:
    known = {f"/static/{name}" for name in FILES} | {"/api/docs", "/api/openapi.json", "/"}
    for tag, attributes in Tags(content_of(PAGE)).tags:
        for name in ("src", "href"):
            address = attributes.get(name) or "#"
            assert address.startswith("#") or address in known
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert tag != "style"
        assert tag != "script" or (attributes["src"] or "").startswith("/static/")
    for file in FILES:
        elsewhere = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", content_of(file))
        assert set(elsewhere) <= {"http://www.w3.org/2000/svg"}, file
    for script in (name for name in FILES if name.endswith(".js")):
        imported = r"""(?:from|import)\s*\(?\s*["']([^"']+)["']"""
        for wanted in re.findall(imported, content_of(script)):
            folder, _, name = wanted.rpartition("/")
            assert (folder in (".", "/static"), name in FILES) == (True, True), wanted
