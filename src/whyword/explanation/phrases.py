"""What a model used as a unit: windows of words, n-grams of words or of characters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Phrase(NamedTuple):
    """A unit of a document, all its occurrences together.

    Attributes
    ----------
    text : str
        Its words, lower-cased; of a vectoriser's feature, what that calls it.
    relevance : float
        The sum over its occurrences.
    spans : tuple of (start, end)
        Where they stand, in code points of the text.
    """

    text: str
    relevance: float
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Phrases:
    """The units of one document, each occurrence by itself.

    They add up to what the document's words add up to.

    Attributes
    ----------
    names : sequence of P str
    spans : (P, 2) int32
        From where it begins to where it ends, in code points of the text, in the order of the
        text; they may overlap.
    relevance : (P,) or (P, K) floats
    """

    names: Sequence[str]
    spans: NDArray[np.int32]
    relevance: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.names)

    def against_last(self) -> "Phrases":
        """Return each target's relevance minus that of the last one: K − 1."""
        return replace(self, relevance=self.relevance[:, :-1] - self.relevance[:, -1:])

    def pooled(self, column: int) -> list[Phrase]:
        """Return the distinct phrases by their relevance for a target, the strongest first."""
        chosen = self.relevance if self.relevance.ndim == 1 else self.relevance[:, column]
        values = chosen.astype(np.float64).tolist()
        sums: dict[str, float] = {}
        places: dict[str, list[tuple[int, int]]] = {}
        for name, value, (start, end) in zip(self.names, values, self.spans.tolist(), strict=True):
            sums[name] = sums.get(name, 0.0) + value
            places.setdefault(name, []).append((start, end))
        ranked = sorted(sums.items(), key=lambda pair: -abs(pair[1]))
        return [Phrase(name, value, tuple(places[name])) for name, value in ranked]

    def by_character(self, length: int) -> NDArray[np.float64]:
        """Return each phrase's relevance shared equally among its characters, summed up.

        Parameters
        ----------
        length : int
            Of the text.

        Returns
        -------
        (length,) or (length, K) float64
        """
        shape = self.relevance.shape[1:]
        steps = np.zeros((length + 1, *shape))
        sizes = (self.spans[:, 1] - self.spans[:, 0]).reshape(-1, *(1 for _ in shape))
        shares = self.relevance / np.maximum(sizes, 1)
        np.add.at(steps, self.spans[:, 0], shares)
        np.add.at(steps, self.spans[:, 1], -shares)
        return steps.cumsum(axis=0)[:-1]
