"""Scores to probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def softmax(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return exp(scores) normalised to sum 1 over the last axis: docs/method.md (5), θ = 1."""
    shifted = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return result
