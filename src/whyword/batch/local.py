"""The local engine: one process reads, the others work, each on a core of its own.

Threads of :class:`~concurrent.futures.ThreadPoolExecutor`, each of which asks a process of ours
(:mod:`whyword.batch.worker`): the executor of processes begins these by copying this one or by
importing the user's script anew, and they stay when the one that reads is killed.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import chain, islice
from queue import Empty, LifoQueue
from typing import IO, Any, Self, TypeVar

from whyword.base.errors import Argument, WhywordError
from whyword.base.printable import reason
from whyword.base.threads import one_thread
from whyword.batch.chunks import Chunk
from whyword.batch.worker import NO_MORE, START, Raised, Returned, SentWork, pack, receive, send

log = logging.getLogger(__name__)
T = TypeVar("T")

_AHEAD = 2  # chunks that wait for each process, so that none waits for the reader
_PATIENCE = 20.0  # seconds for processes that have nothing to do to end
# libraries that a process loads later than it is told to compute in one thread
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Workers:
    """Processes that work on chunks; they end with the block.

    Parameters
    ----------
    most : int
        So many beside this one; no more are begun than there are chunks.
    inherited : int, optional
        A file descriptor that they hold as long as they live.
    """

    def __init__(self, most: int, inherited: int | None = None) -> None:
        self._most = most
        self._arrays = _nameless_file()  # of the work
        kept = (self._arrays.fileno(), inherited)
        self._inherited = tuple(one for one in kept if one is not None)
        self._idle: LifoQueue[_Process] = LifoQueue()  # those that have loaded the work first
        self._all: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.dismiss()
        end = time.monotonic() + _PATIENCE
        for process in self._all:
            process.close(end)
        self._arrays.close()

    def warm_up(self, chunks: int) -> None:
        """Begin processes for so many chunks: they import what they need in the meantime."""
        if chunks > 1 and _can_begin():
            with suppress(_CannotBeginError):  # said when there is work
                for _ in range(min(chunks, self._most)):
                    self._idle.put(self._begin())

    def run(
        self,
        work: Callable[[Chunk], T],
        chunks: Iterable[Chunk],
        on_result: Callable[[T], object] | None = None,
    ) -> Iterator[T]:
        """Yield what the work on each chunk returns, as it comes.

        A single chunk is worked on in this process, and all are if others cannot have the work.

        Parameters
        ----------
        work : callable
        chunks : iterable of Chunk
            Read in this process, a few ahead.
        on_result : callable, optional
            Called with each result, from another thread, also if nobody waits for it any more.
        """
        remaining = iter(chunks)
        first = list(islice(remaining, 2))
        sent = self._send(work) if len(first) > 1 else None
        chunks = chain(first, remaining)
        keep = on_result or (lambda _: None)
        if sent is None:
            yield from _run_here(work, chunks, keep)
            return
        del work  # this process need not hold it
        pending: set[Future[T]] = set()
        pool = ThreadPoolExecutor(self._most)
        try:
            for chunk in chunks:
                pending.add(pool.submit(self._ask, sent, chunk, keep))
                if len(pending) >= self._most * (1 + _AHEAD):
                    yield from _await_results(pending)
            while pending:
                yield from _await_results(pending)
        except KeyboardInterrupt:
            self._finish_or_kill(pool)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _finish_or_kill(self, pool: ThreadPoolExecutor) -> None:
        """Let what is begun be done, unless whoever waits for it interrupts that, too."""
        try:
            log.warning("what is begun is being finished; once more, and it is not waited for")
            pool.shutdown(wait=True, cancel_futures=True)
        except KeyboardInterrupt:  # a model that hangs, say
            for process in self._all:
                process.kill()

    def _send(self, work: Callable[[Chunk], Any]) -> SentWork | None:
        """Return the work as one process has it; None, and a line, if no process can."""
        if not _can_begin():
            return None
        try:
            sent = pack(work, self._arrays)
            process = self._take()
            process.load(sent)
        except _CannotBeginError as error:
            log.warning("no process can be begun (%s), so this one does all the work", error)
            return None
        except WhywordError:
            raise
        except Exception as error:  # noqa: BLE001 - somebody's class, which may raise anything
            log.warning(
                "the model cannot be sent to other processes, so this one does all the work: "
                "its class, or function, must stand in a module that they can import (%s)",
                reason(error),
            )
            return None
        self._idle.put(process)
        return sent

    def _ask(self, sent: SentWork, chunk: Chunk, keep: Callable[[T], object]) -> T:
        process = self._take()
        try:
            process.load(sent)
            answer = process.ask(chunk)
        finally:
            self._idle.put(process)  # somebody may wait for it
        result: T = answer.unwrap()
        keep(result)
        return result

    def _take(self) -> "_Process":
        """Return a process that has nothing to do."""
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        try:
            return self._begin()
        except _CannotBeginError:
            if not self._all:
                raise
            return self._idle.get()  # fewer have to do

    def _begin(self) -> "_Process":
        process = _Process(self._inherited)
        self._all.append(process)
        return process


class _CannotBeginError(Exception):
    """The system begins no process, or no more of them."""


class _Process:
    """A process that works, for one thread at a time.

    Parameters
    ----------
    inherited : tuple of int
        File descriptors that it gets from this process.
    """

    def __init__(self, inherited: tuple[int, ...]) -> None:
        self._loaded: SentWork | None = None
        try:
            output = _open_stderr()
            # not stdin and stdout: whatever a Python prints at its start would stand between
            mine, its = map(_beyond_streams, socket.socketpair())
            with mine, its:
                self._process = _begin_python(its.fileno(), inherited, output)
                self._messages = mine.makefile("rwb")  # which holds it open
        except OSError as error:
            raise _CannotBeginError(error.strerror or str(error)) from None

    def load(self, sent: SentWork) -> None:
        """Let it have the work, once; raise what it raised when it did."""
        if self._loaded is not sent:
            self.ask(sent).unwrap()
            self._loaded = sent

    def ask(self, message: object) -> Returned | Raised:
        """Send a message; return the answer."""
        try:
            send(self._messages, message)
            answer: Returned | Raised = receive(self._messages)
        except (EOFError, OSError):
            raise WhywordError(
                "a process ended that was at work (was memory short?); what is done is kept: say ",
                Argument("resume", True),
                ", with fewer ",
                Argument("workers"),
            ) from None
        return answer

    def dismiss(self) -> None:
        """Tell it to end: it has nothing to do.

        To close the connection is not enough: a process forked from this one may hold that, too.
        """
        with suppress(OSError):  # it is gone
            send(self._messages, NO_MORE)

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()

    def close(self, end: float) -> None:
        """Wait until it is gone; kill it if it is there after that time."""
        with suppress(OSError):  # it is gone
            self._messages.close()
        try:
            self._process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:  # a thread of the model, say, that does not end
            self.kill()
            self._process.wait()


def _run_here(
    work: Callable[[Chunk], T], chunks: Iterable[Chunk], keep: Callable[[T], object]
) -> Iterator[T]:
    """Work in this process, as the others would: in one thread."""
    for chunk in chunks:
        with one_thread():
            result = work(chunk)
        keep(result)
        yield result


def _await_results(pending: set[Future[T]]) -> Iterator[T]:
    """Wait until some are done; take these out and yield what they return."""
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        pending.remove(future)
        yield future.result()


def _nameless_file() -> IO[bytes]:
    """Return a file that goes with the last process that has it, however that ends."""
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise WhywordError(f"there is no place for temporary files ({error.strerror})") from None


def _beyond_streams(one: socket.socket) -> socket.socket:
    """Return a socket whose number is none of the standard streams', which may be closed."""
    import fcntl

    if one.fileno() > 2:
        return one
    with one:
        return socket.socket(fileno=fcntl.fcntl(one.fileno(), fcntl.F_DUPFD_CLOEXEC, 3))


