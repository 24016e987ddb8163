"""Which documents are copies of one another, or nearly."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items
from whyword.base.compiled import Offsets, compiled
from whyword.corpora.lsh import (
    MOST_FOUND,
    Chosen,
    LSHIndex,
    Sorted,
    band_keys,
    find_candidates,
)
from whyword.corpora.near_copies import COMPARED, NEAR, check_threshold
from whyword.corpora.shingles import RUN, Hashes, WordNumbers, Words, common_share
from whyword.words.document import Text
from whyword.words.tokenizer import Tokenizer


def copy_groups(
    texts: Iterable[Text], threshold: float = NEAR, *, tokenizer: Tokenizer | None = None
) -> NDArray[np.intp]:
    """Return which documents are copies of one another, or nearly: the group of each.

    Two documents are of one group if they are exact or near copies, as
    :func:`~whyword.corpora.near_copies.near_copies` has it, or if others between them are: each
    edition of a monthly list is a copy of the one before.

    Parameters
    ----------
    texts : iterable of n texts, or Documents that were read already
    threshold : float
        From .5 to 1; from which similarity on a document is a copy.
    tokenizer : Tokenizer, optional

    Returns
    -------
    (n,) intp
        Groups are numbered from 0 as they are met. Who has no copy is alone in his group.

    Notes
    -----
    Some five hundred documents at most are looked at for each, and eight compared that are not of
    its group already, the likeliest: the time grows with the number of documents.
    """
    threshold = check_threshold(threshold)
    tokenizer = tokenizer or Tokenizer()
    known = WordNumbers.of(tokenizer.documents(items("texts", texts, "a list of texts")))
    _, first, which = np.unique(known.whole, return_index=True, return_inverse=True)
    parents = np.where(known.lengths > 0, first[which], np.arange(len(known)))
    distinct = np.sort(first[known.lengths[first] >= RUN])
    if len(distinct) > 1:
        index = LSHIndex(known, distinct)
        keys = np.ascontiguousarray(band_keys(index.signatures).T)
        _link((index.sorted, keys, distinct, known.words, known.ends), threshold, parents)
    roots = [_root(parents, number) for number in range(len(known))]
    return np.unique(roots, return_inverse=True)[1].astype(np.intp)


_Known: TypeAlias = tuple[Sorted, Hashes, Chosen, Words, Offsets]


@compiled
def _link(known: _Known, threshold: float, parents: Chosen) -> None:
    """Join the groups of documents that are near copies: union and find.

    Parameters
    ----------
    known : tuple
        The index, the keys of its documents, their numbers; words and ends of all.
    threshold : float
    parents : (n,) intp
        A document of the same group with a lower number; itself if it is the first. Changed.
    """
    index, keys, chosen, words, ends = known
    seen = np.full(len(chosen), -1, np.int32)
    found = np.empty(MOST_FOUND, np.int64)
    for n in range(len(chosen)):
        number, compared = chosen[n], 0
        mine = words[ends[number] : ends[number + 1]]
        for candidate in find_candidates(index[2][n], keys[n], index, seen, n, found):
            other = chosen[candidate]
            one, two = _root(parents, number), _root(parents, other)
            if one == two:
                continue
            if common_share(mine, words[ends[other] : ends[other + 1]], threshold) >= threshold:
                parents[max(one, two)] = min(one, two)
            compared += 1
            if compared == COMPARED:
                break


@compiled
def _root(parents: Chosen, number: int) -> int:
    """Return the first document of a group; what is on the way is half as far from it then."""
    while parents[number] != number:
        parents[number] = parents[parents[number]]
        number = parents[number]
    return number
