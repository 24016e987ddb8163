"""What a model says of documents while their words go, or come, one after the other."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import Block, LinearBlock, NetworkBlock, OutsideBlock
from whyword.models.cnn.deletion_kernels import scores_of_changes
from whyword.models.cnn.inputs import PADDING
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.linear.tfidf import Bag, TfIdf
from whyword.words.document import Document

_TEXTS = 64  # handed to somebody's model at a time

Orders = NDArray[np.int32]
Scores = NDArray[np.float64]


def scores_by_step(
    block: Block, documents: NDArray[np.intp], orders: Orders, insert: bool
) -> Scores:
    """Return the scores of all classes after each step, (n, R, K + 1, C).

    Parameters
    ----------
    block : Block
    documents : (n,) intp
        Which of the block's documents.
    orders : (n, R, K) int32
        The words, by position, in R orders; −1 changes nothing. In a network's input the word's
        vector is zeroed; a bag of words is made anew without the occurrence; for any other model
        the word is cut out of the text.
    insert : bool
        Begin without any word, and put them in instead.
    """
    return _BY_STEP[type(block)](block, documents, orders, insert)


def _of_network(
    block: NetworkBlock, documents: NDArray[np.intp], orders: Orders, insert: bool
) -> Scores:
    runs, steps = orders.shape[1:]
    bias = block.network.output_bias.astype(np.float64)
    scores = np.tile(bias, (len(documents), runs, steps + 1, 1))
    chosen = documents.astype(np.int64)
    for found, weight in block.parts():
        scores_of_changes(
            found.ids,
            found.offsets,
            found.table,
            weight,
            chosen,
            orders,
            insert,
            PADDING,
            scores,
        )
    return scores


def _of_bags(
    block: LinearBlock, documents: NDArray[np.intp], orders: Orders, insert: bool
) -> Scores:
    features = block.model.features_
    if not isinstance(features, TfIdf):
        return _of_texts(block, documents, orders, insert, block.model.class_scores)
    return np.array(
        [
            [_tfidf_scores(block.bags[d], features, block.model, order, insert) for order in each]
            for d, each in zip(documents.tolist(), orders, strict=True)
        ]
    )


def _tfidf_scores(
    bag: Bag, features: TfIdf, model: SVMClassifier, order: NDArray[np.int32], insert: bool
) -> Scores:
    """Return (K + 1, C) scores: the counts after each step, weighted and scaled anew."""
    places = bag.row.places
    feature_of = np.full(len(bag.document) + 1, -1, np.intp)  # the last: what −1 stands for
    feature_of[bag.words] = bag.features
    changed = feature_of[order]
    known = np.flatnonzero(changed >= 0)
    changes = np.zeros((len(order) + 1, len(places)))
    changes[known + 1, changed[known]] = 1
    counts = changes.cumsum(axis=0)
    if not insert:
        counts = np.bincount(bag.features, minlength=len(places)) - counts
    values = features.weighted(places, counts)
    norms = np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-300)
    scores: Scores = values / norms @ model.output_weight_[places] + model.output_bias_
    return scores


def _of_outside(
    block: OutsideBlock, documents: NDArray[np.intp], orders: Orders, insert: bool
) -> Scores:
    return _of_texts(block, documents, orders, insert, block.probabilities)


def _of_texts(
    block: Block,
    documents: NDArray[np.intp],
    orders: Orders,
    insert: bool,
    score: Callable[[list[str]], Scores],
) -> Scores:
    result = []
    for number, each in zip(documents.tolist(), orders, strict=True):
        texts = [text for order in each for text in _texts(block.documents[number], order, insert)]
        parts = [score(texts[at : at + _TEXTS]) for at in range(0, len(texts), _TEXTS)]
        result.append(np.concatenate(parts).reshape(*orders.shape[1:2], orders.shape[2] + 1, -1))
    return np.array(result)


def _texts(document: Document, order: NDArray[np.int32], insert: bool) -> Iterator[str]:
    """Yield the text after each step, the words that are gone cut out of it."""
    gone = np.full(len(document), insert)
    yield without(document, gone)
    for word in order.tolist():
        if word >= 0:
            gone[word] = not insert
        yield without(document, gone)


def without(document: Document, gone: NDArray[np.bool_]) -> str:
    """Return the text without the words that are gone."""
    pieces, done = [], 0
    for start, end in document.spans[gone].tolist():
        pieces.append(document.text[done:start])
        done = end
    return "".join([*pieces, document.text[done:]])


_BY_STEP: Mapping[type[Block], Callable[..., Scores]] = {
    NetworkBlock: _of_network,
    LinearBlock: _of_bags,
    OutsideBlock: _of_outside,
}
