"""The API as its users meet it: answers, errors, and what a server under load says."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from networks import made_cnn
from pydantic import TypeAdapter
from served import KINDS, LABELS, TEXT, TEXTS, Answer, app, arrived, ask, asked, library, model

import whyword as ww
from whyword.base.errors import MissingExtraError
from whyword.methods.registry import METHODS
from whyword.web import schema
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.guard import Access, App
from whyword.web.limits import Limits

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


def check_refused(answer: Answer, status: int, *parts: str) -> str:
    """Check an error and return what it says."""
    assert answer.status == status, answer
    for part in parts:
        assert part in answer.problem
    return answer.problem


# ---- answers ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_explanations_are_the_librarys(kind: str, method: str) -> None:
    used = model(kind)
    first, *_, last = map(str, used.classes_)
    for target, against in (
        ("predicted", None),
        ("all", None),
        ([last, first], None),
        (last, first),
    ):
        given = {"documents": [TEXT, *TEXTS[:2]], "target": target, "method": method}
        answer = ask(app(kind), "/api/explain", given | {"against": against})
        expected = ww.explain(used, [TEXT, *TEXTS[:2]], target, against=against, method=method)
        assert len(answer.json["explanations"]) == 3
        for sent, other in zip(answer.json["explanations"], expected, strict=True):
            read = ww.Explanation.from_json(json.dumps(sent))
            np.testing.assert_allclose(read.relevance, other.relevance, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(read.scores, other.scores, rtol=1e-5, atol=1e-6)
            assert (read.target, read.classes, read.words) == (
                other.target,
                other.classes,
                other.words,
            )
            assert (read.model, read.method) == (used.identity, method)
            np.testing.assert_allclose(
                sent["probabilities"], used.predict_proba([other.text])[0], rtol=1e-5
            )


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
    plain = documents[1:3]
    predicted = ask(app(), "/api/predict", {"documents": plain}).json["predictions"]
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
    for path in ("/api/predict", "/api/explain"):
        ((one,),) = (
            answer for name, answer in ask(app(), path, body=body).json.items() if name != "model"
        )
        assert one["id"] == "\ufffd"
    assert one["text"] == "moon \ufffd moon \ufffd 🌙"
    hits = ask(app(), "/api/search", body=rb'{"query": "moon \ud83d"}').json["hits"]
    assert hits[0]["query"]["text"] == "moon \ufffd"


def test_about_and_health() -> None:
    about = ask(app(), "/api/about").json
    assert about["model"]["classes"] == ["crypto", "hockey", "space"]
    assert about["corpus"] == library().about()
    assert about["limits"] == {
        name: getattr(Limits(), name) for name in ("body_bytes", "documents", "characters", "words")
    }
    assert ask(app(corpus=False), "/api/about").json["corpus"] is None
    health = ask(app(), "/healthz").json
    assert health == {"status": "ok", "model": model("cnn").identity, "answering": 0}


def test_the_corpus_by_the_api_is_that_of_the_library() -> None:
    corpus = library()
    word = corpus.words["space"][0].word
    for path, expected in (
        ("/api/words?target=space&top=5", corpus.class_words("space", 5)),
        (f"/api/words/documents?target=space&word={word}&top=4", None),
        ("/api/documents?predicted=space&offset=2&limit=3", corpus.documents(None, "space", 2, 3)),
        ("/api/documents?label=space", corpus.documents("space", None, 0, 10)),
        ("/api/documents/3", corpus.document(3)),
        ("/api/confusion", corpus.confusion()),
        ("/api/map", corpus.map()),
    ):
        expected = expected or corpus.word_documents("space", word, 4)
        answer = ask(app(), path)
        assert answer.status == 200
        assert answer.json == arrived(expected)
    twice = [ask(app(), "/api/map").body for _ in range(2)]
    assert twice[0] == twice[1]
    hits = ask(app(), "/api/search", {"query": TEXT, "top": 4}).json["hits"]
    wanted_hits = ww.SearchIndex(model("cnn"), TEXTS).search(TEXT, top=4)
    np.testing.assert_allclose(
        [hit["similarity"] for hit in hits], [hit.similarity for hit in wanted_hits], atol=1e-5
    )


# ---- the page ---------------------------------------------------------------------------------


def test_files_and_their_tags() -> None:
    for path in ("/", "/static/scatter.js", "/static/heatmap.css", "/api/docs"):
        answer = ask(app(), path)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-cache"
        tag = {"if-none-match": answer.headers["etag"]}
        again = ask(app(), path, headers=tag)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
        assert ask(app(), path, headers={"if-none-match": '"other"'}).status == 200
    assert ask(app(), "/").headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    [
        *("/static/nothing.js", "/static/", "/static", "/static/..%2fapp.py", "/static/%00"),
        *("/static/../assets.py", "/api/nothing", "/api", "/docs", "/openapi.json", "/redoc"),
        *("/nothing", "//", "/%2e%2e/etc/passwd", "/api/documents/1/text", "/\ud7ff🌙"),
    ],
)
def test_unknown_paths(path: str) -> None:
    check_refused(ask(app(), path), 404)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/"),
        ("DELETE", "/api/documents/1"),
        ("GET", "/api/explain"),
        ("PUT", "/api/predict"),
        ("POST", "/healthz"),
        ("OPTIONS", "/api/explain"),
        ("TRACE", "/api/map"),
    ],
)
def test_other_methods(method: str, path: str) -> None:
    answer = ask(app(), path, method=method)
    check_refused(answer, 405)
    assert answer.headers["allow"] in ("GET", "POST")


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


# ---- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "documents: is missing"),
        ([], "no JSON object"),
        ("secret", "no JSON object"),
        (5, "no JSON object"),
        ({"documents": "secret"}, "documents: Input should be a valid list"),
        ({"documents": []}, "send from 1 to 64 documents, not 0"),
        ({"documents": ["secret"] * 65}, "send from 1 to 64 documents, not 65"),
        ({"documents": [5]}, "documents.0"),
        ({"documents": ["moon", None]}, "documents.1"),
        ({"documents": [{"text": 5}]}, "text: Input should be a valid string"),
        ({"documents": [{"txt": "secret"}]}, "text: is missing"),
        ({"documents": [{"text": "secret", "deleted": "0"}]}, "deleted: Input should be a"),
        ({"documents": [{"text": "secret", "deleted": [1.5]}]}, "deleted.0"),
        ({"documents": [{"text": "secret", "deleted": [1]}]}, "word 1 is to be deleted"),
        ({"documents": [{"text": "", "deleted": [0]}]}, "there is no word in the text"),
        ({"documents": [{"text": "secret", "deleted": [-1]}]}, "deleted must be a whole number"),
        ({"documents": [{"text": "secret", "deleted": [2**40]}]}, "deleted must be a whole"),
        ({"documents": [{"text": "secret", "deleted": [10**4000]}]}, "deleted must be a whole"),
        ({"documents": ["secret"], "targt": "all"}, "targt: is no field of this request"),
        ({"documents": ["secret"], "a\n\u2028b": 1}, "a··b: is no field of this request"),
        ({"documents": ["secret"], "x" * 5000: 1}, "xxx: is no field of this request"),
        ({"documents": ["secret"], "\ud800": 1}, "no JSON object"),
        ({"documents": ["secret"], "target": "spac"}, "no class 'spac'; did you mean space?"),
        ({"documents": ["secret"], "target": "x\ny\ud800"}, r"no class 'x\ny\ud800'; there are"),
        ({"documents": ["secret"], "target": "x" * 9000}, "there is no class 'xxx"),
        ({"documents": ["secret"], "target": []}, "target is an empty list"),
        ({"documents": ["secret"], "target": ["space", "space"]}, "names a class twice"),
        ({"documents": ["secret"], "target": ["all", "space"]}, "say it alone"),
        ({"documents": ["secret"], "target": 5}, "target"),
        ({"documents": ["secret"], "target": "space", "against": "space"}, "the same class"),
        ({"documents": ["secret"], "against": "nowhere"}, "there is no class 'nowhere'"),
        ({"documents": ["secret"], "method": "magic"}, "no method 'magic'; choose from lrp, "),
        ({"documents": ["secret " * 20_001]}, "20,001 words together"),
        ({"documents": ["s" * 1_000_001]}, "1,000,001 characters"),
    ],
)
def test_mistakes_are_one_line_that_does_not_repeat_the_text(given: object, said: str) -> None:
    answer = ask(app(), "/api/explain", given)
    assert "secret" not in check_refused(answer, 422, said)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"secret",
        b'{"documents": ["secret"',
        b'{"documents": ["secret\n"]}',
        b'{"documents": ["secret \xff"]}',
        b"\xff\xfe\x00",
        b"\x00",
        b"[" * 100_000,
        b'{"documents":' * 50_000,
        b'{"documents": ["secret"], "top": ' + b"9" * 10_000 + b"}",
        b'{"documents": [{"text": "secret", "deleted": [NaN]}]}',
        b'{"documents": [{"text": "secret", "deleted": [Infinity]}]}',
        b'{"documents": [{"text": "secret", "deleted": [1e999]}]}',
        b'{"documents": [NaN]}',
        b"documents=secret",
    ],
)
@pytest.mark.parametrize("path", ["/api/predict", "/api/explain", "/api/search"])
def test_bodies_that_are_no_request(path: str, body: bytes) -> None:
    answer = ask(app(), path, body=body, method="POST")
    assert "secret" not in check_refused(answer, 422)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "x", "\xff"]
)
def test_a_page_elsewhere_cannot_pass_a_form_off_as_json(kind: str) -> None:
    headers = {"content-type": kind}
    check_refused(ask(app(), "/api/explain", {"documents": ["secret"]}, headers=headers), 422)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/words?target=spac", "did you mean space"),
        ("/api/words?top=0", "top"),
        ("/api/words?top=101", "top"),
        ("/api/words?top=x", "top"),
        ("/api/words/documents?target=space", "word: is missing"),
        ("/api/words/documents?target=space&word=zebra", "none of the 100 words"),
        ("/api/words/documents?target=space&word=%00%0a", "none of the 100 words"),
        ("/api/words/documents?target=space&word=%ed%a0%80", "none of the 100 words"),
        (f"/api/words/documents?target=space&word={'x' * 1001}", "at most 1000 characters"),
        ("/api/words/documents?target=%ff&word=moon", "there is no class"),
        ("/api/documents?predicted=nowhere", "there is no class 'nowhere'"),
        ("/api/documents?offset=-1", "offset"),
        (f"/api/documents?offset={2**63}", "offset"),
        (f"/api/documents?limit={'9' * 5000}", "limit"),
        ("/api/documents/-1", "number"),
        ("/api/documents/1.5", "number"),
        ("/api/documents/%F0%9F%8C%99", "number"),
        (f"/api/documents/{2**31}", "number"),
    ],
)
def test_mistakes_in_an_address(path: str, said: str) -> None:
    check_refused(ask(app(), path), 422, said)


def test_predictions_do_not_pass_over_deleted_words_in_silence() -> None:
    given = {"documents": [{"text": "secret", "deleted": [0]}]}
    check_refused(ask(app(), "/api/predict", given), 422, "deleted: is no field of this request")


def test_a_document_that_is_not_there() -> None:
    check_refused(ask(app(), "/api/documents/40"), 404, "there is no document 40, only 0 … 39")
    check_refused(ask(app(), f"/api/documents/{2**31 - 1}"), 404)
    assert ask(app(), "/api/documents?label=nowhere").json == {"found": 0, "documents": []}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"query": "zebra"}, "knows no word of this query"),
        ({"query": "\x00"}, "knows no word of this query"),
        ({"query": ""}, "knows no word of this query"),
        ({"query": "moon", "top": 0}, "top must be from 1 to 50, not 0"),
        ({"query": "moon", "top": 51}, "top must be from 1 to 50, not 51"),
        ({"query": "moon", "top": 10**4000}, "top must be from 1 to 50, not 1000"),
        ({"query": "moon " * 2001}, "a query may have 10,000 characters at most"),
        ({"query": "moon", "topp": 5}, "topp: is no field of this request"),
        ({"query": None}, "query: Input should be a valid string"),
    ],
)
def test_mistakes_in_a_search(given: object, said: str) -> None:
    check_refused(ask(app(), "/api/search", given), 422, said)


def test_too_much_for_one_request() -> None:
    small = create_app(Engine(made_cnn(), Limits(body_bytes=200, documents=2)))
    given = {"documents": ["wa"]}
    assert ask(small, "/api/predict", given).status == 200
    check_refused(
        ask(small, "/api/predict", given, headers={"content-length": "201"}), 413, "200 bytes"
    )
    parts = [b'{"documents": ["', b"wa " * 80, b'"]}']
    check_refused(ask(small, "/api/predict", body=parts), 413, "200 bytes")
    check_refused(
        ask(small, "/api/predict", {"documents": ["wa"] * 3}), 422, "from 1 to 2 documents"
    )


@pytest.mark.parametrize("path", [path for path in ROUTES if path not in list(ROUTES)[:2]])
def test_without_a_corpus_there_is_none_to_look_at(path: str) -> None:
    answer = ask(app(corpus=False), path.format(first="space"), ROUTES[path][1])
    check_refused(answer, 404, "no corpus is served; start with: whyword serve MODEL CORPUS")


def test_a_corpus_without_labels_has_no_confusions() -> None:
    without = replace(library("svm"), labels=[None] * 40)
    check_refused(
        ask(create_app(Engine(model("svm")), without), "/api/confusion"), 422, "no labels"
    )


# ---- under load -------------------------------------------------------------------------------


class Slow(Engine):
    """An engine whose predictions wait until they are let go."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(made_cnn(), limits)
        self.go, self.begun = threading.Event(), 0

    def predict(self, *given: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        self.begun += 1
        self.go.wait(10)
        return super().predict(*given)

    def is_quick(self, texts: Sequence[str], method: str | None = None) -> bool:
        return texts == ["quick"]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.001)


