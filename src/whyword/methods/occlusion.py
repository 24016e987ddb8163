"""Occlusion: what the score loses when a word is taken away."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import LinearBlock, NetworkBlock, OutsideBlock
from whyword.methods.relevance import Relevance
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.relevance_kernels import FromAbove, losses_without
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.linear.tfidf import Bag, TfIdf
from whyword.words.document import Document

Targets = NDArray[np.int32]

_TEXTS = 64  # handed to somebody's model at a time


def network_occlusion(block: NetworkBlock, targets: Targets) -> Relevance:
    """Return what the score loses when a word's input vector is zeroed."""
    words = np.zeros((len(block.batch.ids), targets.shape[1]), np.float32)
    unused = np.zeros(targets.shape)
    for found, weight in block.parts():
        above = FromAbove(weight, targets, unused, unused)
        losses_without(found, above, PADDING, words)
    return Relevance(block.cut(words), np.zeros(targets.shape))


def linear_occlusion(block: LinearBlock, targets: Targets) -> Relevance:
    """Return what the score loses when an occurrence is deleted and the features are made anew."""
    features = block.model.features_
    words = []
    for number, (bag, chosen) in enumerate(zip(block.bags, targets, strict=True)):
        if isinstance(features, TfIdf):
            words.append(_tfidf_losses(bag, features, block.model, chosen))
        else:
            without = block.model.class_scores(_shortened(bag.document))
            words.append(block.scores[number, chosen] - without[:, chosen])
    return Relevance(words, np.zeros(targets.shape))


def _tfidf_losses(
    bag: Bag, features: TfIdf, model: SVMClassifier, chosen: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return (T, K) losses: one occurrence fewer changes one feature and the norm."""
    places, count = bag.row.places, len(bag.row.places)
    counts = np.bincount(bag.features, minlength=count).astype(np.float64)
    before, after = features.weighted(places, counts), features.weighted(places, counts - 1)
    weight, bias = model.output_weight_[places][:, chosen], model.output_bias_[chosen]
    square = before @ before
    squares = square - before**2 + after**2
    norms = np.sqrt(np.where(squares > 1e-12 * square, squares, np.inf))  # no word left: 0
    sums = before @ weight + (after - before)[:, None] * weight
    score = bag.row.values @ weight + bias
    losses = score - (sums / norms[:, None] + bias)
    result = np.zeros((len(bag.document), len(chosen)))
    result[bag.words] = losses[bag.features]
    return result


def outside_occlusion(block: OutsideBlock, targets: Targets) -> Relevance:
    """Return what the probability loses when a word is cut out of the text."""
    words = []
    for document, whole, chosen in zip(block.documents, block.scores, targets, strict=True):
        losses = np.zeros((len(document), len(chosen)))
        texts = _shortened(document)
        for first in range(0, len(document), _TEXTS):
            some = [text for _, text in zip(range(_TEXTS), texts, strict=False)]
            without = block.probabilities(some)[:, chosen]
            losses[first : first + len(some)] = whole[chosen] - without
        words.append(losses)
    return Relevance(words, np.zeros(targets.shape))


def _shortened(document: Document) -> Iterator[str]:
    """Yield the text without its first word, without its second, and so on."""
    for start, end in document.spans.tolist():
        yield document.text[:start] + document.text[end:]
