"""Several processes that serve on one port: Python computes in one thread at a time.

They are gunicorn's, each a uvicorn server, split off when the model and the corpus are loaded: they
share what they never write to, and nothing is loaded twice. Uvicorn's own workers start anew, would
prepare the corpus once for each, and outlive a first process that is killed. At 16 clients gunicorn
answered 1.00 times, uvicorn's workers 0.97 times as often as a fork server of our own (medians of
15 rounds); benchmarks/workers.py compares the two.

What is added to gunicorn: the signals of one server (that SIGHUP loads it anew, or that SIGINT
drops answers on their way, would be a surprise), an end to processes that end again and again, and
that they notice it when the first one was killed.
"""

import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.workers.base import Worker

from whyword.base.errors import WhywordError
from whyword.web.connection import PATIENCE, server_of
from whyword.web.limits import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MEMORY = Path("/dev/shm")  # noqa: S108 - where it is there, no disk need be writable
_OTHER_FILES = 64  # that a process has open beside its connections, or opens now and then
_RESTARTS, _WITHIN = 5, 60.0  # as many in so many seconds mean that something is wrong


def run_processes(
    app: "ASGIApp", bound: socket.socket, limits: Limits, count: int, ready: Callable[[], None]
) -> None:
    """Serve until told to go; then receive the signal as if there was one process only.

    Parameters
    ----------
    app : ASGI application
    bound : socket
        That listens; given away. All processes accept from it.
    limits : Limits
        Of each process; but connections are shared unevenly, by who is the first to accept one, so
        that each may have as many as all of them together.
    count : int
    ready : callable
        Called once there are processes.
    """
    first = os.getpid()
    before = {number: signal.getsignal(number) for number in (*_SIGNALS, signal.SIGCHLD)}
    arbiter = _Arbiter(_Application(app, bound, limits, count), ready)
    try:
        arbiter.run()
    except (SystemExit, HaltServer):  # the latter if another one fails while it ends the others
        if os.getpid() != first:
            raise
    for number, handler in before.items():
        signal.signal(number, handler)
    if arbiter.told is None:
        raise WhywordError("the processes of the server end by themselves; its log says why")
    signal.raise_signal(arbiter.told)


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """What gunicorn is to run, and how."""

    def __init__(self, app: "ASGIApp", bound: socket.socket, limits: Limits, count: int) -> None:
        self.limits = replace(limits, connections=_most_connections(limits.connections * count))
        self._app, self._bound, self._count = app, bound, count
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults."""
        settings: dict[str, Any] = {
            "bind": f"fd://{self._bound.detach()}",  # gunicorn closes it
            "workers": self._count,
            "worker_class": _Worker,
            "preload_app": True,
            "timeout": 0,  # a model that takes its time is no reason to kill it
            "graceful_timeout": PATIENCE + 5,
            "control_socket_disable": True,
            "proc_name": "whyword",
            "loglevel": "warning",
            "worker_tmp_dir": str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> "ASGIApp":
        """Return the application."""
        return self._app


def _most_connections(wanted: int) -> int:
    """Return how many connections a process may have open: no more than files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else min(wanted, max(1, files - _OTHER_FILES))


class _Arbiter(Arbiter):  # type: ignore[misc]
    """The first process, which watches the others."""

    SIGNALS = _SIGNALS

    def __init__(self, application: _Application, ready: Callable[[], None]) -> None:
        super().__init__(application)
        self.told: signal.Signals | None = None
        self._ready: Callable[[], None] | None = ready
        self._spawned: list[float] = []

    def spawn_workers(self) -> None:
        """Start those that are missing, unless they end again and again."""
        now = time.monotonic()
        self._spawned = [at for at in self._spawned if now - at < _WITHIN]
        missing = self.num_workers - len(self.WORKERS)
        if self._ready is None:
            self._spawned += [now] * missing
        if len(self._spawned) > _RESTARTS:
            raise HaltServer("the processes end again and again", 1)
        super().spawn_workers()
        if self._ready is not None:
            self._ready()
            self._ready = None

    def spawn_worker(self) -> int:
        """Start one. A signal waits until it knows what to do: it would be lost to it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid: int = super().spawn_worker()
            return pid
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def handle_int(self) -> None:
        """End as at SIGTERM: answers on their way are given."""
        self.told = signal.SIGINT
        raise StopIteration

    def handle_term(self) -> None:
        """End."""
        self.told = signal.SIGTERM
        raise StopIteration


class _Worker(Worker):  # type: ignore[misc]
    """One of the others."""

    def init_process(self) -> None:
        """Begin; Ctrl-C reaches the first process, which passes it on."""
        os.setpgid(0, 0)
        super().init_process()

    def init_signals(self) -> None:
        """Leave the signals to uvicorn; SIGQUIT, a second Ctrl-C, ends it without a core."""
        for number in (*_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGQUIT, lambda *_: os._exit(0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def run(self) -> None:
        """Serve."""
        sockets = [listener.sock for listener in self.sockets]
        server_of(self.wsgi, self.app.limits, each_second=self._go_with_the_first).run(sockets)

    async def _go_with_the_first(self) -> None:
        if os.getppid() != self.ppid:
            os.kill(os.getpid(), signal.SIGTERM)
