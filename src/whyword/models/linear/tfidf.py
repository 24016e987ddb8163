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

from whyword.words.document import Document, Text, document_frequencies
from whyword.words.reader import Reader


class FeatureRow(NamedTuple):
    """The non-zero features of one text: (n,) intp places in increasing order, (n,) float64."""

    places: NDArray[np.intp]
    values: NDArray[np.float64]


class WordPlaces(NamedTuple):
    """A text's words, and the place of each among the features; −1 for unknown words."""

    document: Document
    places: list[int]


class Bag(NamedTuple):
    """The features of a text, and which words they stand for.

    Link l gives the share ``shares[l]`` of feature ``features[l]`` to word ``words[l]``. A
    feature's shares sum to 1, or to less if it stands for something that is no word of the text.

    Attributes
    ----------
    document : Document
        Of T words.
    row : FeatureRow
        Of n features.
    words, features : (L,) intp
    shares : (L,) float64
    """

    document: Document
    row: FeatureRow
    words: NDArray[np.intp]
    features: NDArray[np.intp]
    shares: NDArray[np.float64]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each word has a part in a feature, (T,)."""
        known = np.zeros(len(self.document), np.bool_)
        known[self.words] = True
        return known

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the features, (n, K), as the words' shares of them, (T, K).

        Equation (16): R[t, k] = Σ_i a[t, i] · R[i, k], where a is the links' shares.
        """
        spread = np.zeros((len(self.document), values.shape[1]))
        np.add.at(spread, self.words, self.shares[:, None] * values[self.features])
        return spread

    def gather(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return values of the words, (T,), as sums over the features' words, (n,).

        A word's value is shared equally among the features it has a part in.
        """
        parts = np.bincount(self.words, minlength=len(self.document))
        shares = values[self.words] / parts[self.words]
        return np.bincount(self.features, shares, len(self.row.places)).astype(np.float64)


def linked_bag(
    document: Document, row: FeatureRow, occurrences: Sequence[tuple[int, Sequence[int]]]
) -> Bag:
    """Return the bag in which a feature's m occurrences have 1/m each, its words equal parts.

    The shares are a[t, i] of equation (16).

    Parameters
    ----------
    document : Document
    row : FeatureRow
    occurrences : sequence of (place, words)
        One entry per occurrence: the feature's place, the words it covers (perhaps none).
    """
    counts = Counter(place for place, _ in occurrences)
    at = {place: number for number, place in enumerate(row.places.tolist())}
    links = [
        (word, at[place], 1 / (counts[place] * len(covered)))
        for place, covered in occurrences
        if place in at
        for word in covered
    ]
    words, features, shares = zip(*links, strict=True) if links else ((), (), ())
    return Bag(
        document,
        row,
        np.array(words, np.intp),
        np.array(features, np.intp),
        np.array(shares, np.float64),
    )


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
        occurrences = [(place, (word,)) for word, place in enumerate(read.places) if place >= 0]
        return linked_bag(read.document, row, occurrences)

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
