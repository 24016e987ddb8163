"""What a trace says of its words: the value that every ability returns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases


@dataclass(frozen=True, eq=False)
class Relevance:
    """The relevance of some documents' words for K targets.

    Attributes
    ----------
    words : list of (T, K) arrays
    padding : (documents, K) float64
        What landed on no word.
    constant : (documents, K) float64
        What biases said, where they are not shared out; 0 by default.
    elements : list of (T, D, K) float32, or None
        Of the input dimensions.
    units : list of (n, K) float64, or None
        Of the features of a bag.
    phrases : list of Phrases, or None
        Of what the model used as a unit, if it was asked for.
    """

    words: Sequence[NDArray[np.floating]]
    padding: NDArray[np.float64]
    constant: NDArray[np.float64] = None  # type: ignore[assignment]
    elements: Sequence[NDArray[np.float32]] | None = None
    units: Sequence[NDArray[np.float64]] | None = None
    phrases: Sequence[Phrases] | None = None

    def __post_init__(self) -> None:
        if self.constant is None:
            object.__setattr__(self, "constant", np.zeros_like(self.padding))

    def move_to_padding(self, document: int, positions: NDArray[np.intp]) -> None:
        """Let words that a document is without have no relevance: what landed there is padding."""
        self.padding[document] += self.words[document][positions].sum(axis=0, dtype=np.float64)
        self.words[document][positions] = 0
        if self.elements:
            self.elements[document][positions] = 0

    def against_last(self) -> "Relevance":
        """Return each target's relevance minus that of the last one, docs/method.md (12): K − 1."""
        return Relevance(
            [words[:, :-1] - words[:, -1:] for words in self.words],
            self.padding[:, :-1] - self.padding[:, -1:],
            self.constant[:, :-1] - self.constant[:, -1:],
            self.elements and [rows[..., :-1] - rows[..., -1:] for rows in self.elements],
            self.units and [values[:, :-1] - values[:, -1:] for values in self.units],
            self.phrases and [phrases.against_last() for phrases in self.phrases],
        )


@dataclass(frozen=True, eq=False)
class FilterRelevance:
    """The relevance of a network's F filters for K targets.

    Attributes
    ----------
    filters : list of (F, K) float64
        Of each document.
    constant : (documents, K) float64
        What the output layer's bias said, where it is not shared out.
    """

    filters: Sequence[NDArray[np.float64]]
    constant: NDArray[np.float64]

    def against_last(self) -> "FilterRelevance":
        """Return each target's relevance minus that of the last one, docs/method.md (12): K − 1."""
        return FilterRelevance(
            [values[:, :-1] - values[:, -1:] for values in self.filters],
            self.constant[:, :-1] - self.constant[:, -1:],
        )
