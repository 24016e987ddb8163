"""Bags of words: TF-IDF vectors of unit length, without scikit-learn.

Equations are those of docs/method.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.models.linear.bag import Bag, FeatureRow
from whyword.words.document import Document, Text, document_frequencies
from whyword.words.reader import Reader


class WordPlaces(NamedTuple):
    """A text's words, and the place of each among the features; −1 for unknown words."""

    document: Document
    places: list[int]


@dataclass(frozen=True, eq=False)
class TfIdf:
    """Lower-cased words weighted by frequency in the text and rarity in the training texts.

    A text's features are x[i] of equation (13).

    Attributes
    ----------
    reader : Reader
    words : list of V str
        Sorted.
    frequencies : (V,) int64
        In how many training documents each occurs.
    documents : int
        How many training documents there were.
    sublinear : bool
        Whether a word that occurs m times counts 1 + ln m rather than m.
    """

    reader: Reader
    words: list[str]
    frequencies: NDArray[np.int64]
    documents: int
    sublinear: bool

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """idf[i] = ln((1 + N) / (1 + f[i])) + 1 of equation (13), (V,)."""
        return np.log((1 + self.documents) / (1 + self.frequencies)) + 1

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each word stands."""
        return {word: place for place, word in enumerate(self.words)}

    def read(self, text: Text) -> WordPlaces:
        """Return the text's words and their places among the features."""
        (document,) = self.reader.documents([text])
        return WordPlaces(document, self._places(document))

    def row_of(self, read: WordPlaces) -> FeatureRow:
        """Return a text's features, x[i] of equation (13)."""
        counts = Counter(place for place in read.places if place >= 0)
        places = np.array(sorted(counts), np.intp)
        values = np.array([counts[place] for place in places.tolist()], np.float64)
        values = self.tfidf_weights(places, values)
        return FeatureRow(places, values / max(float(np.linalg.norm(values)), 1e-300))

    def bag_of(self, read: WordPlaces, row: FeatureRow) -> Bag:
        """Return a text's features and the words they stand for."""
        places = np.array(read.places, np.intp)
        words = np.flatnonzero(places >= 0)
        features = np.searchsorted(row.places, places[words])
        counts = np.bincount(features, minlength=len(row.places))
        names = [self.words[place] for place in places[words].tolist()]
        each = np.arange(len(words))
        spans = read.document.spans[words]
        return Bag(read.document, row, features, 1 / counts[features], spans, names, words, each)

    def bag_without(self, document: Document, deleted: NDArray[np.intp]) -> Bag:
        """Return the document's bag made anew without the words at these positions."""
        places = self._places(document)
        for position in deleted.tolist():
            places[position] = -1
        read = WordPlaces(document, places)
        return self.bag_of(read, self.row_of(read))

    def read_documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return self.reader.documents(texts)

    def tfidf_weights(
        self, places: NDArray[np.intp], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return u[i] = tf(m[i]) · idf[i] of equation (13), of words that occur m[i] times."""
        if self.sublinear:
            counts = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)
        weights: NDArray[np.float64] = counts * self.idf[places]
        return weights

    def _places(self, document: Document) -> list[int]:
        """Return each word's place, −1 for those ignored or not in the training texts."""
        index = self.index
        places = [index.get(word.lower(), -1) for word in document.cut()]
        for position in document.ignored.tolist() if len(document.unread) else ():
            places[position] = -1
        return places


def fit_tfidf(documents: Sequence[Document], reader: Reader, sublinear: bool) -> TfIdf:
    """Count the words of training documents."""
    frequencies = document_frequencies(documents)
    counts = np.array(list(frequencies.values()), np.int64)
    return TfIdf(reader, list(frequencies), counts, len(documents), sublinear)
