"""The traces of linear models: features times weights, and the words they stand for.

The notation, and the numbers of equations, are those of docs/method.md.
"""

from abc import ABC
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import scipy_sparse
from whyword.explanation.phrases import Phrases
from whyword.models.erasure import next_positions
from whyword.models.linear.bag import Bag, FeatureRow
from whyword.models.probabilities import softmax
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    Embedded,
    Integrable,
    Phrased,
    Positions,
    RarityAware,
    Rows,
    Scores,
    Targets,
    Trace,
)
from whyword.models.relevance import Relevance
from whyword.words.document import Document, Text

Values = NDArray[np.float64]

_DOCUMENTS = 256  # of a block


class Features(Protocol):
    """Texts to bags of features, in two steps, so that what only predicts needs the first."""

    def read(self, text: Text) -> Any:  # noqa: ANN401 - what the next two take
        """Return the text as the features see it."""

    def row_of(self, read: Any) -> FeatureRow:  # noqa: ANN401
        """Return the features of what was read."""

    def bag_of(self, read: Any, row: FeatureRow) -> Bag:  # noqa: ANN401
        """Return the words that the features stand for."""

    def bag_without(self, document: Document, deleted: Positions) -> Bag:
        """Return the document's bag made anew without these words."""


@dataclass(frozen=True, eq=False)
class LinearLayer:
    """Scores from features.

    Attributes
    ----------
    features : Features
    weight : (V, C) float64
        w[i, k].
    bias : (C,) float64
        b[k].
    temperature : float
        θ of equation (5): scores are divided by it before the softmax.
    """

    features: Any
    weight: Values
    bias: Values
    temperature: float

    def scores(self, rows: Sequence[FeatureRow]) -> Scores:
        """Return the scores x[k] = Σ_i x[i] · w[i, k] + b[k], equation (14): (rows, C)."""
        scores = np.empty((len(rows), len(self.bias)))
        for number, row in enumerate(rows):
            scores[number] = row.values @ self.weight[row.places] + self.bias
        return scores

    def weights_of(self, places: NDArray[np.intp], classes: NDArray[np.integer[Any]]) -> Values:
        """Return w[i, k] of some features for some classes, and no others: (places, classes)."""
        weights: Values = self.weight[np.ix_(places, classes)]
        return weights


