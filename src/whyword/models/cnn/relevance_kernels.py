"""The compiled loops that lead from the output back to the words, each beside its formula.

The forward pass of :mod:`whyword.models.cnn.kernels` left, for each document and filter j, the
pooled maximum x_j and the window t_j that won. Relevance passes through that window only. With
the table P[w, τ, j] (the filter's answer to word w at offset τ) and the window's response
z_j = Σ_τ P[w_{t_j+τ}, τ, j], which has the bias b_j in it, the rule of layer-wise relevance
propagation gives the word at offset τ the fraction

    a_{j,τ} = (P[w_{t_j+τ}, τ, j] + (b_j + ε·s_j)/H) / (z_j + ε·s_j),   s_j = ±1 as z_j > 0 or not,

of R_{j,k} = (x_j·w_{j,k} + (b_k + ε·s_k)/F) · x_k / (x_k + ε·s_k). Where the biases are left out,
so are the terms (b + ε·s). With ε = 0 as well, this is the gradient times the input.

Targets are class numbers, K for each document.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import Floats, Ints, Offsets, compiled, compiled_for_speed
from whyword.base.threads import in_threads

Numbers: TypeAlias = NDArray[np.float64]

_FILTERS_AT_ONCE = 64  # of occlusion: its memory is a few times (words × this)


class Found(NamedTuple):
    """What the filters of one width found in a block of documents.

    Attributes
    ----------
    ids : (N,) int32
        Row of each word in the table; padding included.
    offsets : (documents + 1,) int64
    table : (rows, H, F) float32
        With the bias added at τ = 0.
    bias : (F,) float32
    pooled : (documents, F) float32
    winners : (documents, F) int32
    vectors : (rows, D) float32
        The normalised input vectors.
    filters : (H, F, D) float32
    """

    ids: Ints
    offsets: Offsets
    table: Floats
    bias: Floats
    pooled: Floats
    winners: Ints
    vectors: Floats
    filters: Floats


class FromAbove(NamedTuple):
    """What the output layer hands down: R_{j,k} = (x_j · weight[j, target] + added) · gain.

    Attributes
    ----------
    weight : (F, C) float32
    targets : (documents, K) int32
    added, gain : (documents, K) float64
    """

    weight: Floats
    targets: Ints
    added: Numbers
    gain: Numbers


def word_relevance(
    found: Found, above: FromAbove, epsilon: float, shared: bool, words: Floats
) -> None:
    """Run :func:`add_word_relevance` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_word_relevance(*found, *above, epsilon, shared, first, last, words)

    in_threads(work, len(found.pooled))


@compiled
def add_word_relevance(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    bias: Floats,
    pooled: Floats,
    winners: Ints,
    vectors: Floats,
    filters: Floats,
    weight: Floats,
    targets: Ints,
    added: Numbers,
    gain: Numbers,
    epsilon: float,
    shared: bool,
    first: int,
    last: int,
    words: Floats,
) -> None:
    """words[t_j + τ, k] += a_{j,τ} · R_{j,k} over all filters j and offsets τ.

    A filter that does not fire has x_j = 0 and passes down its share of the bias only, so
    Σ_j a·x_j·w takes a loop over the classes for the filters that fire, and Σ_j a a single sum.

    Parameters
    ----------
    ids, offsets, table, bias, pooled, winners, vectors, filters
        Of :class:`Found`.
    weight, targets, added, gain
        Of :class:`FromAbove`.
    first, last : int
        The documents to do.
    words : (N, K) float32
        Added to.
    """
    filter_count, width, count = pooled.shape[1], table.shape[1], targets.shape[1]
    columns = (count + 7) // 8 * 8  # whole vectors for the processor
    chosen = np.zeros((filter_count, columns), np.float32)
    parts, responses = np.empty((filter_count, width)), np.empty(filter_count)
    for document in range(first, last):
        start, end = offsets[document], offsets[document + 1]
        if document == first or (targets[document] != targets[document - 1]).any():
            for j in range(filter_count):
                for k in range(count):
                    chosen[j, k] = weight[j, targets[document, k]]
        won = winners[document]
        gather_answers(ids[start:], table, bias, won, vectors, filters, epsilon, parts, responses)
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
                    row, from_above = sums[won[j] + tau], chosen[j]
                    for k in range(columns):
                        row[k] += passed * from_above[k]
        for t in range(end - start):
            for k in range(count):
                total = sums[t, k] + fractions[t] * added[document, k]
                words[start + t, k] += total * gain[document, k]


