"""Clients that are not waited for, and what is not read from a connection."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from http.client import HTTPConnection
from itertools import repeat

import pytest
import uvicorn
from served import ECHO, Server
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from whyword.web.connection import protocol_of, server_of
from whyword.web.limits import Limits

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
SMALL = Limits(header_bytes=1_000, headers=10, pipelined=5)


def chunk(content: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(content), extension, content)


class Line(asyncio.Transport):
    """The other end of a connection, without one."""

    def __init__(self) -> None:
        super().__init__()
        self.sent, self.closed, self.paused = b"", False, False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        self.sent += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


async def length(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the method, the length of the body, and the number of headers."""
    body, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + len(message["body"]), message["more_body"]
    answer = f"{scope['method']} {body} {len(scope['headers'])}".encode()
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def connect(line: Line, limits: Limits, app: ASGIApp = length) -> HttpToolsProtocol:
    """Return the server's side of a connection."""
    configuration = uvicorn.Config(app, ws="none", log_config=None)
    kind: Callable[..., HttpToolsProtocol] = protocol_of(limits)  # type: ignore[assignment]
    made = kind(config=configuration, server_state=ServerState(), app_state={})
    made.connection_made(line)
    return made


async def steps(count: int = 50) -> None:
    """Let the loop go on until all is answered."""
    for _ in range(count):
        await asyncio.sleep(0)


def talk(parts: Iterable[bytes], app: ASGIApp = length) -> Line:
    """Return the line after the parts were sent, or as many as were read."""

    async def talked() -> Line:
        line = Line()
        connection = connect(line, SMALL, app)
        for part in parts:
            if line.closed:
                break
            connection.data_received(part)
            await asyncio.sleep(0)
        await steps()
        connection.connection_lost(None)
        await asyncio.sleep(0)
        return line

    return asyncio.run(talked())


def endless(*parts: bytes, again: bytes) -> Iterable[bytes]:
    """Yield the parts, then one of them again and again; fail if nobody ends it."""
    yield from parts
    yield from repeat(again, 200)
    raise AssertionError("no end was made of it")


# ---- what is not read ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        endless(HEAD, again=b"X-Other: " + b"a" * 90 + b"\r\n"),
        endless(HEAD, again=b"a:\r\n"),
        endless(HEAD + b"X-Long: ", again=b"a" * 100),
        endless(HEAD + b"X", again=b"a" * 100),
        endless(b"GET /", again=b"a" * 100),
        [b"GET /" + b"a" * 1_000 + b" HTTP/1.1\r\n\r\n"],
        [HEAD + b"a: b\r\n" * 10 + b"\r\n"],
        [GET, HEAD + b"X-Long: " + b"a" * 1_000 + b"\r\n\r\n"],
        endless(CHUNKED + chunk(b"ab") + b"0\r\n", again=b"X-Other: " + b"a" * 90 + b"\r\n"),
    ],
)
def test_headers_are_bounded_while_they_arrive(parts: Iterable[bytes]) -> None:
    line = talk(parts)
    assert line.closed
    head, _, body = line.sent.rpartition(b"\r\n\r\n")
    assert head.rpartition(b"HTTP/1.1 ")[2].startswith(b"431 Request Header Fields Too Large\r\n")
    assert b"connection: close" in head
    assert set(json.loads(body)) == {"detail", "fields"}
    assert "1,000 bytes" in json.loads(body)["detail"]


@pytest.mark.parametrize(
    "parts",
    [
        endless(CHUNKED + b"5;", again=b"a" * 100),
        endless(CHUNKED, again=chunk(b"a", b";" + b"b" * 90)),
        endless(CHUNKED, again=chunk(b"a") * 50),
    ],
)
def test_the_framing_of_chunks_is_bounded(parts: Iterable[bytes]) -> None:
    line = talk(parts)
    assert line.closed
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert b"too many too small chunks" in line.sent


