"""Who may ask, how much, what every answer carries, and what the log may know."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from served import Answer, ask, asked
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyword.web.access import Access, host_of
from whyword.web.guard import guarded
from whyword.web.limits import Limits

SECURE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Send back what was sent, as an application behind the guard."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
    await send({"type": "http.response.body", "body": body})


def guard(
    limits: Limits | None = None,
    app: ASGIApp = echo,
    **access: Any,  # noqa: ANN401
) -> ASGIApp:
    return guarded(app, limits or Limits(), Access(**access))


def with_headers(**headers: str) -> Answer:
    return ask(guard(), "/api/x", headers=headers)


# ---- every answer -----------------------------------------------------------------------------


def test_every_answer_carries_the_headers_of_safety() -> None:
    fine = ask(guard(), "/", body=b"hello")
    assert (fine.status, fine.body, fine.headers["x-own"]) == (200, b"hello", "1")
    too_large = ask(guard(Limits(body_bytes=3)), "/", body=b"hello")
    assert too_large.status == 413
    foreign = ask(guard(), "/", headers={"host": "evil.example"})
    assert foreign.status == 403
    nameless = ask(guard(token="t"), "/api/x")
    assert nameless.status == 401
    for answer in (fine, too_large, foreign, nameless):
        assert answer.headers.items() >= SECURE.items()
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy


# ---- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:8765", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8765"]
)
def test_the_usual_names_of_this_machine(host: str) -> None:
    assert with_headers(host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("", "evil.example", "evil.example:8765", "localhost.evil.example", "evil.localhost"),
        *("localhost@evil.example", "127.0.0.1.evil.example", "[::2]", "[", "0.0.0.0", ":80"),
        *("localhost evil", "\xff\xfe", "localhost\x00"),
    ],
)
def test_a_name_that_was_made_to_point_here_is_not_ours(host: str) -> None:
    answer = with_headers(host=host)
    assert answer.status == 403
    assert "this server is not called" in answer.problem


def test_a_server_for_others_answers_to_any_name() -> None:
    assert ask(guard(hosts=()), "/", headers={"host": "words.example"}).status == 200
    assert ask(guard(hosts=("words.example",)), "/").status == 403


# ---- origins ----------------------------------------------------------------------------------


def test_the_page_itself_may_ask() -> None:
    assert with_headers(host="localhost:8765", origin="http://localhost:8765").status == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "", "http://localhost:9999", "https://localhost:8765"),
        *("http://localhost", "http://localhost:8765.evil.example", "http://127.0.0.1:8765"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_pages_of_other_sites_may_not_ask(origin: str, method: str) -> None:
    headers = {"host": "localhost:8765", "origin": origin}
    answer = ask(guard(), "/api/x", method=method, headers=headers)
    assert answer.status == 403
    assert "--allow-origin" in answer.problem
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_site_that_is_let_in_may_ask_and_read() -> None:
    origin = "https://words.example"
    let_in = guard(origins=(origin,), token="secret")
    wanted = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
        "access-control-request-private-network": "true",  # from a public page to this machine
    }
    before = ask(let_in, "/api/x", method="OPTIONS", headers={"origin": origin} | wanted)
    assert before.status == 200
    assert before.headers["access-control-allow-origin"] == origin
    assert "authorization" in before.headers["access-control-allow-headers"].lower()
    assert "POST" in before.headers["access-control-allow-methods"]
    assert before.headers["access-control-allow-private-network"] == "true"
    headers = {"origin": origin, "authorization": "Bearer secret"}
    for answer in (
        ask(let_in, "/api/x", headers=headers),
        ask(let_in, "/api/x", headers={"origin": origin}),  # an error can be read, too
    ):
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"
        assert "cross-origin-resource-policy" not in answer.headers
    assert answer.status == 401
    other = ask(let_in, "/api/x", headers=headers | {"origin": "https://other.example"})
    assert other.status == 403
    assert "access-control-allow-origin" not in other.headers
    nowhere = ask(let_in, "/api/x", headers={"authorization": "Bearer secret"})
    assert nowhere.status == 200
    assert "access-control-allow-origin" not in nowhere.headers


async def unasked(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


def test_nothing_is_computed_or_read_for_who_may_not_ask() -> None:
    """CORS alone would only keep the answer from the page that asked."""
    for header in ((b"origin", b"https://evil.example"), (b"host", b"evil.example")):
        answer = asyncio.run(answered(guard(app=unasked), never, [header]))
        assert answer[0]["status"] == 403
        assert json.loads(answer[1]["body"])["fields"] == []


def test_what_the_standard_parts_refuse_is_a_problem_too() -> None:
    headers = {"origin": "https://words.example", "access-control-request-method": "DELETE"}
    let_in = guard(origins=("https://words.example",))
    answer = ask(let_in, "/api/x", method="OPTIONS", headers=headers)
    assert answer.status == 400
    assert answer.problem == "Disallowed CORS method"


# ---- tokens -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        *("", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret ", "Bearer secrets"),
        *("bearer secret", "Basic secret", "Bearer \xff"),
    ],
)
def test_without_the_token_the_api_says_nothing(given: str) -> None:
    answer = ask(guard(token="secret"), "/api/x", body=b"text", headers={"authorization": given})
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "Bearer" in answer.problem
    assert "secret" not in answer.problem


@pytest.mark.parametrize("name", ["host", "authorization", "origin", "content-type"])
def test_what_can_be_said_once_is_not_said_twice(name: str) -> None:
    """A proxy before this server may have gone by the one, where this server would by the other."""
    for values in ((b"localhost", b"localhost"), (b"localhost", b"evil.example")):
        headers = [(name.encode(), value) for value in values]
        strict = guard(app=unasked, hosts=(), token="secret")
        start, rest = asyncio.run(answered(strict, never, headers))
        assert start["status"] == 400
        assert (b"connection", b"close") in start["headers"]
        said = json.loads(rest["body"])["detail"]
        assert said == f"a request has one header {name}, not several"


def test_with_the_token() -> None:
    headers = {"authorization": "Bearer secret"}
    assert ask(guard(token="secret"), "/api/x", headers=headers).status == 200
    assert ask(guard(token="secret"), "/%61pi/x").status == 401  # as the router reads it


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/healthz", "/favicon.ico"])
def test_the_page_needs_no_token(path: str) -> None:
    for method in ("GET", "HEAD"):
        assert ask(guard(token="secret"), path, method=method).status == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/static/docs.html", "/static/openapi.json", "/static/", "/static", "/static/style.css/"),
        *("/static/../api/about", "/static/%2e%2e/api/about", "/static/style.css%2f..%2fabout"),
        *("//", "//api/about", "/API/about", "/api", "/api/", "/%2e/api/about", "/api%2fabout"),
        *("/healthz/", "/healthz/x", "/Healthz", "/nothing", "/openapi.json", "/docs", "*", ""),
    ],
)
def test_whatever_is_not_known_to_be_public_asks_for_the_token(path: str) -> None:
    for method in ("GET", "HEAD", "POST", "OPTIONS", "PUT", "TRACE"):
        answer = ask(guard(app=unasked, token="secret"), path, method=method)
        assert answer.status == 401


# ---- HEAD ---------------------------------------------------------------------------------------


def test_head_is_get_without_the_body(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    seen: list[str] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["method"])
        scope["route"] = type("Route", (), {"path": "/page"})
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ab", "more_body": True})
        await send({"type": "http.response.body", "body": b"cd"})

    answer = ask(guard(app=page), "/", method="HEAD")
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "4")
    assert ask(guard(app=page), "/").body == b"abcd"
    assert seen == ["GET", "GET"]
    assert [line["method"] for line in lines(caplog)] == ["HEAD", "GET"]
    assert [(line["route"], line["sent"]) for line in lines(caplog)] == [("/page", 0), ("/page", 4)]
    refused = ask(guard(token="t"), "/api/x", method="HEAD")
    assert (refused.status, refused.body) == (401, b"")


# ---- how much ---------------------------------------------------------------------------------


def test_a_body_too_large_by_its_own_account_is_not_read() -> None:
    async def unread() -> Message:
        raise AssertionError

    small = guard(Limits(body_bytes=100))
    for length in ("101", "9" * 30, "9" * 5000):
        answer = asyncio.run(answered(small, unread, [(b"content-length", length.encode())]))
        assert answer[0]["status"] == 413
        assert (b"connection", b"close") in answer[0]["headers"]
        assert b"100 bytes at most" in answer[1]["body"]


def test_a_body_too_large_piece_by_piece() -> None:
    small = guard(Limits(body_bytes=100))
    assert ask(small, "/", body=[b"a" * 60, b"", b"a" * 40]).body == b"a" * 100
    answer = ask(small, "/", body=[b"a" * 60, b"a" * 41, b"never read"])
    assert answer.status == 413
    assert "100 bytes at most" in answer.problem
    for lie in ("1", "0", "-5", "x", "²", ""):
        headers = {"content-length": lie}
        assert ask(small, "/", body=[b"a" * 101], headers=headers).status == 413


def test_all_bodies_together_are_bounded() -> None:
    """Those that wait for their end count, and those that are gone do not."""
    small = guard(Limits(body_bytes=100, held_bytes=150))

    async def several() -> tuple[Answer, Answer]:
        begun, ends = asyncio.Event(), asyncio.Event()
        scope = {"type": "http", "method": "POST", "path": "/", "scheme": "http"}
        headers = [(b"host", b"localhost")]
        sent: list[Message] = []

        async def slow() -> Message:
            if not begun.is_set():
                begun.set()
                return {"type": "http.request", "body": b"a" * 90, "more_body": True}
            await ends.wait()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        first = asyncio.ensure_future(small({**scope, "headers": headers}, slow, send))
        await begun.wait()
        await asyncio.sleep(0)
        refused = await asked(small, "/", body=b"b" * 90)
        fits = await asked(small, "/", body=b"c" * 50)
        ends.set()
        await first
        assert sent[0]["status"] == 200
        assert fits.status == 200
        return refused, await asked(small, "/", body=b"d" * 90)

    refused, later = asyncio.run(several())
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert "too much is sent at once" in refused.problem
    assert later.status == 200


def test_a_proxy_asks_under_its_own_name() -> None:
    known = guard(hosts=("localhost", host_of("https://why.example.org")))
    assert ask(known, "/", headers={"host": "why.example.org"}).status == 200
    assert ask(known, "/", headers={"host": "example.org"}).status == 403


def test_a_body_that_does_not_arrive() -> None:
    sent = iter([{"type": "http.request", "body": b"sec", "more_body": True}])

    async def slow() -> Message:
        for message in sent:
            return message
        await asyncio.sleep(60)
        raise AssertionError

    begun = time.monotonic()
    answer = asyncio.run(answered(guard(Limits(read_seconds=0.05)), slow))
    assert time.monotonic() - begun < 5
    assert answer[0]["status"] == 408
    assert (b"connection", b"close") in answer[0]["headers"]
    assert json.loads(answer[1]["body"])["detail"] == "the request did not arrive within 0.05 s"


def test_bytes_that_trickle_in_are_given_no_more_time() -> None:
    async def trickle() -> Message:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    answer = asyncio.run(answered(guard(Limits(read_seconds=0.06)), trickle))
    assert answer[0]["status"] == 408


def test_slow_answers_are_not_slow_requests() -> None:
    async def thoughtful(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.1)
        await echo(scope, receive, send)

    assert ask(guard(Limits(read_seconds=0.02), thoughtful), "/", body=b"x").status == 200


def test_a_client_that_goes_in_mid_sentence(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    sent: Iterator[Message] = iter(
        [
            {"type": "http.request", "body": b"half a", "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def leaving() -> Message:
        return next(sent)

    assert asyncio.run(answered(guard(app=unasked), leaving)) == []
    (line,) = lines(caplog)
    assert line["status"] == 499


def test_what_comes_after_the_body_is_heard() -> None:
    heard: list[Message] = []

    async def listening(scope: Scope, receive: Receive, send: Send) -> None:
        heard.extend([await receive(), await receive()])

    sent: Iterator[Message] = iter(
        [
            {"type": "http.request", "body": b"a", "more_body": True},
            {"type": "http.request", "body": b"b", "more_body": False},
            {"type": "http.disconnect"},
        ]
    )

    async def receive() -> Message:
        return next(sent)

    asyncio.run(answered(guard(app=listening), receive))
    whole = {"type": "http.request", "body": b"ab", "more_body": False}
    assert heard == [whole, {"type": "http.disconnect"}]


def test_other_protocols() -> None:
    """Web sockets are closed; the server's own messages pass."""
    passed: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    closed = asyncio.run(answered(guard(app=inner), never, kind="websocket"))
    assert closed == [{"type": "websocket.close", "code": 1000}]
    asyncio.run(answered(guard(app=inner), never, kind="lifespan"))
    assert passed == ["lifespan"]


