"""Words that were looked up before."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.row_cache import RowCache
from whyword.vectors.vectors import Vectors

PADDING_KEY = -1  # of the row of zeros, which no word has


class WordCache:
    """What was looked up of words: the key of each one's vector, and the vectors by key.

    Parameters
    ----------
    dimensions : int
    budget : int
        Bytes that the vectors may take.
    """

    _MOST_WORDS, _LONGEST = 1 << 16, 40  # twenty megabytes at most

    def __init__(self, dimensions: int, budget: int) -> None:
        self._dimensions, self._budget = dimensions, budget
        self.vectors = RowCache([(dimensions,)], budget)
        self._keys: dict[str, int] = {}

    def __reduce__(self) -> tuple[type["WordCache"], tuple[int, int]]:
        return WordCache, (self._dimensions, self._budget)  # a copy has a cache of its own

    def keys(self, words: Sequence[str], vectors: Vectors) -> NDArray[np.int64]:
        """Return what :meth:`Vectors.keys` says of the words."""
        key_of = self._keys.get
        keys = np.array([key_of(word, PADDING_KEY) for word in words], np.int64)
        new = np.flatnonzero(keys == PADDING_KEY)
        if len(new):
            fresh = [words[number] for number in new.tolist()]
            keys[new] = vectors.keys(fresh)
            if len(self._keys) + len(fresh) > self._MOST_WORDS:
                self._keys.clear()  # frequent words are back at once
            pairs = zip(fresh[: self._MOST_WORDS], keys[new].tolist(), strict=False)
            self._keys.update((word, key) for word, key in pairs if len(word) <= self._LONGEST)
        return keys
