"""The compiled loop that says what the filters' biases keep, where they are not shared out."""

import numpy as np

from whyword.base.compiled import compiled
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import Numbers, OutputRelevance, gather_responses


def bias_relevance(
    activations: Activations, output: OutputRelevance, epsilon: float, constant: Numbers
) -> None:
    """Run :func:`add_bias_relevance` on all documents, on all cores."""

    def work(first: int, last: int) -> None:
        add_bias_relevance(activations, output, epsilon, first, last, constant)

    in_threads(work, len(activations.pooled))


@compiled
def add_bias_relevance(
    activations: Activations,
    output: OutputRelevance,
    epsilon: float,
    first: int,
    last: int,
    constant: Numbers,
) -> None:
    """constant[d, k] += Σ_j (b1[j] + ε)/(z[j] + ε) · z[j]·w2[j, k] · gain over filters that fire.

    The second term of docs/method.md (11); the first is the output layer's.

    Parameters
    ----------
    activations : Activations
    output : OutputRelevance
    first, last : int
        The documents to do.
    constant : (documents, K) float64
        Added to.
    """
    bias, pooled = activations.bias, activations.pooled
    weight, targets, _, gain = output
    count, width = pooled.shape[1], activations.table.shape[1]
    parts, responses = np.empty((count, width)), np.empty(count)
    for document in range(first, last):
        gather_responses(activations, document, epsilon, parts, responses)
        for j in range(count):
            if pooled[document, j] > 0:
                z = responses[j]
                kept = (bias[j] + epsilon) / (z + epsilon) * z
                for k in range(targets.shape[1]):
                    strength = weight[j, targets[document, k]] * gain[document, k]
                    constant[document, k] += kept * strength
