"""A process of the local engine: it is sent the work once, then chunk after chunk.

A Python of its own, by hand: :mod:`multiprocessing` either copies the process that starts it, which
hangs where that has threads, or imports the user's script anew, which then must expect it.
Requests and answers go by a connection of their own, each a length and a pickle; what the work
itself prints goes to stderr. The arrays of the work stand in a file that all processes map, so that
a model is in memory once.
"""

import mmap
import os
import pickle
import signal
import socket
import struct
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedIOBase
from threading import Thread
from typing import IO, Any, NamedTuple

from whyword.base.errors import WhywordError
from whyword.base.printable import reason
from whyword.base.threads import use_one_thread

START = (  # what such a process runs: modules are found where the one that starts it finds them
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from whyword.batch.worker import serve; serve(int(sys.argv[2]), int(sys.argv[3]))"
)
NO_MORE = None  # the last message
_LENGTH = struct.Struct("<Q")
_ALIGNED = 64  # bytes that an array's place in the file is a multiple of
_POLL = 0.5  # seconds from one look at the parent to the next


class SentWork(NamedTuple):
    """Work as a process is told of it.

    Attributes
    ----------
    pickled : bytes
        Without its arrays.
    spans : list of (int, int)
        Where each array begins in the file, and ends.
    descriptor : int
        Of the file, which the process inherits.
    """

    pickled: bytes
    spans: list[tuple[int, int]]
    descriptor: int


def pack(work: Callable[..., Any], file: IO[bytes]) -> SentWork:
    """Write the arrays of the work to a file; return what to tell others of it.

    Raises
    ------
    WhywordError
        If there is no room; whatever pickling raises if it cannot be sent.
    """
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(work, 5, buffer_callback=buffers.append)
    spans, end = [], 0
    try:
        for buffer in buffers:
            with buffer.raw() as raw:
                start = -(-end // _ALIGNED) * _ALIGNED
                end = start + raw.nbytes
                file.seek(start)
                file.write(raw)
            spans.append((start, end))
        file.truncate(max(end, 1))  # nothing cannot be mapped
        file.flush()
    except OSError as error:
        raise WhywordError(
            f"the model cannot be handed over in {tempfile.gettempdir()} ({error.strerror}); "
            "set TMPDIR to a folder with room"
        ) from None
    return SentWork(pickled, spans, file.fileno())


def unpack(sent: SentWork) -> Callable[..., Any]:
    """Return the work; its arrays are the file's pages, copied where they are written to."""
    mapped = memoryview(mmap.mmap(sent.descriptor, 0, access=mmap.ACCESS_COPY))
    buffers = [mapped[start:end] for start, end in sent.spans]
    work: Callable[..., Any] = pickle.loads(sent.pickled, buffers=buffers)  # noqa: S301 - ours
    return work


def send(stream: BufferedIOBase, message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message, 5)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: BufferedIOBase) -> Any:  # noqa: ANN401 - whatever was sent
    """Return the next message; raise EOFError if there is none."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return pickle.loads(_read(stream, length))  # noqa: S301 - ours


def _read(stream: BufferedIOBase, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


@dataclass(frozen=True)
class Returned:
    """What the work returned; or, of loading it, nothing."""

    value: Any = None

    def unwrap(self) -> Any:  # noqa: ANN401 - whatever the work returns
        """Return it."""
        return self.value


@dataclass(frozen=True)
class Raised:
    """What the work raised."""

    error: BaseException

    @classmethod
    def of(cls, error: BaseException) -> "Raised":
        """Return what can be sent: the error itself if it can be taken apart and put together."""
        if not isinstance(error, WhywordError):  # somebody will want to know where it was
            error.add_note("".join(traceback.format_exception(error)))
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - ours
        except Exception:  # noqa: BLE001 - somebody's class, which may raise anything
            return cls(WhywordError(f"the work failed ({reason(error)})"))
        return cls(error)

    def unwrap(self) -> Any:  # noqa: ANN401 - never
        """Raise it."""
        raise self.error


def serve(parent: int, connection: int) -> None:
    """Load the work that comes first, then do it with every chunk, until there are no more.

    Parameters
    ----------
    parent : int
        The process that sends it; this one ends with it.
    connection : int
        The socket's file descriptor, which nobody else has.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent lets what is begun be done
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    os.set_inheritable(connection, False)  # what the work itself begins has nothing to do with it
    messages = socket.socket(fileno=connection).makefile("rwb")
    sent = _next(messages)
    if sent is NO_MORE:
        return  # nothing to do after all
    try:
        work = unpack(sent)
    except Exception as error:  # noqa: BLE001 - somebody's class, which may raise anything
        send(messages, Raised.of(error))
        return
    use_one_thread()  # of the libraries, too, that the work has loaded
    send(messages, Returned())
    while (chunk := _next(messages)) is not NO_MORE:
        try:
            answer: Returned | Raised = Returned(work(chunk))
        except BaseException as error:  # noqa: BLE001 - raised where the chunk came from
            answer = Raised.of(error)
        send(messages, answer)


def _next(messages: BufferedIOBase) -> Any:  # noqa: ANN401 - whatever was sent
    """Return the next message; whoever closes the connection has no more."""
    try:
        return receive(messages)
    except EOFError:
        return NO_MORE


def _exit_with_parent(parent: int) -> None:
    """End this process if the other one was killed."""
    while os.getppid() == parent:
        time.sleep(_POLL)
    os._exit(1)
