"""One table of words and their vectors: where a word stands, rows made comparable."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e18  # of a vector's numbers: sums of their squares are numbers still, in float32


def unfit_numbers(numbers: NDArray[np.float32]) -> str | None:
    """Return what is wrong with a vector's numbers, or a matrix's; None if nothing is."""
    if (np.abs(numbers) <= LARGEST).all():
        return None
    if np.isfinite(numbers).all():
        return f"numbers beyond ±{LARGEST:g}"
    return "NaN or infinite numbers"


class WordTable:
    """Words, their vectors, and where each word stands; −1 where it does not.

    Building the index of 400,000 words takes longer than answering for one text, so the first
    few short questions are answered by going through the words.

    Parameters
    ----------
    words : sequence of V str
    matrix : (V, D) float32
    """

    _FEW_WORDS, _FEW_TIMES = 1_000, 3

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
        self.words = list(words)
        self.matrix = matrix
        self._look_ups = 0

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each word stands."""
        return dict(zip(self.words, range(len(self.words)), strict=True))

    def rows(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Look up the exact forms, then the lower-cased ones."""
        index = self._index_for(words)
        rows = [index.get(word, -1) for word in words]
        for number, row in enumerate(rows):
            if row < 0:  # lower-casing every word would take as long as all look-ups
                rows[number] = index.get(words[number].lower(), -1)
        return np.array(rows, np.intp)

    def _index_for(self, words: Sequence[str]) -> dict[str, int]:
        self._look_ups += 1
        if (
            "index" in self.__dict__
            or len(words) > self._FEW_WORDS
            or self._look_ups > self._FEW_TIMES
        ):
            return self.index
        forms = {*words, *(word.lower() for word in words)}
        return {word: row for row, word in enumerate(self.words) if word in forms}

    def standardise(self, scale: float) -> "WordTable":
        """Return each dimension centred and scaled over the words, rows of length scale·√D."""
        deviation = self.matrix.std(axis=0, dtype=np.float64)
        centred = self.matrix - self.matrix.mean(axis=0, dtype=np.float64)
        units = WordTable(self.words, centred / np.where(deviation > 0, deviation, 1)).unit()
        units.matrix *= np.float32(scale * units.matrix.shape[1] ** 0.5)
        return units

    def unit(self) -> "WordTable":
        """Return each row scaled to unit length; rows of zeros stay."""
        norms = np.linalg.norm(self.matrix, axis=1, keepdims=True)
        scaled = self.matrix / np.where(norms > 0, norms, 1)
        return WordTable(self.words, scaled.astype(np.float32, copy=False))
