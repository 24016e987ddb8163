"""Texts to what the network sees: normalised word vectors, each distinct one once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.word_cache import PADDING_KEY, WordCache
from whyword.vectors.vectors import Vectors
from whyword.words.document import Document, Text
from whyword.words.tokenizer import Tokenizer

PADDING = 0  # the row of zeros that padding, dropped-out and deleted words point to
MOST_WORDS = 1 << 22  # of a batch, so that endless texts of few distinct words do not fill memory
MOST_DOCUMENTS = 1 << 14


@dataclass(frozen=True, eq=False)
class InputBatch:
    """Documents as rows of a matrix of distinct input vectors.

    Attributes
    ----------
    documents : list of Document
        Empty in the batches that training draws.
    ids : (N,) int32
        Row of each word; document d is ``ids[offsets[d]:offsets[d + 1]]``, padded with 0.
    offsets : (documents + 1,) int64
    vectors : (rows, D) float32
        Normalised; row 0 is padding, all zeros.
    known : (rows,) bool
        Whether the row is a word's vector, rather than padding or that of an unknown word.
    keys : (rows,) int64, or None
        What identifies each row's vector in other batches, too, where there is a cache.
    tables : sequence of (rows, H, F) float32, or None
        The answers of a network's filters, where they are at hand.
    """

    documents: list[Document]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]
    keys: NDArray[np.int64] | None = None
    tables: Sequence[NDArray[np.float32]] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


class _Numbers(dict[str, int]):
    """Words, numbered in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class _BatchBuilder:
    """Documents on their way into a batch, their words numbered."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.ids: list[NDArray[np.int32]] = []
        self.numbers = _Numbers()
        self.words = 0

    def has_room(self, document: Document, most_rows: int, most_words: int) -> bool:
        """Whether the document fits in; the first one always does."""
        if not self.documents:
            return True
        if len(self.documents) == MOST_DOCUMENTS or self.words + len(document) > most_words:
            return False
        if len(self.numbers) + len(document) <= most_rows:
            return True
        new = {word for word in document.cut() if word not in self.numbers}
        return len(self.numbers) + len(new) <= most_rows

    def add(self, document: Document) -> None:
        """Put a document in; its words, many small strings, are not kept with it."""
        words = document.cut()
        self.documents.append(document)
        self.ids.append(np.fromiter(map(self.numbers.__getitem__, words), np.int32, len(words)))
        self.words += len(words)


class _Rows(NamedTuple):
    """The row of each distinct word, and what an :class:`InputBatch` has beside the documents."""

    of_words: NDArray[np.int32]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]
    keys: NDArray[np.int64] | None = None


class Batches(Protocol):
    """What makes batches: a :class:`~whyword.models.cnn.lexicon.Lexicon`."""

    def batches(self, texts: Iterable[Text], most_words: int) -> Iterator[InputBatch]:
        """Yield the texts in batches."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """How texts become input: tokeniser, vectors, normalisation.

    Attributes
    ----------
    tokenizer : Tokenizer
    vectors : Vectors
    mean, deviation : float
        Over the flattened training data; a word without a vector is −mean/deviation everywhere.
    shortest : int
        Length that shorter documents are padded to.
    cache : WordCache or None
        Of words, from batch to batch.
    lexicon : Batches or None
        What makes the batches instead: it has most words' rows already.
    """

    tokenizer: Tokenizer
    vectors: Vectors
    mean: float = 0.0
    deviation: float = 1.0
    shortest: int = 1
    cache: WordCache | None = None
    lexicon: Batches | None = None

    def with_cache(self, budget: int) -> "Inputs":
        """Return the same with a cache of so many bytes for vectors, or none for 0."""
        if not budget or not self.vectors.has_keys:
            return replace(self, cache=None)
        return replace(self, cache=WordCache(self.vectors.dimensions, budget))

    def batches(
        self, texts: Iterable[Text], most_rows: int, most_words: int = MOST_WORDS
    ) -> Iterator[InputBatch]:
        """Yield the texts in batches of at most so many distinct words, and words.

        A single document with more than that is a batch by itself.
        """
        if self.lexicon is not None:
            yield from self.lexicon.batches(texts, most_words)
            return
        builder = _BatchBuilder()
        for document in self.tokenizer.documents(texts):
            if not builder.has_room(document, most_rows, most_words):
                yield self._batch(builder)
                builder = _BatchBuilder()
            builder.add(document)
        if builder.documents:
            yield self._batch(builder)

    def batch(self, texts: Iterable[Text]) -> InputBatch:
        """Return all texts as one batch."""
        builder = _BatchBuilder()
        for document in self.tokenizer.documents(texts):
            builder.add(document)
        return self._batch(builder)

    def matrix(self, text: str) -> NDArray[np.float32]:
        """Return what the network sees of one text, (max(words, shortest), D) float32."""
        batch = self.batch([text])
        matrix: NDArray[np.float32] = batch.vectors[batch.ids]
        return matrix

    def _batch(self, builder: _BatchBuilder) -> InputBatch:
        words = list(builder.numbers)
        rows = self._look_up(words) if self.cache is None else self._from_cache(words, self.cache)
        row_of = np.append(rows.of_words, np.int32(PADDING))  # what number −1 stands for
        padded = []
        for numbers in builder.ids:
            padded.append(numbers)
            if len(numbers) < self.shortest:
                padded.append(np.full(self.shortest - len(numbers), -1, np.int32))
        lengths = [max(len(numbers), self.shortest) for numbers in builder.ids]
        offsets = np.cumsum([0, *lengths]).astype(np.int64)
        ids = row_of[np.concatenate([np.empty(0, np.int32), *padded])]
        return InputBatch(builder.documents, ids, offsets, *rows[1:])

    def _look_up(self, words: Sequence[str]) -> _Rows:
        """Return the words' rows.

        Forms of a word that share a vector share its row, and all unknown words share one.
        """
        places = self.vectors.places(words)
        keys = np.zeros(len(words), np.int64)
        for size, column in zip(self.vectors.sizes(), places.T, strict=True):
            # numbered anew each time, so that no number of tables can overflow
            keys = np.unique(keys, return_inverse=True)[1] * (size + 1) + column + 1
        _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
        nowhere = np.full((1, places.shape[1]), -1)  # the row of the padding
        distinct = np.concatenate([nowhere, places[first]])
        vectors = self.normalise(self.vectors.rows_at(distinct))
        vectors[PADDING] = 0
        known: NDArray[np.bool_] = np.any(distinct >= 0, axis=1)
        return _Rows((rows + 1).astype(np.int32), vectors, known)

    def _from_cache(self, words: Sequence[str], cache: WordCache) -> _Rows:
        """Return the words' rows, most of them from the cache."""
        distinct, rows = np.unique(cache.keys(words, self.vectors), return_inverse=True)
        keys = np.concatenate([[PADDING_KEY], distinct])

        def compute(numbers: NDArray[np.intp]) -> list[NDArray[np.float32]]:
            fresh = self.normalise(self.vectors.rows_of(np.maximum(keys[numbers], 0)))
            fresh[keys[numbers] == PADDING_KEY] = 0
            return [fresh]

        (vectors,) = cache.vectors.rows(keys, compute)
        return _Rows((rows + 1).astype(np.int32), vectors, keys > 0, keys)

    def normalise(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return (v − μ) / σ, docs/method.md (1), in place, for these arrays are large."""
        vectors -= np.float32(self.mean)
        vectors /= np.float32(self.deviation)
        return vectors


def select_documents(
    batch: InputBatch, documents: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return ids and offsets of some of a batch's documents."""
    starts, ends = batch.offsets[documents], batch.offsets[documents + 1]
    ids = np.concatenate([batch.ids[a:b] for a, b in zip(starts, ends, strict=True)])
    return ids, np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)


