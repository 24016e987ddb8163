"""Texts as a model sees them, a block at a time: what every method starts from."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.cnn.inputs import MOST_WORDS, PADDING, InputBatch
from whyword.models.cnn.network import Network
from whyword.models.cnn.relevance_kernels import Found
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.linear.from_sklearn import PipelineFeatures
from whyword.models.linear.tfidf import Bag, TfIdf
from whyword.words.document import Document
from whyword.words.tokenizer import Tokenizer

BLOCK_BYTES = 256 << 20  # what the relevance of one block may take
_DOCUMENTS = 256  # of a block of a model that is not a network

Scores: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents and what a model says of them.

    Attributes
    ----------
    documents : list of Document
    known : list of (T,) bool
        Whether the model knows each word.
    scores : (documents, C) float64
    """

    documents: Sequence[Document]
    known: Sequence[NDArray[np.bool_]]
    scores: Scores


@dataclass(frozen=True, eq=False)
class NetworkBlock(Block):
    """What a network's filters found.

    Attributes
    ----------
    network : Network
    batch : InputBatch
    found : tuple of Found
        One for each width.
    """

    network: Network
    batch: InputBatch
    found: tuple[Found, ...]

    def cut(self, rows: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return rows of all places, (N, …), as those of each document's words, (T, …)."""
        starts = self.batch.offsets[:-1].tolist()
        pairs = zip(starts, self.documents, strict=True)
        return [rows[start : start + len(document)] for start, document in pairs]

    def padding(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what of (N, K) rows landed on each document's padding, (documents, K)."""
        sums = np.zeros((len(self.documents), rows.shape[1]))
        bounds = zip(self.batch.offsets[:-1].tolist(), self.batch.offsets[1:].tolist(), strict=True)
        for number, (start, end) in enumerate(bounds):
            length = len(self.documents[number])
            if start + length < end:
                sums[number] = rows[start + length : end].sum(axis=0, dtype=np.float64)
        return sums

    def parts(self) -> Iterator[tuple[Found, NDArray[np.float32]]]:
        """Yield, for each width, what was found and the filters' output weights, (F, C)."""
        first = 0
        for found in self.found:
            last = first + len(found.bias)
            yield found, np.ascontiguousarray(self.network.output_weight[first:last])
            first = last


@dataclass(frozen=True, eq=False)
class LinearBlock(Block):
    """Bags of features and a linear model over them.

    Attributes
    ----------
    bags : list of Bag
    model : SVMClassifier
    """

    bags: Sequence[Bag]
    model: SVMClassifier


@dataclass(frozen=True, eq=False)
class OutsideBlock(Block):
    """Texts of a model of which nothing but its probabilities is known.

    Attributes
    ----------
    probabilities : callable
        From a list of texts to (texts, C).
    """

    probabilities: Callable[[list[str]], Scores]


def blocks(
    model: object,
    texts: Iterable[str],
    targets: int,
    elements: bool,
    deleted: Iterator[Positions] | None = None,
) -> Iterator[Block]:
    """Yield the texts in blocks, each with what the methods need.

    Parameters
    ----------
    model : CNNClassifier, SVMClassifier or anything with ``predict_proba(list of str)``
    texts : iterable of str
    targets : int
        How many classes will be explained for each document; it limits the block.
    elements : bool
        Whether relevance is wanted for each input dimension.
    deleted : iterator of (n,) intp, optional
        One entry per text: the words, by position, that are deleted before the model looks. They
        stay words of the document. In a network's input their vectors are zero; a bag of words
        is made without them.
    """
    if isinstance(model, CNNClassifier):
        return network_blocks(model, texts, targets, elements, deleted)
    if isinstance(model, SVMClassifier):
        return linear_blocks(model, texts, deleted)
    if deleted is not None:
        raise InputError("words can be deleted from texts of whyword's own models only")
    return _outside_blocks(model, texts)


def kind_of(model: object) -> type[Block]:
    """Return the kind of block a model makes; raise if it is no trained classifier."""
    if isinstance(model, CNNClassifier | SVMClassifier):
        model.check_fitted()
        return NetworkBlock if isinstance(model, CNNClassifier) else LinearBlock
    if isinstance(model, type) or not callable(getattr(model, "predict_proba", None)):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise InputError(
            f"{name} is no model: a CNNClassifier, an SVMClassifier or anything with "
            "predict_proba(list of texts) is needed"
        )
    return OutsideBlock


def documents_of(model: object, texts: Iterable[str]) -> Iterator[Document]:
    """Return the texts with the words that the model finds in them."""
    features = model.features_ if isinstance(model, SVMClassifier) else None
    if isinstance(features, PipelineFeatures):
        return (features.bag(text).document for text in texts)
    if features is not None:
        return map(features.tokenizer, texts)
    tokenizer = model.inputs_.tokenizer if isinstance(model, CNNClassifier) else Tokenizer()
    return map(tokenizer, texts)


def model_classes(model: Any) -> list[Label]:  # noqa: ANN401 - anybody's model
    """Return the labels of a model's classes; their numbers if it does not say."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return list(range(probabilities_of(model, [""]).shape[1]))
    found = np.asarray(classes, None if isinstance(classes, np.ndarray) else object)
    labels = [value if isinstance(value, Label) else str(value) for value in found.tolist()]
    if found.ndim != 1 or not labels or len(set(labels)) < len(labels):
        raise InputError(f"{type(model).__name__}.classes_ are no distinct labels: {labels!r:.80}")
    return labels


def network_blocks(
    model: CNNClassifier,
    texts: Iterable[str],
    targets: int,
    elements: bool = False,
    deleted: Iterator[Positions] | None = None,
) -> Iterator[NetworkBlock]:
    """Yield the texts in blocks, as a network sees them."""
    network = model.network_
    per_word = 4 * targets * (model.inputs_.vectors.dimensions if elements else 1)
    most_words = min(MOST_WORDS, max(1, BLOCK_BYTES // per_word))
    for batch in model.inputs_.batches(texts, network.most_rows(), most_words):
        known = batch.known[batch.ids]
        if deleted is not None:
            batch = replace(batch, ids=_ids_without(batch, deleted))
        found = tuple(
            Found(
                batch.ids,
                batch.offsets,
                activations.table,
                convolution.bias,
                activations.pooled,
                activations.winners,
                batch.vectors,
                convolution.weight,
            )
            for activations, convolution in zip(
                network.activate(batch), network.convolutions, strict=True
            )
        )
        scores = network.scores(np.concatenate([part.pooled for part in found], axis=1))
        starts = zip(batch.offsets[:-1].tolist(), batch.documents, strict=True)
        yield NetworkBlock(
            batch.documents,
            [known[start : start + len(document)] for start, document in starts],
            scores.astype(np.float64),
            network,
            batch,
            found,
        )


def _ids_without(batch: InputBatch, deleted: Iterator[Positions]) -> NDArray[np.int32]:
    """Return the batch's ids, those of deleted words pointing to padding."""
    ids = batch.ids.copy()
    for document, start in zip(batch.documents, batch.offsets[:-1].tolist(), strict=True):
        ids[start + _next_positions(deleted, document)] = PADDING
    return ids


def _next_positions(deleted: Iterator[Positions], document: Document) -> Positions:
    """Return the positions of the next document's deleted words; raise if it has no such."""
    positions = next(deleted, None)
    if positions is None:
        raise InputError("there are fewer lists of deleted words than texts")
    if len(positions) and (positions.min() < 0 or positions.max() >= len(document)):
        wrong = int(positions.max() if positions.min() >= 0 else positions.min())
        raise InputError(
            f"word {wrong} is to be deleted, but the text's words are 0 … {len(document) - 1}"
            if len(document)
            else f"word {wrong} is to be deleted, but there is no word in the text"
        )
    return positions


def linear_blocks(
    model: SVMClassifier, texts: Iterable[str], deleted: Iterator[Positions] | None = None
) -> Iterator[LinearBlock]:
    """Yield the texts in blocks, as a bag of words sees them."""
    features: TfIdf | PipelineFeatures = model.features_
    for some in _in_lists(texts):
        bags = [features.bag(text) for text in some]
        known = [bag.known for bag in bags]
        if deleted is not None:
            bags = [
                features.bag_without(bag.document, _next_positions(deleted, bag.document))
                for bag in bags
            ]
        scores = [
            bag.row.values @ model.output_weight_[bag.row.places] + model.output_bias_
            for bag in bags
        ]
        documents = [bag.document for bag in bags]
        yield LinearBlock(documents, known, np.array(scores), bags, model)


def _outside_blocks(model: object, texts: Iterable[str]) -> Iterator[OutsideBlock]:
    tokenizer = Tokenizer()

    def probabilities(some: list[str]) -> Scores:
        return probabilities_of(model, some)

    for some in _in_lists(texts):
        documents = [tokenizer(text) for text in some]
        known = [np.ones(len(document), np.bool_) for document in documents]
        yield OutsideBlock(documents, known, probabilities(some), probabilities)


def probabilities_of(model: Any, texts: list[str]) -> Scores:  # noqa: ANN401 - anybody's model
    """Return what the model's ``predict_proba`` says of the texts, (texts, C); raise if unfit."""
    given = model.predict_proba(texts)
    try:
        found = np.asarray(given, np.float64)
        shape = str(found.shape)
    except (TypeError, ValueError):
        found, shape = np.empty(0), f"a {type(given).__name__} that is no array of numbers"
    classes = getattr(model, "classes_", None)
    wide = found.shape[1] if found.ndim == 2 else 0
    if len(found) != len(texts) or wide == 0 or (classes is not None and wide != len(classes)):
        count = "classes" if classes is None else len(classes)
        raise InputError(
            f"{type(model).__name__}.predict_proba gave {shape} for {len(texts)} texts; "
            f"it must give numbers, ({len(texts)}, {count})"
        )
    return found


def _in_lists(texts: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while some := list(islice(remaining, _DOCUMENTS)):
        yield some
