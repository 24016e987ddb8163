"""A text and the words found in it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Document:
    """A text and the words found in it.

    Attributes
    ----------
    text : str
        The text as passed.
    spans : (T, 2) int32
        ``text[start:end]`` of each word, in code points.
    truncated : int
        How many further words were left out because of ``max_words``.
    """

    text: str
    spans: NDArray[np.int32]
    truncated: int = 0

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
        return Document(self.text, self.spans[:most], self.truncated + len(self) - most)

    def __len__(self) -> int:
        return len(self.spans)


Text: TypeAlias = str | Document  # a Document is a text that was read already


def document_frequencies(documents: Iterable[Document]) -> dict[str, int]:
    """Return the documents' lower-cased words, sorted, and how many documents have each."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update({word.lower() for word in document.cut()})
    return dict(sorted(counts.items()))
