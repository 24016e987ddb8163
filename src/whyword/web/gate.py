"""Work done beside the server's loop: so much at a time, so much waiting, so long."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from whyword.base.errors import WhywordError
from whyword.web.limits import Limits

T = TypeVar("T")


class BusyError(WhywordError):
    """Too many requests are waiting."""


class TooLongError(WhywordError):
    """The answer took too long."""


class Gate:
    """Runs work in a few threads.

    Parameters
    ----------
    limits : Limits
    """

    def __init__(self, limits: Limits) -> None:
        self._room = limits.workers + limits.waiting
        self._seconds = limits.work_seconds
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="whyword")
        self._inside = 0
        self._lock = Lock()

    @property
    def inside(self) -> int:
        """How many pieces of work are done or wait to be done."""
        return self._inside

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns.

        Work that takes too long is given up, but keeps its place until it is really over: no
        number of clients can make more run than there is room for.
        """
        with self._lock:
            if self._inside >= self._room:
                raise BusyError(
                    f"{self._inside} requests are being answered; try again in a moment"
                )
            future = self._pool.submit(work)
            self._inside += 1
        future.add_done_callback(self._leave)  # of the thread's own: asyncio's ends when given up
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            raise TooLongError(
                f"the answer was not ready after {self._seconds:g} s; send fewer or shorter texts"
            ) from None

    def _leave(self, _: Future[T]) -> None:
        with self._lock:
            self._inside -= 1

    def close(self) -> None:
        """Let running work end and start no other."""
        self._pool.shutdown(wait=False, cancel_futures=True)
