"""Test documents that are copies, or nearly, of training documents.

MinHash and locality-sensitive hashing find the pairs that may be copies; each is then compared word
by word.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, real_number
from whyword.base.compiled import Offsets, compiled
from whyword.base.errors import Argument, InputError
from whyword.base.threads import in_threads
from whyword.corpora.lsh import (
    MOST_FOUND,
    Chosen,
    LSHIndex,
    Sorted,
    band_keys,
    find_candidates,
)
from whyword.corpora.shingles import RUN, Hashes, WordNumbers, Words, common_share
from whyword.words.document import Text
from whyword.words.tokenizer import Tokenizer

NEAR = 0.7  # the share of words in common from which on a document is a near copy
LEAST = 0.5  # below, pairs are no longer found reliably
COMPARED = 8  # documents at most that are compared word by word, those that agree most


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
    threshold = check_threshold(threshold)
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
        _find_nearest(LSHIndex(known, long_enough), asked, others, threshold, nearest, similarity)
        nearest, similarity = nearest[chosen][which], similarity[chosen][which]
    return NearCopies(nearest, similarity, is_exact, threshold)


def check_threshold(threshold: float) -> float:
    """Return a similarity from which on a document is a copy; raise if there is none such."""
    threshold = real_number("threshold", threshold)
    if not LEAST <= threshold <= 1:
        raise InputError(Argument("threshold"), f" must be from {LEAST} to 1, not {threshold:g}")
    return threshold


def _first_of_equals(known: WordNumbers) -> tuple[Hashes, Chosen]:
    """Return the hashes of all that is there, sorted, and the first document that has each."""
    once, first = np.unique(known.whole, return_index=True)
    has_words = known.lengths[first] > 0
    return once[has_words], first[has_words]


def _find_nearest(
    index: LSHIndex,
    asked: WordNumbers,
    others: Chosen,
    threshold: float,
    nearest: NDArray[np.int64],
    similarity: NDArray[np.float64],
) -> None:
    """Find the nearest of each of some test documents, and put it in its place."""
    signatures = asked.signatures(others)
    keys = np.ascontiguousarray(band_keys(signatures).T)

    def work(start: int, stop: int) -> None:
        part = slice(start, stop)
        _nearest(
            (signatures[part], keys[part], others[part], asked.words, asked.ends),
            (index.sorted, index.chosen, index.known.words, index.known.ends),
            threshold,
            nearest,
            similarity,
        )

    in_threads(work, len(others))


_Asked: TypeAlias = tuple[Words, Hashes, Chosen, Words, Offsets]
_Known: TypeAlias = tuple[Sorted, Chosen, Words, Offsets]


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
    index, chosen, known_words, known_ends = known
    seen = np.full(len(chosen), -1, np.int32)
    found = np.empty(MOST_FOUND, np.int64)
    for n in range(len(others)):
        mine = words[ends[others[n]] : ends[others[n] + 1]]
        candidates = find_candidates(signatures[n], keys[n], index, seen, n, found)
        for candidate in candidates[:COMPARED]:
            number = chosen[candidate]
            theirs = known_words[known_ends[number] : known_ends[number + 1]]
            share = common_share(mine, theirs, threshold)
            if share >= threshold and (
                share > similarity[others[n]]
                or (share == similarity[others[n]] and number < nearest[others[n]])
            ):
                similarity[others[n]], nearest[others[n]] = share, number
