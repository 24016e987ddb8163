"""The local engine: one process reads, the others work, each on a core of its own.

Around ProcessPoolExecutor, by hand: its `map` reads all of its input at once, and its processes
stay when the one that reads is killed.
"""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Any, TypeVar

from whyword.base.errors import Argument, WhywordError
from whyword.base.threads import use_one_thread
from whyword.batch.chunks import Chunk

T = TypeVar("T")

_AHEAD = 2  # chunks that wait for each process, so that none waits for the reader
_POLL = 0.5  # seconds from one look at the parent to the next

_work: Callable[[Chunk], Any] | None = None  # of a process that works


def run(work: Callable[[Chunk], T], chunks: Iterable[Chunk], workers: int) -> Iterator[T]:
    """Yield what the work on each chunk returns, as it comes.

    Parameters
    ----------
    work : callable
    chunks : iterable of Chunk
        Read in this process, a few ahead.
    workers : int
        Processes beside this one.
    """
    global _work
    pending: set[Future[T]] = set()
    _work = work  # processes that are split off find it there
    pool = ProcessPoolExecutor(
        workers, _context(), _initialize_worker, (_work_to_send(work), os.getpid())
    )
    try:
        for chunk in chunks:
            pending.add(pool.submit(_do_work, chunk))
            if len(pending) >= workers * (1 + _AHEAD):
                yield from _await_results(pending)
        while pending:
            yield from _await_results(pending)
    except BrokenProcessPool:
        raise WhywordError(
            "a process ended that was at work (was memory short?); what is done is kept: say ",
            Argument("resume", True),
            ", with fewer ",
            Argument("workers"),
        ) from None
    finally:
        _work = None
        pool.shutdown(wait=True, cancel_futures=True)


def _await_results(pending: set[Future[T]]) -> Iterator[T]:
    """Wait until some are done; take these out and yield what they return."""
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        pending.remove(future)
        yield future.result()


def _context() -> multiprocessing.context.BaseContext:
    """Return how processes begin: as copies of this one where that is safe, and costs nothing."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _work_to_send(work: Callable[[Chunk], T]) -> Callable[[Chunk], T] | None:
    return None if sys.platform == "linux" else work


def _initialize_worker(work: Callable[[Chunk], Any] | None, parent: int) -> None:
    """Prepare a process."""
    global _work
    _work = work or _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent lets what is begun be done
    use_one_thread()
    Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: int) -> None:
    """End this process if the other one was killed."""
    while os.getppid() == parent:
        time.sleep(_POLL)
    os._exit(1)


def _do_work(chunk: Chunk) -> Any:  # noqa: ANN401 - whatever the work returns
    if _work is None:
        raise RuntimeError("this process was not prepared")
    return _work(chunk)
