"""The one way functions are compiled here."""

from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

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
