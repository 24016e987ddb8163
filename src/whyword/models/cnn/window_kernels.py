"""The compiled loop that leads from the scores back to the windows, beside its formula.

The notation, and the numbers of equations, are those of docs/method.md.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import Numbers, OutputRelevance, gather_responses


def window_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    padding: int,
    windows: Numbers,
    used: NDArray[np.bool_],
) -> None:
    """Run :func:`add_window_relevance` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_window_relevance(
            activations, output, epsilon, shared, padding, first, last, windows, used
        )

    in_threads(work, len(activations.pooled))


@compiled
def add_window_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    shared: bool,
    padding: int,
    first: int,
    last: int,
    windows: Numbers,
    used: NDArray[np.bool_],
) -> None:
    """windows[t, k] += Σ_τ a[τ, j] · R[j, k] over the filters j with t[j] = t, equation (32).

    a[τ, j] is that of equation (30); τ goes over the words of the window, not over padding.

    Parameters
    ----------
    activations : Activations
        Of one width.
    output : OutputRelevance
    padding : int
        The id of what is no word: padding, deleted and ignored words.
    first, last : int
        The documents to do.
    windows : (N, K) float64
        Added to, at the place of a window's first word.
    used : (N,) bool
        Set where a filter passes something on to a window's words.
    """
    ids, offsets = activations.ids, activations.offsets
    bias, pooled = activations.bias, activations.pooled
    weight, targets, added, gain = output
    filter_count, width = pooled.shape[1], activations.table.shape[1]
    parts, responses = np.empty((filter_count, width)), np.empty(filter_count)
    for document in range(first, last):
        start, won = offsets[document], activations.winners[document]
        gather_responses(activations, document, epsilon, parts, responses)
        for j in range(filter_count):
            fires = pooled[document, j] > 0
            if not fires and not shared:
                continue
            z = responses[j]
            sign = epsilon if fires else -epsilon
            share = (bias[j] + sign) / width if shared else 0.0
            at, fraction, words = start + won[j], 0.0, 0
            for tau in range(width):
                if ids[at + tau] != padding:
                    fraction += (parts[j, tau] + share) / (z + sign)
                    words += 1
            if words:
                used[at] = True
                x = z if fires else 0.0
                for k in range(targets.shape[1]):
                    passed = x * weight[j, targets[document, k]] + added[document, k]
                    windows[at, k] += fraction * passed * gain[document, k]
