"""A text and the words found in it."""

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

    def cut(self) -> list[str]:
        """Return the T words, cut out of the text anew: nothing of them is kept."""
        text = self.text
        starts, ends = self.spans.T.tolist()
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    def __len__(self) -> int:
        return len(self.spans)


Text: TypeAlias = str | Document  # a Document is a text that was read already
