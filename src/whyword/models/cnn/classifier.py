"""The paper's network: word vectors, convolution, max-pooling, a linear layer."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import strings, whole_number
from whyword.base.progress import OnProgress, reporting
from whyword.base.threads import one_thread
from whyword.models.abilities import Caching, Reading, Shiftable, Trained
from whyword.models.cnn.inputs import Inputs, normalisation
from whyword.models.cnn.network import TABLE_BYTES, Network
from whyword.models.cnn.stored import PARAMETERS, from_stored, to_stored
from whyword.models.cnn.summary import rarity_of
from whyword.models.cnn.trace import CNNTrace
from whyword.models.cnn.training import (
    LabelledBatch,
    Settings,
    train_network,
    widths_of,
)
from whyword.models.cnn.variants import shifted, shuffled_network
from whyword.models.cnn.word_cache import FrequentWords, RecentWords, WordLookup
from whyword.models.epochs import STAGE, held_out_documents
from whyword.models.estimator import (
    Estimator,
    check_training_data,
    class_weights,
    stored_class_weight,
    stored_parameters,
)
from whyword.models.input_vectors import input_vectors, vectors_record
from whyword.models.protocol import Positions
from whyword.models.store import training_provenance
from whyword.models.stored import StoredModel, check_range, largest_number
from whyword.models.stored_reader import read_otherwise, reader_argument
from whyword.vectors.vectors import Vectors
from whyword.words.document import Document, Text, document_frequencies
from whyword.words.reader import Reader


class CNNClassifier(Estimator, Reading, Trained, Shiftable, Caching):
    """A convolutional network over frozen word vectors.

    Parameters
    ----------
    vectors : Vectors, str, Path or None
        Word vectors, or where to load them; None takes :meth:`Vectors.for_texts`, GloVe 50d
        beside CBOW trained on the texts given to :meth:`fit`.
    width : int or sequence of int
        How many words a filter sees; several widths at once as in Kim (2014).
    filters : int
        How many filters of each width.
    dropout : float
        Share of pooled features zeroed at random while training.
    word_dropout : float
        Share of words zeroed at random while training.
    l2 : float
        Strength of the pull of all weights towards zero.
    epochs, batch_size : int
    learning_rate : float
        Of Adam, at the beginning; it falls linearly to zero.
    class_weight : None, "balanced" or dict
        Weight of each class in the loss.
    validation : int or float
        Number or share of documents held out, by class; the epoch that does best on them is
        kept. 0 trains on everything and keeps the last epoch.
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int
    on_progress : callable, bool or None
        Called with the :class:`~whyword.base.progress.Progress` after each epoch, instead of a
        bar. True shows the bar, False does not, None does on a terminal only.

    Attributes
    ----------
    classes_ : (C,) array
    network_ : Network
    inputs_ : Inputs
    vocabulary_ : dict
        Lower-cased training words and the number of documents that have each.
    provenance_ : dict
        What it was trained on, with which versions, and how well it did.
    """

    kind = "cnn"
    _kept_words: WordLookup | None = None
    shuffled_layers = ("all", "output")

    def __init__(
        self,
        *,
        vectors: Vectors | str | Path | None = None,
        width: int | Sequence[int] = 2,
        filters: int = 800,
        dropout: float = 0.5,
        word_dropout: float = 0.3,
        l2: float = 0.0,
        epochs: int = 15,
        batch_size: int = 64,
        learning_rate: float = 2e-3,
        class_weight: str | Mapping[Any, float] | None = None,
        validation: float = 0.1,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
        on_progress: OnProgress | bool | None = None,
    ) -> None:
        self.vectors = vectors
        self.width = width
        self.filters = filters
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.l2 = l2
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.class_weight = class_weight
        self.validation = validation
        self.max_words = max_words
        self.reader = reader
        self.seed = seed
        self.on_progress = on_progress

    # ---- training -----------------------------------------------------------------------------

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        """Train on texts and their labels."""
        start = time.perf_counter()
        checked, classes, numbers = check_training_data(texts, labels)
        settings = Settings.of(**self.get_params())
        weights = class_weights(self.class_weight, classes, numbers)
        chosen = held_out_documents(self.validation, numbers, self.seed)
        reader = Reader.of(self.reader, self.max_words)
        whole = reader.shortened(None)  # vectors are learned from all words
        documents = list(whole.documents(checked))
        vectors = input_vectors(self.vectors, documents, self.seed, self.on_progress)
        read = [document.shortened(reader.tokenizer.max_words) for document in documents]
        inputs = Inputs(reader, vectors, shortest=max(settings.widths))
        batch = inputs.batch(one for one, out in zip(read, chosen, strict=True) if not out)
        mean, deviation = normalisation(batch)
        inputs = replace(inputs, mean=mean, deviation=deviation)
        train, validation = LabelledBatch(inputs.normalise_batch(batch), numbers[~chosen]), None
        if chosen.any():
            held_out = inputs.batch(one for one, out in zip(read, chosen, strict=True) if out)
            validation = LabelledBatch(held_out, numbers[chosen])
        with reporting(self.on_progress, STAGE) as report:
            network, best = train_network(train, validation, weights, settings, report)
        element = max(largest_number(matrix) for _, matrix in vectors.tables)
        check_range(network.largest(inputs.largest(element)))
        self.classes_ = classes
        self.inputs_, self._kept_words, self._identity = inputs, None, None
        self.network_ = _antisymmetric(network) if len(classes) == 2 else network
        self.vocabulary_ = document_frequencies(documents)
        self.provenance_ = training_provenance(
            checked,
            numbers.tolist(),
            start,
            held_out=int(chosen.sum()),
            vectors=vectors_record(self.vectors),
            best_epoch=best.number,
            loss=best.loss,
            validation_accuracy=best.accuracy,
        )
        return self

    # ---- predicting ---------------------------------------------------------------------------

    def class_scores(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Return the scores of all classes, (documents, classes); (−s, s) for two classes."""
        self.check_fitted()
        batches = self.words_.batches(strings("texts", texts))
        scores = [self.network_.forward(batch) for batch in batches]
        return np.concatenate([np.empty((0, len(self.classes_)), np.float32), *scores])

    def known_words(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return how many words of each text have a vector; a text with none says nothing."""
        self.check_fitted()
        documents, vectors = self.documents(strings("texts", texts)), self.inputs_.vectors
        known = (vectors.known(document.cut_read()).sum() for document in documents)
        return np.array(list(known), np.int64)

    @property
    def reader_(self) -> Reader:
        """How it reads."""
        self.check_fitted()
        return self.inputs_.reader

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy with the same weights and vectors that reads otherwise."""
        model = copy(self)
        model.inputs_, model._kept_words = replace(self.inputs_, reader=Reader.of(reader)), None
        return read_otherwise(model, self.reader_)

    @property
    def trace_kind(self) -> type[CNNTrace]:
        """The class of its traces."""
        return CNNTrace

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the network sees."""
        return self.inputs_.reader.documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[CNNTrace]:
        """Yield the texts in blocks; the vectors of deleted words are zero."""
        numbers = max(1, columns) * (self.inputs_.vectors.dimensions if elements else 1)
        rarity = rarity_of(self.vocabulary_, self.provenance_.get("documents", 0))
        return CNNTrace.blocks(self.words_, texts, deleted, numbers, rarity=rarity)

    # ---- caching ------------------------------------------------------------------------------

    @property
    def words_(self) -> WordLookup:
        """From texts to what the network reads; what is kept counts for this network alone."""
        kept = self._kept_words
        if kept is not None and kept.inputs is self.inputs_ and kept.network is self.network_:
            return kept
        return WordLookup(self.inputs_, self.network_)

    def cache_words(self, budget: int = TABLE_BYTES) -> Self:
        """Keep the filters' answers to words from call to call, and return itself.

        Texts that come one by one are then predicted and explained in half the time. Answers are
        the same up to the rounding of float32.

        Parameters
        ----------
        budget : int
            Bytes they may take; the least recently used words are evicted first; 0 keeps none.
        """
        self.check_fitted()
        budget = whole_number("budget", budget, least=0)
        keeps = budget > 0 and self.inputs_.vectors.has_keys
        self._kept_words = RecentWords(self.inputs_, self.network_, budget) if keeps else None
        return self

    def cache_frequent_words(self, texts: Iterable[str], budget: int) -> Self:
        """Return a copy that has the filters' answers to words which the texts have most often."""
        if not self.inputs_.vectors.has_keys:
            return self
        model = copy(self)
        with one_thread():
            model._kept_words = FrequentWords(self.inputs_, self.network_, texts, budget)
        return model

    # ---- looking inside, and other networks ---------------------------------------------------

    def input_matrix(self, text: str) -> NDArray[np.float32]:
        """Return exactly what the network sees, padding included: (max(words, width), D)."""
        self.check_fitted()
        return self.inputs_.matrix(text)

    @property
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights, by name.

        ``conv_weight`` (H, D, F), ``conv_bias`` (F,), ``output_weight`` (F, C) and ``output_bias``
        (C,); with several widths ``conv_weight_<H>`` and ``conv_bias_<H>``, output rows in
        increasing H.
        """
        self.check_fitted()
        several = len(self.network_.convolutions) > 1
        weights = {}
        for convolution in self.network_.convolutions:
            ending = f"_{convolution.width}" if several else ""
            weights[f"conv_weight{ending}"] = convolution.weight.transpose(0, 2, 1)
            weights[f"conv_bias{ending}"] = convolution.bias
        weights["output_weight"] = self.network_.output_weight
        weights["output_bias"] = self.network_.output_bias
        return weights

    @property
    def training_words(self) -> Mapping[str, int]:
        """The lower-cased words of the training texts."""
        return self.vocabulary_

    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy with weights in random order: the output layer's, or all."""
        model = copy(self)
        model.network_ = shuffled_network(self.network_, layers == "all", seed)
        return model

    def shifted(self, shift: float) -> Self:
        """Return a copy with word vectors moved by a constant, and the same scores."""
        model = copy(self)
        model.inputs_, model.network_ = shifted(self.inputs_, self.network_, shift)
        return model

    def is_shiftable(self, text: str) -> bool:
        """Return whether the text has as many words as the widest filter: it is not padded."""
        return len(self.inputs_.reader(text)) >= self.inputs_.shortest

    # ---- keeping ------------------------------------------------------------------------------

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        tensors, described = to_stored(self.network_, self.inputs_, self.vocabulary_)
        parameters = stored_parameters(self.get_params())
        for name in ("vectors", "reader", "on_progress"):  # told apart from these, or not kept
            parameters.pop(name)
        widths = [convolution.width for convolution in self.network_.convolutions]
        parameters["width"] = widths if len(widths) > 1 else widths[0]
        configuration = {
            "kind": self.kind,
            "classes": self.classes_.tolist(),
            "parameters": parameters,
            **described,
            "provenance": self.provenance_,
        }
        return tensors, configuration

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""
        classes, provenance = stored.classes(), stored.provenance()
        network, inputs, vocabulary = from_stored(stored, provenance.get("documents"))
        parameters = stored.parameters({**PARAMETERS, "class_weight": stored_class_weight(classes)})
        model = cls(**parameters)
        widths = tuple(convolution.width for convolution in network.convolutions)
        if widths_of("width", model.width) != widths:
            raise stored.fault(f"parameters.width is {model.width!r:.60}, the filters' is {widths}")
        model.network_, model.inputs_, model.vocabulary_ = network, inputs, vocabulary
        model.vectors = inputs.vectors
        model.reader = reader_argument(inputs.reader, model.max_words)
        model.classes_, model.provenance_ = classes, provenance
        return model


def _antisymmetric(network: Network) -> Network:
    """Return the same two-class network with scores (−s, s): the mean of the two goes."""
    return replace(
        network,
        output_weight=network.output_weight - network.output_weight.mean(axis=1, keepdims=True),
        output_bias=network.output_bias - network.output_bias.mean(),
    )
