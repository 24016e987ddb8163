"""Scores to probabilities, and whether they are numbers at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import ModelError


def softmax(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return exp(scores) normalised to sum 1 over the last axis: docs/method.md (5), θ = 1."""
    shifted = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def sigmoid(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(−score)) of each, without overflow."""
    result: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -scores.astype(np.float64)))
    return result


def check_finite(
    numbers: NDArray[Any],
    what: str = "scores",
    first: int = 0,
    text: Callable[[int], str] | None = None,
) -> NDArray[Any]:
    """Return (documents, classes) numbers of a model; raise if they say nothing.

    Weights may be so large that a score is infinite, or NaN: no class may be read from that.

    Parameters
    ----------
    numbers : (documents, classes) array
    what : str
    first : int
        The number of the first document.
    text : callable, optional
        From a row to how its text begins.
    """
    is_fit = np.isfinite(numbers)
    if np.count_nonzero(is_fit) < is_fit.size:  # a third of the time that all() takes
        row = int(np.argmin(is_fit.all(axis=1)))
        begins = "" if text is None else f" ({text(row)!r:.40})"
        said = ", ".join(f"{number:g}" for number in numbers[row, :3].tolist())
        raise ModelError(
            f"the model's {what} of text {first + row}{begins} are no numbers: {said}"
            f"{', …' if numbers.shape[1] > 3 else ''}; so it says nothing of this text"
        )
    return numbers
