"""The compiled sums over words that make summary vectors, each beside its formula.

Equations are those of docs/method.md. Each place n of a block belongs to a row of the result,
rows[n]; no two documents share a row.
"""

import numpy as np

from whyword.base.compiled import Floats, Ints, compiled_for_speed
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import OutputRelevance, document_ratios


def weighted_sums(activations: Activations, rows: Ints, weights: Floats, sums: Floats) -> None:
    """Run :func:`add_weighted_sums` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_weighted_sums(activations, rows, weights, first, last, sums)

    in_threads(work, len(activations.pooled))


@compiled_for_speed
def add_weighted_sums(
    activations: Activations, rows: Ints, weights: Floats, first: int, last: int, sums: Floats
) -> None:
    """sums[rows[t], i] += weights[t] · x[t, i], equations (22) and (24)."""
    ids, offsets, vectors = activations.ids, activations.offsets, activations.vectors
    for n in range(offsets[first], offsets[last]):
        if weights[n] != 0:
            total, x, weight = sums[rows[n]], vectors[ids[n]], weights[n]
            for i in range(x.size):
                total[i] += weight * x[i]


def element_sums(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    rows: Ints,
    sums: Floats,
) -> None:
    """Run :func:`add_element_sums` for the first target, on all cores."""

    def work(first: int, last: int) -> None:
        add_element_sums(activations, output, epsilon, shared, rows, first, last, sums)

    in_threads(work, len(activations.pooled))


@compiled_for_speed
def add_element_sums(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    rows: Ints,
    first: int,
    last: int,
    sums: Floats,
) -> None:
    """sums[rows[t], i] += R[t, i, k] · x[t, i], equation (23) with R of (8).

    Each filter's contribution goes straight to the sum: no relevance of single elements is held.
    """
    ids, offsets = activations.ids, activations.offsets
    vectors, filters = activations.vectors, activations.filters
    width, count, dimensions = filters.shape
    parts, responses = np.empty((count, width)), np.empty(count)
    ratios, shares = np.empty(count, np.float32), np.empty(count, np.float32)
    written = (parts, responses, ratios, shares)
    for document in range(first, last):
        start, won = offsets[document], activations.winners[document]
        document_ratios(activations, output, epsilon, shared, 0, document, *written)
        for j in range(count):
            ratio, share = ratios[j], shares[j]
            if ratio != 0:
                for tau in range(width):
                    n = start + won[j] + tau
                    total, x, own = sums[rows[n]], vectors[ids[n]], filters[tau, j]
                    for i in range(dimensions):
                        total[i] += (ratio * own[i] * x[i] + share) * x[i]


def squared_gradient_sums(
    activations: Activations, gradient: Floats, rows: Ints, sums: Floats
) -> None:
    """Run :func:`add_squared_gradient_sums` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_squared_gradient_sums(activations, gradient, rows, first, last, sums)

    in_threads(work, len(activations.pooled))


@compiled_for_speed
def add_squared_gradient_sums(
    activations: Activations, gradient: Floats, rows: Ints, first: int, last: int, sums: Floats
) -> None:
    """sums[rows[t], i] += gradient[t, i]² · x[t, i], equation (23) with R of (19)."""
    ids, offsets, vectors = activations.ids, activations.offsets, activations.vectors
    for n in range(offsets[first], offsets[last]):
        total, x, slope = sums[rows[n]], vectors[ids[n]], gradient[n]
        for i in range(x.size):
            total[i] += slope[i] * slope[i] * x[i]
