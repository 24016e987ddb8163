"""The compiled loops that lead from the scores back to the words, each beside its formula.

The notation, and the numbers of equations, are those of docs/method.md. The forward pass of
:mod:`whyword.models.cnn.kernels` left, for each document and filter j, the maximum x[j] and the
window t[j] that won. Relevance passes through that window only. Where biases are kept apart, the
terms (b + ε·s) are left out of the numerators. With ε = 0 as well, this is the gradient times the
input, equation (20).

Targets are class numbers, K for each document.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import Floats, Ints, Offsets, compiled, compiled_for_speed
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations

Numbers: TypeAlias = NDArray[np.float64]


class OutputRelevance(NamedTuple):
    """What the filters get of the scores, equation (6): R[j, k] = (x[j]·w2[j, k] + added) · gain.

    Attributes
    ----------
    weight : (F, C) float32
        w2[j, k] of the filters of one width.
    targets : (documents, K) int32
    added : (documents, K) float64
        (b2[k] + ε·s[k]) / F, or 0 with biases apart.
    gain : (documents, K) float64
        x[k] / (x[k] + ε·s[k]).
    """

    weight: Floats
    targets: Ints
    added: Numbers
    gain: Numbers


def word_relevance(
    activations: Activations, output: OutputRelevance, epsilon: float, shared: bool, words: Floats
) -> None:
    """Run :func:`add_word_relevance` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_word_relevance(activations, output, epsilon, shared, first, last, words)

    in_threads(work, len(activations.pooled))


@compiled
def add_word_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    first: int,
    last: int,
    words: Floats,
) -> None:
    """words[t[j] + τ, k] += a[τ, j] · R[j, k] over all filters j and places τ, equation (30).

    a[τ, j] = (P[w[t[j] + τ], τ, j] + (b1[j] + ε·s[j]) / H) / (z[j] + ε·s[j]) is the `fraction`.
    A filter that does not fire has x[j] = 0 and passes on its share of the bias only, so
    Σ_j a·x[j]·w2 takes a loop over the classes for the filters that fire, Σ_j a only one sum.

    Parameters
    ----------
    activations : Activations
    output : OutputRelevance
    first, last : int
        The documents to do.
    words : (N, K) float32
        Added to.
    """
    offsets, bias, pooled = activations.offsets, activations.bias, activations.pooled
    weight, targets, added, gain = output
    filter_count, width, count = pooled.shape[1], activations.table.shape[1], targets.shape[1]
    columns = (count + 7) // 8 * 8  # whole vectors for the processor
    chosen = np.zeros((filter_count, columns), np.float32)
    parts, responses = np.empty((filter_count, width)), np.empty(filter_count)
    for document in range(first, last):
        start, end = offsets[document], offsets[document + 1]
        if document == first or (targets[document] != targets[document - 1]).any():
            for j in range(filter_count):
                for k in range(count):
                    chosen[j, k] = weight[j, targets[document, k]]
        won = activations.winners[document]
        gather_responses(activations, document, epsilon, parts, responses)
        sums = np.zeros((end - start, columns), np.float32)
        fractions = np.zeros(end - start)
        for j in range(filter_count):
            fires = pooled[document, j] > 0
            if not fires and not shared:
                continue
            z = responses[j]
            sign = epsilon if fires else -epsilon
            share = (bias[j] + sign) / width if shared else 0.0
            portion = 1 / (z + sign)
            for tau in range(width):
                fraction = (parts[j, tau] + share) * portion
                fractions[won[j] + tau] += fraction
                if fires:
                    passed = np.float32(fraction * z)
                    row, weights = sums[won[j] + tau], chosen[j]
                    for k in range(columns):
                        row[k] += passed * weights[k]
        for t in range(end - start):
            for k in range(count):
                total = sums[t, k] + fractions[t] * added[document, k]
                words[start + t, k] += total * gain[document, k]


@compiled_for_speed
def gather_responses(
    activations: Activations, document: int, epsilon: float, parts: Numbers, responses: Numbers
) -> None:
    """parts[j, τ] = P[w[t[j] + τ], τ, j], without bias; responses[j] = z[j] = Σ_τ parts + b1[j].

    They come from the table, except where z[j] is so close to 0 that z[j] / (z[j] ± ε) would
    magnify its rounding (by ε / (|z[j]| + ε)² > 1): there they are computed again in float64.

    The table is read in a loop of its own, so that the processor waits for many rows at a time.

    Parameters
    ----------
    activations : Activations
    document : int
    parts : (F, H) float64
    responses : (F,) float64
        Written.
    """
    ids, winners = activations.ids[activations.offsets[document] :], activations.winners[document]
    table, bias = activations.table, activations.bias
    vectors, filters = activations.vectors, activations.filters
    for j in range(winners.size):
        for tau in range(parts.shape[1]):
            parts[j, tau] = table[ids[winners[j] + tau], tau, j]
    for j in range(winners.size):
        parts[j, 0] -= bias[j]
        z = np.float64(bias[j])
        for tau in range(parts.shape[1]):
            z += parts[j, tau]
        if (abs(z) + epsilon) ** 2 < epsilon:
            z = np.float64(bias[j])
            for tau in range(parts.shape[1]):
                parts[j, tau] = exact_product(vectors[ids[winners[j] + tau]], filters[tau, j])
                z += parts[j, tau]
        responses[j] = z