def _begin_python(
    connection: int, inherited: tuple[int, ...], output: int
) -> "subprocess.Popen[bytes]":
    """Begin a process that reads its work from a connection, and has some other files, too."""
    paths = json.dumps([str(path) for path in sys.path])
    arguments = [paths, str(os.getpid()), str(connection)]
    with _interrupts_blocked():  # which it inherits, until it ignores them
        return subprocess.Popen(
            [sys.executable, *_python_flags(), "-c", START, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(*inherited, connection),
            env=os.environ | _ONE_THREAD,
        )


def _open_stderr() -> int:
    """Return where a process says what it has to say: stderr, or nowhere if that is closed."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def _can_begin() -> bool:
    """Whether this process knows how to begin another Python, and can hand files over to it."""
    return os.name == "posix" and bool(sys.executable) and not hasattr(sys, "frozen")


def _python_flags() -> list[str]:
    """Return how this Python was begun; the current folder is searched only if it is here, too."""
    flags = sys.flags
    letters = {"s": flags.no_user_site, "S": flags.no_site, "E": flags.ignore_environment}
    letters |= {"B": flags.dont_write_bytecode, "b": flags.bytes_warning}
    given = [f"-{letter}" for letter, is_set in letters.items() if is_set]
    given += ["-O"] * flags.optimize + [f"-W{option}" for option in sys.warnoptions]
    for name, value in sys._xoptions.items():
        given.append(f"-X{name}" if value is True else f"-X{name}={value}")
    return ["-P", *given]


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let this thread, and a process that it begins, wait with interrupts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