@compiled_for_speed
def gather_answers(
    ids: Ints,
    table: Floats,
    bias: Floats,
    winners: Ints,
    vectors: Floats,
    filters: Floats,
    epsilon: float,
    parts: Numbers,
    responses: Numbers,
) -> None:
    """parts[j, τ] = filter j's answer to a word of its window, bias left out; responses[j] = z_j.

    They come from the table, except where z_j is so close to 0 that z_j / (z_j ± ε) would magnify
    the table's rounding (by ε / (|z_j| + ε)² > 1): there they are computed again in float64.

    The table is read in a loop of its own, so that the processor waits for many rows at a time.

    Parameters
    ----------
    ids : (T,) int32
        Of one document (and what follows it).
    winners : (F,) int32
    parts : (F, H) float64
    responses : (F,) float64
    """
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
def hand_down(
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
    strengths: Floats,
    shares: Floats,
) -> None:
    """strengths[j] = R_j / (z_j + ε·s_j); shares[j] = strengths[j] · (b_j + ε·s_j) / inputs.

    So that an input x·w of filter j gets x·w·strengths[j] + shares[j].

    Parameters
    ----------
    pooled, responses : (F,)
        Of one document.
    inputs : int
        How many a filter has, H·D.
    strengths, shares : (F,) float32
        Written; 0 for filters that hand nothing down.
    """
    for j in range(pooled.size):
        fires = pooled[j] > 0
        sign = epsilon if fires else -epsilon
        strengths[j] = shares[j] = 0
        if fires or shared:
            x = responses[j] if fires else 0.0
            passed = (x * weight[j, target] + added) * gain / (responses[j] + sign)
            strengths[j] = passed
            if shared:
                shares[j] = passed * (bias[j] + sign) / inputs


@compiled_for_speed
def exact_product(a: Floats, b: Floats) -> float:
    """Σ_i a_i·b_i in float64."""
    total = 0.0
    for i in range(a.size):
        total += np.float64(a[i]) * np.float64(b[i])
    return total


def exact_scores(found: Found, weight: Floats, documents: Offsets, scores: Numbers) -> None:
    """Run :func:`add_exact_scores` on some documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_exact_scores(*found, weight, documents, first, last, scores)

    in_threads(work, len(documents))


@compiled
def add_exact_scores(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    bias: Floats,
    pooled: Floats,
    winners: Ints,
    vectors: Floats,
    filters: Floats,
    weight: Floats,
    documents: Offsets,
    first: int,
    last: int,
    scores: Numbers,
) -> None:
    """scores[d, k] += Σ_j z_j·w_{j,k} over the filters that fire, all in float64.

    Parameters
    ----------
    documents : (n,) int64
        Those to do, of which this call does first…last − 1.
    scores : (documents, C) float64
        Added to.
    """
    for document in documents[first:last]:
        for j in range(pooled.shape[1]):
            if pooled[document, j] > 0:
                at = offsets[document] + winners[document, j]
                z = np.float64(bias[j])
                for tau in range(table.shape[1]):
                    z += exact_product(vectors[ids[at + tau]], filters[tau, j])
                for k in range(weight.shape[1]):
                    scores[document, k] += z * weight[j, k]


def element_relevance(
    found: Found,
    above: FromAbove,
    epsilon: float,
    shared: bool,
    column: int,
    elements: Floats,
) -> None:
    """Run :func:`add_element_relevance` for one target, on all cores."""

    def work(first: int, last: int) -> None:
        add_element_relevance(*found, *above, epsilon, shared, column, first, last, elements)

    in_threads(work, len(found.pooled))


@compiled_for_speed
def add_element_relevance(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    bias: Floats,
    pooled: Floats,
    winners: Ints,
    vectors: Floats,
    filters: Floats,
    weight: Floats,
    targets: Ints,
    added: Numbers,
    gain: Numbers,
    epsilon: float,
    shared: bool,
    column: int,
    first: int,
    last: int,
    elements: Floats,
) -> None:
    """elements[t_j + τ, i] += (x_i · w[τ, j, i] + (b_j + ε·s_j)/(H·D)) / (z_j + ε·s_j) · R_j.

    Parameters
    ----------
    column : int
        Which of the K targets.
    elements : (N, D) float32
        Added to.
    """
    count, width, dimensions = pooled.shape[1], table.shape[1], vectors.shape[1]
    parts, responses = np.empty((count, width)), np.empty(count)
    strengths, shares = np.empty(count, np.float32), np.empty(count, np.float32)
    for document in range(first, last):
        start, end = offsets[document], offsets[document + 1]
        won = winners[document]
        gather_answers(ids[start:], table, bias, won, vectors, filters, epsilon, parts, responses)
        hand_down(
            pooled[document],
            responses,
            bias,
            weight,
            targets[document, column],
            added[document, column],
            gain[document, column],
            epsilon,
            shared,
            width * dimensions,
            strengths,
            shares,
        )
        sums = np.zeros((end - start, dimensions), np.float32)
        shared_out = np.zeros(end - start)
        for j in range(count):
            strength = strengths[j]
            if strength != 0:
                for tau in range(width):
                    shared_out[won[j] + tau] += shares[j]
                    row, own = sums[won[j] + tau], filters[tau, j]
                    for i in range(dimensions):
                        row[i] += strength * own[i]
        for t in range(end - start):
            x, share = vectors[ids[start + t]], np.float32(shared_out[t])
            for i in range(dimensions):
                elements[start + t, i] += x[i] * sums[t, i] + share


def score_gradient(
    found: Found, above: FromAbove, column: int, gradient: Floats, begin: int, end: int
) -> None:
    """Run :func:`add_score_gradient` for one target of some documents, on all cores.

    Parameters
    ----------
    found : Found
    above : FromAbove
    column : int
        Which of the targets.
    gradient : (words of the documents, D) float32
        Added to.
    begin, end : int
        The documents, from `begin` to `end` − 1.
    """

    def work(first: int, last: int) -> None:
        add_score_gradient(
            found.offsets,
            found.pooled,
            found.winners,
            above.weight,
            above.targets,
            found.filters,
            column,
            begin + first,
            begin + last,
            int(found.offsets[begin]),
            gradient,
        )

    in_threads(work, end - begin)


@compiled_for_speed
def add_score_gradient(
    offsets: Offsets,
    pooled: Floats,
    winners: Ints,
    weight: Floats,
    targets: Ints,
    filters: Floats,
    column: int,
    first: int,
    last: int,
    base: int,
    gradient: Floats,
) -> None:
    """gradient[t_j + τ, i] += w_{j,target} · w[τ, j, i] over the filters j that fire.

    That is ∂(score of the target) / ∂x[t, i]; shapes as above. The gradient's first row is that
    of word `base`.
    """
    width, dimensions = filters.shape[0], filters.shape[2]
    for document in range(first, last):
        start, target = offsets[document] - base, targets[document, column]
        for j in range(pooled.shape[1]):
            if pooled[document, j] > 0:
                strength = weight[j, target]
                for tau in range(width):
                    row = gradient[start + winners[document, j] + tau]
                    own = filters[tau, j]
                    for i in range(dimensions):
                        row[i] += strength * own[i]


def losses_without(found: Found, above: FromAbove, padding: int, words: Floats) -> None:
    """Run :func:`add_losses_without` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_losses_without(
            found.ids,
            found.offsets,
            found.table,
            found.pooled,
            above.weight,
            above.targets,
            padding,
            first,
            last,
            words,
        )

    in_threads(work, len(found.pooled))


