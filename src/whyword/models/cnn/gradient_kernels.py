"""The compiled loop from a score to its gradient by the input, equation (18) of docs/method.md."""

from whyword.base.compiled import Floats, Ints, Offsets, compiled_for_speed
from whyword.base.threads import in_threads
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import OutputRelevance


def score_gradient(
    activations: Activations,
    output: OutputRelevance,
    column: int,
    gradient: Floats,
    begin: int,
    end: int,
) -> None:
    """Run :func:`add_score_gradient` for one target of some documents, on all cores.

    Parameters
    ----------
    activations : Activations
    output : OutputRelevance
    column : int
        Which of the targets.
    gradient : (words of the documents, D) float32
        Added to.
    begin, end : int
        The documents, from `begin` to `end` − 1.
    """

    def work(first: int, last: int) -> None:
        add_score_gradient(
            activations.offsets,
            activations.pooled,
            activations.winners,
            output.weight,
            output.targets,
            activations.filters,
            column,
            begin + first,
            begin + last,
            int(activations.offsets[begin]),
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
    """gradient[t[j] + τ, i] += w2[j, k] · w1[τ, i, j] over the filters j that fire, equation (18).

    That is ∂x[k]/∂x[t, i] for the target k.

    Parameters
    ----------
    offsets, pooled, winners, filters
        Of :class:`~whyword.models.cnn.kernels.Activations`.
    weight, targets
        Of :class:`~whyword.models.cnn.relevance_kernels.OutputRelevance`.
    column : int
        Which of the targets.
    first, last : int
        The documents to do.
    base : int
        The word that the gradient's first row is of.
    gradient : (words, D) float32
        Added to.
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
