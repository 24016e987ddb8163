"""From an application to a server that listens, and goes when it is told to."""

import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

from whyword.base.checks import check_installed
from whyword.base.errors import Argument, InputError
from whyword.base.threads import usable_cores
from whyword.web.access import in_address
from whyword.web.limits import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PORT = 8765
_TRIED = 10  # ports, where none was asked for
# by default: each has its own table of words, and the processor's memory is shared
_MOST_PROCESSES = 4


def check_extra() -> None:
    """Raise unless the packages of a server are installed."""
    check_installed("web", "fastapi", "uvicorn", "httptools", "orjson", "sklearn")
    if can_split():
        check_installed("web", "gunicorn")


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
    raise InputError(f"cannot listen on {where} ({problem}); say another ", Argument("port"))


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address for a browser on this machine."""
    name, port = host, bound.getsockname()[1]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - that is where it was told to listen
        name = "localhost"
    return f"http://{in_address(name)}:{port}/"


def has_screen() -> bool:
    """Whether a browser could open a window here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def usual_processes() -> int:
    """Return how many processes serve unless told otherwise: one where none can be split off."""
    return min(_MOST_PROCESSES, usable_cores()) if can_split() else 1


def can_split() -> bool:
    """Whether a running process can be split safely."""
    return sys.platform == "linux"


def checked_processes(count: int | None) -> int:
    """Return how many processes are to serve, the usual number for None; raise if they cannot."""
    if count is not None and count > 1 and not can_split():
        raise InputError(Argument("processes", count), f": on {sys.platform} there can be one only")
    return usual_processes() if count is None else count


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
        Given away: whoever serves closes it.
    limits : Limits
    ready : callable
        Called once the server listens.
    processes : int
        More than one share the work, each with limits of its own.
    """
    check_extra()
    # the command line is imported without these packages
    if processes > 1:
        from whyword.web.processes import run_processes

        run_processes(app, bound, limits, processes, ready)
    else:
        from whyword.web.connection import server_of

        server_of(app, limits, ready).run([bound])


def open_page(address: str) -> None:
    """Open the page in the user's browser, if there is one."""
    if has_screen():
        webbrowser.open(address)
