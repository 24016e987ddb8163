"""Groups of words taken out of bags of words and of n-grams by arithmetic: equation (41).

The notation is that of docs/method.md. Only n-grams within reach of a word of the group change, so
that a group costs as much as the words around its own, not as much as the text.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.models.linear.bag import FeatureRow
from whyword.models.linear.ngrams import UNKNOWN
from whyword.models.linear.tfidf import ReadWords, TfIdf
from whyword.models.linear.trace import LinearLayer, Values
from whyword.models.protocol import Scores
from whyword.models.word_groups import WordGroups

Places = NDArray[np.intp]

_AT_ONCE = 1 << 17  # words, those around the groups' included, that are looked at together
_LEAST = 1e-4  # of Σ u²: where less is left, a difference of sums would be too rough


def scores_without_groups(
    layer: LinearLayer, read: Sequence[ReadWords], scores: Scores, groups: WordGroups
) -> Scores:
    """Return the scores of each group's document without its words, (G, C): equation (41).

    Parameters
    ----------
    layer : LinearLayer
        Over the features of a :class:`TfIdf`.
    read : sequence of n ReadWords
    scores : (n, C) float64
        Of the whole documents.
    groups : WordGroups
        Of their words; what is not read changes nothing.
    """
    texts, all_owners = _Texts(layer.features, read), groups.owners
    # Σ_i u[i]·w[i, k], of the whole documents at first
    result: Scores = ((scores - layer.bias) * np.sqrt(texts.squares)[:, None])[all_owners]
    for first, last, gone in texts.portions(groups, all_owners):
        owners, sums = all_owners[first:last], result[first:last]
        changes = texts.changes(gone, owners)
        add_weighted(changes.groups, changes.places, changes.rises, layer.weight, sums)
        squares = texts.squares[owners] + changes.squares
        is_there = texts.present[owners] + changes.present > 0
        norms = np.sqrt(np.where(is_there & (squares > 0), squares, np.inf))
        sums[:] = sums / norms[:, None] + layer.bias
        for group in np.flatnonzero(
            is_there & (squares <= _LEAST * texts.squares[owners])
        ).tolist():
            row = texts.row_without(owners[group], gone.words[gone.groups == group])
            sums[group] = layer.scores([row])[0]
    return result


class _Gone(NamedTuple):
    """Words of some groups, by group and then by place: their numbers in all that is read."""

    groups: Places
    words: Places


class _Changes(NamedTuple):
    """How features of groups' documents change, (pairs,), and what that does to sums, (groups,).

    Attributes
    ----------
    groups, places : (pairs,) intp
    rises : (pairs,) float64
        How u[i] changes.
    squares, present : (groups,) float64
        How Σ u² changes, and the number of features.
    """

    groups: Places
    places: Places
    rises: Values
    squares: Values
    present: Values


class _Texts:
    """What is read of n documents, one after the other, N words in all."""

    def __init__(self, features: TfIdf, read: Sequence[ReadWords]) -> None:
        self.features, self.read = features, read
        self.ends = np.cumsum([0, *(len(one.numbers) for one in read)])
        self.numbers = _joined([one.numbers for one in read])
        # how often each document has each feature it has, by document and then by feature
        self.size = max(1, len(features.ngrams))
        found = [one.places + d * self.size for d, each in enumerate(read) for one in each.found]
        self.keys, counts = np.unique(_joined(found), return_counts=True)
        self.counts = np.append(counts, 0).astype(np.float64)
        owners, places = np.divmod(self.keys, self.size)
        weights = features.tfidf_weights(places, self.counts[:-1])
        self.present = np.bincount(owners, minlength=len(read))
        self.squares = np.bincount(owners, weights**2, len(read)).astype(np.float64)

    def portions(
        self, groups: WordGroups, owners: NDArray[np.int64]
    ) -> Iterator[tuple[int, int, _Gone]]:
        """Yield numbers of groups, from and to, and their words that are read."""
        lengths = np.array([len(one.document) for one in self.read], np.intp)
        starts = np.cumsum(lengths) - lengths
        number_of = np.full(int(lengths.sum()), -1, np.intp)
        for start, end, one in zip(
            starts.tolist(), self.ends[:-1].tolist(), self.read, strict=True
        ):
            number_of[start + one.words] = end + np.arange(len(one.words))
        most = max(1, _AT_ONCE // (2 * self.features.ngrams.lengths[1] - 1))
        first = 0
        while first < len(groups):
            beyond = np.searchsorted(groups.starts, groups.starts[first] + most, "right") - 1
            last = min(len(groups), max(first + 1, int(beyond)), first + most)
            sizes = np.diff(groups.starts[first : last + 1])
            each = np.repeat(np.arange(last - first), sizes)
            places = groups.positions[groups.starts[first] : groups.starts[last]]
            words = number_of[starts[owners[first:last]][each] + places]
            is_read = words >= 0
            yield first, last, _Gone(each[is_read], words[is_read])
            first = last

    def changes(self, gone: _Gone, owners: NDArray[np.int64]) -> _Changes:
        """Return what changes without the words of each group, of these documents."""
        groups, places, deltas = self._counted(gone, owners)
        keys = owners[groups] * self.size + places
        at = np.searchsorted(self.keys, keys)
        before = self.counts[np.where(np.append(self.keys, -1)[at] == keys, at, -1)]
        after = before + deltas
        old, new = (self.features.tfidf_weights(places, counts) for counts in (before, after))
        came = (after > 0).astype(np.float64) - (before > 0)
        squares, present = np.zeros(len(owners)), np.zeros(len(owners))
        np.add.at(squares, groups, new**2 - old**2)
        np.add.at(present, groups, came)
        return _Changes(groups, places, new - old, squares, present)

    def _counted(self, gone: _Gone, owners: NDArray[np.int64]) -> tuple[Places, Places, Values]:
        """Return how often features come or go, by group and then by feature."""
        line, of, stays = self._around(gone, owners)
        keys, signs = [], []
        for kept, sign in ((slice(None), -1.0), (stays, 1.0)):
            for _, starts, places in self.features.ngrams.find(line[kept]):
                keys.append(of[kept][starts] * self.size + places)
                signs.append(np.full(len(starts), sign))
        both, which = np.unique(np.concatenate(keys), return_inverse=True)
        deltas = np.bincount(which, np.concatenate(signs), len(both))
        is_changed = deltas != 0
        groups, places = np.divmod(both[is_changed], self.size)
        return groups, places, deltas[is_changed]

    def _around(
        self, gone: _Gone, owners: NDArray[np.int64]
    ) -> tuple[Places, Places, NDArray[np.bool_]]:
        """Return the words within reach of those that go, group after group.

        What covers a word that goes, or bridges the gap, is of words that stand n − 1 words at most
        from the nearest one that goes.

        Returns
        -------
        line : (L,) intp
            The words' places among the known ones, −1 between words that are not neighbours.
        of : (L,) intp
            Their groups.
        stays : (L,) bool
            Whether they stay.
        """
        reach, count = self.features.ngrams.lengths[1] - 1, len(self.numbers) + 1
        near = gone.words[:, None] + np.arange(-reach, reach + 1)
        own = owners[gone.groups, None]
        within = (near >= self.ends[own]) & (near < self.ends[own + 1])
        keys = np.unique((gone.groups[:, None] * count + near)[within])
        parted = np.append(True, np.diff(keys) != 1)[: len(keys)]
        at = np.arange(len(keys)) + np.cumsum(parted)
        groups, words = np.divmod(keys, count)
        line = np.full(len(keys) + int(parted.sum()) + 1, UNKNOWN, np.intp)
        of, stays = np.zeros(len(line), np.intp), np.ones(len(line), np.bool_)
        line[at], of[at] = self.numbers[words], groups
        stays[at[np.searchsorted(keys, gone.groups * count + gone.words)]] = False
        return line, of, stays

    def row_without(self, document: int, words: Places) -> FeatureRow:
        """Return the features of a document without some words, counted anew."""
        one, ngrams = self.read[document], self.features.ngrams
        left = np.delete(np.arange(len(one.words)), words - self.ends[document])
        numbers = one.numbers[left]
        rest = ReadWords(one.document, one.words[left], numbers, ngrams.find(numbers))
        return self.features.row_of(rest)


def _joined(arrays: list[Places]) -> Places:
    return np.concatenate([np.zeros(0, np.intp), *arrays])


@compiled
def add_weighted(
    groups: Places, places: Places, rises: Values, weight: Values, sums: Values
) -> None:
    """sums[groups[p], k] += rises[p]·weight[places[p], k] of all pairs p."""
    for pair in range(groups.size):
        row, total = weight[places[pair]], sums[groups[pair]]
        for k in range(total.size):
            total[k] += rises[pair] * row[k]
