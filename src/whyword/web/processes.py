"""Several processes that serve on one port: Python computes in one thread at a time."""

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from types import FrameType
from typing import NoReturn, TypeAlias

from whyword.base.errors import InputError, WhywordError

log = logging.getLogger(__name__)

_MOST = 4  # by default: each has its own table of words, and the processor's memory is shared
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_RESTARTS, _WITHIN = 5, 60.0  # as many in so many seconds mean that something is wrong

Serve: TypeAlias = Callable[[socket.socket, Callable[[], None]], None]


def usual_processes() -> int:
    """Return how many processes serve unless told otherwise: one where none can be split off."""
    return min(_MOST, os.cpu_count() or 1) if can_split() else 1


def can_split() -> bool:
    """Whether a running process can be split safely, and the system shares out connections."""
    return sys.platform == "linux"


def checked_processes(count: int | None) -> int:
    """Return how many processes are to serve, the usual number for None; raise if they cannot."""
    if count is not None and count > 1 and not can_split():
        raise InputError(f"--processes {count}: on {sys.platform} there can be one only")
    return usual_processes() if count is None else count


def sockets_beside(bound: socket.socket, count: int) -> list[socket.socket]:
    """Return the socket and others on its port, so many together; the system shares out.

    The first one was bound without the leave to share, so that it was the port's only one.
    """
    sockets = [bound]
    if count > 1:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    for _ in range(count - 1):
        another = socket.socket(bound.family, bound.type, bound.proto)
        sockets.append(another)
        another.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        another.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        another.bind(bound.getsockname())
        another.listen()
    return sockets


class Processes:
    """Processes that serve, and the one that watches them.

    One that ends by itself is replaced. A signal to end is passed on, and waited for. Should the
    watching process be killed, the others go as if they had been told to.

    Parameters
    ----------
    serve : callable
        Called in each process with its socket and what it calls once it listens; it returns, or
        ends its process, when it is told to go.
    sockets : sequence of sockets
        One for each process.
    """

    def __init__(self, serve: Serve, sockets: Sequence[socket.socket]) -> None:
        self._serve, self._sockets = serve, list(sockets)
        self._running: dict[int, socket.socket] = {}
        self._signal: int | None = None
        self._ended: list[float] = []
        self._lifeline, self._held = os.pipe()
        self._news, self._ready = os.pipe()

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until told to go; then receive the signal as if there was one process only.

        Parameters
        ----------
        ready : callable
            Called once all processes listen.
        """
        before = {number: signal.signal(number, self._pass_on) for number in _SIGNALS}
        try:
            for bound in self._sockets:
                self._start(bound)
            self._await_all(ready)
            while self._running:
                self._wait()
        finally:
            for pid in self._running:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            for end in (self._lifeline, self._held, self._news, self._ready):
                os.close(end)
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._signal is not None:
            signal.raise_signal(self._signal)

    # ---- the watching process -------------------------------------------------------------------

    def _await_all(self, ready: Callable[[], None]) -> None:
        """Call ready when every process has said that it listens, unless one ends before."""
        listening = 0
        os.set_blocking(self._news, False)
        while listening < len(self._sockets) and self._signal is None:
            try:
                listening += len(os.read(self._news, len(self._sockets)))
            except BlockingIOError:
                time.sleep(0.01)
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid:
                del self._running[pid]
                raise WhywordError("a process of the server ended before it listened")
        if self._signal is None:
            ready()

    def _start(self, bound: socket.socket) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # a signal between the split and the entry below would not be passed on
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            if self._signal is not None:
                return
            pid = os.fork()
            if not pid:
                self._serve_as_child(bound)
            self._running[pid] = bound
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        """Pass a signal on; nobody new is let in."""
        self._signal = number
        for bound in self._sockets:
            bound.close()
        for pid in self._running:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _wait(self) -> None:
        """Wait until a process ends; start another in its place unless it was told to."""
        pid, status = os.waitpid(-1, 0)
        bound = self._running.pop(pid, None)
        if bound is None or self._signal is not None:  # a browser that was opened ends, too
            return
        now = time.monotonic()
        self._ended = [at for at in self._ended if now - at < _WITHIN] + [now]
        if len(self._ended) > _RESTARTS:
            raise WhywordError("the server's processes end again and again; its log may say why")
        code = os.waitstatus_to_exitcode(status)
        log.warning("a process of the server ended (%d) and is replaced", code)
        self._start(bound)

    # ---- the others -------------------------------------------------------------------------

    def _serve_as_child(self, bound: socket.socket) -> NoReturn:
        """Serve, in a process of its own."""
        code = 1
        try:
            os.setpgid(0, 0)  # Ctrl-C reaches the watching process, which passes it on
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            for other in self._sockets:
                if other is not bound:
                    other.close()
            os.close(self._held)
            Thread(target=self._exit_with_parent, daemon=True).start()
            self._serve(bound, self._say_ready)
            code = 0
        except BaseException:
            log.exception("a process of the server ends")
        finally:
            logging.shutdown()
            os._exit(code)

    def _say_ready(self) -> None:
        os.write(self._ready, b".")

    def _exit_with_parent(self) -> None:
        while os.read(self._lifeline, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
