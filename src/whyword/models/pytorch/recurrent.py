"""A recurrent network over word vectors, trained here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from whyword.base.checks import flag, one_of, share, whole_number
from whyword.base.errors import InputError
from whyword.base.progress import OnProgress
from whyword.models.input_vectors import input_vectors, vectors_record
from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.encoding import WordEncoder
from whyword.models.pytorch.recurrent_network import (
    CELLS,
    LSTM,
    POOLINGS,
    RecurrentNetwork,
    Shape,
    WordTables,
)
from whyword.models.pytorch.stored import fill
from whyword.models.pytorch.trained import TrainedNetwork
from whyword.models.pytorch.training import CHECKS
from whyword.models.store import pack_words
from whyword.models.stored import Check, StoredModel, check_range
from whyword.models.stored_reader import stored_reader
from whyword.vectors.vectors import Vectors
from whyword.words.document import Document
from whyword.words.reader import Reader

_MOST_HIDDEN, _MOST_LAYERS = 4096, 16
_TABLES = "words.tables"  # where the module has them


class RecurrentClassifier(TrainedNetwork):
    """An LSTM or GRU network over word vectors.

    Parameters
    ----------
    vectors : Vectors, str, Path or None
        Word vectors, or where to load them; None takes :meth:`Vectors.for_texts`, GloVe 50d
        beside CBOW trained on the texts given to :meth:`fit`.
    cell : {"lstm", "gru"}
    hidden : int
        How many cells there are in each direction.
    layers : int
    bidirectional : bool
        Whether texts are read from both ends.
    pooling : {"last", "mean", "max", "attention"}
        How the states at all words become one: the last of each direction, their mean, the largest
        of each cell, or a mean by weights that are learned.
    train_vectors : bool
        Whether the vectors are trained, too. Then other words than those of the training texts are
        unknown, for their vectors would stay behind.
    dropout : float
        Share of what is pooled, and of what goes from layer to layer, zeroed at random while
        training.
    word_dropout : float
        Share of words zeroed at random while training.
    epochs, batch_size : int
    learning_rate : float
        Of Adam, at its highest; it falls linearly to zero.
    warmup : float
        Share of the steps in which the rate grows from zero.
    patience : int or None
        After so many epochs without a better one, training ends.
    l2 : float
        Strength of the pull of all weights towards zero.
    precision : {"float32", "bfloat16"} or None
        Of the passes forth in training; None takes bfloat16 where the processor has it.
    class_weight : None, "balanced" or dict
        Weight of each class in the loss.
    validation : int or float
        Number or share of documents held out, by class; the epoch that does best on them is
        kept. 0 trains on everything and keeps the last epoch.
    length : int or None
        How many words of a text are trained on at a time: of longer ones another part in each
        epoch. All are read when it predicts. None trains on whole texts.
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int
    on_progress : callable, bool or None
        Called with the :class:`~whyword.base.progress.Progress` while it trains, instead of a
        bar. True shows the bar, False does not, None does on a terminal only.

    Attributes
    ----------
    classes_ : (C,) array
    classifier_ : TorchClassifier
        The network, as it predicts and is explained.
    table_words_ : list of list of str
        The words of each table of vectors.
    training_words_ : list of str
        Lower-cased words of the training texts.
    provenance_ : dict
        What it was trained on, with which versions, and how well it did.
    """

    kind = "recurrent"
    checks: ClassVar[Mapping[str, Check[Any]]] = {
        "cell": partial(one_of, choices=CELLS),
        "hidden": partial(whole_number, most=_MOST_HIDDEN),
        "layers": partial(whole_number, most=_MOST_LAYERS),
        "bidirectional": flag,
        "pooling": partial(one_of, choices=POOLINGS),
        "train_vectors": flag,
        "dropout": share,
        **CHECKS,
    }

    def __init__(
        self,
        *,
        vectors: Vectors | str | Path | None = None,
        cell: str = LSTM,
        hidden: int = 128,
        layers: int = 1,
        bidirectional: bool = True,
        pooling: str = "max",
        train_vectors: bool = False,
        dropout: float = 0.5,
        word_dropout: float = 0.3,
        epochs: int = 12,
        batch_size: int = 32,
        learning_rate: float = 5e-3,
        warmup: float = 0.05,
        patience: int | None = 3,
        l2: float = 0.0,
        precision: str | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        validation: float = 0.1,
        length: int | None = 200,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
        on_progress: OnProgress | bool | None = None,
    ) -> None:
        self.vectors = vectors
        self.cell = cell
        self.hidden = hidden
        self.layers = layers
        self.bidirectional = bidirectional
        self.pooling = pooling
        self.train_vectors = train_vectors
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warmup = warmup
        self.patience = patience
        self.l2 = l2
        self.precision = precision
        self.class_weight = class_weight
        self.validation = validation
        self.length = length
        self.max_words = max_words
        self.reader = reader
        self.seed = seed
        self.on_progress = on_progress

    # ---- training -----------------------------------------------------------------------------

    def _untrained(self, documents: Sequence[Document], classes: NDArray[Any]) -> TorchClassifier:
        reader = Reader.of(self.reader, self.max_words)
        whole = documents
        if any(one.truncated for one in documents):  # vectors are learned from all words
            whole = list(reader.shortened(None).documents(one.text for one in documents))
        vectors = input_vectors(self.vectors, whole, self.seed, self.on_progress)
        counts = Counter(word for one in documents for word in one.cut_read())
        if self.train_vectors:
            vectors = vectors.restrict(counts)
        tables = _tables(vectors)
        with torch.no_grad():
            for weight, (_, matrix) in zip(tables.weights, vectors.tables, strict=True):
                weight[0], weight[1:] = 0.0, torch.from_numpy(matrix)
            tables.scale[0] = 1 / _deviation(vectors, counts)
        module = RecurrentNetwork(tables, self._shape(len(classes)), float(self.dropout))
        tables.tables.requires_grad_(bool(self.train_vectors))
        check_range(module.largest())
        return _classifier(module, vectors.words, classes, reader)

    def _shape(self, classes: int) -> Shape:
        scores = 1 if classes == 2 else classes
        hidden, layers = int(self.hidden), int(self.layers)
        return Shape(self.cell, hidden, layers, bool(self.bidirectional), self.pooling, scores)

    def _results(self) -> dict[str, Any]:
        return {"vectors": vectors_record(self.vectors)}

    # ---- keeping ------------------------------------------------------------------------------

    @property
    def table_words_(self) -> list[list[str]]:
        """The words of each table of vectors."""
        tables: WordTables = self.module.words  # type: ignore[assignment]
        return tables.listed

    def _described(self) -> dict[str, Any]:
        return {}

    def _tensors(self) -> dict[str, NDArray[Any]]:
        words = {f"words_{n}": pack_words(some) for n, some in enumerate(self.table_words_)}
        return super()._tensors() | words

    @classmethod
    def _rebuilt(cls, stored: StoredModel, model: Self) -> TorchClassifier:
        count = max(1, len(stored.numbered("words_")))
        words = [stored.words(f"words_{number}", f"V{number}") for number in range(count)]
        sizes = [stored.shape(f"{_TABLES}.{number}.weight") for number in range(count)]
        empty = [np.empty((len(some), 0), np.float32) for some in words]
        vectors = Vectors.from_tables(zip(words, empty, strict=True))
        with torch.device("meta"):
            tables = _tables(vectors, [shape[-1] if len(shape) == 2 else 1 for shape in sizes])
            shape = model._shape(len(model.classes_))
            module = RecurrentNetwork(tables, shape, float(model.dropout))
        fill(stored, module)
        module.eval().requires_grad_(False)
        stored.check_range(module.largest())
        matrices = [weight.numpy() for weight in tables.weights]
        if any(matrix[0].any() for matrix in matrices):
            raise stored.fault("the vector of unknown words is not zero")
        kept = [matrix[1:] for matrix in matrices]
        model.vectors = Vectors.from_tables(zip(words, kept, strict=True))
        return _classifier(module, vectors.words, model.classes_, stored_reader(stored.settings))


def _tables(vectors: Vectors, sizes: Sequence[int] | None = None) -> WordTables:
    """Return the tables that vectors need, with no vectors in them yet.

    Parameters
    ----------
    vectors : Vectors
    sizes : list of int, optional
        How many elements each table's vectors have, where that is not known from them.
    """
    places = np.concatenate([np.full((1, len(vectors.tables)), -1), vectors.places(vectors.words)])
    rows = [torch.from_numpy(column + 1) for column in places.T]
    if sizes is None:
        sizes = [matrix.shape[1] for _, matrix in vectors.tables]
    counts = [len(words) for words, _ in vectors.tables]
    listed = [words for words, _ in vectors.tables]
    return WordTables(rows, list(zip(counts, sizes, strict=True)), listed)


def _deviation(vectors: Vectors, counts: Mapping[str, int]) -> float:
    """Return the root of the mean square of what the training texts' words have; 1 of nothing."""
    known = vectors.known(list(counts)).tolist()
    words = [word for word, has_vector in zip(counts, known, strict=True) if has_vector]
    squares = np.square(vectors.rows(words), dtype=np.float64).mean(axis=1)
    often = np.array([counts[word] for word in words], np.float64)
    if not often.size:
        raise InputError("no word of the training texts has a vector")
    return float(often @ squares / often.sum()) ** 0.5 or 1.0


def _classifier(
    module: RecurrentNetwork, words: Sequence[str], classes: NDArray[Any], reader: Reader
) -> TorchClassifier:
    """Return the network with what encodes texts for it: unknown words are zeros, as padding is."""
    numbers = {word: number for number, word in enumerate(words, 1)}
    return TorchClassifier(
        module.eval(), WordEncoder(numbers, 0, 0), classes.tolist(), reader=reader
    )
