"""Where words stand in many documents: by place, by document and word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from whyword.words.document import Document

NONE = -1  # instead of a word's number: it is not read


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The words of n documents, whatever their case, one after the other: N places.

    Attributes
    ----------
    documents : list of n Document
    words : list of V str
        Lower-cased, in the order in which they are met.
    numbers : (N,) int32
        The word at each place; −1 for those that the reader ignores.
    offsets : (n + 1,) int64
        Where each document begins.
    """

    documents: Sequence[Document]
    words: list[str]
    numbers: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Occurrences":
        """Return the words of documents that a model has read."""
        known: dict[str, int] = {}
        several, parts, ends = [], [], [0]
        for document in documents:
            found = [known.setdefault(word.lower(), len(known)) for word in document.cut()]
            numbers = np.array(found, np.int32)
            numbers[document.ignored] = NONE
            several.append(document)
            parts.append(numbers)
            ends.append(ends[-1] + len(numbers))
        all_numbers = np.concatenate([np.empty(0, np.int32), *parts])
        return cls(several, list(known), all_numbers, np.array(ends, np.int64))

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def document_of(self) -> NDArray[np.int32]:
        """The document of each place, (N,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Each document and each of its words once: their numbers, by document, (P,) each."""
        read = self.numbers >= 0
        keys = self.document_of[read].astype(np.int64) * len(self.words) + self.numbers[read]
        documents, words = np.divmod(increasing(keys), max(1, len(self.words)))
        return documents.astype(np.int32), words.astype(np.int32)

    @cached_property
    def document_counts(self) -> NDArray[np.int64]:
        """How many documents have each word, (V,)."""
        return np.bincount(self.pairs[1], minlength=len(self.words))


def increasing(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct numbers, sorted: of millions faster than numpy's unique, which hashes."""
    ordered = np.sort(keys)
    distinct: NDArray[np.int64] = ordered[
        np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    ]
    return distinct
