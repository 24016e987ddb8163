"""The trace of our own bag of n-grams: words are taken away by arithmetic.

The notation, and the numbers of equations, are those of docs/method.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.models.linear.bag import Bag
from whyword.models.linear.ngrams import UNKNOWN, Ngrams
from whyword.models.linear.tfidf import ReadWords, TfIdf
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.linear.trace import Values
from whyword.models.protocol import Scores


class NgramTrace(TfIdfTrace):
    """Of a :class:`TfIdf` of n-grams: without a word, its neighbours become adjacent.

    So a step takes away the n-grams that cover the word, and adds those that bridge the gap.
    """

    equal_shares = False

    def _losses(self, number: int, chosen: NDArray[np.int32]) -> Values:
        """Return (T, K) losses: in (13), the n-grams around a word change, and with them the norm.

        An unknown word stands between its neighbours, so that it may have a loss, too.
        """
        bag, read = self.bags[number], self._read_left[number]
        reach = self._ngrams.lengths[1] - 1
        beyond = np.full(reach, UNKNOWN)
        around = np.concatenate([beyond, read.numbers, beyond])
        windows = around[np.arange(len(read.numbers))[:, None] + np.arange(2 * reach + 1)]
        changes = _changes(self._ngrams, windows)
        before = _counts(bag)[self._numbers_of(bag, changes.places)]
        sums = self._sums(bag, chosen)
        moved = self._moved(changes, before, before + changes.deltas, chosen, len(read.words))
        score = sums.scores(self.layer.bias[chosen])
        without = _Sums(
            sums.weighted + moved.weighted,
            sums.squares + moved.squares,
            sums.present + moved.present,
        )
        result = np.zeros((len(bag.document), len(chosen)))
        result[read.words] = score - without.scores(self.layer.bias[chosen])
        return result

    def _scores_by_step(self, number: int, order: NDArray[np.int32], insert: bool) -> Scores:
        """Return (K + 1, C) scores x[k, m]: what changes at each step, added up, through (13)."""
        bag, read = self.bags[number], self._read_left[number]
        every = np.arange(self.layer.weight.shape[1])
        windows = _windows(read, order, self._ngrams.lengths[1] - 1, insert)
        changes = _changes(self._ngrams, windows)
        if insert:
            changes = changes._replace(deltas=-changes.deltas)
        # the changes of one feature stand together, in the order of steps
        done = np.cumsum(changes.deltas)
        first = np.searchsorted(changes.places, changes.places)
        after = done - (done - changes.deltas)[first]
        if not insert:
            after = after + _counts(bag)[self._numbers_of(bag, changes.places)]
        moved = self._moved(changes, after - changes.deltas, after, every, len(order))
        start = self._sums(bag, every)
        weighted, squares, present = (
            np.cumsum(np.concatenate([0 * whole if insert else whole, part]), axis=0)
            for whole, part in zip(start, moved, strict=True)
        )
        return _Sums(weighted, squares, present).scores(self.layer.bias)

    @property
    def _ngrams(self) -> Ngrams:
        ngrams: Ngrams = self.layer.features.ngrams
        return ngrams

    def _numbers_of(self, bag: Bag, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the features' numbers in the bag's row; one beyond the last for others."""
        numbers = np.searchsorted(bag.row.places, places)
        is_there = np.append(bag.row.places, -1)[numbers] == places
        return np.where(is_there, numbers, len(bag.row.places))

    def _sums(self, bag: Bag, chosen: NDArray[np.integer]) -> "_Sums":
        """Return the sums of the whole text, for the chosen classes."""
        features: TfIdf = self.layer.features
        weights = features.tfidf_weights(bag.row.places, _counts(bag)[:-1])
        return _Sums(
            (weights @ self.layer.weights_of(bag.row.places, chosen))[None],
            (weights**2).sum(keepdims=True),
            np.array([float(len(weights))]),
        )

    def _moved(
        self,
        changes: "_Changes",
        before: Values,
        after: Values,
        chosen: NDArray[np.integer],
        steps: int,
    ) -> "_Sums":
        """Return what each step adds to the sums."""
        features: TfIdf = self.layer.features
        old, new = (features.tfidf_weights(changes.places, each) for each in (before, after))
        sums = np.zeros((steps, len(chosen)))
        weight = self.layer.weights_of(changes.places, chosen)
        np.add.at(sums, changes.steps, (new - old)[:, None] * weight)
        squares = np.zeros(steps)
        np.add.at(squares, changes.steps, new**2 - old**2)
        present = np.zeros(steps)
        np.add.at(present, changes.steps, (after > 0).astype(np.float64) - (before > 0))
        return _Sums(sums, squares, present)