@compiled
def add_losses_without(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    pooled: Floats,
    weight: Floats,
    targets: Ints,
    padding: int,
    first: int,
    last: int,
    words: Floats,
) -> None:
    """words[t, k] += Σ_j (x_j − x_j without word t) · w_{j,k}: the score lost with the word.

    Zeroing a word changes the H windows that hold it; the maximum over all others is that over
    those before and those after, two running maxima kept for a few filters at a time.

    Parameters
    ----------
    padding : int
        The row of the table that stands for a zero vector.
    words : (N, K) float32
        Added to.
    """
    width, filters = table.shape[1], table.shape[2]
    for document in range(first, last):
        start, length = offsets[document], offsets[document + 1] - offsets[document]
        windows = length - width + 1
        for low in range(0, filters, _FILTERS_AT_ONCE):
            high = min(filters, low + _FILTERS_AT_ONCE)
            before = np.zeros((windows + 1, high - low), np.float32)  # max over windows < t
            after = np.zeros((windows + 1, high - low), np.float32)  # max over windows ≥ t
            for t in range(windows):
                for j in range(low, high):
                    z = table[ids[start + t], 0, j]
                    for tau in range(1, width):
                        z += table[ids[start + t + tau], tau, j]
                    after[t, j - low] = z
                    before[t + 1, j - low] = max(before[t, j - low], z)
            for t in range(windows - 1, -1, -1):
                for j in range(high - low):
                    after[t, j] = max(after[t, j], after[t + 1, j])
            for t in range(length):
                left, right = max(0, t - width + 1), min(windows, t + 1)
                for j in range(low, high):
                    best = max(before[left, j - low], after[right, j - low])
                    for window in range(left, right):
                        z = np.float32(0)
                        for tau in range(width):
                            at = window + tau
                            z += table[padding if at == t else ids[start + at], tau, j]
                        best = max(best, z)
                    lost = pooled[document, j] - best
                    if lost != 0:
                        for k in range(targets.shape[1]):
                            words[start + t, k] += lost * weight[j, targets[document, k]]