class LinearTrace(
    Trace, Decomposable, Differentiable, Integrable, Embedded, RarityAware, Phrased, ABC
):
    """Bags of features under a linear model.

    Parameters
    ----------
    layer : LinearLayer
    texts : list of str or Document
    deleted : iterator of (n,) intp, optional
        Of which one entry is taken for each text.
    """

    is_piecewise_linear = True

    def __init__(
        self, layer: LinearLayer, texts: list[Text], deleted: Iterator[Positions] | None = None
    ) -> None:
        features = layer.features
        self.layer = layer
        self.deleted: list[Positions] | None = None
        self._read = [features.read(text) for text in texts]
        self.rows: list[FeatureRow] = self._look(self._read)
        if deleted is not None:
            whole = self.bags
            self.deleted = [next_positions(deleted, bag.document) for bag in whole]
            self.bags = self._look_without(whole, self.deleted)
            self.rows = [bag.row for bag in self.bags]
        self.scores = self._score()

    def _look(self, read: list[Any]) -> list[FeatureRow]:
        """Return the features of texts that were read."""
        return [self.layer.features.row_of(one) for one in read]

    def _look_without(self, bags: list[Bag], deleted: list[Positions]) -> list[Bag]:
        """Return bags made anew without some words."""
        pairs = zip(bags, deleted, strict=True)
        return [self.layer.features.bag_without(bag.document, gone) for bag, gone in pairs]

    def _score(self) -> Scores:
        """Return the scores of the features."""
        return self.layer.scores(self.rows)

    def gradient(self, number: int) -> Values:
        """Return the scores' gradient with respect to a text's features, w[i, k]: (n, C)."""
        weights: Values = self.layer.weight[self.rows[number].places]
        return weights

    @property
    def biases(self) -> Values:
        """Each text's bias, b[k]: (n, C)."""
        return np.broadcast_to(self.layer.bias, self.scores.shape)

    @property
    def width(self) -> int:
        """How many features there are in all, V."""
        return len(self.layer.weight)

    @classmethod
    def blocks(
        cls,
        layer: Any,  # noqa: ANN401 - what the trace takes
        texts: Iterable[Text],
        deleted: Iterator[Positions] | None,
        most: int | None = None,
    ) -> Iterator[Self]:
        """Yield the texts in blocks of so many at most."""
        remaining, count = iter(texts), min(_DOCUMENTS, most or _DOCUMENTS)
        while some := list(islice(remaining, count)):
            yield cls(layer, some, deleted)

    @cached_property
    def bags(self) -> list[Bag]:
        """The features, and the words they stand for."""
        pairs = zip(self._read, self.rows, strict=True)
        return [self.layer.features.bag_of(read, row) for read, row in pairs]

    @cached_property
    def documents(self) -> list[Document]:  # type: ignore[override]
        """The texts with their words."""
        return [bag.document for bag in self.bags]

    @cached_property
    def known(self) -> list[NDArray[np.bool_]]:  # type: ignore[override]
        """Whether each word has a part in a feature."""
        return [bag.known for bag in self.bags]

    @property
    def known_words(self) -> NDArray[np.int64]:
        """How many features each text has."""
        return np.array([len(row.places) for row in self.rows], np.int64)

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the softmax of the scores at the model's temperature, equation (5)."""
        return softmax(scores / self.layer.temperature)

    # ---- words --------------------------------------------------------------------------------

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: Any) -> Relevance:  # noqa: ANN401
        """Return R[i, k] = x[i] · w[i, k] + b[k] / n, equation (15), as occurrences' shares (16).

        Without a known word b[k] is padding; where it is kept apart it is the constant (17).
        """
        return self._decompose(targets, shared=rule["bias"] == "shared")

    def gradient_input(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return R[i, k] = x[i] · w[i, k], equation (20), as occurrences' shares (16)."""
        return self._decompose(targets, shared=False)

    def integrated_gradients(
        self, targets: Targets, *, steps: int, elements: bool = False
    ) -> Relevance:
        """Return equation (36), which is (20): the gradient is the same on the whole way."""
        return self.gradient_input(targets)

    @classmethod
    def integration_passes(cls, steps: int) -> int:
        """Return 1: no step is taken."""
        return 1

    def _decompose(self, targets: Targets, shared: bool) -> Relevance:
        """Return equation (15), b[k] / n added where biases are shared, and the constant (17)."""
        words, padding, units = [], [], []
        biases = np.take_along_axis(self.biases, targets, axis=1)
        several = zip(self.bags, targets, biases * shared, strict=True)
        for number, (bag, chosen, bias) in enumerate(several):
            values = self.gradient(number)[:, chosen] * bag.row.values[:, None]
            if len(values):
                values = values + bias / len(values)
                bias = np.zeros_like(bias)
            words.append(bag.spread(values))
            unplaced = values.sum(axis=0) - words[-1].sum(axis=0)
            padding.append(bias + np.where(np.abs(unplaced) > 1e-12, unplaced, 0))
            units.append(values)
        return Relevance(words, np.array(padding), biases * (not shared), units=units)

    def sensitivity(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return R[i, k] = w[i, k]², equation (19), as occurrences' shares (16)."""
        units = [self.gradient(number)[:, chosen] ** 2 for number, chosen in enumerate(targets)]
        return self._spread(units)

    def _spread(self, units: list[Values]) -> Relevance:
        words = [bag.spread(values) for bag, values in zip(self.bags, units, strict=True)]
        return Relevance(words, np.zeros((len(words), units[0].shape[1])), units=units)

    # ---- phrases ------------------------------------------------------------------------------

    def lrp_phrases(self, targets: Targets, **rule: Any) -> list[Phrases]:  # noqa: ANN401
        """Return R[i, k] of equation (15), 1/m of it for each of a feature's m occurrences."""
        return self._phrases(self.lrp(targets, **rule))

    def gradient_input_phrases(self, targets: Targets) -> list[Phrases]:
        """Return R[i, k] of equation (20), 1/m of it for each of a feature's m occurrences."""
        return self._phrases(self.gradient_input(targets))

    def _phrases(self, relevance: Relevance) -> list[Phrases]:
        pairs = zip(self.bags, relevance.units or (), strict=True)
        return [bag.phrases(values) for bag, values in pairs]

    # ---- vectors ------------------------------------------------------------------------------

    def uniform(self) -> Relevance:
        """Return 1 for each feature: a binary bag of words, instead of equation (24)."""
        return self._spread([np.ones((len(bag.row.places), 1)) for bag in self.bags])

    def tfidf(self) -> Relevance:
        """Return the features' own values x[i]: for our bags of words, TF-IDF, equation (13)."""
        return self._spread([bag.row.values[:, None] for bag in self.bags])

    def summary(self, relevance: Relevance, each: bool = False) -> Rows:
        """Return d[i] = R[i, k], equations (15), (19) or (20), as sparse rows: (n, V) float32."""
        sparse = scipy_sparse()
        if relevance.units is None:
            pairs = zip(self.bags, relevance.words, strict=True)
            values = [bag.gather(words[:, 0]) for bag, words in pairs]
        else:
            values = [units[:, 0] for units in relevance.units]
        size = self.width
        if each:
            return sparse.vstack(
                [
                    sparse.csr_matrix(
                        (
                            (bag.link_shares * value[bag.link_features]).astype(np.float32),
                            (bag.words, bag.row.places[bag.link_features]),
                        ),
                        (len(bag.document), size),
                    )
                    for bag, value in zip(self.bags, values, strict=True)
                ],
                format="csr",
            )
        ends = np.cumsum([0, *map(len, values)])
        features = np.concatenate([bag.row.places for bag in self.bags])
        numbers = np.concatenate(values).astype(np.float32)
        return sparse.csr_matrix((numbers, features, ends), (len(values), size))
