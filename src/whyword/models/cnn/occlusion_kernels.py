"""The compiled loop of occlusion, equation (21) of docs/method.md."""

import numpy as np

from whyword.base.compiled import Floats, Ints, Offsets, compiled
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import OutputRelevance

_FILTERS_AT_ONCE = 64  # the memory is a few times (words × this)


def losses_without(
    activations: Activations, output: OutputRelevance, padding: int, words: Floats
) -> None:
    """Run :func:`add_losses_without` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_losses_without(
            activations.ids,
            activations.offsets,
            activations.table,
            activations.pooled,
            output.weight,
            output.targets,
            padding,
            first,
            last,
            words,
        )

    in_threads(work, len(activations.pooled))


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
    """words[t, k] += Σ_j (x[j] − x[j] without word t) · w2[j, k]: the score lost with the word.

    Zeroing a word changes the H windows that hold it; the maximum over all others is that over
    those before and those after, two running maxima kept for a few filters at a time.

    Parameters
    ----------
    ids, offsets, table, pooled
        Of :class:`~whyword.models.cnn.kernels.Activations`.
    weight, targets
        Of :class:`~whyword.models.cnn.relevance_kernels.OutputRelevance`.
    first, last : int
        The documents to do.
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
