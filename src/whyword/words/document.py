"""A text and the words found in it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_NOTHING = np.zeros((0, 2), np.int32)
_NOTHING.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Document:
    """A text and the words found in it.

    Attributes
    ----------
    text : str
        The text as passed; of a mail or page that was decoded, what came out of that.
    spans : (T, 2) int32
        ``text[start:end]`` of each word, in code points.
    truncated : int
        How many further words were left out because of ``max_words``.
    unread : (R, 2) int32
        ``text[start:end]`` of what is not read, in order and apart: parts that were removed, in
        which no words are looked for, and words that are ignored.
    passed : str or None
        The text as passed, where it was decoded.
    """

    text: str
    spans: NDArray[np.int32]
    truncated: int = 0
    unread: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    passed: str | None = None

    @cached_property
    def ignored(self) -> NDArray[np.intp]:
        """The positions of the words that are not read: for a model they are deleted ones."""
        if not len(self.unread):
            return np.zeros(0, np.intp)
        starts, ends = self.spans.T
        within = np.searchsorted(self.unread[:, 0], starts, "right") - 1
        is_within = (within >= 0) & (ends <= self.unread[np.maximum(within, 0), 1])
        return np.flatnonzero(is_within & (starts < ends))

    @property
    def are_ignored(self) -> NDArray[np.bool_]:
        """Whether each of the T words is one that is not read."""
        ignored = np.zeros(len(self), np.bool_)
        ignored[self.ignored] = True
        return ignored

    @cached_property
    def visible(self) -> str:
        """The text with a blank for each character that is not read; those beyond, too."""
        return self._without_beyond(blanked(self.text, self.unread.tolist()))

    @cached_property
    def legible(self) -> str:
        """The visible text with its ignored words in their places, for who deletes them himself."""
        if not len(self.ignored):
            return self.visible
        there = np.zeros(len(self.text) + 1, np.int64)
        for (start, end), step in ((self.unread.T, 1), (self.spans[self.ignored].T, -1)):
            np.add.at(there, start, step)
            np.add.at(there, end, -step)
        gone = np.cumsum(there) > 0
        bounds = np.flatnonzero(np.diff(gone, prepend=False)).reshape(-1, 2)
        return self._without_beyond(blanked(self.text, [(a, b) for a, b in bounds.tolist()]))

    def _without_beyond(self, text: str) -> str:
        """Return a text with blanks for all that stands behind the last word, if there is more."""
        if not self.truncated:
            return text
        end = int(self.spans[-1, 1]) if len(self) else 0
        return text[:end] + " " * (len(text) - end)

    @property
    def unread_words(self) -> int:
        """How many words, as white space parts them, are not read."""
        return sum(len(self.text[start:end].split()) for start, end in self.unread.tolist())

    @cached_property
    def words(self) -> list[str]:
        """The T words."""
        return self.cut()

    def cut(self, chosen: NDArray[np.intp] | None = None) -> list[str]:
        """Return the T words, cut out of the text anew: nothing of them is kept.

        Parameters
        ----------
        chosen : (n,) intp, optional
            The positions of those that are wanted.
        """
        text = self.text
        starts, ends = (self.spans if chosen is None else self.spans[chosen]).T.tolist()
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    def shortened(self, most: int | None) -> "Document":
        """Return it with the first so many words; itself if it has no more, or for None."""
        if most is None or len(self) <= most:
            return self
        beyond = self.truncated + len(self) - most
        return Document(self.text, self.spans[:most], beyond, self.unread, self.passed)

    def cut_read(self) -> list[str]:
        """Return the words that are read: the T words without those that are ignored."""
        if not len(self.ignored):
            return self.cut()
        return self.cut(np.delete(np.arange(len(self)), self.ignored))

    def __len__(self) -> int:
        return len(self.spans)


Text: TypeAlias = str | Document  # a Document is a text that was read already


def blanked(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the text with a blank for each character of some ranges, in order and apart."""
    pieces, done = [], 0
    for start, end in ranges:
        pieces += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def document_frequencies(documents: Iterable[Document]) -> dict[str, int]:
    """Return the lower-cased words read, sorted, and how many documents have each."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update({word.lower() for word in document.cut_read()})
    return dict(sorted(counts.items()))
