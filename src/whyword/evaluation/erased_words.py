"""What a model says while words go, kept while others may ask for the same."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.models.protocol import Erased

_CACHE_BYTES = 2**28  # of scores that may be asked for again


class ErasedWords:
    """What the model says of a trace's documents, step by step.

    Experiments may need the same: words by chance go in the same order whatever the target. So
    the last results are kept, as far as they take little room.

    Parameters
    ----------
    trace : Trace
        One that is Erasable.
    """

    def __init__(self, trace: Any) -> None:  # noqa: ANN401 - a Trace that is Erasable
        self.trace = trace
        self._cache: dict[tuple[bytes, bytes, bool, bytes], Erased] = {}

    def __call__(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return what :meth:`~whyword.models.protocol.Erasable.erase` does."""
        key = documents.tobytes(), orders.tobytes(), insert, steps.tobytes()
        if key not in self._cache:
            erased = self.trace.erase(documents, orders, insert, steps)
            while self._cache and self._size() + _size(erased) > _CACHE_BYTES:
                del self._cache[next(iter(self._cache))]
            self._cache[key] = erased
        return self._cache[key]

    def _size(self) -> int:
        return sum(map(_size, self._cache.values()))


def _size(erased: Erased) -> int:
    return erased.scores.nbytes + erased.probabilities.nbytes
