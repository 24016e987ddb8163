"""A uvicorn server that does not wait for ever.

Uvicorn has no limit to the time that the headers of a request may take, nor to the time in which an
answer must be read: whoever sends a byte a minute would hold a connection as long as he likes. A
proxy in front of it would see to that, here there is none; so its protocol has timers.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from whyword.web.limits import Limits

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


class PatientProtocol(HttpToolsProtocol):
    """One connection, whose patience ends."""

    limits = Limits()
    _headers: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._await_headers()

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of the headers."""
        super().on_message_begin()
        self._await_headers()

    def on_headers_complete(self) -> None:
        """Wait no more: who waits for the body is the guard."""
        _cancel(self._headers)
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the waiting."""
        _cancel(self._headers)
        self.resume_writing()  # nobody is going to read the rest
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._unread = self._give_up_after(self.limits.write_seconds)

    def resume_writing(self) -> None:
        """Wait no more: the client reads."""
        _cancel(self._unread)
        super().resume_writing()

    def _await_headers(self) -> None:
        _cancel(self._headers)
        self._headers = self._give_up_after(self.limits.read_seconds)

    def _give_up_after(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.transport.abort)


def _cancel(timer: Any) -> None:  # noqa: ANN401 - a handle of whichever loop it is, or None
    if timer is not None:
        timer.cancel()
