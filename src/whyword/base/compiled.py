"""The one way functions are compiled here, and the line that says so when it takes a while."""

import logging
import os
import time
from collections.abc import Callable
from threading import Timer
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray

log = logging.getLogger(__name__)

# what the loops work on
Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function once per machine (numba's cache), free of the interpreter lock."""
    return _compiled(function, fastmath=False)


def compiled_for_speed(function: Callable[P, R]) -> Callable[P, R]:
    """Compile too, and let sums be reordered, without which no dot product is vectorised."""
    return _compiled(function, fastmath=True)


def _compiled(function: Callable[P, R], fastmath: bool) -> Callable[P, R]:
    def decorate(cache: bool) -> Callable[P, R]:
        decorator = numba.njit(cache=cache, nogil=True, fastmath=fastmath, error_model="numpy")
        return cast(Callable[P, R], decorator(function))

    try:
        return decorate(cache=True)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return decorate(cache=False)


class CompilationNotice(event.Listener):
    """Logs once that loops are compiled, as soon as that has taken a noticeable time.

    Numba tells of it only where its cache on disk has no code: where it has, nothing of this is
    run. A process that was forked says nothing.

    Parameters
    ----------
    after : float
        Seconds spent on compiling until it is said.
    """

    def __init__(self, after: float = 1.0) -> None:
        self._left, self._process = after, os.getpid()
        self._depth, self._begun = 0, 0.0  # what a function calls is compiled within it
        self._timer: Timer | None = None
        self._said = False

    def on_start(self, event: Any) -> None:  # noqa: ANN401 - numba ships no types
        """Begin to wait, if a function of ours is compiled."""
        if not self._concerns(event):
            return
        self._depth += 1
        if self._depth == 1:
            self._begun = time.monotonic()
            kept = event.data["dispatcher"].stats.cache_path is not None
            # a thread says it, as this one compiles
            self._timer = Timer(max(0.0, self._left), self._say, [kept])
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:  # noqa: ANN401 - numba ships no types
        """Stop waiting, and count what it took."""
        if not self._concerns(event):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._left -= time.monotonic() - self._begun

    def _concerns(self, event: Any) -> bool:  # noqa: ANN401 - numba ships no types
        if self._said or os.getpid() != self._process:
            return False
        return str(event.data["dispatcher"].py_func.__module__).startswith("whyword.")

    def _say(self, kept: bool) -> None:
        self._said = True
        log.info(
            "compiling loops that have not run here yet, up to half a minute: %s",
            "once, they are kept" if kept else "in every run, as they cannot be kept",
        )


event.register("numba:compile", CompilationNotice())  # type: ignore[no-untyped-call]
