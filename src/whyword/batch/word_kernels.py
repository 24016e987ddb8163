"""Words cut out of many texts at once, as bytes.

By hand, since Arrow slices all strings at the same places, and each word has its own.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled

Bytes = NDArray[np.uint8]


@compiled
def byte_spans(
    text: Bytes,
    starts: NDArray[np.int64],
    spans: NDArray[np.int32],
    firsts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return where the words stand among the bytes, (N, 2).

    Parameters
    ----------
    text : bytes of all texts in UTF-8, one after the other
    starts : (texts + 1,) where each text begins
    spans : (N, 2) of the words of all texts, in code points of their text
    firsts : (texts + 1,) the first word of each text
    """
    places = np.empty(spans.shape, np.int64)
    for t in range(len(starts) - 1):
        at, code_points = starts[t], 0
        for w in range(firsts[t], firsts[t + 1]):
            for side in range(2):
                boundary = spans[w, side]
                while code_points < boundary:
                    at += 1
                    # bytes 10xxxxxx go on with a character that began before
                    while at < starts[t + 1] and text[at] & 0xC0 == 0x80:
                        at += 1
                    code_points += 1
                places[w, side] = at
    return places


@compiled
def gather_bytes(
    text: Bytes, places: NDArray[np.int64], ends: NDArray[np.int32], out: Bytes
) -> None:
    """Write the bytes at these places one after the other; word w ends at ``ends[w + 1]``."""
    for w in range(len(places)):
        at = places[w, 0]
        for to in range(ends[w], ends[w + 1]):
            out[to] = text[at]
            at += 1
