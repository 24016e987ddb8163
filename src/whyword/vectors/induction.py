"""Vectors for words that have none, inferred from their contexts (à la carte).

The average of the vectors around a word says much about it, but in a distorted way. A linear
map that straightens it, fitted on the words that have both a vector and contexts, turns the
averaged contexts of any other word into a vector for it (Khodak et al., 2018).
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.vectors.vocabulary import TokenIds

_RIDGE = 1e-3  # of the mean squared context coordinate; keeps the map defined for few words


def induce_vectors(
    tokens: TokenIds, vectors: NDArray[np.float32], known: NDArray[np.bool_], window: int
) -> NDArray[np.float32]:
    """Infer a vector for every word from its contexts.

    Parameters
    ----------
    tokens : TokenIds
        V words and where they stand.
    vectors : (V, D) float32
        Their vectors.
    known : (V,) bool
        Which of them are given.
    window : int
        How many words on each side make the context.

    Returns
    -------
    inferred : (V, D) float32
        Zero for words without a known word in any context.
    """
    sums, used = context_sums(tokens.ids, tokens.offsets, vectors, known, window)
    contexts = sums / np.maximum(used, 1)[:, None]
    fitted = known & (used > 0)
    weights = np.log1p(used[fitted])[:, None]  # a frequent word's average is more reliable
    inputs, outputs = contexts[fitted], vectors[fitted].astype(np.float64)
    covariance = inputs.T @ (weights * inputs)
    ridge = _RIDGE * np.trace(covariance) / len(covariance)
    covariance[np.diag_indices_from(covariance)] += max(ridge, 1e-12)
    straighten = np.linalg.solve(covariance, inputs.T @ (weights * outputs))
    inferred: NDArray[np.float32] = (contexts @ straighten).astype(np.float32)
    return inferred


@compiled
def context_sums(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    vectors: NDArray[np.float32],
    known: NDArray[np.bool_],
    window: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum over each word's occurrences the mean vector of the known words around it.

    Returns
    -------
    sums : (V, D) float64
    used : (V,) int64
        How many occurrences had a known word around them.
    """
    n_words, dimensions = vectors.shape
    sums = np.zeros((n_words, dimensions))
    used = np.zeros(n_words, np.int64)
    total = np.zeros(dimensions)
    for document in range(offsets.size - 1):
        start, end = offsets[document], offsets[document + 1]
        total[:] = 0.0
        inside = 0  # known words in the sliding window, the middle one included
        for at in range(start, min(start + window, end)):
            if known[ids[at]]:
                total += vectors[ids[at]]
                inside += 1
        for at in range(start, end):
            entering, leaving, word = at + window, at - window - 1, ids[at]
            if entering < end and known[ids[entering]]:
                total += vectors[ids[entering]]
                inside += 1
            if leaving >= start and known[ids[leaving]]:
                total -= vectors[ids[leaving]]
                inside -= 1
            around = inside - (1 if known[word] else 0)
            if around > 0:
                used[word] += 1
                if known[word]:
                    sums[word] += (total - vectors[word]) / around
                else:
                    sums[word] += total / around
    return sums, used
