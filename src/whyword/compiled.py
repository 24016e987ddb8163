"""The one way functions are compiled here."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function once per machine (numba's cache), free of the interpreter lock."""
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True)(function))


def compiled_for_speed(function: Callable[P, R]) -> Callable[P, R]:
    """Compile too, and let sums be reordered, without which no dot product is vectorised."""
    decorate = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
    return cast(Callable[P, R], decorate(function))