def test_usual_requests_are_answered() -> None:
    """Each request is as long as it may be, and the next begins anew."""
    full = HEAD + b"a: b\r\n" * 8 + b"Content-Length: 2\r\n\r\nab"
    line = talk([full, GET, b"\r\n\r\n" + full[:30], full[30:], *[b"%c" % one for one in full]])
    assert line.sent.count(b"POST 2 10") == 3
    assert b"GET 0 1" in line.sent
    parts = [CHUNKED, *repeat(chunk(b"a" * 10, b";x=y"), 1_000), b"0\r\n\r\n"]
    assert talk(parts).sent.endswith(b"POST 10000 2")
    assert talk([CHUNKED, *repeat(chunk(b"a"), 200), b"0\r\n\r\n"]).sent.endswith(b"POST 200 2")
    large = talk([HEAD + b"Content-Length: 500000\r\n\r\n", *repeat(b"a" * 50_000, 10)])
    assert large.sent.endswith(b"POST 500000 2")


def test_headers_behind_the_body_are_dropped() -> None:
    """Access was checked before; they would change what is known of a request."""
    tail = b"0\r\nAuthorization: x\r\nHost: other\r\n\r\n"
    assert talk([CHUNKED + chunk(b"ab") + tail, GET]).sent.count(b"POST 2 2") == 1
    assert talk([CHUNKED, chunk(b"ab"), tail]).sent.endswith(b"POST 2 2")


def test_pipelined_requests_are_bounded() -> None:
    assert talk([GET * 6]).sent.count(b"GET 0 1") == 6
    line = talk([GET * 1_000, GET])
    assert line.closed
    assert line.sent.count(b"GET 0 1") == 6  # those on their way are answered, then it is said why
    assert line.sent.count(b"HTTP/1.1 400 ") == 1
    assert line.sent.endswith(b'too many requests before the first is answered", "fields": []}')


def test_an_answer_on_its_way_is_not_mixed_up_with_a_refusal() -> None:
    for more in (b"nonsense\r\n", GET[:-2] + b"a:\r\n" * 20, CHUNKED + b"nonsense\r\n"):
        for before in (1, 3):
            line = talk([GET * before + more, GET])
            assert line.closed
            *answers, refusal = line.sent.split(b"HTTP/1.1 ")[1:]
            assert [one[-7:] for one in answers] == [b"GET 0 1"] * before
            assert refusal[:4] in (b"400 ", b"431 ")


def test_nothing_is_written_to_a_client_that_has_gone() -> None:
    """Nor the answer to its first request, while more wait: the line fails if it is."""
    told: list[str] = []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        told.append((await receive())["type"])
        await length(scope, receive, send)

    assert talk([GET * 3], app=slow).sent == b""
    assert told == ["http.disconnect"]


def test_what_is_no_request_is_refused_in_the_form_of_the_api() -> None:
    line = talk([b"nonsense\r\n\r\n"])
    assert line.closed
    assert line.sent.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert line.sent.endswith(b'{"detail": "this is no HTTP request", "fields": []}')


def test_no_other_protocol_is_spoken() -> None:
    """A web socket's own protocol would know no limits; the request is one like any other."""
    line = talk([GET[:-2] + UPGRADE + b"Sec-WebSocket-Version: 13\r\n\r\n"])
    assert line.sent.startswith(b"HTTP/1.1 200 ")
    assert line.sent.endswith(b"GET 0 4")
    server = server_of(length, Limits())
    server.config.load()
    assert server.config.ws_protocol_class is None


