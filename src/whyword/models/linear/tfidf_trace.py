"""The trace of our own bag of words: occurrences are taken away by arithmetic.

The notation, and the numbers of equations, are those of docs/method.md.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from whyword.models.linear.group_changes import scores_without_groups
from whyword.models.linear.tfidf import ReadWords, TfIdf
from whyword.models.linear.trace import LinearTrace, Values
from whyword.models.protocol import Erasable, Erased, Scores, Targets
from whyword.models.relevance import Relevance
from whyword.models.word_groups import WordGroups


class TfIdfTrace(LinearTrace, Erasable):
    """Of a :class:`TfIdf` of single words, whose bags are made anew by arithmetic."""

    is_quick = True
    equal_shares = True

    def occlusion(self, targets: Targets) -> Relevance:
        """Return equation (21): what x[k] loses without an occurrence, the bag (13) made anew."""
        losses = [self._losses(number, chosen) for number, chosen in enumerate(targets)]
        return Relevance(losses, np.zeros(targets.shape))

    def _losses(self, number: int, chosen: NDArray[np.int32]) -> Values:
        """Return (T, K) losses: in (13), one occurrence fewer changes one u[i] and the norm."""
        bag = self.bags[number]
        features: TfIdf = self.layer.features
        places, count = bag.row.places, len(bag.row.places)
        counts = np.bincount(bag.features, minlength=count).astype(np.float64)
        before, after = (
            features.tfidf_weights(places, counts),
            features.tfidf_weights(places, counts - 1),
        )
        weight, bias = self.layer.weights_of(places, chosen), self.layer.bias[chosen]
        square = before @ before
        squares = square - before**2 + after**2
        norms = np.sqrt(np.where(squares > 1e-12 * square, squares, np.inf))  # no word left: 0
        sums = before @ weight + (after - before)[:, None] * weight
        score = bag.row.values @ weight + bias
        losses = score - (sums / norms[:, None] + bias)
        result = np.zeros((len(bag.document), len(chosen)))
        result[bag.words] = losses[bag.link_features]
        return result

    def erase(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return equation (27): what the model says while occurrences go and bags are made anew."""
        scores = np.array(
            [
                [self._scores_by_step(number, order, insert)[steps] for order in each]
                for number, each in zip(documents.tolist(), orders, strict=True)
            ]
        )
        return Erased(scores, self.probabilities_of(scores))

    def _scores_by_step(self, number: int, order: NDArray[np.int32], insert: bool) -> Scores:
        """Return (K + 1, C) scores x[k, m]: the counts after each step through (13) and (14)."""
        bag = self.bags[number]
        features: TfIdf = self.layer.features
        places = bag.row.places
        feature_of = np.full(len(bag.document) + 1, -1, np.intp)  # the last: what −1 stands for
        feature_of[bag.words] = bag.link_features
        changed = feature_of[order]
        known = np.flatnonzero(changed >= 0)
        changes = np.zeros((len(order) + 1, len(places)))
        changes[known + 1, changed[known]] = 1
        counts = changes.cumsum(axis=0)
        if not insert:
            counts = np.bincount(bag.features, minlength=len(places)) - counts
        values = features.tfidf_weights(places, counts)
        norms = np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-300)
        scores: Scores = values / norms @ self.layer.weight[places] + self.layer.bias
        return scores

    def scores_without(self, groups: WordGroups) -> Scores:
        """Return equation (41): the scores of bags made anew without a group's words."""
        read = self._read_left
        groups.check([one.document for one in read])
        return scores_without_groups(self.layer, read, self.scores, groups)

    @cached_property
    def _read_left(self) -> list[ReadWords]:
        """What is read of the documents, without their deleted words."""
        if self.deleted is None:
            return self._read
        pairs = zip(self._read, self.deleted, strict=True)
        read = self.layer.features.read_without
        return [read(one.document, gone.tolist()) for one, gone in pairs]
