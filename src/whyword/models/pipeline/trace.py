"""The trace of a wrapped pipeline: all texts of a block at once, and words cut out of the text.

The notation, and the numbers of equations, are those of docs/method.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases
from whyword.models.erasure import ErasableText
from whyword.models.linear.bag import Bag, FeatureRow
from whyword.models.linear.trace import LinearTrace
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.gradients import Values
from whyword.models.pipeline.graph import Pass
from whyword.models.pipeline.links import Link
from whyword.models.probabilities import check_finite
from whyword.models.protocol import Positions, Scores
from whyword.models.relevance import Relevance
from whyword.words.document import Document


@dataclass(frozen=True, eq=False)
class PipelineLayer:
    """Everything from texts to scores and probabilities.

    Attributes
    ----------
    features : PipelineFeatures
    weight : (P, C) float64
    bias : (C,) float64
    link : Link
    own : function, or None
        From texts to the pipeline's own probabilities, where the link is "own".
    """

    features: PipelineFeatures
    weight: Values
    bias: Values
    link: Link
    own: Callable[[list[str]], Scores] | None

    def run(self, texts: list[str]) -> Pass:
        """Return a pass of texts, of which nothing is read but what is read."""
        return self.features.graph.run(texts, self.weight, self.bias)

    def probabilities(self, texts: list[str], scores: Scores) -> Scores:
        """Return the probabilities of texts that have these scores, (n, C)."""
        return self.link.probabilities(scores) if self.own is None else self.own(texts)


class PipelineTrace(LinearTrace, ErasableText):
    """Of somebody's pipeline: words are cut out of the text, and it reads again."""

    layer: PipelineLayer  # type: ignore[assignment]
    _passed: Pass
    _texts: list[str]

    def _look(self, read: list[Document]) -> list[FeatureRow]:
        return self._look_at([document.visible for document in read])

    def _look_at(self, texts: list[str]) -> list[FeatureRow]:
        self._texts, self._passed = texts, self.layer.run(texts)
        return self._passed.rows

    def _look_without(self, bags: list[Bag], deleted: list[Positions]) -> list[Bag]:
        features, documents = self.layer.features, [bag.document for bag in bags]
        pairs = zip(documents, deleted, strict=True)
        texts = [features.text_without(document, positions) for document, positions in pairs]
        rows = self._look_at(texts)
        return [features.bag_without(*one) for one in zip(documents, texts, rows, strict=True)]

    def _score(self) -> Scores:
        return self._passed.scores

    def gradient(self, number: int) -> Values:
        """Return the gradient with respect to a text's features, equation (34): (n, C)."""
        return self._passed.gradient(number)

    @property
    def biases(self) -> Values:
        """Each text's bias, what a scaler moved included, (n, C)."""
        return self._passed.biases

    @property
    def width(self) -> int:
        """How many features all vectorisers have."""
        return int(self.layer.features.graph.starts[-1])

    # ---- what the pipeline says ---------------------------------------------------------------

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the probabilities that the classifier makes of scores."""
        return self.layer.link.probabilities(scores)

    @property
    def probabilities(self) -> Scores:
        """The model's own, (n, C)."""
        chances = self.layer.probabilities(self._texts, self.scores)
        return check_finite(chances, "probabilities", text=self._text)

    def decide(self, scores: Scores, probabilities: Callable[[], Scores]) -> NDArray[np.intp]:
        """Return the classes by the scores or by the probabilities, as the pipeline does."""
        best: NDArray[np.intp]
        best = (scores if self.layer.link.by_score else probabilities()).argmax(axis=-1)
        return best

    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        """Return scores and probabilities of texts."""
        scores = self.layer.run(texts).scores
        return scores, self.layer.probabilities(texts, scores)

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        """Return which words of a document were deleted."""
        gone = super().removed_words(number)
        if self.deleted is not None:
            gone[self.deleted[number]] = True
        return gone

    # ---- phrases ------------------------------------------------------------------------------

    def _phrases(self, relevance: Relevance) -> list[Phrases]:
        several = len(self.layer.features.graph.vectorizers) > 1
        return [_joined(one) if several else one for one in super()._phrases(relevance)]


def _joined(phrases: Phrases) -> Phrases:
    """Return phrases of which those of one name at one place, of several vectorisers, are one."""
    keys: dict[Any, int] = {}
    pairs = zip(phrases.names, map(tuple, phrases.spans.tolist()), strict=True)
    numbers = [keys.setdefault(key, len(keys)) for key in pairs]
    relevance = np.zeros((len(keys), phrases.relevance.shape[1]))
    np.add.at(relevance, numbers, phrases.relevance)
    spans = np.array([span for _, span in keys], np.int32).reshape(-1, 2)
    return Phrases([name for name, _ in keys], spans, relevance)
