"""What a method finds in a block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Relevance:
    """The relevance of a block's words for K targets.

    Attributes
    ----------
    words : list of (T, K) arrays
    padding : (documents, K) float64
        What landed on no word.
    elements : list of (T, D, K) float32, or None
        Of the input dimensions.
    """

    words: Sequence[NDArray[np.floating]]
    padding: NDArray[np.float64]
    elements: Sequence[NDArray[np.float32]] | None = None