async def answering(of: App) -> int:
    count: int = (await asked(of, "/healthz")).json["answering"]
    return count


def test_a_busy_server_says_so_and_stays_well() -> None:
    async def talk() -> None:
        slow = Slow(Limits(workers=1, waiting=1))
        busy, given = create_app(slow), {"documents": ["wa"]}
        tasks = [asyncio.create_task(asked(busy, "/api/predict", given)) for _ in range(2)]
        await until(lambda: slow.begun == 1)
        while await answering(busy) < 2:
            await asyncio.sleep(0.001)
        for path, sent in (("/api/predict", given), ("/api/explain", given)):
            turned_away = await asked(busy, path, sent)
            check_refused(turned_away, 503, "2 requests are being answered; try again in a moment")
            assert turned_away.headers["retry-after"] == "1"
        assert (await asked(busy, "/")).status == 200  # what needs no work is there
        assert (await asked(busy, "/api/explain", {"documents": ["quick"]})).status == 200
        assert (await asked(busy, "/api/about")).status == 200
        slow.go.set()
        assert [answer.status for answer in await asyncio.gather(*tasks)] == [200, 200]
        assert (await asked(busy, "/api/predict", given)).status == 200
        assert await answering(busy) == 0

    asyncio.run(talk())


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async def talk() -> None:
        slow = Slow(Limits(workers=1, waiting=0, work_seconds=0.05))
        busy, given = create_app(slow), {"documents": ["secret"]}
        problem = check_refused(
            await asked(busy, "/api/predict", given), 504, "not ready after 0.05 s"
        )
        assert "secret" not in problem
        assert await answering(busy) == 1  # the thread is still at it
        check_refused(await asked(busy, "/api/explain", given), 503)
        slow.go.set()
        while await answering(busy):
            await asyncio.sleep(0.001)
        assert (await asked(busy, "/api/explain", given)).status == 200

    asyncio.run(talk())


