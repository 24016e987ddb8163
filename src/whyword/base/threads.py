"""How many cores a computation takes."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits


def usable_cores() -> int:
    """Return how many cores this process may use: those of its container, not of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Limit:
    """One thread for the whole process, for as long as anybody asks for that.

    The limit is the process's, so those who ask may overlap: the first one sets it, the last one
    takes it away.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._asking = 0
        self._pools: threadpool_limits | None = None  # of BLAS and OpenMP

    @property
    def is_set(self) -> bool:
        """Whether somebody asks for it."""
        return self._asking > 0

    def set(self) -> None:
        """Ask for it."""
        with self._lock:
            if self._asking == 0:
                self._pools = threadpool_limits(1)
            self._asking += 1

    def lift(self) -> None:
        """Ask for it no longer."""
        with self._lock:
            self._asking -= 1
            if self._asking == 0 and self._pools is not None:
                self._pools.restore_original_limits()
                self._pools = None


_limit = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let this process compute in one thread: where several processes share the cores.

    It also makes matrix products the same, to the last bit, on any number of cores.
    """
    _limit.set()
    try:
        yield
    finally:
        _limit.lift()


def use_one_thread() -> None:
    """Let this process compute in one thread from now on."""
    os.environ["OMP_NUM_THREADS"] = "1"  # for what is loaded later: torch
    _limit.set()


def in_threads(work: Callable[[int, int], object], count: int) -> None:
    """Call ``work(start, stop)`` on parts of ``range(count)``, one per core."""
    threads = 1 if count < 2 or _limit.is_set else min(usable_cores(), count)
    cuts = [count * part // threads for part in range(threads + 1)]
    if threads == 1:
        work(0, count)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, cuts[:-1], cuts[1:]))
