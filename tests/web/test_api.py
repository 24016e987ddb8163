"""The model by the API: answers, files of the page, and mistakes in what is asked."""

import json
import logging
import sys
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from networks import made_cnn
from pydantic import TypeAdapter
from served import TEXT, TEXTS, app, ask, check_refused, library, model
from starlette.testclient import TestClient

import whyword as ww
from whyword.base.errors import Advice, Argument, InputError, MissingExtraError
from whyword.explanation.row import PHRASES
from whyword.web import audit_schema, schema
from whyword.web.access import Access
from whyword.web.app import create_app
from whyword.web.assets import DOCS, assets
from whyword.web.engine import Engine
from whyword.web.limits import Limits

ROUTES: dict[str, tuple[Any, Any]] = {
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


# ---- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cnn", "svm", "numbers"])
def test_answers_are_as_they_are_described(kind: str) -> None:
    """Nothing missing, nothing more, every value of its type."""
    first = str(model(kind).classes_[0])
    for path, (described, given) in ROUTES.items():
        answer = ask(app(kind), path.format(first=first), given)
        assert answer.status == 200, answer.body
        assert answer.headers["cache-control"] == "no-store"
        adapter: TypeAdapter[Any] = TypeAdapter(described)
        dumped = adapter.dump_python(adapter.validate_json(answer.body, strict=True), mode="json")
        for explanation in dumped.get("explanations", ()):
            for field in PHRASES:  # which are there if they were asked for
                if explanation[field.name] is None:
                    del explanation[field.name]
        assert dumped == answer.json
    answer = ask(app(kind), "/api/explain", {"documents": ["the moon"], "phrases": True})
    read = TypeAdapter(schema.ExplainAnswer).validate_json(answer.body, strict=True)
    assert TypeAdapter(schema.ExplainAnswer).dump_python(read, mode="json") == answer.json
    assert answer.json["explanations"][0]["phrases"]


def test_explanations_are_those_of_the_library() -> None:
    texts = [TEXT, *TEXTS[:2]]
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("cnn", {}, {}),
        ("cnn", {"top_classes": 2}, {"top": 2}),
        ("svm", {"target": "all", "method": "gradient_input"}, {"target": "all"}),
        ("numbers", {"target": ["106", "105"], "method": "occlusion"}, {"target": [106, 105]}),
        ("pipeline", {"target": "space", "against": "hockey"}, {"target": "space"}),
    ]
    for kind, given, how in cases:
        used = model(kind)
        answer = ask(app(kind), "/api/explain", {"documents": texts, **given})
        same = {name: given[name] for name in ("method", "against") if name in given}
        expected = ww.explain(used, texts, **how, **same)
        for sent, other in zip(answer.json["explanations"], expected, strict=True):
            read = ww.Explanation.from_json(json.dumps(sent))
            np.testing.assert_allclose(read.relevance, other.relevance, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(read.scores, other.scores, rtol=1e-5, atol=1e-6)
            for name in ("target", "classes", "words"):
                assert getattr(read, name) == getattr(other, name)
            assert (read.model, read.method) == (used.identity, other.method)
            chances = used.predict_proba([other.text])[0]
            np.testing.assert_allclose(sent["probabilities"], chances, rtol=1e-5)


def test_ids_deleted_words_and_the_order_of_documents() -> None:
    documents = [
        {"text": "moon goal", "id": "a", "deleted": [1]},
        "puck moon",
        {"text": "moon", "id": "a"},
        {"text": "", "id": "\x00\n🌙", "deleted": []},
    ]
    explanations = ask(app(), "/api/explain", {"documents": documents}).json["explanations"]
    assert [one["id"] for one in explanations] == ["a", None, "a", "\x00\n🌙"]
    assert [one["text"] for one in explanations] == ["moon goal", "puck moon", "moon", ""]
    assert [one["parameters"].get("deleted") for one in explanations] == [[1], None, None, None]
    without = ww.explain(model("cnn"), "moon goal", deleted=[1])
    np.testing.assert_allclose(explanations[0]["scores"], without.scores, atol=1e-6)
    predicted = ask(app(), "/api/predict", {"documents": documents[1:3]}).json["predictions"]
    assert [one["id"] for one in predicted] == [None, "a"]


def test_spans_count_code_points() -> None:
    text = "🌙🌙 moon — é moon\r\nmoon"
    (one,) = ask(app(), "/api/explain", {"documents": [text]}).json["explanations"]
    assert one["text"] == text
    assert [text[start:end] for start, end in one["spans"]] == one["words"]
    assert one["words"].count("moon") == 3


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    """JSON can write them, no answer can: each becomes one U+FFFD, so that places stay."""
    body = rb'{"documents": [{"text": "moon \ud83d moon \udc00 \ud83c\udf19", "id": "\udfff"}]}'
    (one,) = ask(app(), "/api/predict", body=body).json["predictions"]
    assert one["id"] == "\ufffd"
    (one,) = ask(app(), "/api/explain", body=body).json["explanations"]
    assert (one["id"], one["text"]) == ("\ufffd", "moon \ufffd moon \ufffd 🌙")
    hits = ask(app(), "/api/search", body=rb'{"query": "moon \ud83d"}').json["hits"]
    assert hits[0]["query"]["text"] == "moon \ufffd"


def test_about_and_health() -> None:
    about = ask(app(), "/api/about").json
    assert about["model"]["classes"] == ["crypto", "hockey", "space"]
    assert about["corpus"] == library().about()
    limits = ("body_bytes", "values", "documents", "characters", "words")
    assert about["limits"] == {name: getattr(Limits(), name) for name in limits}
    assert ask(app(corpus=False), "/api/about").json["corpus"] is None
    assert about["answering"] == 0
    assert ask(app(), "/healthz").json == {"status": "ok"}  # no token is asked for there


def test_without_a_corpus_there_is_nothing_to_show() -> None:
    for path in [*ROUTES][2:]:
        answer = ask(app(corpus=False), path.format(first="space"), ROUTES[path][1])
        what = "no suspects are" if path.startswith("/api/suspects") else "no corpus is"
        check_refused(answer, 404, f"{what} served; start with: whyword serve MODEL CORPUS")


# ---- paths --------------------------------------------------------------------------------------


def every_path() -> set[str]:
    """Return the paths of all routes, with something in the place of their parameters."""
    inner: Any = create_app(Engine(made_cnn()))
    while not isinstance(inner, FastAPI):
        inner = getattr(inner, "_app", None) or inner.app
    found = {getattr(context, "path", "") for context in iter_route_contexts(inner.routes)}
    assert found >= {"/", "/healthz", "/static/{name}", "/api/docs", "/api/openapi.json"}
    assert found > set(ask(app(), "/api/openapi.json").json["paths"])
    files = {f"/static/{name}" for name in (*assets(), DOCS)}
    return {path.replace("{number}", "1") for path in found if path != "/static/{name}"} | files


def test_without_the_token_nothing_is_told_of_the_model() -> None:
    """Every path that is not known to be public is closed; those that are know no model."""
    used = made_cnn()
    guarded = create_app(Engine(used), access=Access(token="secret"))
    other = create_app(Engine(made_cnn(classes=5)), access=Access(token="other"))
    public = set()
    for path in every_path():
        for method in ("GET", "HEAD", "POST"):
            answer = ask(guarded, path, method=method)
            if answer.status == 401:
                assert answer.body == b"" or "token" in answer.problem
                continue
            public.add(path)
            assert answer == ask(other, path, method=method)
            assert b"class 0" not in answer.body
            assert str(used.identity).encode() not in answer.body
    pages = {f"/static/{name}" for name in assets()}
    assert public == {"/", "/favicon.ico", "/healthz"} | pages
    bearing = {"authorization": "Bearer secret"}
    assert b"class 0" in ask(guarded, "/api/docs", headers=bearing).body
    assert ask(guarded, "/api/about", headers=bearing).status == 200
    check_refused(ask(guarded, "/static/docs.html", headers=bearing), 404)


def test_head_is_answered_wherever_get_is() -> None:
    for path in (*every_path(), "/api/documents/1"):
        asked, got = ask(app(), path, method="HEAD"), ask(app(), path, method="GET")
        assert (asked.status, asked.body) == (got.status, b"")
        assert asked.headers == got.headers


def test_files_and_their_tags() -> None:
    for path in ("/", "/static/scatter.js", "/static/heatmap.css", "/api/docs"):
        answer = ask(app(), path)
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")
        again = ask(app(), path, headers={"if-none-match": answer.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
        assert ask(app(), path, headers={"if-none-match": '"other"'}).status == 200
    assert ask(app(), "/").headers["content-type"] == "text/html; charset=utf-8"


def test_unknown_paths_and_methods() -> None:
    for path in (
        *("/static/nothing.js", "/static/", "/static", "/static/..%2fapp.py", "/static/%00"),
        *("/static/../assets.py", "/api/nothing", "/api", "/docs", "/openapi.json", "/redoc"),
        *("/nothing", "//", "/%2e%2e/etc/passwd", "/api/documents/1/text", "/\ud7ff🌙"),
    ):
        answer = ask(app(), path)
        check_refused(answer, 404)
        assert answer.headers["x-content-type-options"] == "nosniff"
    for method, path in (
        *(("POST", "/"), ("DELETE", "/api/documents/1"), ("GET", "/api/explain")),
        *(("PUT", "/api/predict"), ("POST", "/healthz"), ("OPTIONS", "/api/explain")),
    ):
        answer = ask(app(), path, method=method)
        check_refused(answer, 405)
        assert answer.headers["allow"] in ("GET", "POST")


def test_the_log_has_the_route_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ask(app(), "/api/explain", {"documents": ["private letter"]})
    ask(app(), "/api/words/documents?target=space&word=private")
    ask(app(), "/api/documents/5?private")
    ask(app(), "/private")
    lines = [json.loads(record.getMessage()) for record in caplog.records]
    routes = ["/api/explain", "/api/words/documents", "/api/documents/{number}", None]
    assert [line["route"] for line in lines] == routes
    assert [line["status"] for line in lines] == [200, 422, 200, 404]
    assert "private" not in caplog.text


@pytest.mark.parametrize("package", ["fastapi", "orjson", "starlette"])
def test_without_the_packages_of_a_server(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(made_cnn())
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[web\]'"):
        create_app(engine)


# ---- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said", "fields"),
    [
        ({}, "documents: is missing", ["documents"]),
        ([], "no JSON object", []),
        ("secret", "no JSON object", []),
        ({"documents": "secret"}, "documents: Input should be a valid list", ["documents"]),
        ({"documents": []}, "documents must have from 1 to 64 items, not 0", ["documents"]),
        ({"documents": [5]}, "documents.0", ["documents"]),
        ({"documents": ["moon", None]}, "documents.1", ["documents"]),
        ({"documents": [{"text": 5}]}, "text: Input should be a valid string", ["text"]),
        ({"documents": [{"txt": "secret"}]}, "text: is missing", ["text", "documents"]),
        ({"documents": [{"text": "a", "deleted": "0"}]}, "deleted: Input should be", ["deleted"]),
        ({"documents": [{"text": "a", "deleted": [1.5]}]}, "deleted.0", ["deleted"]),
        ({"documents": [{"text": "a", "deleted": [1]}]}, "word 1 is to be deleted", ["deleted"]),
        ({"documents": [{"text": "", "deleted": [0]}]}, "there is no word", ["deleted"]),
        ({"documents": [{"text": "a", "deleted": [-1]}]}, "must be a whole number", ["deleted"]),
        ({"documents": [{"text": "a", "deleted": [10**4000]}]}, "numbered beyond reason", []),
        ({"documents": ["secret"], "targt": "all"}, "targt: is no field of this request", []),
        ({"documents": ["secret"], "a\n\u2028b": 1}, "a··b: is no field of this request", []),
        ({"documents": ["secret"], "x" * 5000: 1}, "xxx: is no field of this request", []),
        ({"documents": ["secret"], "\ud800": 1}, "no JSON object", []),
        ({"documents": ["secret"], "target": "spac"}, "did you mean space?", ["target"]),
        ({"documents": ["a"], "target": "x\ny\ud800"}, r"no class 'x\ny\ud800'; ther", ["target"]),
        ({"documents": ["secret"], "target": "x" * 9000}, "no class 'xxx", ["target"]),
        ({"documents": ["secret"], "target": ["space"] * 2}, "names a class twice", ["target"]),
        ({"documents": ["secret"], "target": ["all", "space"]}, "say it alone", []),
        ({"documents": ["a"], "target": 5, "method": 5}, "target", ["target", "method"]),
        ({"documents": ["a"], "target": "all", "top_classes": 2}, "top_classes is for", None),
        ({"documents": ["a"], "top_classes": 0}, "top_classes", ["top_classes"]),
        ({"documents": ["a"], "top_classes": 10**30}, "top_classes", ["top_classes"]),
        ({"documents": ["a"], "target": "space", "against": "space"}, "the same class", None),
        ({"documents": ["secret"], "against": "nowhere"}, "no class 'nowhere'", ["against"]),
        ({"documents": ["secret"], "method": "magic"}, "no method 'magic'; choose", ["method"]),
        ({"documents": ["secret " * 20_001]}, "20,001 words together", ["documents"]),
        ({"documents": ["s" * 1_000_001]}, "1,000,001 characters", ["text"]),
    ],
)
def test_mistakes_are_one_line_and_name_the_fields(
    given: object, said: str, fields: list[str] | None
) -> None:
    answer = ask(app(), "/api/explain", given)
    assert "secret" not in check_refused(answer, 422, said)
    assert fields is None or answer.json["fields"] == fields
    assert answer.headers["cache-control"] == "no-store"


def test_bodies_that_are_no_request() -> None:
    for body in (
        *(b"", b"secret", b'{"documents": ["secret"', b'{"documents": ["secret\n"]}', b"\x00"),
        *(b'{"documents": ["secret \xff"]}', b"\xff\xfe\x00", b"[" * 90_000, b"documents=secret"),
        *(b'{"documents": [NaN]}', b"null", b"9" * 5_000, b'{"documents":' * 50_000),
        b'{"documents": ["secret"], "top": ' + b"9" * 10_000 + b"}",
        *(b'{"documents": [{"text": "a", "deleted": [%s]}]}' % n for n in (b"Infinity", b"1e999")),
    ):
        for path in ("/api/predict", "/api/explain"):
            answer = ask(app(), path, body=body, method="POST")
            assert "secret" not in check_refused(answer, 422)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "x", "\xff"):
        headers = {"content-type": kind}  # a page elsewhere cannot pass a form off as JSON
        check_refused(ask(app(), "/api/explain", {"documents": ["a"]}, headers=headers), 422)


def test_predictions_do_not_ignore_deleted_words() -> None:
    given = {"documents": [{"text": "secret", "deleted": [0]}]}
    check_refused(ask(app(), "/api/predict", given), 422, "deleted: is no field of this request")


def test_too_much_for_one_request() -> None:
    small = create_app(Engine(made_cnn(), Limits(body_bytes=200, documents=2)))
    given = {"documents": ["wa"]}
    assert ask(small, "/api/predict", given).status == 200
    answer = ask(small, "/api/predict", given, headers={"content-length": "201"})
    check_refused(answer, 413, "200 bytes")
    parts = [b'{"documents": ["', b"wa " * 80, b'"]}']
    check_refused(ask(small, "/api/predict", body=parts), 413, "200 bytes")
    check_refused(ask(small, "/api/predict", {"documents": ["wa"] * 3}), 422, "from 1 to 2 items")


def test_errors_of_the_server_are_not_told_to_its_users(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Down:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            raise ValueError("the password of the service is wrong")

    answer = ask(create_app(Engine(Down())), "/api/explain", {"documents": ["the moon"]})
    assert "password" not in check_refused(answer, 500, "the model failed")
    assert "the password of the service is wrong" in caplog.text
    engine = Engine(made_cnn())
    monkeypatch.setattr(engine, "predict", lambda *_: 1 // 0)
    client = TestClient(create_app(engine), "http://localhost", raise_server_exceptions=False)
    response = client.post("/api/predict", json={"documents": ["secret"]})
    detail = "something is wrong with this server; its log says what"
    assert (response.status_code, response.json()["detail"]) == (500, detail)


def test_arguments_are_told_as_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the request has; advice about others is left out."""
    engine = Engine(made_cnn())
    error = InputError(
        *(Argument("target"), " is odd, say ", Argument("target", ["a"]), " or "),
        *(Argument("method", ...), "; ", Argument("seed", 1)),
        Advice(", or ", Argument("resume", True)),
    )

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(engine, "explain", refuse)
    answer = ask(create_app(engine), "/api/explain", {"documents": ["wa"]})
    assert answer.problem == 'target is odd, say "target": ["a"] or "method": …; seed'
    assert answer.json["fields"] == ["target", "method"]
