"""Documents as word numbers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TokenIds:
    """Documents whose words are numbers, one after the other.

    Attributes
    ----------
    words : list of V str
        Most frequent first, ties in alphabetical order.
    counts : (V,) int64
        How often each occurs.
    ids : (N,) int32
        The word number of every token.
    offsets : (documents + 1,) int64
        Document d is ``ids[offsets[d]:offsets[d + 1]]``.
    """

    words: list[str]
    counts: NDArray[np.int64]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]


def token_ids(
    documents: Iterable[list[str]], *, lowercase: bool = True, min_count: int = 1
) -> TokenIds:
    """Turn words into numbers; tokens rarer than `min_count` are left out."""
    tokens = [[word.lower() for word in words] if lowercase else list(words) for words in documents]
    counts = Counter(chain.from_iterable(tokens))
    kept = sorted(
        ((word, count) for word, count in counts.items() if count >= min_count),
        key=lambda item: (-item[1], item[0]),
    )
    number = {word: row for row, (word, _) in enumerate(kept)}
    rows = [[number[word] for word in words if word in number] for words in tokens]
    return TokenIds(
        words=[word for word, _ in kept],
        counts=np.array([count for _, count in kept], np.int64),
        ids=np.fromiter(chain.from_iterable(rows), np.int32),
        offsets=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
    )
