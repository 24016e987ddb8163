"""How many cores a computation takes."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_cores = os.cpu_count() or 1  # asked once: the system takes its time


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Let this process compute in one thread: where several processes share the cores.

    It also makes matrix products the same, to the last bit, on any number of cores.
    """
    before = _cores
    limits = use_one_thread()
    try:
        yield
    finally:
        _set_cores(before)
        limits.restore_original_limits()


def use_one_thread() -> threadpool_limits:
    """Let this process compute in one thread from now on."""
    _set_cores(1)
    return threadpool_limits(1)


def _set_cores(count: int) -> None:
    global _cores
    _cores = count


def in_threads(work: Callable[[int, int], object], count: int) -> None:
    """Call ``work(start, stop)`` on parts of ``range(count)``, one per core."""
    threads = max(1, min(_cores, count))
    cuts = [count * part // threads for part in range(threads + 1)]
    if threads == 1:
        work(0, count)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, cuts[:-1], cuts[1:]))
