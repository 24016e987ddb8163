"""The compiled inner loops of the network, each beside the formula it computes.

Word vectors are frozen, so a convolution is a look-up: with the table P[w, τ, :] = W₁[τ]ᵀ·x_w
(the bias added at τ = 0) a document's responses are z[:, t] = Σ_τ P[w_{t+τ}, τ, :].

Documents are rows of table numbers, one after the other: document d is
``ids[offsets[d]:offsets[d + 1]]``, padded to at least the width of the filters.
"""

import numpy as np

from whyword.base.compiled import Floats, Ints, Offsets, compiled
from whyword.base.threads import in_threads


def pooled_maxima(ids: Ints, offsets: Offsets, table: Floats) -> tuple[Floats, Ints]:
    """Run :func:`max_pool` on all documents, on all cores.

    Returns
    -------
    pooled : (documents, F) float32
    winners : (documents, F) int32
    """
    pooled = np.empty((len(offsets) - 1, table.shape[2]), np.float32)
    winners = np.empty(pooled.shape, np.int32)

    def work(first: int, last: int) -> None:
        max_pool(ids, offsets, table, first, last, pooled, winners)

    in_threads(work, len(pooled))
    return pooled, winners


@compiled
def max_pool(
    ids: Ints,
    offsets: Offsets,
    table: Floats,
    first: int,
    last: int,
    pooled: Floats,
    winners: Ints,
) -> None:
    """pooled[d, j] = max(0, max_t z[j, t]); winners[d, j] = the first t that attains it, else 0.

    Parameters
    ----------
    ids : (N,) int32
    offsets : (documents + 1,) int64
    table : (rows, H, F) float32
    first, last : int
        The documents to do.
    pooled : (documents, F) float32
    winners : (documents, F) int32
        Written for the documents first…last − 1.
    """
    width, filters = table.shape[1], table.shape[2]
    response = np.empty(filters, np.float32)
    for document in range(first, last):
        start, end = offsets[document], offsets[document + 1]
        best, winner = pooled[document], winners[document]
        best[:] = 0
        winner[:] = 0
        for t in range(end - start - width + 1):
            at = np.int32(t)
            row = table[ids[start + t], 0]
            if width == 1:
                for j in range(filters):
                    z = row[j]
                    winner[j] = at if z > best[j] else winner[j]
                    best[j] = z if z > best[j] else best[j]
            elif width == 2:
                after = table[ids[start + t + 1], 1]
                for j in range(filters):
                    z = row[j] + after[j]
                    winner[j] = at if z > best[j] else winner[j]
                    best[j] = z if z > best[j] else best[j]
            else:
                for j in range(filters):
                    response[j] = row[j]
                for tau in range(1, width - 1):
                    between = table[ids[start + t + tau], tau]
                    for j in range(filters):
                        response[j] += between[j]
                after = table[ids[start + t + width - 1], width - 1]
                for j in range(filters):
                    z = response[j] + after[j]
                    winner[j] = at if z > best[j] else winner[j]
                    best[j] = z if z > best[j] else best[j]


def filter_gradient(
    ids: Ints, offsets: Offsets, vectors: Floats, winners: Ints, gradient: Floats, width: int
) -> Floats:
    """Run :func:`scatter_gradient` for all filters, on all cores: (H, F, D) float32."""
    filters = gradient.shape[1]
    result = np.zeros((width, filters, vectors.shape[1]), np.float32)

    def work(first: int, last: int) -> None:
        scatter_gradient(ids, offsets, vectors, winners, gradient, first, last, result)

    in_threads(work, filters)
    return result


@compiled
def scatter_gradient(
    ids: Ints,
    offsets: Offsets,
    vectors: Floats,
    winners: Ints,
    gradient: Floats,
    first: int,
    last: int,
    weight_gradient: Floats,
) -> None:
    """∂/∂W₁[τ, j, :] = Σ_d gradient[d, j] · x[w_{t+τ}] with t = winners[d, j].

    The gradient of the pooled maximum reaches the winning window only.

    Parameters
    ----------
    vectors : (rows, D) float32
    gradient : (documents, F) float32
        With respect to the pooled maxima; 0 where a filter did not fire.
    first, last : int
        The filters to do.
    weight_gradient : (H, F, D) float32
        Added to.
    """
    width, dimensions = weight_gradient.shape[0], weight_gradient.shape[2]
    for j in range(first, last):
        for document in range(offsets.size - 1):
            g = gradient[document, j]
            if g != 0:
                start = offsets[document] + winners[document, j]
                for tau in range(width):
                    x, total = vectors[ids[start + tau]], weight_gradient[tau, j]
                    for i in range(dimensions):
                        total[i] += g * x[i]
