"""Documents as sums of their words' vectors, weighted by relevance.

Equations are those of docs/method.md.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.lrp import Rule, output_relevance
from whyword.models.cnn.relevance_kernels import OutputRelevance
from whyword.models.cnn.sensitivity import network_gradient
from whyword.models.cnn.summary_kernels import element_sums, squared_gradient_sums, weighted_sums
from whyword.models.protocol import Targets

Floats = NDArray[np.float32]


def word_sums(forward: ForwardPass, words: Sequence[NDArray[np.floating]], each: bool) -> Floats:
    """Return Σ_t R[t, k]·x[t, i], equation (22), from the first column of (T, K) relevances."""
    weights = np.zeros(len(forward.batch.ids), np.float32)
    for start, values in zip(forward.batch.offsets[:-1].tolist(), words, strict=True):
        weights[start : start + len(values)] = values[:, 0]
    rows, sums = _empty(forward, each)
    weighted_sums(forward.activations[0], rows, weights, sums)
    return _of_words(forward, sums, each)


def lrp_sums(forward: ForwardPass, targets: Targets, rule: Rule, each: bool) -> Floats:
    """Return Σ_t R[t, i, k]·x[t, i], equation (23), for LRP."""
    added, gain, _ = output_relevance(forward, targets, rule)
    rows, sums = _empty(forward, each)
    for activations, weight in forward.parts():
        output = OutputRelevance(weight, targets, added, gain)
        element_sums(activations, output, rule.epsilon, rule.shared, rows, sums)
    return _of_words(forward, sums, each)


def sensitivity_sums(forward: ForwardPass, targets: Targets, each: bool) -> Floats:
    """Return Σ_t R[t, i, k]·x[t, i], equation (23), for squared gradients."""
    rows, sums = _empty(forward, each)
    gradient = network_gradient(forward, targets, 0, 0, len(targets))
    squared_gradient_sums(forward.activations[0], gradient, rows, sums)
    return _of_words(forward, sums, each)


def _empty(forward: ForwardPass, each: bool) -> tuple[NDArray[np.int32], Floats]:
    """Return the row that each place adds to, and rows of zeros: a document's, or each place's."""
    lengths = np.diff(forward.batch.offsets)
    count = int(lengths.sum()) if each else len(lengths)
    numbers = np.arange(count, dtype=np.int32)
    rows = numbers if each else np.repeat(numbers, lengths)
    return rows, np.zeros((count, forward.dimensions), np.float32)


def _of_words(forward: ForwardPass, sums: Floats, each: bool) -> Floats:
    """Return the sums; where each place has a row, those of words and not of padding."""
    if not each:
        return sums
    starts = forward.batch.offsets[:-1].tolist()
    pairs = zip(starts, forward.documents, strict=True)
    return np.concatenate([sums[start : start + len(document)] for start, document in pairs])


def rarity_of(frequency: Mapping[str, int], documents: int) -> Callable[[str], float]:
    """Return the function from a word to its idf over N training documents, equation (13)."""
    known: dict[str, float] = {}

    def rarity(word: str) -> float:
        value = known.get(word)
        if value is None:
            count = frequency.get(word.lower(), 0)
            value = known[word] = math.log((1 + documents) / (1 + count)) + 1
        return value

    return rarity
