"""The features of a text, where they stand in it, and which words they stand for.

Equations are those of docs/method.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases
from whyword.words.document import Document


class FeatureRow(NamedTuple):
    """The non-zero features of one text: (n,) intp places in increasing order, (n,) float64."""

    places: NDArray[np.intp]
    values: NDArray[np.float64]


class Occurrence(NamedTuple):
    """A feature where it stands in a text.

    Attributes
    ----------
    name : str
        As the vectoriser has it.
    words : sequence of int
        The numbers of the words it covers, in order; perhaps none.
    span : tuple of int
        [start, end) of what it covers, in code points of the text.
    """

    name: str
    words: Sequence[int]
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Bag:
    """The n features of a text, their O occurrences, and the T words that these cover.

    Link l says that occurrence ``occurrences[l]`` covers word ``words[l]``. A feature's shares sum
    to 1; an occurrence that covers no word of the text keeps its share from the words.

    Attributes
    ----------
    document : Document
        Of T words.
    row : FeatureRow
        Of n features.
    features : (O,) intp
        The number, in the row, of each occurrence's feature.
    shares : (O,) float64
        What of the feature's value is the occurrence's.
    spans : (O, 2) int32
        Where the occurrences stand, in code points of the text.
    names : sequence of O str
        What the occurrences are called.
    words, occurrences : (L,) intp
    """

    document: Document
    row: FeatureRow
    features: NDArray[np.intp]
    shares: NDArray[np.float64]
    spans: NDArray[np.int32]
    names: Sequence[str]
    words: NDArray[np.intp]
    occurrences: NDArray[np.intp]

    @cached_property
    def link_shares(self) -> NDArray[np.float64]:
        """What of its feature's value each link gives to its word, (L,): equal parts."""
        covered = np.bincount(self.occurrences, minlength=len(self.shares))
        shares: NDArray[np.float64] = (self.shares / np.maximum(covered, 1))[self.occurrences]
        return shares

    @property
    def link_features(self) -> NDArray[np.intp]:
        """The number of each link's feature in the row, (L,)."""
        return self.features[self.occurrences]

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
        np.add.at(spread, self.words, self.link_shares[:, None] * values[self.link_features])
        return spread

    def phrases(self, values: NDArray[np.float64]) -> Phrases:
        """Return values of the features, (n, K), as those of their occurrences, in text order.

        What covers no word is left out, so that phrases add up to what the words add up to.
        """
        placed = np.zeros(len(self.shares), np.bool_)
        placed[self.occurrences] = True
        chosen = np.flatnonzero(placed)
        chosen = chosen[np.lexsort((self.spans[chosen, 1], self.spans[chosen, 0]))]
        return Phrases(
            [self.names[number] for number in chosen.tolist()],
            self.spans[chosen],
            self.shares[chosen, None] * values[self.features[chosen]],
        )

    def gather(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return values of the words, (T,), as sums over the features' words, (n,).

        A word's value is shared equally among the features it has a part in.
        """
        parts = np.bincount(self.words, minlength=len(self.document))
        shares = values[self.words] / parts[self.words]
        return np.bincount(self.link_features, shares, len(self.row.places)).astype(np.float64)


def linked_bag(
    document: Document, row: FeatureRow, placed: Sequence[tuple[int, Occurrence]]
) -> Bag:
    """Return the bag in which a feature's m occurrences have 1/m each, its words equal parts.

    The links' shares are a[t, i] of equation (16).

    Parameters
    ----------
    document : Document
    row : FeatureRow
    placed : sequence of (place, Occurrence)
        The place of each occurrence's feature; those that the row has not are left out.
    """
    counts = Counter(place for place, _ in placed)
    at = {place: number for number, place in enumerate(row.places.tolist())}
    kept = [(place, one) for place, one in placed if place in at]
    links = [(word, number) for number, (_, one) in enumerate(kept) for word in one.words]
    words, occurrences = zip(*links, strict=True) if links else ((), ())
    return Bag(
        document,
        row,
        np.array([at[place] for place, _ in kept], np.intp),
        np.array([1 / counts[place] for place, _ in kept], np.float64),
        np.array([one.span for _, one in kept], np.int32).reshape(-1, 2),
        [one.name for _, one in kept],
        np.array(words, np.intp),
        np.array(occurrences, np.intp),
    )