class _Sums(NamedTuple):
    """What scores are made of, at S steps: Σ u·w (S, K), Σ u² (S,), how many u there are (S,)."""

    weighted: Values
    squares: Values
    present: Values

    def scores(self, bias: Values) -> Scores:
        """Return the scores, (S, K): equations (13) and (14)."""
        is_there = self.present > 0  # counted, not added up: a rest of rounding is no feature
        norms = np.sqrt(np.where(is_there, self.squares, np.inf))
        return self.weighted / norms[:, None] + bias


class _Changes(NamedTuple):
    """How often features come or go, by feature, then by step: (n,) each."""

    steps: NDArray[np.intp]
    places: NDArray[np.intp]
    deltas: Values


def _changes(ngrams: Ngrams, windows: NDArray[np.intp]) -> _Changes:
    """Return what changes when the word in the middle of each window goes.

    Parameters
    ----------
    ngrams : Ngrams
    windows : (steps, 2 · reach + 1) intp
        The words' places, −1 for unknown ones and beyond the ends.
    """
    steps, width = windows.shape
    middle = width // 2
    gap = np.delete(windows, middle, axis=1)
    keys, signs = [np.zeros(0, np.intp)], [np.zeros(0)]
    for rows, first, sign in ((windows, middle, -1), (gap, middle - 1, 1)):
        parted = np.pad(rows, ((0, 0), (0, 1)), constant_values=UNKNOWN)
        for length, starts, places in ngrams.find(parted.ravel()):
            step, column = np.divmod(starts, parted.shape[1])
            over = (column <= first) & (column + length > middle)
            keys.append(places[over] * steps + step[over])
            signs.append(np.full(len(keys[-1]), float(sign)))
    both, which = np.unique(np.concatenate(keys), return_inverse=True)
    deltas = np.zeros(len(both))
    np.add.at(deltas, which, np.concatenate(signs))
    places, step = np.divmod(both, max(steps, 1))
    return _Changes(step, places, deltas)


def _windows(
    read: ReadWords, order: NDArray[np.int32], reach: int, insert: bool
) -> NDArray[np.intp]:
    """Return the words around each one that goes, or comes, as they are then: (K, 2 · reach + 1).

    Words come as they would go in the opposite order from a text of just these.
    """
    place_of = np.full(len(read.document) + 1, -1, np.intp)  # the last: what −1 stands for
    place_of[read.words] = np.arange(len(read.words))
    going = place_of[order]
    known, first = np.unique(going, return_index=True)
    end = len(read.words)
    present = known[known >= 0] if insert else np.arange(end)
    before, after = np.full(end, -1), np.full(end, end)
    before[present[1:]], after[present[:-1]] = present[:-1], present[1:]
    left, right = before.tolist(), after.tolist()
    around = np.full((len(order), 2 * reach + 1), end)
    steps = sorted(first[known >= 0].tolist(), reverse=insert)
    for step, word in zip(steps, going[steps].tolist(), strict=True):
        one, other = left[word], right[word]
        around[step, reach] = word
        if one >= 0:
            right[one] = other
        if other < end:
            left[other] = one
        for far in range(1, reach + 1):
            around[step, reach - far], around[step, reach + far] = one, other
            one = left[one] if one >= 0 else one
            other = right[other] if other < end else other
    words: NDArray[np.intp] = np.append(read.numbers, UNKNOWN)[around]
    return words


def _counts(bag: Bag) -> Values:
    """Return m[i] of the features, and 0 for what is none: (n + 1,)."""
    return np.bincount(bag.features, minlength=len(bag.row.places) + 1).astype(np.float64)
