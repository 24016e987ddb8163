"""The whole application: answers as described, and everything before them."""

import json
import logging
import sys
from typing import Any

import pytest
from networks import made_cnn
from pydantic import TypeAdapter
from served import KINDS, TEXT, app, ask, check_refused, model

from whyword.base.errors import MissingExtraError
from whyword.web import schema
from whyword.web.access import Access
from whyword.web.app import create_app
from whyword.web.engine import Engine

ROUTES = {
    "/api/predict": (schema.PredictAnswer, {"documents": [TEXT, {"text": "", "id": "x"}]}),
    "/api/explain": (schema.ExplainAnswer, {"documents": [TEXT, ""], "target": "all"}),
    "/api/search": (schema.SearchAnswer, {"query": TEXT, "top": 3}),
    "/api/words": (schema.WordsAnswer, None),
    "/api/words/documents?target={first}&word=moon": (schema.WordDocumentsAnswer, None),
    "/api/map": (schema.MapAnswer, None),
    "/api/confusion": (schema.ConfusionAnswer, None),
    "/api/documents?label=space&limit=3": (schema.DocumentsAnswer, None),
    "/api/documents/7": (schema.DocumentOut, None),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ROUTES)
def test_answers_are_as_they_are_described(kind: str, path: str) -> None:
    """Nothing missing, nothing more, every value of its kind."""
    described, given = ROUTES[path]
    first = str(model(kind).classes_[0])
    answer = ask(app(kind), path.format(first=first), given)
    assert answer.status == 200, answer.body
    assert answer.headers["cache-control"] == "no-store"
    adapter: TypeAdapter[Any] = TypeAdapter(described)
    read = adapter.validate_json(answer.body, strict=True)
    assert adapter.dump_python(read, mode="json") == answer.json


@pytest.mark.parametrize("path", [path for path in ROUTES if path not in list(ROUTES)[:2]])
def test_without_a_corpus_there_is_none_to_look_at(path: str) -> None:
    answer = ask(app(corpus=False), path.format(first="space"), ROUTES[path][1])
    check_refused(answer, 404, "no corpus is served; start with: whyword serve MODEL CORPUS")


def test_every_answer_is_guarded() -> None:
    for answer in (
        ask(app(), "/"),
        ask(app(), "/healthz"),
        ask(app(), "/nothing"),
        ask(app(), "/api/explain", {"documents": 5}),
        ask(app(), "/", headers={"host": "evil.example"}),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


def test_a_token_guards_the_api_and_not_the_page() -> None:
    guarded = create_app(Engine(made_cnn()), access=Access(token="secret"))
    for path in ("/api/about", "/api/openapi.json", "/api/docs", "/api/nothing"):
        check_refused(ask(guarded, path), 401, "token")
    assert ask(guarded, "/api/about", headers={"authorization": "Bearer secret"}).status == 200
    for path in ("/", "/static/heatmap.css", "/healthz"):
        assert ask(guarded, path).status == 200


def test_the_log_has_the_route_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ask(app(), "/api/explain", {"documents": ["private letter"]})
    ask(app(), "/api/words/documents?target=space&word=private")
    ask(app(), "/api/documents/5?private")
    ask(app(), "/private")
    said = [json.loads(record.getMessage()) for record in caplog.records]
    routes = ["/api/explain", "/api/words/documents", "/api/documents/{number}", None]
    assert [line["route"] for line in said] == routes
    assert [line["status"] for line in said] == [200, 422, 200, 404]
    assert "private" not in caplog.text


@pytest.mark.parametrize("package", ["fastapi", "orjson", "starlette"])
def test_without_the_packages_of_a_server(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(made_cnn())
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[web\]'"):
        create_app(engine)