@pytest.mark.parametrize("head", [GET[:-2] + UPGRADE, b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n"])
def test_what_follows_an_upgrade_is_no_request(head: bytes) -> None:
    """The client may mean it in the other protocol."""
    for parts in ([head + b"\r\n", GET], [head + b"Content-Length: 0\r\n\r\n" + GET, b"nonsense"]):
        line = talk(parts)
        assert line.closed
        assert line.sent.count(b"HTTP/1.1 ") == 1
        assert b"connection: close" in line.sent


@pytest.mark.parametrize("first", [b"", GET])
def test_a_body_behind_an_upgrade_is_no_request(first: bytes) -> None:
    """The parser ends at the headers: a proxy that went by the length would not see the second."""
    for framing in (
        b"Content-Length: %d\r\n\r\n" % len(GET),
        b"Transfer-Encoding: chunked\r\n\r\n",
    ):
        line = talk([first, HEAD + UPGRADE + framing, GET, GET])
        assert line.closed
        assert line.sent.count(b"HTTP/1.1 200 ") == bool(first)
        assert line.sent.count(b"HTTP/1.1 400 ") == 1
        assert b"send no Upgrade with a body" in line.sent


# ---- clients that are not waited for ------------------------------------------------------------


@pytest.mark.slow(reason="starts a server, and waits")
def test_a_silent_or_endless_client_is_not_waited_for() -> None:
    """Neither may keep others out by holding connections: three are all there are."""
    with Server("-c", ECHO, "0.3") as server:
        place = (server.host, server.port)
        with (
            socket.create_connection(place, timeout=10) as silent,
            socket.create_connection(place, timeout=10) as slow,
        ):
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Endless: a")
            for opened in (silent, slow):
                with suppress(ConnectionResetError):
                    assert opened.recv(100) == b""
        with closing(HTTPConnection(*place, timeout=10)) as kept:
            for _ in range(2):  # a connection that waits for its next request is another matter
                kept.request("GET", "/")
                assert kept.getresponse().read() == b"0"
                time.sleep(0.5)
        with socket.create_connection(place, timeout=10) as empty:
            empty.sendall(GET)
            assert empty.recv(1000).startswith(b"HTTP/1.1 200 ")
            with pytest.raises(ConnectionError):  # empty lines begin no wait for a request
                trickle(empty, b"\r\n")


def trickle(opened: socket.socket, part: bytes) -> None:
    """Send a few bytes now and then, for as long as they are taken."""
    for _ in range(300):
        opened.sendall(part)
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("end", "seconds"),
    [(b"", 0.02), pytest.param(b"bc", 0.4, marks=pytest.mark.slow(reason="waits"))],
)
def test_the_rest_of_a_body_that_was_answered_is_not_waited_for(end: bytes, seconds: float) -> None:
    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def talked() -> None:
        line = Line()
        connection = connect(line, Limits(read_seconds=seconds), refusing)
        connection.data_received(HEAD + b"Content-Length: 3\r\n\r\na")
        await steps(10)
        assert line.sent.startswith(b"HTTP/1.1 401 ")
        connection.data_received(end)
        await asyncio.sleep(seconds + 0.1)
        assert line.closed is (end == b"")
        connection.connection_lost(None)

    asyncio.run(talked())


def test_what_is_not_read_is_waited_for() -> None:
    """While requests are queued nobody reads: the rest of the next may have been sent long ago."""

    async def talked() -> None:
        gone_on = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await gone_on.wait()
            await length(scope, receive, send)

        line = Line()
        connection = connect(line, Limits(read_seconds=0.02), slow)
        connection.data_received(GET + GET + GET[:10])
        assert line.paused
        await asyncio.sleep(0.1)
        assert not line.closed
        gone_on.set()
        await steps(20)
        assert line.sent.count(b"GET 0 1") == 2
        assert not line.paused
        await asyncio.sleep(0.1)
        assert line.closed  # now it is read, and does not come
        connection.connection_lost(None)

    asyncio.run(talked())


@pytest.mark.slow(reason="starts a server, and waits")
def test_a_client_that_does_not_read_an_answer_loses_it() -> None:
    with Server("-c", ECHO, "0.5") as server:
        with server.begin("/", 5) as begun:
            begun.sendall(b"large")
            time.sleep(1.5)
            received = 0
            with suppress(ConnectionResetError):
                while part := begun.recv(1 << 20):
                    received += len(part)
            assert received < 50_000_000
        assert server.ask("/", "moon").json == 6


@pytest.mark.slow(reason="starts a server")
def test_too_many_connections_are_turned_away() -> None:
    with Server("-c", ECHO) as server:
        waiting = [server.begin("/", 2) for _ in range(2)]
        assert server.ask("/").status == 503
        for opened in waiting:
            with opened:
                opened.sendall(b"ok")
                assert opened.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert server.ask("/", "moon").status == 200
        server.tell_to_go(signal.SIGTERM)
        assert server.last_words()[0] == -signal.SIGTERM
