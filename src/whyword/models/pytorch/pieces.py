"""Pieces of words and the words that they are of, by their characters.

A word here is one of ours or, between them, any other run of characters without a blank: a network
of pieces sees ``2020``, ``C++`` and ``!!!``, which our tokeniser drops.
"""

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whyword.words.document import Document, blanked

_RUN = re.compile(r"\S+")


def with_symbols(document: Document) -> Document:
    """Return a document whose words are also the runs of other characters between its words."""
    if document.truncated and not len(document):
        return document
    rest = blanked(document.visible, _apart(document.spans))
    runs = [match.span() for match in _RUN.finditer(rest)]
    if not runs:
        return document
    spans = np.concatenate([document.spans, np.array(runs, np.int32)])
    return replace(document, spans=spans[np.argsort(spans[:, 0], kind="stable")])


def _apart(spans: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Return spans, none of which begins before the last one ends."""
    apart, done = [], 0
    for start, end in spans.tolist():
        if end > done:
            apart.append((max(start, done), end))
            done = end
    return apart


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which words the P pieces of a document of T words are of.

    Attributes
    ----------
    piece, word : (n,) intp
        Pairs of a piece and a word that share characters.
    share : (n,) float64
        Of the piece's characters that are in a word: those that are in this one. They add up to 1
        for each piece that touches a word.
    count, words : int
        P and T.
    """

    piece: NDArray[np.intp]
    word: NDArray[np.intp]
    share: NDArray[np.float64]
    count: int
    words: int

    @classmethod
    def of(cls, spans: NDArray[np.int64], document: Document) -> "Pieces":
        """Return whose the pieces at some places of a text are.

        Parameters
        ----------
        spans : (P, 2) int64
            ``text[start:end]`` of each piece; empty for special tokens.
        document : Document
            Of T words.
        """
        owner = np.full(len(document.text) + 1, -1, np.int64)
        for number, (start, end) in enumerate(document.spans.tolist()):
            owner[start:end] = number
        lengths = spans[:, 1] - spans[:, 0]
        piece = np.repeat(np.arange(len(spans)), lengths)
        offset = np.arange(len(piece)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        word = owner[np.repeat(spans[:, 0], lengths) + offset]
        is_word = word >= 0
        keys, counts = np.unique(
            piece[is_word] * (len(document) + 1) + word[is_word], return_counts=True
        )
        pieces, words = np.divmod(keys, len(document) + 1)
        totals = np.bincount(pieces, counts, len(spans))
        return cls(pieces, words, counts / totals[pieces], len(spans), len(document))

    def chosen(self, kept: NDArray[np.bool_]) -> "Pieces":
        """Return some of the pieces, (P,)."""
        numbers = np.cumsum(kept) - 1
        there = kept[self.piece]
        piece = numbers[self.piece[there]]
        return Pieces(piece, self.word[there], self.share[there], int(kept.sum()), self.words)

    def to_words(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the words' shares of what pieces have, (P, …) → (T, …)."""
        result = np.zeros((self.words, *values.shape[1:]))
        weights = self.share.reshape(-1, *[1] * (values.ndim - 1))
        np.add.at(result, self.word, values[self.piece] * weights)
        return result

    def to_pieces(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pieces' shares of what words have, by their characters, (T, …) → (P, …)."""
        totals = np.bincount(self.word, self.share, self.words)
        result = np.zeros((self.count, *values.shape[1:]))
        weights = (self.share / totals[self.word]).reshape(-1, *[1] * (values.ndim - 1))
        np.add.at(result, self.piece, values[self.word] * weights)
        return result

    @property
    def of_words(self) -> NDArray[np.bool_]:
        """Which pieces touch a word, (P,); the others are special tokens and blanks."""
        touching = np.zeros(self.count, np.bool_)
        touching[self.piece] = True
        return touching

    @property
    def owners(self) -> NDArray[np.intp]:
        """The word of each piece, (P,), that with most of its characters; −1 for no word."""
        owners = np.full(self.count, -1, np.intp)
        order = np.argsort(self.share, kind="stable")
        owners[self.piece[order]] = self.word[order]  # the last one, with the largest share, stays
        return owners

    def gone(self, words: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the pieces that go with words: those with half of their characters in them."""
        shares = np.bincount(self.piece, self.share * words[self.word], self.count)
        return shares >= 0.5

    def known_words(self, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which words have a known piece, (T,)."""
        words = np.zeros(self.words, np.bool_)
        words[self.word[known[self.piece]]] = True
        return words
