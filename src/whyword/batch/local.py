"""The local engine: one process reads, the others work, each on a core of its own."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from threading import Thread

from whyword.batch.chunks import Chunk, Reading
from whyword.batch.folder import Folder, Rejects
from whyword.batch.tasks import Done, Task
from whyword.errors import WhywordError
from whyword.kernels import use_one_thread

_AHEAD = 2  # chunks that wait for each process, so that none waits for the reader
_POLL = 0.5  # seconds from one look at the parent to the next

_task: Task | None = None  # of a process that works


def run(
    task: Task, reading: Reading, folder: Folder, rejects: Rejects, strict: bool, workers: int
) -> Iterator[Done]:
    """Yield each chunk that is done.

    Parameters
    ----------
    task : Task
    reading : Reading
    folder : Folder
    rejects : Rejects
    strict : bool
        Stop at a row that cannot be read.
    workers : int
        Processes beside this one, which reads.
    """
    global _task
    pending: set[Future[Done]] = set()
    _task = task  # processes that are split off find it there
    pool = ProcessPoolExecutor(workers, _context(), _begin, (_sent(task), os.getpid()))
    try:
        for shard in range(len(reading.shards)):
            for chunk in reading.chunks(shard, strict):
                rejects.add(chunk.unfit)
                if not chunk.records or chunk.place in folder.done:
                    continue
                pending.add(pool.submit(_work, chunk, folder.part(chunk.place)))
                if len(pending) >= workers * (1 + _AHEAD):
                    yield from _ended(pending)
        while pending:
            yield from _ended(pending)
    except BrokenProcessPool:
        raise WhywordError(
            "a process ended that was at work (was memory short?); what is done is kept: resume, "
            "with fewer workers"
        ) from None
    finally:
        _task = None
        pool.shutdown(wait=True, cancel_futures=True)


def _ended(pending: set[Future[Done]]) -> Iterator[Done]:
    """Wait until some are done; take these out and yield what they return."""
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        pending.remove(future)
        yield future.result()


def _context() -> multiprocessing.context.BaseContext:
    """Return how processes begin: as copies of this one where that is safe, and costs nothing."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _sent(task: Task) -> Task | None:
    return None if sys.platform == "linux" else task


def _begin(task: Task | None, parent: int) -> None:
    """Prepare a process."""
    global _task
    _task = task or _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent lets what is begun be done
    use_one_thread()
    Thread(target=_go_with, args=(parent,), daemon=True).start()


def _go_with(parent: int) -> None:
    """End this process if the other one was killed."""
    while os.getppid() == parent:
        time.sleep(_POLL)
    os._exit(1)


def _work(chunk: Chunk, path: Path) -> Done:
    if _task is None:
        raise RuntimeError("this process was not prepared")
    return _task.write(chunk, path)
