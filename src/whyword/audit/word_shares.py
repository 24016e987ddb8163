"""What of each document's relevance lies on which word."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.explanation import Explanation
from whyword.words.ignored import Ignored

_WIDEST = 2_000  # words of which vectors are made

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WordShares:
    """The words of n documents, each with its relevance as a share of its document's.

    Attributes
    ----------
    words : list of V str
        Lower-cased.
    documents, numbers : (E,) intp
        Of each entry the document, and the word that it has, all its occurrences together.
    shares : (E,) float64
        The word's relevance, divided by the sum of the positive ones of its document; 0 if none is
        positive.
    n_documents : int
    """

    words: list[str]
    documents: NDArray[np.intp]
    numbers: NDArray[np.intp]
    shares: Numbers
    n_documents: int

    @classmethod
    def of(cls, explanations: Iterable[Explanation]) -> Self:
        """Return the shares of some explanations, each of one target."""
        names: dict[str, int] = {}
        documents, numbers, shares, count = [], [], [], 0
        for count, one in enumerate(explanations, 1):
            totals = one.by_word()
            values = np.nan_to_num(np.array(list(totals.values()), np.float64), posinf=0, neginf=0)
            positive = float(values[values > 0].sum())
            documents.append(np.full(len(values), count - 1, np.intp))
            numbers.append(
                np.array([names.setdefault(word, len(names)) for word in totals], np.intp)
            )
            shares.append(values / positive if positive > 0 else np.zeros(len(values)))
        none: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
        return cls(
            list(names),
            np.concatenate(none + documents),
            np.concatenate(none + numbers),
            np.concatenate([np.empty(0), *shares]),
            count,
        )

    def means(self, groups: NDArray[np.intp], count: int) -> Numbers:
        """Return the mean share of each word over the documents of each group, (count, V).

        A document without the word counts 0.

        Parameters
        ----------
        groups : (n,) intp
            The group of each document, from 0.
        count : int
            How many groups there are.
        """
        sizes = np.bincount(groups, minlength=count)
        return self._sums(groups, count, self.shares) / np.maximum(sizes, 1)[:, None]

    def document_counts(self, groups: NDArray[np.intp], count: int) -> NDArray[np.int64]:
        """Return in how many documents of each group each word occurs, (count, V)."""
        return np.rint(self._sums(groups, count, np.ones(len(self.shares)))).astype(np.int64)

    def _sums(self, groups: NDArray[np.intp], count: int, values: Numbers) -> Numbers:
        places = groups[self.documents] * len(self.words) + self.numbers
        sums: Numbers = np.bincount(places, values, count * len(self.words)).astype(np.float64)
        return sums.reshape(count, len(self.words))

    def vectors(self) -> NDArray[np.float32]:
        """Return a vector for each document: its words' shares, (n, words).

        Of the 2,000 words on which most lies; where there are more, the others are rare.
        """
        strengths = np.bincount(self.numbers, np.abs(self.shares), len(self.words))
        kept = np.sort(np.argsort(-strengths, kind="stable")[:_WIDEST])
        columns = np.full(len(self.words), -1, np.intp)
        columns[kept] = np.arange(len(kept))
        at = columns[self.numbers]
        result = np.zeros((self.n_documents, len(kept)), np.float32)
        result[self.documents[at >= 0], at[at >= 0]] = self.shares[at >= 0]
        return result


def share_on(explanation: Explanation, entries: Ignored) -> float:
    """Return what of a document's relevance lies on some words, phrases and patterns.

    Their relevance added up, 0 if it speaks against, divided by the sum of all words' that speak
    for the class; of one target.
    """
    totals = np.nan_to_num(np.array(list(explanation.by_word().values()), np.float64))
    positive = float(totals[totals > 0].sum())
    on = entries.among(explanation.document.cut())
    value = float(np.nan_to_num(explanation.relevance[on]).sum(dtype=np.float64))
    return min(1.0, max(0.0, value / positive)) if positive > 0 else 0.0
