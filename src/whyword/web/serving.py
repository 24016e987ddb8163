"""From an application to a server that listens, and goes when it is told to."""

import asyncio
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

from whyword.base.checks import check_installed
from whyword.base.errors import InputError, MissingExtraError
from whyword.web.limits import Limits
from whyword.web.processes import Processes, sockets_beside

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PORT = 8765
_TRIED = 10  # ports, where none was asked for
_IDLE_SECONDS = 30  # until a connection that says nothing is closed
_PATIENCE = 10  # seconds for answers on their way when the server is told to go


def check_extra() -> None:
    """Raise unless the packages of a server are installed."""
    check_installed("web", "fastapi", "uvicorn", "httptools", "orjson", "sklearn")


def bound_socket(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens: on the port, or on the first free one from 8765 on."""
    for number in range(PORT, PORT + _TRIED) if port is None else (port,):
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, number, type=socket.SOCK_STREAM
            )[0]
        except (OSError, UnicodeError):
            raise InputError(f"{host!r:.80} is no address of this machine") from None
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
            bound.listen()  # until then another server could bind the same port
        except OSError as error:
            bound.close()
            problem = error.strerror or str(error)
            continue
        return bound
    where = f"{host}:{PORT} … {PORT + _TRIED - 1}" if port is None else f"{host}:{port}"
    raise InputError(f"cannot listen on {where} ({problem}); say another: --port")


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address for a browser on this machine."""
    name, port = host, bound.getsockname()[1]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - that is where it was told to listen
        name = "localhost"
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def has_screen() -> bool:
    """Whether a browser could open a window here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run(
    app: "ASGIApp",
    bound: socket.socket,
    limits: Limits,
    ready: Callable[[], None] = lambda: None,
    processes: int = 1,
) -> None:
    """Serve until interrupted or terminated; answers on their way are given first.

    Parameters
    ----------
    app : ASGI application
    bound : socket
    limits : Limits
    ready : callable
        Called once the server listens.
    processes : int
        More than one share the work, each with limits of its own.
    """
    if processes > 1:
        sockets = sockets_beside(bound, processes)
        Processes(lambda one, listening: _serve(app, one, limits, listening), sockets).run(ready)
    else:
        _serve(app, bound, limits, ready)


def _serve(app: "ASGIApp", bound: socket.socket, limits: Limits, ready: Callable[[], None]) -> None:
    try:
        import uvicorn
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        raise MissingExtraError("uvicorn", "web") from None

    # Uvicorn waits for ever, for the end of headers and for answers to be read.
    class Patient(HttpToolsProtocol):
        timer: asyncio.TimerHandle | None = None
        unread: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.wait()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.wait()

        def on_headers_complete(self) -> None:
            self.wait_no_more()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self.wait_no_more()
            self.resume_writing()  # nobody is going to read the rest
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self.unread = self.loop.call_later(limits.write_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            if self.unread is not None:
                self.unread.cancel()
            super().resume_writing()

        def wait(self) -> None:
            self.wait_no_more()
            self.timer = self.loop.call_later(limits.read_seconds, self.transport.abort)

        def wait_no_more(self) -> None:
            if self.timer is not None:
                self.timer.cancel()

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    configuration = uvicorn.Config(
        app,
        http=Patient,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_PATIENCE,
    )
    Server(configuration).run([bound])


def open_page(address: str) -> None:
    """Open the page in the user's browser, if there is one."""
    if has_screen():
        webbrowser.open(address)
