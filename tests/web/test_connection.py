"""Who is not waited for, and what is not taken in."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from http.client import HTTPConnection
from inspect import signature
from itertools import repeat

import pytest
import uvicorn
from served import ECHO, Server
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from whyword.web.connection import PatientProtocol, protocol_of, server_of
from whyword.web.limits import Limits

pytestmark = pytest.mark.slow(reason="waits for servers")

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"


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
    """Answer with the length of the body, the number of headers, and the method."""
    body, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + len(message["body"]), message["more_body"]
    said = f"{scope['method']} {body} {len(scope['headers'])}".encode()
    headers = [(b"content-length", b"%d" % len(said))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said})


def talk(parts: Iterable[bytes], limits: Limits | None = None, app: ASGIApp = length) -> Line:
    """Return the line after so many bytes were sent, or as many as were taken in."""

    async def talked() -> Line:
        configuration = uvicorn.Config(app, ws="none", log_config=None)
        kind = protocol_of(limits or Limits(header_bytes=1_000, headers=10, pipelined=5))
        line = Line()
        connection = kind(config=configuration, server_state=ServerState(), app_state={})  # type: ignore[call-arg]
        connection.connection_made(line)
        for part in parts:
            if line.closed:
                break
            connection.data_received(part)
            await asyncio.sleep(0)
        for _ in range(50):  # steps until all is said
            await asyncio.sleep(0)
        connection.connection_lost(None)
        await asyncio.sleep(0)
        return line

    return asyncio.run(talked())


def endless(*parts: bytes, again: bytes) -> Iterable[bytes]:
    """Yield the parts, then one of them again and again; fail if nobody ends it."""
    yield from parts
    yield from repeat(again, 200)
    raise AssertionError("no end was made of it")


# ---- what is not taken in -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        endless(HEAD, again=b"X-Other: " + b"a" * 90 + b"\r\n"),
        endless(HEAD, again=b"a:\r\n"),
        endless(HEAD + b"X-Long: ", again=b"a" * 100),
        endless(HEAD + b"X", again=b"a" * 100),
        endless(b"GET /", again=b"a" * 100),
        endless(b"GET /?", again=b"%41" * 30),
        [b"GET /" + b"a" * 1_000 + b" HTTP/1.1\r\n\r\n"],
        [HEAD + b"X-Long: " + b"a" * 1_000 + b"\r\n\r\n"],
        [HEAD + b"a: b\r\n" * 10 + b"\r\n"],
        [GET, HEAD + b"X-Long: " + b"a" * 1_000 + b"\r\n\r\n"],
        endless(CHUNKED + chunk(b"ab") + b"0\r\n", again=b"X-Other: " + b"a" * 90 + b"\r\n"),
    ],
)
def test_headers_are_bounded_while_they_come_in(parts: Iterable[bytes]) -> None:
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
def test_what_frames_chunks_is_bounded(parts: Iterable[bytes]) -> None:
    line = talk(parts)
    assert line.closed
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert b"too many too small chunks" in line.sent


def test_what_is_usual_is_taken() -> None:
    """Each request is as long as it may be, and the next begins anew."""
    full = HEAD + b"a: b\r\n" * 8 + b"Content-Length: 2\r\n\r\nab"
    line = talk([full, GET, b"\r\n\r\n" + full[:30], full[30:], *[b"%c" % one for one in full]])
    assert line.sent.count(b"POST 2 10") == 3
    assert b"GET 0 1" in line.sent
    parts = [CHUNKED, *repeat(chunk(b"a" * 10, b";x=y"), 1_000), b"0\r\n\r\n"]
    assert talk(parts).sent.endswith(b"POST 10000 2")
    assert talk([CHUNKED, *repeat(chunk(b"a"), 200), b"0\r\n\r\n"]).sent.endswith(b"POST 200 2")
    large = talk([HEAD + b"Content-Length: 5000000\r\n\r\n", *repeat(b"a" * 50_000, 100)])
    assert large.sent.endswith(b"POST 5000000 2")


def test_headers_behind_the_body_are_dropped() -> None:
    """Who may ask was looked at before; they would change what is known of a request."""
    tail = b"0\r\nAuthorization: x\r\nHost: other\r\n\r\n"
    assert talk([CHUNKED + chunk(b"ab") + tail, GET]).sent.count(b"POST 2 2") == 1
    late = [CHUNKED, chunk(b"ab"), tail]
    assert talk(late).sent.endswith(b"POST 2 2")


def test_so_many_requests_before_the_first_is_answered() -> None:
    assert talk([GET * 6]).sent.count(b"GET 0 1") == 6
    line = talk([GET * 1_000, GET])
    assert line.closed
    assert line.sent.count(b"GET 0 1") == 6  # those on their way are answered, then it is said why
    assert line.sent.count(b"HTTP/1.1 400 ") == 1
    assert line.sent.endswith(b'too many requests before the first is answered", "fields": []}')


def test_an_answer_on_its_way_is_not_mixed_up_with_a_refusal() -> None:
    bad_body = CHUNKED + b"nonsense\r\n"
    for more in (b"nonsense\r\n", GET[:-2] + b"a:\r\n" * 20, bad_body):
        for before in (1, 3):
            line = talk([GET * before + more, GET])
            assert line.closed
            *answers, refusal = line.sent.split(b"HTTP/1.1 ")[1:]
            assert [one[-7:] for one in answers] == [b"GET 0 1"] * before
            assert refusal[:4] in (b"400 ", b"431 ")


def test_whoever_goes_is_not_written_to() -> None:
    """Nor is what he asked for first, while more of it waits: the line fails if it is."""
    told: list[str] = []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        told.append((await receive())["type"])
        await length(scope, receive, send)

    line = talk([GET * 3], app=slow)
    assert told == ["http.disconnect"]
    assert line.sent == b""


def test_what_is_no_request_is_told_in_the_form_of_the_api() -> None:
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


@pytest.mark.parametrize(
    "framing", [b"Content-Length: %d\r\n\r\n" % len(GET), b"Transfer-Encoding: chunked\r\n\r\n"]
)
@pytest.mark.parametrize("first", [b"", GET])
def test_a_body_behind_an_upgrade_is_no_request(framing: bytes, first: bytes) -> None:
    """The parser ends at the headers: a proxy that went by the length would not see the second."""
    line = talk([first, HEAD + UPGRADE + framing, GET, GET])
    assert line.closed
    assert line.sent.count(b"HTTP/1.1 200 ") == bool(first)
    assert line.sent.count(b"HTTP/1.1 400 ") == 1
    assert b"send no Upgrade with a body" in line.sent


@pytest.mark.slow(reason="waits for a server")
def test_a_flood_of_headers_ends() -> None:
    with Server("-c", ECHO) as server:
        opened = socket.create_connection((server.host, server.port), timeout=30)
        with opened, suppress(ConnectionError):
            opened.sendall(HEAD)
            for _ in range(200):  # megabytes
                opened.sendall((b"X-Other: " + b"a" * 1_013 + b"\r\n") * 1_024)
            raise AssertionError("all of it was taken in")
        assert server.ask("/", "moon").json == 6


# ---- who is not waited for ----------------------------------------------------------------------


@pytest.mark.slow(reason="waits for a server")
def test_who_says_nothing_or_never_ends_is_not_waited_for() -> None:
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


@pytest.mark.slow(reason="waits for a server")
def test_who_sends_nothing_that_matters_is_not_waited_for() -> None:
    """Empty lines between requests end the wait for the next one, and begin none."""
    with Server("-c", ECHO, "0.5") as server:
        place = (server.host, server.port)
        with socket.create_connection(place, timeout=10) as empty:
            empty.sendall(GET)
            assert empty.recv(1000).startswith(b"HTTP/1.1 200 ")
            with pytest.raises(ConnectionError):
                trickle(empty, b"\r\n")


def test_the_rest_of_a_body_that_was_answered_is_not_waited_for() -> None:
    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def talked() -> None:
        configuration = uvicorn.Config(refusing, ws="none", log_config=None)
        for end, seconds in ((b"", 0.05), (b"bc", 0.4)):
            kind = protocol_of(Limits(read_seconds=seconds))
            line = Line()
            connection = kind(config=configuration, server_state=ServerState(), app_state={})  # type: ignore[call-arg]
            connection.connection_made(line)
            connection.data_received(HEAD + b"Content-Length: 3\r\n\r\na")
            for _ in range(10):  # steps until it is answered
                await asyncio.sleep(0)
            assert line.sent.startswith(b"HTTP/1.1 401 ")
            connection.data_received(end)
            await asyncio.sleep(0.5)
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

        configuration = uvicorn.Config(slow, ws="none", log_config=None)
        line = Line()
        kind = protocol_of(Limits(read_seconds=0.2))
        connection = kind(config=configuration, server_state=ServerState(), app_state={})  # type: ignore[call-arg]
        connection.connection_made(line)
        connection.data_received(GET + GET + GET[:10])
        assert line.paused
        await asyncio.sleep(0.5)
        assert not line.closed
        gone_on.set()
        for _ in range(20):  # steps until both are answered
            await asyncio.sleep(0)
        assert line.sent.count(b"GET 0 1") == 2
        assert not line.paused
        await asyncio.sleep(0.5)
        assert line.closed  # now it is read, and does not come
        connection.connection_lost(None)

    asyncio.run(talked())


def trickle(opened: socket.socket, part: bytes) -> None:
    """Send a few bytes now and then, for as long as somebody listens."""
    for _ in range(300):
        opened.sendall(part)
        time.sleep(0.1)


@pytest.mark.slow(reason="waits for a server")
def test_who_does_not_read_an_answer_loses_it() -> None:
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
    with Server("-c", ECHO, "60") as server, server.begin("/", 5) as begun:
        begun.sendall(b"large")
        assert len(some_of(begun, 50_000_000)) == 50_000_000


def some_of(opened: socket.socket, count: int) -> bytes:
    """Return so many bytes, or what comes until the other side closes."""
    received = bytearray()
    while len(received) < count and (part := opened.recv(1 << 20)):
        received += part
    return bytes(received[:count])


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


# ---- what is relied upon ------------------------------------------------------------------------


def test_what_is_needed_of_uvicorn_is_there() -> None:
    """None of it is public: if this fails, read the new uvicorn before its version is let in."""
    for name, parameters in {
        "connection_made": ["self", "transport"],
        "connection_lost": ["self", "exc"],
        "data_received": ["self", "data"],
        "on_message_begin": ["self"],
        "on_url": ["self", "url"],
        "on_header": ["self", "name", "value"],
        "on_headers_complete": ["self"],
        "on_body": ["self", "body"],
        "on_message_complete": ["self"],
        "on_response_complete": ["self"],
        "pause_writing": ["self"],
        "resume_writing": ["self"],
        "send_400_response": ["self", "msg"],
    }.items():
        theirs = getattr(HttpToolsProtocol, name)
        assert list(signature(theirs).parameters) == parameters, f"uvicorn changed {name}"
        assert getattr(PatientProtocol, name) is not theirs
    own = {name for name in vars(PatientProtocol) if not name.startswith("_")}
    assert own - {"limits"} <= set(vars(HttpToolsProtocol)), "it overrides what is not there"

    async def made() -> HttpToolsProtocol:
        configuration = uvicorn.Config(length, ws="none", log_config=None)
        return HttpToolsProtocol(configuration, ServerState(), {})

    connection = asyncio.run(made())
    for name in ("loop", "transport", "cycle", "pipeline", "headers", "parser", "flow"):
        assert hasattr(connection, name), f"uvicorn's protocol has no {name} any more"
    for name in (
        "response_started",
        "response_complete",
        "keep_alive",
        "disconnected",
        "message_event",
    ):
        assert name in RequestResponseCycle.__init__.__code__.co_names, name
    assert "send_400_response" in HttpToolsProtocol.data_received.__code__.co_names
    assert "startup" in vars(uvicorn.Server)
    assert "started" in vars(uvicorn.Server(uvicorn.Config(length)))
