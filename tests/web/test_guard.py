"""Who may ask, how much, what every answer carries, and what the log may know."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from served import Answer, ask, asked, check_refused
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyword import InputError
from whyword.web.access import Access, checked_origin, checked_token, host_of
from whyword.web.guard import guarded
from whyword.web.limits import Limits

ORIGIN = "https://words.example"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Send back what was sent, as an application behind the guard."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
    await send({"type": "http.response.body", "body": body})


async def unasked(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


async def unread() -> Message:
    raise AssertionError


def guard(
    limits: Limits | None = None,
    app: ASGIApp = echo,
    **access: Any,  # noqa: ANN401 - of Access
) -> ASGIApp:
    return guarded(app, limits or Limits(), Access(**access))


def with_headers(**headers: str) -> Answer:
    return ask(guard(), "/api/x", headers=headers)


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


def received(*messages: Message) -> Callable[[], Awaitable[Message]]:
    """Return a client that sends these messages."""
    remaining = iter(messages)

    async def receive() -> Message:
        return next(remaining)

    return receive


def part(body: bytes, more: bool = True) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


GONE: Message = {"type": "http.disconnect"}

# ---- access as it is written on the command line ------------------------------------------------


def test_origins_are_written_as_browsers_write_them() -> None:
    assert checked_origin("https://Example.org/") == "https://example.org"
    assert checked_origin("http://localhost:3000") == "http://localhost:3000"
    for written in (
        *("*", "example.org", "https://", "https://a.example/page", "ftp://a.example", "null", ""),
        *("https://*.example", "https://a.example, https://b.example", "https://a.example\r\nx: y"),
    ):
        with pytest.raises(InputError, match=r"an origin is written https://example\.org"):
            checked_origin(written)


def test_a_proxy_asks_under_its_own_name() -> None:
    for origin, host in (
        ("https://Why.example.org:8443/", "why.example.org"),
        ("https://why.example.org", "why.example.org"),
        ("http://[::1]:80", "[::1]"),
        ("http://[::1]", "[::1]"),
    ):
        assert host_of(origin) == host
    known = guard(hosts=("localhost", host_of("https://why.example.org")))
    assert ask(known, "/", headers={"host": "why.example.org"}).status == 200
    assert ask(known, "/", headers={"host": "example.org"}).status == 403


def test_tokens_that_no_header_could_bear() -> None:
    assert [checked_token(fit) for fit in ("a b~!", "x", None)] == ["a b~!", "x", None]
    for token in ("", " ", "a\n", "a\r\nx: y", "é", "\x00", " a", "a ", "a\t"):
        with pytest.raises(InputError, match="a token is made of printable ASCII"):
            checked_token(token)


# ---- every answer -------------------------------------------------------------------------------


def test_every_answer_carries_the_headers_of_safety() -> None:
    fine = ask(guard(), "/", body=b"hello")
    assert (fine.status, fine.body, fine.headers["x-own"]) == (200, b"hello", "1")
    too_large = ask(guard(Limits(body_bytes=3)), "/", body=b"hello")
    foreign = ask(guard(), "/", headers={"host": "evil.example"})
    nameless = ask(guard(token="t"), "/api/x")
    assert [one.status for one in (too_large, foreign, nameless)] == [413, 403, 401]
    for answer in (fine, too_large, foreign, nameless):
        assert answer.headers.items() >= {
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        }
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy


# ---- names --------------------------------------------------------------------------------------


def test_names_of_this_machine() -> None:
    for host in ("localhost", "LocalHost:8765", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8765"):
        assert with_headers(host=host).status == 200


def test_a_name_that_was_made_to_point_here_is_refused() -> None:
    for host in (
        *("", "evil.example", "evil.example:8765", "localhost.evil.example", "evil.localhost"),
        *("localhost@evil.example", "127.0.0.1.evil.example", "[::2]", "[", "0.0.0.0", ":80"),
        *("localhost evil", "\xff\xfe", "localhost\x00"),
    ):
        check_refused(with_headers(host=host), 403, "this server is not called")


def test_a_server_for_others_answers_to_any_name() -> None:
    assert ask(guard(hosts=()), "/", headers={"host": "words.example"}).status == 200
    assert ask(guard(hosts=("words.example",)), "/").status == 403


# ---- origins ------------------------------------------------------------------------------------


def test_pages_of_other_sites_may_not_ask() -> None:
    own = "http://localhost:8765"
    assert with_headers(host="localhost:8765", origin=own).status == 200
    for origin in (
        *("https://evil.example", "null", "", "http://localhost:9999", "https://localhost:8765"),
        *("http://localhost", f"{own}.evil.example", "http://127.0.0.1:8765"),
    ):
        for method in ("GET", "POST", "OPTIONS"):
            headers = {"host": "localhost:8765", "origin": origin}
            answer = ask(guard(), "/api/x", method=method, headers=headers)
            check_refused(answer, 403, "--allow-origin")
            assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_site_that_is_let_in_may_ask_and_read() -> None:
    let_in = guard(origins=(ORIGIN,), token="secret")
    wanted = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
        "access-control-request-private-network": "true",  # from a public page to this machine
    }
    before = ask(let_in, "/api/x", method="OPTIONS", headers={"origin": ORIGIN} | wanted)
    assert before.status == 200
    assert before.headers["access-control-allow-origin"] == ORIGIN
    assert "authorization" in before.headers["access-control-allow-headers"].lower()
    assert "POST" in before.headers["access-control-allow-methods"]
    assert before.headers["access-control-allow-private-network"] == "true"
    bearing = {"authorization": "Bearer secret"}
    for headers, status in ((bearing, 200), ({}, 401)):  # an error can be read, too
        answer = ask(let_in, "/api/x", headers={"origin": ORIGIN} | headers)
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert answer.headers["vary"] == "Origin"
        assert "cross-origin-resource-policy" not in answer.headers
    for headers, status in (({"origin": "https://other.example"}, 403), ({}, 200)):
        answer = ask(let_in, "/api/x", headers=bearing | headers)
        assert answer.status == status
        assert "access-control-allow-origin" not in answer.headers
    headers = {"origin": ORIGIN, "access-control-request-method": "DELETE"}
    refused = ask(let_in, "/api/x", method="OPTIONS", headers=headers)
    assert check_refused(refused, 400) == "Disallowed CORS method"


def test_nothing_is_computed_or_read_for_clients_that_may_not_ask() -> None:
    """CORS alone would only keep the answer from the page that asked."""
    for header in ((b"origin", b"https://evil.example"), (b"host", b"evil.example")):
        answer = asyncio.run(answered(guard(app=unasked), unread, [header]))
        assert answer[0]["status"] == 403
        assert json.loads(answer[1]["body"])["fields"] == []


# ---- tokens -------------------------------------------------------------------------------------


def test_without_the_token_the_api_answers_nothing() -> None:
    for given in (
        *("", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret ", "Bearer secrets"),
        *("bearer secret", "Basic secret", "Bearer \xff"),
    ):
        headers = {"authorization": given}
        answer = ask(guard(app=unasked, token="secret"), "/api/x", body=b"text", headers=headers)
        assert "secret" not in check_refused(answer, 401, "Bearer")
        assert answer.headers["www-authenticate"] == "Bearer"
    headers = {"authorization": "Bearer secret"}
    assert ask(guard(token="secret"), "/api/x", headers=headers).status == 200
    assert ask(guard(token="secret"), "/%61pi/x").status == 401  # as the router reads it


@pytest.mark.parametrize("name", ["host", "authorization", "origin", "content-type"])
def test_what_can_be_said_once_is_not_said_twice(name: str) -> None:
    """A proxy before this server may have gone by the one, where this server would by the other."""
    for values in ((b"localhost", b"localhost"), (b"localhost", b"evil.example")):
        headers = [(name.encode(), value) for value in values]
        strict = guard(app=unasked, hosts=(), token="secret")
        start, rest = asyncio.run(answered(strict, unread, headers))
        assert start["status"] == 400
        assert (b"connection", b"close") in start["headers"]
        detail = json.loads(rest["body"])["detail"]
        assert detail == f"a request has one header {name}, not several"


def test_only_paths_that_are_known_to_be_public_need_no_token() -> None:
    for path in ("/", "/static/style.css", "/healthz", "/favicon.ico"):
        for method in ("GET", "HEAD"):
            assert ask(guard(token="secret"), path, method=method).status == 200
    for path in (
        *("/static/docs.html", "/static/openapi.json", "/static/", "/static", "/static/style.css/"),
        *("/static/../api/about", "/static/%2e%2e/api/about", "/static/style.css%2f..%2fabout"),
        *("//", "//api/about", "/API/about", "/api", "/api/", "/%2e/api/about", "/api%2fabout"),
        *("/healthz/", "/healthz/x", "/Healthz", "/nothing", "/openapi.json", "/docs", "*", ""),
    ):
        for method in ("GET", "HEAD", "POST", "OPTIONS", "TRACE"):
            assert ask(guard(app=unasked, token="secret"), path, method=method).status == 401


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
    assert [(line["method"], line["route"], line["sent"]) for line in lines(caplog)] == [
        ("HEAD", "/page", 0),
        ("GET", "/page", 4),
    ]
    refused = ask(guard(token="t"), "/api/x", method="HEAD")
    assert (refused.status, refused.body) == (401, b"")


# ---- how much -----------------------------------------------------------------------------------


def test_bodies_are_bounded() -> None:
    """One that announces its size is not read; others are read up to there."""
    small = guard(Limits(body_bytes=100))
    for length in ("101", "9" * 30, "9" * 5000):
        answer = asyncio.run(answered(small, unread, [(b"content-length", length.encode())]))
        assert answer[0]["status"] == 413
        assert (b"connection", b"close") in answer[0]["headers"]
        assert b"100 bytes at most" in answer[1]["body"]
    assert ask(small, "/", body=[b"a" * 60, b"", b"a" * 40]).body == b"a" * 100
    refused = ask(small, "/", body=[b"a" * 60, b"a" * 41, b"never read"])
    check_refused(refused, 413, "100 bytes at most")
    for lie in ("1", "0", "-5", "x", "²", ""):
        assert ask(small, "/", body=b"a" * 101, headers={"content-length": lie}).status == 413


def test_all_bodies_together_are_bounded() -> None:
    """Those that wait for their end count, and those that are gone do not."""
    small = guard(Limits(body_bytes=100, held_bytes=150))

    async def several() -> tuple[Answer, Answer]:
        begun, ends = asyncio.Event(), asyncio.Event()

        async def slow() -> Message:
            if not begun.is_set():
                begun.set()
                return part(b"a" * 90)
            await ends.wait()
            return part(b"", more=False)

        first = asyncio.ensure_future(answered(small, slow))
        await begun.wait()
        await asyncio.sleep(0)
        refused = await asked(small, "/", body=b"b" * 90)
        assert (await asked(small, "/", body=b"c" * 50)).status == 200
        ends.set()
        assert (await first)[0]["status"] == 200
        return refused, await asked(small, "/", body=b"d" * 90)

    refused, later = asyncio.run(several())
    check_refused(refused, 503, "too much is sent at once")
    assert refused.headers["retry-after"] == "1"
    assert later.status == 200


def test_a_body_that_does_not_arrive_in_time() -> None:
    sent = iter([part(b"sec")])

    async def slow() -> Message:
        for message in sent:
            return message
        await asyncio.sleep(60)
        raise AssertionError

    async def trickle() -> Message:
        await asyncio.sleep(0.005)
        return part(b"x")

    for receive in (slow, trickle):
        answer = asyncio.run(answered(guard(Limits(read_seconds=0.03)), receive))
        assert answer[0]["status"] == 408
        assert (b"connection", b"close") in answer[0]["headers"]
        detail = json.loads(answer[1]["body"])["detail"]
        assert detail == "the request did not arrive within 0.03 s"


def test_slow_answers_are_not_slow_requests() -> None:
    async def thoughtful(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.05)
        await echo(scope, receive, send)

    assert ask(guard(Limits(read_seconds=0.02), thoughtful), "/", body=b"x").status == 200


def test_a_client_that_goes_in_mid_sentence(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    leaving = received(part(b"half a"), GONE)
    assert asyncio.run(answered(guard(app=unasked), leaving)) == []
    (line,) = lines(caplog)
    assert line["status"] == 499


def test_what_comes_after_the_body_is_heard() -> None:
    heard: list[Message] = []

    async def listening(scope: Scope, receive: Receive, send: Send) -> None:
        heard.extend([await receive(), await receive()])

    sent = received(part(b"a"), part(b"b", more=False), GONE)
    asyncio.run(answered(guard(app=listening), sent))
    assert heard == [part(b"ab", more=False), GONE]


def test_other_protocols() -> None:
    """Web sockets are closed; the server's own messages pass."""
    passed: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    closed = asyncio.run(answered(guard(app=inner), unread, kind="websocket"))
    assert closed == [{"type": "websocket.close", "code": 1000}]
    asyncio.run(answered(guard(app=inner), unread, kind="lifespan"))
    assert passed == ["lifespan"]


# ---- the log ------------------------------------------------------------------------------------


def lines(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [json.loads(record.getMessage()) for record in caplog.records]


def test_the_log_has_no_texts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = type("Route", (), {"path": "/api/{what}"})
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