def drop_unused_rows(
    batch: InputBatch, ids: NDArray[np.int32], offsets: NDArray[np.int64]
) -> InputBatch:
    """Return a batch of these words with only the rows that they need."""
    rows, local = np.unique(ids, return_inverse=True)
    if rows[0] != PADDING:  # row 0 is padding by contract
        rows, local = np.concatenate([[PADDING], rows]), local + 1
    return InputBatch([], local.astype(np.int32), offsets, batch.vectors[rows], batch.known[rows])


def split_batch(batch: InputBatch, most_rows: int) -> Iterator[InputBatch]:
    """Yield a batch's documents in order, in parts of at most so many words (one document)."""
    first = 0
    while first < len(batch):
        last = int(np.searchsorted(batch.offsets, batch.offsets[first] + most_rows, "right")) - 1
        last = max(last, first + 1)
        yield drop_unused_rows(batch, *select_documents(batch, np.arange(first, last)))
        first = last


def normalisation(batch: InputBatch) -> tuple[float, float]:
    """Return mean and standard deviation of a batch's flattened word vectors, padding left out."""
    counts = np.bincount(batch.ids, minlength=len(batch.vectors)).astype(np.float64)
    counts[PADDING] = 0
    vectors = batch.vectors.astype(np.float64)
    size = counts.sum() * vectors.shape[1]
    if size == 0:
        return 0.0, 1.0
    mean = float(counts @ vectors.sum(axis=1) / size)
    variance = float(counts @ ((vectors - mean) ** 2).sum(axis=1) / size)
    return mean, variance**0.5 or 1.0