@compiled
def relevance_ratios(
    pooled: Floats,
    responses: Numbers,
    bias: Floats,
    weight: Floats,
    target: int,
    added: float,
    gain: float,
    epsilon: float,
    shared: bool,
    inputs: int,
    ratios: Floats,
    shares: Floats,
) -> None:
    """ratios[j] = R[j, k] / (z[j] + ε·s[j]); shares[j] = ratios[j] · (b1[j] + ε·s[j]) / (H·D).

    So that, by equation (8), an input of filter j gets x[t, i]·w1[τ, i, j]·ratios[j] + shares[j].

    Parameters
    ----------
    pooled, responses : (F,)
        Of one document.
    inputs : int
        How many a filter has, H·D.
    ratios, shares : (F,) float32
        Written; 0 for filters that pass nothing on. Without biases to share, shares are 0.
    """
    for j in range(pooled.size):
        fires = pooled[j] > 0
        sign = epsilon if fires else -epsilon
        ratios[j] = shares[j] = 0
        if fires or shared:
            x = responses[j] if fires else 0.0
            passed = (x * weight[j, target] + added) * gain / (responses[j] + sign)
            ratios[j] = passed
            if shared:
                shares[j] = passed * (bias[j] + sign) / inputs


@compiled
def document_ratios(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    column: int,
    document: int,
    parts: Numbers,
    responses: Numbers,
    ratios: Floats,
    shares: Floats,
) -> None:
    """Write :func:`gather_responses` and, for one of K targets, :func:`relevance_ratios`."""
    width, _, dimensions = activations.filters.shape
    gather_responses(activations, document, epsilon, parts, responses)
    relevance_ratios(
        activations.pooled[document],
        responses,
        activations.bias,
        output.weight,
        output.targets[document, column],
        output.added[document, column],
        output.gain[document, column],
        epsilon,
        shared,
        width * dimensions,
        ratios,
        shares,
    )


@compiled_for_speed
def exact_product(a: Floats, b: Floats) -> float:
    """Σ_i a_i·b_i in float64."""
    total = 0.0
    for i in range(a.size):
        total += np.float64(a[i]) * np.float64(b[i])
    return total


def exact_scores(
    activations: Activations, weight: Floats, documents: Offsets, scores: Numbers
) -> None:
    """Run :func:`add_exact_scores` on some documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_exact_scores(activations, weight, documents, first, last, scores)

    in_threads(work, len(documents))


@compiled
def add_exact_scores(
    activations: Activations,
    weight: Floats,
    documents: Offsets,
    first: int,
    last: int,
    scores: Numbers,
) -> None:
    """scores[d, k] += Σ_j z[j]·w2[j, k] over the filters that fire, all in float64: equation (4).

    Parameters
    ----------
    documents : (n,) int64
        Those to do, of which this call does first…last − 1.
    scores : (documents, C) float64
        Added to.
    """
    ids, offsets, winners = activations.ids, activations.offsets, activations.winners
    vectors, filters = activations.vectors, activations.filters
    for document in documents[first:last]:
        for j in range(filters.shape[1]):
            if activations.pooled[document, j] > 0:
                at = offsets[document] + winners[document, j]
                z = np.float64(activations.bias[j])
                for tau in range(filters.shape[0]):
                    z += exact_product(vectors[ids[at + tau]], filters[tau, j])
                for k in range(weight.shape[1]):
                    scores[document, k] += z * weight[j, k]


def element_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    column: int,
    elements: Floats,
) -> None:
    """Run :func:`add_element_relevance` for one target, on all cores."""

    def work(first: int, last: int) -> None:
        add_element_relevance(activations, output, epsilon, shared, column, first, last, elements)

    in_threads(work, len(activations.pooled))


@compiled_for_speed
def add_element_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    column: int,
    first: int,
    last: int,
    elements: Floats,
) -> None:
    """elements[t[j] + τ, i] += a[τ, i, j] · R[j, k] over all j and τ, equations (7) and (8).

    a = (x[t[j] + τ, i] · w1[τ, i, j] + (b1[j] + ε·s[j]) / (H·D)) / (z[j] + ε·s[j]).

    Parameters
    ----------
    column : int
        Which of the K targets.
    elements : (N, D) float32
        Added to.
    """
    ids, offsets = activations.ids, activations.offsets
    vectors, filters = activations.vectors, activations.filters
    width, count, dimensions = filters.shape
    parts, responses = np.empty((count, width)), np.empty(count)
    ratios, shares = np.empty(count, np.float32), np.empty(count, np.float32)
    written = (parts, responses, ratios, shares)
    for document in range(first, last):
        start, end, won = offsets[document], offsets[document + 1], activations.winners[document]
        document_ratios(activations, output, epsilon, shared, column, document, *written)
        sums = np.zeros((end - start, dimensions), np.float32)
        shared_out = np.zeros(end - start)
        for j in range(count):
            ratio = ratios[j]
            if ratio != 0:
                for tau in range(width):
                    shared_out[won[j] + tau] += shares[j]
                    row, own = sums[won[j] + tau], filters[tau, j]
                    for i in range(dimensions):
                        row[i] += ratio * own[i]
        for t in range(end - start):
            x, share = vectors[ids[start + t]], np.float32(shared_out[t])
            for i in range(dimensions):
                elements[start + t, i] += x[i] * sums[t, i] + share
