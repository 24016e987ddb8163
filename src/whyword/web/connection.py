"""A uvicorn server that does not wait for ever, nor take in whatever is sent.

Uvicorn has no limit to the time that the headers of a request may take, nor to the time in which an
answer must be read: whoever sends a byte a minute would hold a connection as long as he likes. Nor
has it one to the size of headers, to what frames a body sent in chunks, and to the requests sent
before the first is answered. A proxy in front of it would see to that, here there is none; so its
protocol has timers, and counts. What is overridden is not public: pyproject.toml names the versions
that this was tested with, tests/web/test_connection.py what it needs of them.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from whyword.web.limits import Limits
from whyword.web.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp

IDLE_SECONDS = 30  # until a connection that says nothing is closed
PATIENCE = 10  # seconds for answers on their way when the server is told to go


def server_of(
    app: "ASGIApp",
    limits: Limits,
    ready: Callable[[], None] = lambda: None,
    each_second: Callable[[], Awaitable[None]] | None = None,
) -> uvicorn.Server:
    """Return a server.

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    ready : callable
        Called once it listens.
    each_second : callable, optional
        Awaited about once a second while it serves.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    configuration = uvicorn.Config(
        app,
        http=protocol_of(limits),
        ws="none",  # its web sockets would know none of the limits
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=PATIENCE,
        callback_notify=each_second,
        timeout_notify=0,
    )
    return _Server(configuration, ready)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, configuration: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(configuration)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def protocol_of(limits: Limits) -> type[asyncio.Protocol]:
    """Return the protocol with the limits written into it: uvicorn makes its own instances."""
    return type("LimitedProtocol", (PatientProtocol,), {"limits": limits})


class _Stage(Enum):
    """Where a connection is."""

    BETWEEN = auto()  # messages
    HEAD = auto()
    BODY = auto()


class _RefusedError(Exception):
    """Stops the parser."""


