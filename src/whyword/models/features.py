"""Bags of words: TF-IDF vectors of unit length, without scikit-learn."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.text import Tokenizer


class FeatureRow(NamedTuple):
    """The non-zero features of one text: (n,) intp places in increasing order, (n,) float64."""

    places: NDArray[np.intp]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TfIdf:
    """Lower-cased words weighted by frequency in the text and rarity in the training texts.

    Attributes
    ----------
    tokenizer : Tokenizer
    words : list of V str
        Sorted.
    frequencies : (V,) int64
        In how many training documents each occurs.
    documents : int
        How many training documents there were.
    sublinear : bool
        Whether a word that occurs m times counts 1 + ln m rather than m.
    """

    tokenizer: Tokenizer
    words: list[str]
    frequencies: NDArray[np.int64]
    documents: int
    sublinear: bool

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """ln((1 + documents) / (1 + frequency)) + 1 of each word, (V,)."""
        return np.log((1 + self.documents) / (1 + self.frequencies)) + 1

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each word stands."""
        return {word: place for place, word in enumerate(self.words)}

    def row(self, text: str) -> FeatureRow:
        """Return the text's features."""
        index = self.index
        found = (index.get(word.lower(), -1) for word in self.tokenizer(text).words)
        counts = Counter(place for place in found if place >= 0)
        places = np.array(sorted(counts), np.intp)
        values = np.array([counts[place] for place in places.tolist()], np.float64)
        if self.sublinear:
            values = 1 + np.log(values)
        values *= self.idf[places]
        return FeatureRow(places, values / max(float(np.linalg.norm(values)), 1e-300))


def fitted_tfidf(texts: Iterable[str], tokenizer: Tokenizer, sublinear: bool) -> TfIdf:
    """Count the words of training texts."""
    frequencies: Counter[str] = Counter()
    documents = 0
    for text in texts:
        documents += 1
        frequencies.update({word.lower() for word in tokenizer(text).words})
    words = sorted(frequencies)
    counts = np.array([frequencies[word] for word in words], np.int64)
    return TfIdf(tokenizer, words, counts, documents, sublinear)
