"""Bags of words and of n-grams: TF-IDF vectors of unit length, without scikit-learn.

Equations are those of docs/method.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.models.linear.bag import Bag, FeatureRow
from whyword.models.linear.ngrams import (
    LEFT_OUT,
    UNKNOWN,
    Found,
    Names,
    Ngrams,
    TrainingWords,
    learn_ngrams,
)
from whyword.words.document import Document, Text
from whyword.words.reader import Reader


class ReadWords(NamedTuple):
    """The words of a text that are read, and the features they make.

    Attributes
    ----------
    document : Document
    words : (R,) intp
        The positions of the words that are read.
    numbers : (R,) intp
        Their places among the known words, −1 for the others.
    found : list of Found
        The features, length by length.
    """

    document: Document
    words: NDArray[np.intp]
    numbers: NDArray[np.intp]
    found: list[Found]


@dataclass(frozen=True, eq=False)
class TfIdf:
    """Lower-cased n-grams weighted by frequency in the text and rarity in the training texts.

    A text's features are x[i] of equation (13).

    Attributes
    ----------
    reader : Reader
    ngrams : Ngrams
        The V features.
    frequencies : (V,) int64
        In how many training documents each occurs.
    documents : int
        How many training documents there were.
    sublinear : bool
        Whether an n-gram that occurs m times counts 1 + ln m rather than m.
    """

    reader: Reader
    ngrams: Ngrams
    frequencies: NDArray[np.int64]
    documents: int
    sublinear: bool

    @property
    def words(self) -> list[str]:
        """The single words of the training texts that n-grams are made of."""
        return self.ngrams.words

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """idf[i] = ln((1 + N) / (1 + f[i])) + 1 of equation (13), (V,)."""
        return np.log((1 + self.documents) / (1 + self.frequencies)) + 1

    def read(self, text: Text) -> ReadWords:
        """Return the words of a text that are read, and the features they make."""
        (document,) = self.reader.documents([text])
        return self.read_without(document)

    def read_without(self, document: Document, deleted: Iterable[int] = ()) -> ReadWords:
        """Return what is read of a document: no stop words, ignored or deleted ones."""
        place_of = self.ngrams.index.get
        places = [place_of(word.lower(), UNKNOWN) for word in document.cut()]
        for position in document.ignored.tolist() if len(document.unread) else ():
            places[position] = LEFT_OUT
        for position in deleted:
            places[position] = LEFT_OUT
        numbers = np.array(places, np.intp)
        words = np.flatnonzero(numbers != LEFT_OUT)
        numbers = numbers[words]
        return ReadWords(document, words, numbers, self.ngrams.find(numbers))

    def row_of(self, read: ReadWords) -> FeatureRow:
        """Return a text's features, x[i] of equation (13)."""
        found = [one.places for one in read.found]
        places, counts = np.unique(
            found[0] if len(found) == 1 else np.concatenate(found), return_counts=True
        )
        values = self.tfidf_weights(places, counts.astype(np.float64))
        return FeatureRow(places, values / max(float(np.linalg.norm(values)), 1e-300))

    def bag_of(self, read: ReadWords, row: FeatureRow) -> Bag:
        """Return a text's features and the words they stand for."""
        document, positions, _, found = read
        places = np.concatenate([one.places for one in found])
        features = np.searchsorted(row.places, places)
        counts = np.bincount(features, minlength=len(row.places))
        first = np.concatenate([one.starts for one in found])
        length = np.repeat([one.length for one in found], [len(one.starts) for one in found])
        spans = document.spans[positions[first]]
        if self.ngrams.lengths[1] > 1:
            spans[:, 1] = document.spans[positions[first + length - 1], 1]
        covered = np.arange(len(places)).repeat(length)
        within = np.arange(len(covered)) - (np.cumsum(length) - length).repeat(length)
        words = positions[first[covered] + within]
        names = Names(self.ngrams, places)
        return Bag(document, row, features, 1 / counts[features], spans, names, words, covered)

    def bag_without(self, document: Document, deleted: NDArray[np.intp]) -> Bag:
        """Return the document's bag made anew without the words at these positions."""
        read = self.read_without(document, deleted.tolist())
        return self.bag_of(read, self.row_of(read))

    def read_documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return self.reader.documents(texts)

    def tfidf_weights(
        self, places: NDArray[np.intp], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return u[i] = tf(m[i]) · idf[i] of equation (13), of n-grams that occur m[i] times."""
        if self.sublinear:
            counts = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)
        weights: NDArray[np.float64] = counts * self.idf[places]
        return weights


class TrainingRows(NamedTuple):
    """The features of N training documents, one after the other: rows of a sparse matrix.

    Attributes
    ----------
    places : (n,) intp
        In increasing order in each document.
    values : (n,) float64
        x[i] of equation (13).
    ends : (N + 1,) intp
        Those of document d are ``ends[d]:ends[d + 1]``.
    """

    places: NDArray[np.intp]
    values: NDArray[np.float64]
    ends: NDArray[np.intp]


def fit_tfidf(
    training: TrainingWords,
    documents: int,
    reader: Reader,
    sublinear: bool,
    lengths: tuple[int, int] = (1, 1),
    least: int = 1,
) -> tuple[TfIdf, TrainingRows]:
    """Count the n-grams of training documents.

    Parameters
    ----------
    training : TrainingWords
    documents : int
        How many there are.
    reader : Reader
        By which they were read.
    sublinear : bool
    lengths : tuple of int
        Of how many words n-grams are, from and to.
    least : int
        Of n-grams of several words, those that at least so many documents have.
    """
    ngrams, found = learn_ngrams(training, lengths, least)
    size = max(1, len(ngrams))
    keys = np.concatenate([training.documents[one.starts] * size + one.places for one in found])
    keys.sort()
    first = np.flatnonzero(np.append(keys[:1] >= 0, keys[1:] != keys[:-1]))
    counts = np.diff(np.append(first, len(keys)))
    owners, places = np.divmod(keys[first], size)
    frequencies = np.bincount(places, minlength=len(ngrams)).astype(np.int64)
    features = TfIdf(reader, ngrams, frequencies, documents, sublinear)
    values = features.tfidf_weights(places, counts.astype(np.float64))
    ends = np.searchsorted(owners, np.arange(documents + 1))
    for first, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        values[first:end] /= max(float(np.linalg.norm(values[first:end])), 1e-300)
    return features, TrainingRows(places, values, ends)
