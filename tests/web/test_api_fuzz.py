"""Whatever is sent, by the API's own schema or against it: an answer as described, never a 500."""

import json
from typing import Any

import numpy as np
import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import letters, made_cnn, made_text
from served import HOSTILE_HEADERS, ask, records
from starlette.types import Receive, Scope, Send
from suspected import one_suspect, some_suspects

from whyword import Explanation
from whyword.methods.registry import METHODS
from whyword.web.access import Access
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library
from whyword.web.limits import Limits
from whyword.web.suspects import SuspectList

# small enough for the generator to go beyond each of them
pytestmark = pytest.mark.slow(reason="fuzzes the API")

LIMITS = Limits(body_bytes=4_000, documents=4, characters=120, words=30)
MODEL = made_cnn()
WORDS = [letters(number) for number in range(7)]
TEXTS = [made_text(np.random.default_rng(seed).integers(0, 7, 9)) for seed in range(12)]
LABELS = [f"class {number % 4}" if number % 5 else None for number in range(12)]
APP = create_app(
    Engine(MODEL, LIMITS),
    open_library(MODEL, records(TEXTS, LABELS), "texts"),
    Access(hosts=()),  # the generator has a host of its own
    SuspectList(some_suspects([one_suspect("wa", label="class 0")], None, "class 0"), None),
)
PAGES = ("/", "/favicon.ico", "/static/index.html", "/api/docs", "/api/openapi.json")
ANSWERS_TO_POST = (
    *("/api/predict", "/api/explain", "/api/search", "/api/what-if"),
    "/api/suspects/table",
)


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer, but never end: the generator would start and end a server for each test."""
    if scope["type"] == "lifespan":
        raise NotImplementedError
    await APP(scope, receive, send)


CONFIG: dict[str, Any] = {
    "seed": 1,
    "generation": {"deterministic": True, "max-examples": 60, "mode": "all"},
    "checks": {
        # What fits the schema need not make sense: words of a query that no document has, positions
        # beyond a text's end, a class against itself. The answer is a 422 that says so.
        "positive_data_acceptance": {"enabled": False},
        # 413 is a refusal, too.
        "negative_data_rejection": {"expected-statuses": ["404", "405", "413", "422"]},
    },
}
SCHEMA = schemathesis.openapi.from_asgi(
    "/api/openapi.json", endless, config=schemathesis.Config.from_dict(CONFIG)
)
DETERMINISTIC = settings(derandomize=True, max_examples=60, deadline=None)

anything = st.text(st.characters(exclude_categories=()), max_size=12)  # halves of pairs, too
texts = st.lists(st.sampled_from(WORDS) | anything, max_size=12).map(" ".join)
classes = st.sampled_from(["class 0", "class 1", "class 2"])


@SCHEMA.parametrize()
def test_what_the_schema_allows_and_what_it_does_not(case: schemathesis.Case[Any]) -> None:
    response = case.call_and_validate()
    assert response.status_code < 500
    if response.status_code >= 400:
        detail = response.json()["detail"]
        assert detail.isprintable()
        assert len(detail) <= 1_000


def test_every_endpoint_is_tried() -> None:
    paths = SCHEMA.raw_schema["paths"]
    assert {path for path in paths if "post" in paths[path]} == {*ANSWERS_TO_POST}
    assert {path for path in paths if "get" in paths[path]} == {
        *("/healthz", "/api/about", "/api/words", "/api/words/documents", "/api/map"),
        *("/api/confusion", "/api/documents", "/api/documents/{number}", "/api/suspects"),
    }


@pytest.mark.parametrize("path", [*PAGES, "/healthz", "/api/about", "/api/map", "/api/documents/3"])
def test_head_is_get_without_a_body(path: str) -> None:
    got, head = ask(APP, path), ask(APP, path, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers == got.headers


@pytest.mark.parametrize("path", [*PAGES, *ANSWERS_TO_POST, "/api/words", "/nowhere", "//", "/%00"])
@pytest.mark.parametrize(
    "method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"]
)
def test_any_method_with_any_header_is_answered(method: str, path: str) -> None:
    for name, value in HOSTILE_HEADERS:
        answer = ask(APP, path, method=method, headers={name: value}, body=b"{}")
        assert answer.status < 500
        assert answer.status < 400 or method == "HEAD" or answer.problem


@given(
    st.lists(texts, min_size=1, max_size=4),
    st.sampled_from(["predicted", "all"]) | classes | st.lists(classes, max_size=3),
    st.none() | classes,
    st.sampled_from(list(METHODS)),
    st.lists(st.integers(0, 12), max_size=3),
)
@DETERMINISTIC
def test_any_texts_are_explained(
    documents: list[str],
    target: str | list[str],
    against: str | None,
    method: str,
    deleted: list[int],
) -> None:
    first = {"text": documents[0], "deleted": deleted}
    asked = {"documents": [first, *documents[1:]], "target": target, "against": against}
    answer = ask(APP, "/api/explain", asked | {"method": method})
    if answer.status in (413, 422):
        assert answer.problem
        return
    assert answer.status == 200
    for sent, text in zip(answer.json["explanations"], documents, strict=True):
        explanation = Explanation.from_json(json.dumps(sent))
        assert len(explanation.text) == len(text)
        assert explanation.text.replace("\ufffd", "") == "".join(
            character for character in text if character != "\ufffd" and not surrogate(character)
        )
        assert explanation.conserved or method != "lrp"
        assert np.isfinite(explanation.relevance).all()
        assert sum(sent["probabilities"]) > 0.999


def surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


@given(texts, st.integers(1, 50))
@DETERMINISTIC
def test_any_query_is_searched(query: str, top: int) -> None:
    answer = ask(APP, "/api/search", {"query": query, "top": top})
    if answer.status == 422:
        assert "of this query" in answer.problem
        return
    hits = answer.json["hits"]
    assert 0 < len(hits) <= min(top, 12)
    similarities = [hit["similarity"] for hit in hits]
    assert similarities == sorted(similarities, reverse=True)
    for hit in hits:
        for part in (hit["query"], hit["text"]):
            assert len(part["carried"]) == len(part["words"]) == len(part["spans"])


@given(st.binary(max_size=300), st.sampled_from(["predict", "explain", "search", "what-if"]))
@DETERMINISTIC
def test_any_bytes_are_answered(body: bytes, path: str) -> None:
    for sent in (body, b'{"documents": ["' + body + b'"]}', b'{"query": "' + body + b'"}'):
        answer = ask(APP, f"/api/{path}", body=sent, method="POST")
        assert answer.status in (200, 413, 422)
        assert answer.status == 200 or answer.problem