def test_many_at_once_get_their_own_answers() -> None:
    async def talk() -> None:
        texts = [f"{text} {'moon ' * (number % 5)}" for number, text in enumerate(TEXTS)]
        many = create_app(Engine(model("cnn"), Limits(workers=4)), library())
        answers = await asyncio.gather(
            *(
                asked(many, "/api/explain", {"documents": [{"text": text, "id": str(number)}]})
                for number, text in enumerate(texts)
            )
        )
        for number, (answer, expected) in enumerate(
            zip(answers, ww.explain(model("cnn"), texts), strict=True)
        ):
            (one,) = answer.json["explanations"]
            assert (one["id"], one["text"]) == (str(number), texts[number])
            np.testing.assert_allclose(one["relevance"], expected.relevance, rtol=1e-4, atol=1e-5)

    asyncio.run(talk())


def test_what_is_wrong_with_the_server_is_not_told_to_its_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Engine(made_cnn())
    monkeypatch.setattr(engine, "predict", lambda *_: 1 // 0)
    sent: list[Any] = []
    inner = create_app(engine)

    async def talk() -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b'{"documents": ["secret"]}'}

        async def send(message: Any) -> None:  # noqa: ANN401
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/predict",
            "scheme": "http",
            "query_string": b"",
            "headers": headers,
        }
        with pytest.raises(ZeroDivisionError):  # for the server's log
            await inner(scope, receive, send)

    asyncio.run(talk())
    assert sent[0]["status"] == 500
    detail = json.loads(sent[1]["body"])["detail"]
    assert detail == "something is wrong with this server; its log says what"


@pytest.mark.parametrize("package", ["fastapi", "orjson", "starlette"])
def test_without_the_packages_of_a_server(package: str, uninstall: Callable[[str], None]) -> None:
    engine = Engine(made_cnn())
    uninstall(package)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[web\]'"):
        create_app(engine)


def test_labels_of_the_corpus_are_those_of_the_texts() -> None:
    confusion = ask(app(), "/api/confusion").json
    assert [sum(row) for row in confusion["counts"]] == [
        LABELS.count(label) for label in confusion["labels"]
    ]


def test_a_model_that_fails_is_no_fault_of_the_request(caplog: pytest.LogCaptureFixture) -> None:
    class Down:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            raise ValueError("the password of the service is wrong")

    answer = ask(create_app(Engine(Down())), "/api/explain", {"documents": ["the moon"]})
    assert answer.status == 500
    assert "password" not in answer.problem
    assert "the password of the service is wrong" in caplog.text
