"""Work that goes on beside other work."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """A call in a thread of its own, which does not keep the process from ending.

    Parameters
    ----------
    work : callable
        Begun at once.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = error

    def result(self) -> T:
        """Wait for the end, and return what the work returned, or raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._results[0]