# ---- the log ----------------------------------------------------------------------------------


def test_the_log_has_no_texts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    class Route:
        path = "/api/{what}"

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = Route()
        await echo(scope, receive, send)

    secret = "my secret letter"
    ask(guard(app=routed), f"/api/{secret}?q={secret}", body=secret.encode())
    ask(guard(), f"/nowhere/{secret}", headers={"user-agent": secret, "x-secret": secret})
    ask(guard(), "/", headers={"host": "secret.example"})
    first, second, third = lines(caplog)
    assert set(first) == {"time", "method", "route", "status", "ms", "received", "sent"}
    assert first["route"] == "/api/{what}"
    assert (first["status"], first["received"], first["sent"]) == (200, 16, 16)
    assert 0 <= first["ms"] < 10_000
    assert (second["route"], second["method"]) == (None, "GET")
    assert third["status"] == 403
    assert "secret" not in caplog.text


def test_the_log_shows_texts_if_it_is_told_to(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ask(guard(log_texts=True), "/", body='moon "\n \U0001f319\x00'.encode() + b"\xff")
    ask(guard(log_texts=True), "/", body=b"x" * 5000)
    first, second = lines(caplog)
    assert first["body"] == 'moon "\n \U0001f319\x00\ufffd'
    assert len(second["body"]) == 2000
    assert all(record.getMessage().isprintable() for record in caplog.records)


def test_an_application_that_breaks_is_logged_and_not_hidden(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(guard(app=broken), "/")
    assert len(lines(caplog)) == 1


def lines(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [json.loads(record.getMessage()) for record in caplog.records]


async def never() -> Message:
    raise AssertionError


async def answered(
    app: ASGIApp,
    receive: Callable[[], Awaitable[Message]],
    headers: list[tuple[bytes, bytes]] | None = None,
    kind: str = "http",
) -> list[Message]:
    """Return what an application sends to a client of one's own."""
    messages: list[Message] = []
    given = headers or []

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {
        "type": kind,
        "method": "POST",
        "path": "/api/x",
        "scheme": "http",
        "headers": [*given, *(() if b"host" in dict(given) else ((b"host", b"localhost"),))],
    }
    await app(scope, receive, send)
    return messages
