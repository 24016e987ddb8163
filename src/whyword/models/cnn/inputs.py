"""Texts to what the network sees: normalised word vectors, each distinct one once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.vectors.vectors import Vectors
from whyword.words.document import Document, Text
from whyword.words.reader import Reader
from whyword.words.word_hashes import MISSING

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
    tables : sequence of (rows, H, F) float32
        The answers of a network's filters of each width, equation (29) of docs/method.md, where
        they are kept; else the network computes them, and lets go of them, when it needs them.
    """

    documents: list[Document]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]
    tables: Sequence[NDArray[np.float32]] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1


class _Numbers(dict[str, int]):
    """Words, numbered in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class WordRows(NamedTuple):
    """The rows of some words.

    Attributes
    ----------
    of_words : (words,) int32
        The row of each.
    vectors, known, tables
        As in an :class:`InputBatch`.
    """

    of_words: NDArray[np.int32]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]
    tables: Sequence[NDArray[np.float32]] = ()


class BatchBuilder:
    """Documents on their way into a batch.

    Attributes
    ----------
    documents : list of Document
    numbers : dict
        The words to look up, numbered.
    """

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.numbers = _Numbers()
        self._rows: list[NDArray[np.int32]] = []  # −1 − n for word number n
        self._words = 0

    def fits(self, document: Document, most_words: int) -> bool:
        """Whether there is room for a further document, by its length."""
        return len(self.documents) < MOST_DOCUMENTS and self._words + len(document) <= most_words

    def add(self, document: Document, rows: NDArray[np.int32] | None = None) -> None:
        """Put a document in; its words, many small strings, are not kept with it.

        Parameters
        ----------
        document : Document
        rows : (T,) int32, optional
            Those of words that need not be looked up, MISSING for the others; taken over.
        """
        if rows is None:
            rows = self._number(document.cut())
        else:
            missing = np.flatnonzero(rows == MISSING)
            if len(missing):
                rows[missing] = self._number(document.cut(missing))
        if len(document.unread):
            rows[document.ignored] = PADDING
        self.documents.append(document)
        self._rows.append(rows)
        self._words += len(rows)

    def _number(self, words: list[str]) -> NDArray[np.int32]:
        return -1 - np.fromiter(map(self.numbers.__getitem__, words), np.int32, len(words))

    def batch(self, found: WordRows, shortest: int) -> InputBatch:
        """Return the batch, short documents padded.

        Parameters
        ----------
        found : WordRows
            Of the words to look up.
        shortest : int
        """
        lengths = [max(len(rows), shortest) for rows in self._rows]
        offsets = np.cumsum([0, *lengths]).astype(np.int64)
        ids = np.full(offsets[-1], PADDING, np.int32)
        for start, rows in zip(offsets.tolist(), self._rows, strict=False):
            ids[start : start + len(rows)] = rows
        is_numbered = ids < 0
        ids[is_numbered] = found.of_words[-1 - ids[is_numbered]]
        return InputBatch(self.documents, ids, offsets, *found[1:])


@dataclass(frozen=True, eq=False)
class Inputs:
    """How texts become input: reader, vectors, normalisation.

    Attributes
    ----------
    reader : Reader
    vectors : Vectors
    mean, deviation : float
        Over the flattened training data; a word without a vector is −mean/deviation everywhere.
    shortest : int
        Length that shorter documents are padded to.
    """

    reader: Reader
    vectors: Vectors
    mean: float = 0.0
    deviation: float = 1.0
    shortest: int = 1

    def batch(self, texts: Iterable[Text]) -> InputBatch:
        """Return all texts as one batch."""
        builder = BatchBuilder()
        for document in self.reader.documents(texts):
            builder.add(document)
        return builder.batch(self.look_up(list(builder.numbers)), self.shortest)

    def matrix(self, text: str) -> NDArray[np.float32]:
        """Return what the network sees of one text, (max(words, shortest), D) float32."""
        batch = self.batch([text])
        matrix: NDArray[np.float32] = batch.vectors[batch.ids]
        return matrix

    def look_up(self, words: Sequence[str]) -> WordRows:
        """Return the rows of different words, without tables.

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
        return WordRows((rows + 1).astype(np.int32), vectors, known)

    def normalise_batch(self, batch: InputBatch) -> InputBatch:
        """Return a batch that was made without normalisation as one with this, in place."""
        self.normalise(batch.vectors)[PADDING] = 0
        return batch

    def largest(self, of_vectors: float) -> float:
        """Return the largest number that the network may see, from that of the vectors."""
        return (of_vectors + abs(self.mean)) / self.deviation

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
