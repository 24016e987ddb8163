"""The compiled inner loops of the network, each beside the formula it computes.

The notation, and the numbers of equations, are those of docs/method.md. Word vectors are frozen,
so a convolution is a look-up, equation (29): with the table P[w, τ, j], to which the bias b1[j] is
added at τ = 0, a document's responses are z[t, j] = Σ_τ P[w[t + τ], τ, j].

Documents are rows of table numbers, one after the other: document d is
``ids[offsets[d]:offsets[d + 1]]``, padded to at least the width of the filters.

Compiled loops do not check bounds. They may trust shapes: :mod:`whyword.models.stored` has checked
those of a model that comes from a folder.
"""

from typing import NamedTuple

import numpy as np

from whyword.base.compiled import Floats, Ints, Offsets, compiled
from whyword.base.threads import in_threads


class Activations(NamedTuple):
    """What the filters of one width found in some documents; all that relevance starts from.

    Attributes
    ----------
    ids : (N,) int32
        Row of each word in the table; padding included.
    offsets : (documents + 1,) int64
    table : (rows, H, F) float32
        P[w, τ, j], with the bias added at τ = 0.
    bias : (F,) float32
        b1[j].
    pooled : (documents, F) float32
        x[j]: the maximum over the text, at least 0.
    winners : (documents, F) int32
        t[j]: where it was attained first; 0 for a filter that never fired.
    vectors : (rows, D) float32
        The normalised input vectors.
    filters : (H, F, D) float32
        w1[τ, i, j], the dimensions last.
    """

    ids: Ints
    offsets: Offsets
    table: Floats
    bias: Floats
    pooled: Floats
    winners: Ints
    vectors: Floats
    filters: Floats


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
    """pooled[d, j] = x[j] and winners[d, j] = t[j], equations (2) and (3) by way of (29).

    x[j] = max(0, max_t z[t, j]); t[j] is the first t that attains it, 0 for a filter that does not
    fire.

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
    """weight_gradient[τ, j, i] += Σ_d gradient[d, j] · x[t[j] + τ, i], equation (31).

    The gradient of the pooled maximum reaches the winning window t[j] only.

    Parameters
    ----------
    vectors : (rows, D) float32
    gradient : (documents, F) float32
        ∂E/∂x[j], of the loss by the pooled maxima; 0 where a filter did not fire.
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
