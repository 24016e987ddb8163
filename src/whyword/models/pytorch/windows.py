"""A text that is longer than a module can read, in windows, equation (40) of docs/method.md."""

import numpy as np
from numpy.typing import NDArray


def window_places(count: int, before: int, after: int, size: int) -> list[NDArray[np.intp]]:
    """Return the windows of a text: which of its pieces each has.

    What fits is one window. Else each begins half a window after the one before, and the last is
    moved back so that it is full.

    Parameters
    ----------
    count : int
        The text's pieces, special tokens included.
    before, after : int
        How many of them are special tokens at its beginning and its end: every window has them.
    size : int
        The pieces of a window, special tokens included; more than `before` + `after`.
    """
    if count <= size:
        return [np.arange(count)]
    room, own = size - before - after, count - before - after
    starts = [*range(0, own - room, max(1, room // 2)), own - room]
    begin, end = np.arange(before), np.arange(count - after, count)
    return [
        np.concatenate([begin, np.arange(before + start, before + start + room), end])
        for start in starts
    ]
