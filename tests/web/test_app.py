"""The whole application: answers as described, and everything before them."""

import json
import logging
import sys
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from networks import made_cnn
from pydantic import TypeAdapter
from served import KINDS, TEXT, app, ask, check_refused, model

from whyword.base.errors import MissingExtraError
from whyword.explanation.row import PHRASES
from whyword.web import audit_schema, schema
from whyword.web.access import Access
from whyword.web.app import create_app
from whyword.web.assets import DOCS, assets
from whyword.web.engine import Engine

ROUTES = {
    "/api/predict": (schema.PredictAnswer, {"documents": [TEXT, {"text": "", "id": "x"}]}),
    "/api/explain": (schema.ExplainAnswer, {"documents": [TEXT, ""], "target": "all"}),
    "/api/search": (schema.SearchAnswer, {"query": TEXT, "top": 3}),
    "/api/what-if": (audit_schema.WhatIfAnswer, {"words": ["moon", "/g.+l/"]}),
    "/api/suspects": (audit_schema.SuspectsAnswer, None),
    "/api/suspects/table": (audit_schema.TableAnswer, {"artefacts": [0, 2]}),
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
    dumped = adapter.dump_python(read, mode="json")
    for explanation in dumped.get("explanations", ()):
        for field in PHRASES:  # which are there if they were asked for
            if explanation[field.name] is None:
                del explanation[field.name]
    assert dumped == answer.json


@pytest.mark.parametrize("kind", KINDS)
def test_phrases_are_as_they_are_described(kind: str) -> None:
    answer = ask(app(kind), "/api/explain", {"documents": ["the moon"], "phrases": True})
    read = TypeAdapter(schema.ExplainAnswer).validate_json(answer.body, strict=True)
    assert TypeAdapter(schema.ExplainAnswer).dump_python(read, mode="json") == answer.json
    assert answer.json["explanations"][0]["phrases"]


@pytest.mark.parametrize("path", [path for path in ROUTES if path not in list(ROUTES)[:2]])
def test_without_a_corpus_there_is_none_to_look_at(path: str) -> None:
    answer = ask(app(corpus=False), path.format(first="space"), ROUTES[path][1])
    what = "no suspects are" if path.startswith("/api/suspects") else "no corpus is"
    check_refused(answer, 404, f"{what} served; start with: whyword serve MODEL CORPUS")


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


def every_path() -> set[str]:
    """Return the paths of all routes, with something in the place of their parameters."""
    engine = Engine(made_cnn())
    inner: Any = create_app(engine)
    while not isinstance(inner, FastAPI):
        inner = getattr(inner, "_app", None) or inner.app
    found = {getattr(context, "path", "") for context in iter_route_contexts(inner.routes)}
    assert found >= {"/", "/healthz", "/static/{name}", "/api/docs", "/api/openapi.json"}
    assert found > set(ask(app(), "/api/openapi.json").json["paths"])
    files = {f"/static/{name}" for name in (*assets(), DOCS)}
    return {path.replace("{number}", "1") for path in found if path != "/static/{name}"} | files


def test_without_the_token_nothing_is_told_of_the_model() -> None:
    """Every path that is not known to be public is closed; those that are know no model."""
    model = made_cnn()
    guarded = create_app(Engine(model), access=Access(token="secret"))
    other = create_app(Engine(made_cnn(classes=5)), access=Access(token="other"))
    public = set()
    for path in every_path():
        for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE"):
            answer = ask(guarded, path, method=method)
            if answer.status == 401:
                assert answer.body == b"" or "token" in answer.problem
                continue
            public.add(path)
            assert answer == ask(other, path, method=method)
            assert b"class 0" not in answer.body
            assert str(model.identity).encode() not in answer.body
    pages = {f"/static/{name}" for name in assets()}
    assert public == {"/", "/favicon.ico", "/healthz"} | pages
    bearing = {"authorization": "Bearer secret"}
    assert b"class 0" in ask(guarded, "/api/docs", headers=bearing).body
    assert ask(guarded, "/api/about", headers=bearing).status == 200
    check_refused(ask(guarded, "/static/docs.html", headers=bearing), 404)


def test_head_is_answered_wherever_get_is() -> None:
    paths = every_path()
    assert paths
    for path in paths:
        asked, got = ask(app(), path, method="HEAD"), ask(app(), path, method="GET")
        assert (asked.status, asked.body) == (got.status, b"")
        assert asked.headers == got.headers
    assert ask(app(), "/api/documents/1", method="HEAD").status == 200


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
