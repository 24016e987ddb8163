"""Test documents that are copies, or nearly, of training documents.

MinHash and locality-sensitive hashing find the pairs that may be copies; each is then compared word
by word. By hand, since the packages that do this (datasketch and others) take Python objects for
every word, and minutes for what takes seconds here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, real_number
from whyword.base.compiled import Ints, Offsets, compiled
from whyword.base.errors import Argument, InputError
from whyword.base.threads import in_threads
from whyword.corpora.shingles import PLACES, RUN, Hashes, WordNumbers, Words, common_share
from whyword.words.document import Text
from whyword.words.tokenizer import Tokenizer

NEAR = 0.7  # the share of words in common from which on a document is a near copy
LEAST = 0.5  # below, pairs are no longer found reliably

_ROWS = 2  # places of a signature in a band: documents that agree in all of a band may be copies
_BANDS = PLACES // _ROWS
_BESIDE = 8  # documents of a band that are looked at, on either side of where it would stand
_AGREEING = 6  # places of the signatures that must agree for a comparison word by word
_COMPARED = 8  # documents at most that are compared word by word, those that agree most

Chosen: TypeAlias = NDArray[np.intp]


class Copy(NamedTuple):
    """A test document and the training document that it is a copy of, by their numbers."""

    test: int
    train: int
    similarity: float


@dataclass(frozen=True, eq=False, repr=False)
class NearCopies:
    """For each test document the training document that it is a copy of, if there is one.

    Attributes
    ----------
    nearest : (documents,) int64
        The most similar training document, the first of equals; −1 where none is similar enough.
    similarity : (documents,) float64
        The share of the words of both that stand in a run of words which both have; 0 where there
        is no copy.
    is_exact : (documents,) bool
        Whether all words are the same, in the same order, capitals aside.
    threshold : float
        From which similarity on a document counts as a copy.
    """

    nearest: NDArray[np.int64]
    similarity: NDArray[np.float64]
    is_exact: NDArray[np.bool_]
    threshold: float

    @property
    def is_copy(self) -> NDArray[np.bool_]:
        """Which test documents are copies, exact or near, (documents,) bool."""
        return self.nearest >= 0

    @property
    def exact(self) -> int:
        """How many are exact copies."""
        return int(self.is_exact.sum())

    @property
    def near(self) -> int:
        """How many are near copies, the exact ones not counted."""
        return len(self) - self.exact

    @property
    def pairs(self) -> list[Copy]:
        """The copies, in the order of the test documents."""
        return [
            Copy(number, int(self.nearest[number]), float(self.similarity[number]))
            for number in np.flatnonzero(self.is_copy).tolist()
        ]

    def __len__(self) -> int:
        return int(self.is_copy.sum())

    def __repr__(self) -> str:
        counted = f"{self.exact:,} exact and {self.near:,} near copies"
        return f"NearCopies({counted} among {len(self.nearest):,} documents)"


def near_copies(
    train: Iterable[Text],
    test: Iterable[Text],
    threshold: float = NEAR,
    *,
    tokenizer: Tokenizer | None = None,
) -> NearCopies:
    """Find the test documents that are copies, or nearly, of training documents.

    The similarity of two documents is the share of their words that stand beside the same word in
    both: in a run of two words or more which both have. A text of which every twentieth word was
    replaced is at about .95, every tenth at .89, every seventh at .83, one with a fifth of it cut
    off or added at .9, a reply that quotes a whole text and says as much again below .7.

    Parameters
    ----------
    train, test : iterable of n texts, or Documents that were read already
    threshold : float
        From .5 to 1; from which similarity on a document is a copy.
    tokenizer : Tokenizer, optional

    Returns
    -------
    NearCopies

    Notes
    -----
    Of one word only exact copies are found; a text without words is a copy of none. Some five
    hundred documents at most are looked at for each test document, and eight compared, the
    likeliest: the time grows with the number of documents even where all are nearly the same.
    """
    threshold = real_number("threshold", threshold)
    if not LEAST <= threshold <= 1:
        raise InputError(Argument("threshold"), f" must be from {LEAST} to 1, not {threshold:g}")
    tokenizer = tokenizer or Tokenizer()
    known, asked = (
        WordNumbers.of(tokenizer.documents(items(name, texts, "a list of texts")))
        for name, texts in (("train", train), ("test", test))
    )
    once, first = _first_of_equals(known)
    place = np.minimum(np.searchsorted(once, asked.whole), max(0, len(once) - 1))
    is_exact = np.zeros(len(asked), bool)
    if len(once):
        is_exact = (once[place] == asked.whole) & (asked.lengths > 0)
    nearest = np.where(is_exact, first[place] if len(first) else -1, -1).astype(np.int64)
    similarity = is_exact.astype(np.float64)
    # of equal test documents the first is looked for, and the others have what it has
    _, chosen, which = np.unique(asked.whole, return_index=True, return_inverse=True)
    others = chosen[~is_exact[chosen] & (asked.lengths[chosen] >= RUN)]
    long_enough = np.sort(first[known.lengths[first] >= RUN])
    if len(others) and len(long_enough):
        _Search(known, long_enough).run(asked, others, threshold, nearest, similarity)
        nearest, similarity = nearest[chosen][which], similarity[chosen][which]
    return NearCopies(nearest, similarity, is_exact, threshold)


def _first_of_equals(known: WordNumbers) -> tuple[Hashes, Chosen]:
    """Return the hashes of all that is there, sorted, and the first document that has each."""
    once, first = np.unique(known.whole, return_index=True)
    has_words = known.lengths[first] > 0
    return once[has_words], first[has_words]


class _Search:
    """Training documents, different from each other, sorted in each band by their signatures.

    In a band those that agree in its places stand together, and among them those that agree in the
    next bands, too: of a thousand that are nearly the same, the nearest are beside.
    """

    def __init__(self, known: WordNumbers, chosen: Chosen) -> None:
        self.known, self.chosen = known, chosen
        self.signatures = known.signatures(chosen)
        keys = _keys(self.signatures)
        order = np.argsort(keys, axis=1, kind="stable")
        self.order = order.astype(np.int32)
        self.keys = np.take_along_axis(keys, order, axis=1)

    def run(
        self,
        asked: WordNumbers,
        others: Chosen,
        threshold: float,
        nearest: NDArray[np.int64],
        similarity: NDArray[np.float64],
    ) -> None:
        """Find the nearest of each of some test documents, and put it in its place."""
        signatures = asked.signatures(others)
        keys = np.ascontiguousarray(_keys(signatures).T)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            beside = (self.keys, self.order, self.signatures, self.chosen)
            _nearest(
                (signatures[part], keys[part], others[part], asked.words, asked.ends),
                (*beside, self.known.words, self.known.ends),
                threshold,
                nearest,
                similarity,
            )

        in_threads(work, len(others))


def _keys(signatures: Words) -> Hashes:
    """Return by what each band is sorted, (bands, documents): 32 bits of it, 16 of the next two."""
    bands = np.zeros((_BANDS, len(signatures)), np.uint64)
    for row in range(_ROWS):
        bands = (bands ^ signatures[:, row::_ROWS].T) * np.uint64(0x9E3779B97F4A7C15)
        bands ^= bands >> np.uint64(32)
    mine = (bands & np.uint64(0xFFFFFFFF)) << np.uint64(32)
    next_one = (np.roll(bands, -1, axis=0) & np.uint64(0xFFFF)) << np.uint64(16)
    keys: Hashes = mine | next_one | (np.roll(bands, -2, axis=0) & np.uint64(0xFFFF))
    return keys


_Asked: TypeAlias = tuple[Words, Hashes, Chosen, Words, Offsets]
_Known: TypeAlias = tuple[Hashes, Ints, Words, Chosen, Words, Offsets]


@compiled
def _nearest(
    asked: _Asked,
    known: _Known,
    threshold: float,
    nearest: NDArray[np.int64],
    similarity: NDArray[np.float64],
) -> None:
    """Find for each document asked for the most similar one that is known."""
    signatures, keys, others, words, ends = asked
    sorted_keys, order, known_signatures, chosen, known_words, known_ends = known
    seen = np.full(len(chosen), -1, np.int32)
    best = np.empty(_COMPARED, np.int64)
    agreeing = np.empty(_COMPARED, np.int64)
    for n in range(len(others)):
        mine = words[ends[others[n]] : ends[others[n] + 1]]
        agreeing[:] = _AGREEING - 1
        best[:] = -1
        for band in range(_BANDS):
            for at in _beside(sorted_keys[band], keys[n, band]):
                candidate = order[band, at]
                if seen[candidate] != n:
                    seen[candidate] = n
                    count = _agreement(signatures[n], known_signatures[candidate])
                    _keep(best, agreeing, candidate, count)
        for candidate in best:
            if candidate < 0:
                break
            number = chosen[candidate]
            theirs = known_words[known_ends[number] : known_ends[number + 1]]
            length = len(mine) + len(theirs)
            if 2 * min(len(mine), len(theirs)) < threshold * length:
                continue
            share = common_share(mine, theirs)
            if share >= threshold and (
                share > similarity[others[n]]
                or (share == similarity[others[n]] and number < nearest[others[n]])
            ):
                similarity[others[n]], nearest[others[n]] = share, number


@compiled
def _beside(keys: Hashes, key: np.uint64) -> range:
    """Return the places that agree with a key in its band, not too far from where it would be."""
    middle = np.searchsorted(keys, key)
    start, stop = middle, middle
    own = key >> np.uint64(32)
    while start > 0 and middle - start < _BESIDE and keys[start - 1] >> np.uint64(32) == own:
        start -= 1
    while stop < len(keys) and stop - middle < _BESIDE and keys[stop] >> np.uint64(32) == own:
        stop += 1
    return range(start, stop)


@compiled
def _agreement(one: Words, other: Words) -> int:
    count = 0
    for place in range(PLACES):
        count += one[place] == other[place]
    return count


@compiled
def _keep(best: Offsets, agreeing: Offsets, candidate: int, count: int) -> None:
    """Put a candidate among the best, which are sorted, if it agrees more than the last one."""
    if count <= agreeing[-1]:
        return
    at = len(best) - 1
    while at > 0 and agreeing[at - 1] < count:
        agreeing[at], best[at] = agreeing[at - 1], best[at - 1]
        at -= 1
    agreeing[at], best[at] = count, candidate
