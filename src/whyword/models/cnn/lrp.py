"""Layer-wise relevance propagation through the network, with the ε rule.

Equations are those of docs/method.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases
from whyword.models.cnn.constant_kernels import bias_relevance
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.relevance_kernels import (
    OutputRelevance,
    element_relevance,
    exact_scores,
    word_relevance,
)
from whyword.models.cnn.window_kernels import window_relevance
from whyword.models.protocol import Targets
from whyword.models.relevance import FilterRelevance, Relevance
from whyword.words.document import Document


class Rule(NamedTuple):
    """Which form of the rule.

    Attributes
    ----------
    epsilon : float
    shared : bool
        Whether biases and ε are shared out among the inputs, or keep what is theirs.
    """

    epsilon: float
    shared: bool


GRADIENT_INPUT = Rule(epsilon=0.0, shared=False)


class OutputLayer(NamedTuple):
    """How the output layer hands relevance down: R[j, k] = (x[j]·w2[j, k] + added) · gain.

    Equation (6); the constant is the first term of equation (11).

    Attributes
    ----------
    added : (documents, K) float64
        (b2[k] + ε·s[k])/F where biases are shared, with s[k] = 1 if x[k] ≥ 0 else −1; else 0.
    gain : (documents, K) float64
        x[k]/(x[k] + ε·s[k]).
    constant : (documents, K) float64
        What bias and ε keep: 0 where they are shared, else (b2[k] + ε·s[k]) · gain.
    """

    added: NDArray[np.float64]
    gain: NDArray[np.float64]
    constant: NDArray[np.float64]


def network_lrp(
    forward: ForwardPass, targets: Targets, rule: Rule, elements: bool = False
) -> Relevance:
    """Return the words' relevance."""
    added, gain, constant = output_relevance(forward, targets, rule)
    words = np.zeros((len(forward.batch.ids), targets.shape[1]), np.float32)
    detailed = None
    if elements:
        detailed = np.zeros((targets.shape[1], len(words), forward.dimensions), np.float32)
    for activations, weight in forward.parts():
        output = OutputRelevance(weight, targets, added, gain)
        word_relevance(activations, output, rule.epsilon, rule.shared, words)
        if not rule.shared:
            bias_relevance(activations, output, rule.epsilon, constant)
        if detailed is not None:
            for column in range(targets.shape[1]):
                element_relevance(
                    activations, output, rule.epsilon, rule.shared, column, detailed[column]
                )
    return Relevance(
        forward.cut(words),
        forward.padding(words),
        constant,
        None if detailed is None else forward.cut(np.moveaxis(detailed, 0, 2)),
    )


def window_lrp(forward: ForwardPass, targets: Targets, rule: Rule) -> list[Phrases]:
    """Return the relevance of the windows that won for a filter, of each document.

    Equation (32): what lands on padding, deleted or ignored words is left out, as it is of the
    words, so that windows and words add up to the same.
    """
    added, gain, _ = output_relevance(forward, targets, rule)
    by_width = []
    for activations, weight in forward.parts():
        output = OutputRelevance(weight, targets, added, gain)
        values = np.zeros((len(forward.batch.ids), targets.shape[1]))
        used = np.zeros(len(values), np.bool_)
        window_relevance(activations, output, rule.epsilon, rule.shared, PADDING, values, used)
        by_width.append((activations.table.shape[1], values, used))
    starts = forward.batch.offsets[:-1].tolist()
    return [
        _phrases(document, start, forward.batch.ids, by_width)
        for document, start in zip(forward.documents, starts, strict=True)
    ]


def _phrases(
    document: Document,
    start: int,
    ids: NDArray[np.int32],
    by_width: list[tuple[int, NDArray[np.float64], NDArray[np.bool_]]],
) -> Phrases:
    """Return a document's windows in the order of the text, narrow ones first."""
    words, spans = [word.lower() for word in document.cut()], document.spans.tolist()
    end = start + len(words)
    is_word = (ids[start:end] != PADDING).tolist()
    found = []
    for width, values, used in by_width:
        for first in np.flatnonzero(used[start:end]).tolist():
            inside = range(first, min(first + width, len(words)))
            read = [number for number in inside if is_word[number]]
            name = " ".join(
                words[number] if is_word[number] else "…" for number in range(read[0], read[-1] + 1)
            )
            span = spans[read[0]][0], spans[read[-1]][1]
            found.append((span, name, values[start + first]))
    found.sort(key=lambda one: one[0])
    columns = by_width[0][1].shape[1]
    return Phrases(
        [name for _, name, _ in found],
        np.array([span for span, _, _ in found], np.int32).reshape(-1, 2),
        np.array([value for _, _, value in found]).reshape(-1, columns),
    )


def filter_lrp(forward: ForwardPass, targets: Targets, rule: Rule) -> FilterRelevance:
    """Return the filters' relevance."""
    added, gain, constant = output_relevance(forward, targets, rule)
    weight = forward.network.output_weight.astype(np.float64)
    filters = [
        (row[:, None] * weight[:, chosen] + extra) * factor
        for row, chosen, extra, factor in zip(forward.pooled, targets, added, gain, strict=True)
    ]
    return FilterRelevance(filters, constant)


def output_relevance(forward: ForwardPass, targets: Targets, rule: Rule) -> OutputLayer:
    """Return how the output layer hands relevance down."""
    scores = _target_scores(forward, targets, rule.epsilon)
    signed = np.where(scores >= 0, rule.epsilon, -rule.epsilon)
    below = scores + signed
    gain = np.divide(scores, below, out=np.ones_like(scores), where=below != 0)
    biases = forward.network.output_bias.astype(np.float64)[targets]
    nothing = np.zeros_like(scores)
    if rule.shared:
        return OutputLayer((biases + signed) / len(forward.network.output_weight), gain, nothing)
    return OutputLayer(nothing, gain, (biases + signed) * gain)


def _target_scores(forward: ForwardPass, targets: Targets, epsilon: float) -> NDArray[np.float64]:
    """Return the targets' scores, (documents, K).

    Those of documents where one is so close to 0 that x/(x ± ε) would magnify the rounding of
    float32 (by ε/(|x| + ε)² > 1) are computed again in float64.
    """
    scores = np.take_along_axis(forward.scores, targets.astype(np.intp), axis=1)
    documents = np.flatnonzero(((np.abs(scores) + epsilon) ** 2 < epsilon).any(axis=1))
    if not len(documents):
        return scores
    exact = np.tile(forward.network.output_bias.astype(np.float64), (len(scores), 1))
    for activations, weight in forward.parts():
        exact_scores(activations, weight, documents, exact)
    scores[documents] = np.take_along_axis(exact, targets.astype(np.intp), axis=1)[documents]
    return scores