class PatientProtocol(HttpToolsProtocol):
    """One connection, whose patience ends."""

    limits = Limits()
    _arriving: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _stage = _Stage.BETWEEN
    _refusal = (HTTPStatus.BAD_REQUEST, "this is no HTTP request")
    _deaf = False  # to whatever comes after the last request that is answered
    _running: RequestResponseCycle | None = None  # the request that is being answered
    _messages = 0
    # of the present message
    _received = 0  # bytes, without those that came together with its beginning
    _head_bytes = 0
    _content = 0  # bytes

    # ---- what arrives -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._await_rest()

    def data_received(self, data: bytes) -> None:
        """Read on, but not what never ends."""
        if self._deaf:
            return
        if self._arriving is None and self._stage is _Stage.BETWEEN:
            self._await_rest()  # uvicorn stops its own timer now, though it may be an empty line
        before = self._messages
        super().data_received(data)
        if self._messages == before and not (self._deaf or self.transport.is_closing()):
            self._received += len(data)
            self._check_received()

    def on_message_begin(self) -> None:
        """Wait for the rest of the headers, no longer than since the first byte."""
        super().on_message_begin()
        if len(self.pipeline) >= self.limits.pipelined:
            self._stop(HTTPStatus.BAD_REQUEST, "too many requests before the first is answered")
        self._stage = _Stage.HEAD
        self._messages += 1
        self._received = self._head_bytes = self._content = 0
        if self._arriving is None:
            self._await_rest()

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._head_bytes += len(url)
        if self._head_bytes > self.limits.header_bytes:
            self._stop_head()
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; one that comes after the body is counted and dropped."""
        self._head_bytes += len(name) + len(value) + 4  # a colon, a space, the end of the line
        limits = self.limits
        if self._head_bytes > limits.header_bytes or len(self.headers) >= limits.headers:
            self._stop_head()
        if self._stage is _Stage.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait no more: who waits for the body is the guard."""
        self._wait_no_more()
        upgrade = self.parser.should_upgrade()
        if upgrade and any(map(_announces_body, self.headers)):
            reason = "this server speaks HTTP/1.1 only; send no Upgrade with a body"
            self._stop(HTTPStatus.BAD_REQUEST, reason)
        super().on_headers_complete()
        self._stage = _Stage.BODY
        if not self.pipeline:
            self._running = self.cycle
        if upgrade:  # the parser takes what follows for a request, the client for anything else
            self.cycle.keep_alive = False
            self._deaf = True

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._content += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait no more."""
        self._wait_no_more()
        self._stage = _Stage.BETWEEN
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on to the next request, to a refusal, or to waiting for what is not read yet."""
        if self.pipeline:
            self._running = self.pipeline[-1][0]
        super().on_response_complete()
        if self.transport.is_closing():
            return
        all_answered = self._running is None or self._running.response_complete
        if self._deaf:
            if all_answered:
                self._refuse()
        elif self._stage is _Stage.HEAD:
            if self._arriving is None:  # nobody read on while requests were queued
                self._await_rest()
        elif self._stage is _Stage.BODY and all_answered:  # before the end of the body
            self._await_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the waiting."""
        self._wait_no_more()
        self.resume_writing()  # nobody is going to read the rest
        super().connection_lost(exc)  # which only knows of the newest request
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    # ---- what is sent -------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._unread = self._give_up_after(self.limits.write_seconds)

    def resume_writing(self) -> None:
        """Wait no more: the client reads."""
        _cancel(self._unread)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Say why nothing more is read, after the answers to what came before, and close."""
        self._deaf = True
        self._wait_no_more()
        running = self._running
        if running is None or running.response_complete:
            self._refuse()
        elif self._stage is _Stage.BODY and not self.pipeline:  # of what is being answered
            if running.response_started:
                self.transport.close()
            else:
                self._refuse()
        elif self._stage is _Stage.BODY:  # of the newest, which gets this answer and no other
            self.pipeline.popleft()

    def _refuse(self) -> None:
        status, reason = self._refusal
        answer = problem(status, reason, connection="close")
        line = f"HTTP/1.1 {status.value} {status.phrase}".encode()
        fields = (name + b": " + value for name, value in answer.raw_headers)
        self.transport.write(b"\r\n".join([line, *fields, b"", bytes(answer.body)]))
        self.transport.close()

    # ---- limits -------------------------------------------------------------------------------

    def _check_received(self) -> None:
        """Refuse what no callback counts: a header without end, and what frames chunks."""
        most = self.limits.header_bytes
        if self._stage is _Stage.HEAD and self._received > most:
            self._refusal = self._too_large()
            self.send_400_response("")
        # a chunk of one byte takes six: these are not refused for being few, but for being many
        elif self._stage is _Stage.BODY and self._received > 2 * (most + self._content):
            self._refusal = HTTPStatus.BAD_REQUEST, "the body comes in too many too small chunks"
            self.send_400_response("")

    def _too_large(self) -> tuple[HTTPStatus, str]:
        reason = (
            f"the headers and the address may have {self.limits.header_bytes:,} bytes, and the "
            f"headers be {self.limits.headers} at most"
        )
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, reason

    def _stop_head(self) -> None:
        self._stop(*self._too_large())

    def _stop(self, status: HTTPStatus, reason: str) -> None:
        """Stop the parser; uvicorn then asks for the answer to what is no request."""
        self._refusal = status, reason
        raise _RefusedError(reason)

    # ---- waiting ------------------------------------------------------------------------------

    def _await_rest(self) -> None:
        self._wait_no_more()
        if self.pipeline or self.flow.read_paused:
            return  # it may have been sent, and it is we who do not read it
        self._arriving = self._give_up_after(self.limits.read_seconds)

    def _wait_no_more(self) -> None:
        _cancel(self._arriving)
        self._arriving = None

    def _give_up_after(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.transport.abort)


def _announces_body(header: tuple[bytes, bytes]) -> bool:
    name, value = header
    return name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ") != b"")


def _cancel(timer: Any) -> None:  # noqa: ANN401 - a handle of whichever loop it is, or None
    if timer is not None:
        timer.cancel()
