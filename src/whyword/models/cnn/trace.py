"""The network's trace: everything that can be asked of it.

Equations are those of docs/method.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases
from whyword.models.cnn.deletion_kernels import scores_of_changes
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.group_kernels import scores_without_groups
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.integrated_gradients import (
    integrated_gradients_sums,
    network_integrated_gradients,
)
from whyword.models.cnn.lrp import GRADIENT_INPUT, Rule, filter_lrp, network_lrp, window_lrp
from whyword.models.cnn.occlusion_kernels import losses_without
from whyword.models.cnn.relevance_kernels import OutputRelevance
from whyword.models.cnn.sensitivity import filter_sensitivity, network_sensitivity
from whyword.models.cnn.summary import lrp_sums, sensitivity_sums, word_sums
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    ElementWise,
    Erasable,
    Erased,
    Filtered,
    Filters,
    Integrable,
    Phrased,
    RarityAware,
    Scores,
    Targets,
)
from whyword.models.relevance import FilterRelevance, Relevance
from whyword.models.word_groups import WordGroups

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class CNNTrace(
    ForwardPass,
    Decomposable,
    Differentiable,
    Integrable,
    Erasable,
    ElementWise,
    RarityAware,
    Filtered,
    Phrased,
):
    """A forward pass of the network, and the ways back.

    Attributes
    ----------
    rarity : callable
        From a word to its rarity in the training texts.
    """

    rarity: Callable[[str], float] = field(default=lambda word: 1.0, kw_only=True)

    is_quick = True
    is_piecewise_linear = True
    rule_parameters = ("epsilon", "bias")

    # ---- words --------------------------------------------------------------------------------

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: Any) -> Relevance:  # noqa: ANN401
        """Return the words' relevance by the ε rule, equations (6) to (9)."""
        return network_lrp(self, targets, _rule(**rule), elements)

    def sensitivity(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return Σ_i (∂x[k]/∂x[t, i])² of each word, equation (19)."""
        return network_sensitivity(self, targets, elements)

    def gradient_input(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return equation (20), summed over i for each word: LRP with ε = 0, biases apart."""
        return network_lrp(self, targets, GRADIENT_INPUT, elements)

    def integrated_gradients(
        self, targets: Targets, *, steps: int, elements: bool = False
    ) -> Relevance:
        """Return equation (36), summed over i for each word."""
        return network_integrated_gradients(self, targets, steps, elements)

    def occlusion(self, targets: Targets) -> Relevance:
        """Return equation (21): what the score loses when a word's input vector is zeroed."""
        words = np.zeros((len(self.batch.ids), targets.shape[1]), np.float32)
        unused = np.zeros(targets.shape)
        for activations, weight in self.parts():
            output = OutputRelevance(weight, targets, unused, unused)
            losses_without(activations, output, PADDING, words)
        return Relevance(self.cut(words), np.zeros(targets.shape))

    def erase(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return equation (27): what the network says while words' vectors are zeroed."""
        bias = self.network.output_bias.astype(np.float64)
        scores = np.tile(bias, (len(documents), orders.shape[1], len(steps), 1))
        chosen = documents.astype(np.int64)
        for activations, weight in self.parts():
            scores_of_changes(activations, weight, chosen, orders, insert, steps, PADDING, scores)
        return Erased(scores, self.probabilities_of(scores))

    def scores_without(self, groups: WordGroups) -> Scores:
        """Return equation (41): the scores with the vectors of a group's words zeroed."""
        groups.check(self.documents)
        scores = np.tile(self.network.output_bias.astype(np.float64), (len(groups), 1))
        for activations, weight in self.parts():
            scores_without_groups(activations, weight, groups, PADDING, scores)
        return scores

    # ---- filters ------------------------------------------------------------------------------

    def filters(self) -> Filters:
        """Return what the filters found, those of several widths one after the other."""
        winners = np.concatenate([part.winners for part in self.activations], axis=1)
        widths = [
            np.full(len(part.bias), part.table.shape[1], np.int32) for part in self.activations
        ]
        return Filters(self.pooled, winners, np.concatenate(widths))

    def lrp_filters(self, targets: Targets, **rule: Any) -> FilterRelevance:  # noqa: ANN401
        """Return the filters' relevance by the ε rule, equation (6)."""
        return filter_lrp(self, targets, _rule(**rule))

    def sensitivity_filters(self, targets: Targets) -> FilterRelevance:
        """Return (∂x[k]/∂x[j])² of each filter that fired."""
        return filter_sensitivity(self, targets)

    def gradient_input_filters(self, targets: Targets) -> FilterRelevance:
        """Return x[j]·w2[j, k] of each filter."""
        return filter_lrp(self, targets, GRADIENT_INPUT)

    # ---- phrases ------------------------------------------------------------------------------

    def lrp_phrases(self, targets: Targets, **rule: Any) -> list[Phrases]:  # noqa: ANN401
        """Return the windows' relevance by the ε rule, equation (32)."""
        return window_lrp(self, targets, _rule(**rule))

    def gradient_input_phrases(self, targets: Targets) -> list[Phrases]:
        """Return the windows' relevance with ε = 0, biases apart."""
        return window_lrp(self, targets, GRADIENT_INPUT)

    # ---- vectors ------------------------------------------------------------------------------

    def uniform(self) -> Relevance:
        """Return 1/T for each of T words, equation (24): the mean of their vectors."""
        return self._weights([np.ones(len(one)) / max(1, len(one)) for one in self.documents])

    def tfidf(self) -> Relevance:
        """Return the words' rarity in the training texts, idf of equation (24)."""
        rarity = self.rarity
        return self._weights([np.array([rarity(w) for w in d.cut()]) for d in self.documents])

    def _weights(self, words: list[NDArray[np.float64]]) -> Relevance:
        columns = [values.reshape(len(values), 1) for values in words]
        return Relevance(columns, np.zeros((len(words), 1)))

    def summary(self, relevance: Relevance, each: bool = False) -> Floats:
        """Return Σ_t R[t, k]·x[t, i] of each document, equation (22)."""
        return word_sums(self, relevance.words, each)

    def lrp_sums(self, targets: Targets, each: bool = False, **rule: Any) -> Floats:  # noqa: ANN401
        """Return Σ_t R[t, i, k]·x[t, i], equation (23), for LRP."""
        return lrp_sums(self, targets, _rule(**rule), each)

    def sensitivity_sums(self, targets: Targets, each: bool = False) -> Floats:
        """Return Σ_t R[t, i, k]·x[t, i], equation (23), for squared gradients."""
        return sensitivity_sums(self, targets, each)

    def gradient_input_sums(self, targets: Targets, each: bool = False) -> Floats:
        """Return Σ_t R[t, i, k]·x[t, i], equation (23), for gradient × input."""
        return lrp_sums(self, targets, GRADIENT_INPUT, each)

    def integrated_gradients_sums(
        self, targets: Targets, each: bool = False, *, steps: int
    ) -> Floats:
        """Return Σ_t R[t, i, k]·x[t, i], equation (23), for integrated gradients."""
        return integrated_gradients_sums(self, targets, steps, each)


def _rule(epsilon: float, bias: str) -> Rule:
    return Rule(epsilon, shared=bias == "shared")
