"""From a text to the ids of its characters."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.models.pytorch.encoding import Encoder
from whyword.words.document import Document

BLANK, UNKNOWN = 0, 1  # the ids of what parts words, and of all characters beside the alphabet
FIRST = 2  # the id of the alphabet's first character


class CharacterEncoder(Encoder):
    """One id for each character; blanks in a row are one, as padding is.

    Parameters
    ----------
    alphabet : str
        The characters that have ids, none of them twice.
    lowercase : bool
        Whether letters are read in lower case.
    """

    pad = BLANK

    def __init__(self, alphabet: str, lowercase: bool) -> None:
        self.alphabet, self.lowercase = alphabet, lowercase
        self._numbers = {one: number for number, one in enumerate(alphabet, FIRST)}

    @property
    def settings(self) -> dict[str, Any]:
        """The alphabet, and whether letters are read in lower case."""
        return {"alphabet": self.alphabet, "lowercase": self.lowercase}

    def ids_and_spans(self, document: Document, text: str) -> tuple[Any, Any]:
        """Return the ids of characters and their places."""
        codes, which = np.unique(code_points(text), return_inverse=True)
        ids = np.array([self._number(chr(code)) for code in codes.tolist()], np.int64)[which]
        before = np.concatenate([[BLANK], ids[:-1]])  # at the beginning there is nothing to part
        places = np.flatnonzero((ids != BLANK) | (before != BLANK))
        return ids[places], np.stack([places, places + 1], axis=1)

    def _number(self, character: str) -> int:
        if character.isspace():
            return BLANK
        return self._numbers.get(as_read(character, self.lowercase), UNKNOWN)

    def known(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are of the alphabet."""
        known: NDArray[np.bool_] = ids >= FIRST
        return known


def alphabet_of(texts: Iterable[str], most: int, lowercase: bool) -> str:
    """Return the most frequent characters of texts, in their order; no blanks.

    Parameters
    ----------
    texts : iterable of str
    most : int
    lowercase : bool
        Whether letters are counted in lower case.
    """
    counts: dict[str, int] = {}
    for text in texts:
        codes, often = np.unique(code_points(text), return_counts=True)
        for code, count in zip(codes.tolist(), often.tolist(), strict=True):
            one = as_read(chr(code), lowercase)
            counts[one] = counts.get(one, 0) + count
    kept = [one for one in counts if not one.isspace() and not 0xD800 <= ord(one) < 0xE000]
    return "".join(sorted(kept, key=lambda one: (-counts[one], one))[:most])


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, (n,); halves of surrogate pairs are such, too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def as_read(character: str, lowercase: bool) -> str:
    """Return a character as it is read: in lower case, where that is one character, too."""
    lower = character.lower() if lowercase else character
    return lower if len(lower) == 1 else character
