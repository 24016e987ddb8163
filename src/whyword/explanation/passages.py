"""Words in groups: n-grams, sentences, paragraphs."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.explanation.explanation import Explanation
from whyword.words.document import Document

# A stop that ends a sentence belongs to no word (an abbreviation's does), and white space or the
# end of the text follows, perhaps after quotes and brackets.
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*(\s|$)|[。！？]|\n\s*\n")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_ENDS = {"sentence": _SENTENCE_END, "paragraph": _PARAGRAPH_END}

By: TypeAlias = str | int


class Passage(NamedTuple):
    """A stretch of a text and the relevance of its words together.

    Attributes
    ----------
    text : str
    span : (int, int)
        ``[start, end)`` in code points.
    first, last : int
        Its words are ``words[first:last]``.
    relevance : float, or (K,) float32 for several targets
    """

    text: str
    span: tuple[int, int]
    first: int
    last: int
    relevance: Any


def check_by(by: object) -> None:
    """Raise unless a text can be cut so."""
    if not isinstance(by, str):
        whole_number("by", by)
    elif by not in _ENDS:
        raise InputError(
            Argument("by"),
            f" may be 'sentence', 'paragraph' or a number of words, not {shown(by)}",
        )


def boundaries(document: Document, by: str) -> NDArray[np.intp]:
    """Return the numbers of the words that begin a sentence or paragraph, and T: (n + 1,)."""
    check_by(by)
    spans = document.spans
    if not len(spans):
        return np.zeros(1, np.intp)
    text, end = document.text, _ENDS[by]
    gaps = zip(spans[:-1, 1].tolist(), spans[1:, 0].tolist(), strict=True)
    begins = [n for n, (a, b) in enumerate(gaps, 1) if b > a and end.search(text[a:b])]
    return np.array([0, *begins, len(spans)], np.intp)


def ranges(document: Document, by: By) -> Iterator[tuple[int, int]]:
    """Yield first and last (exclusive) word of each passage; n-grams overlap."""
    if isinstance(by, str):
        cuts = boundaries(document, by).tolist()
        yield from pairwise(cuts)
        return
    size = whole_number("by", by)
    for first in range(max(0, len(document) - size + 1)):
        yield first, first + size


def passages(explanation: Explanation, by: By = "sentence") -> list[Passage]:
    """Return an explanation's passages with the sums of their words' relevance.

    Parameters
    ----------
    explanation : Explanation
    by : "sentence", "paragraph" or int
        A number n gives all n-grams, which overlap; sentences and paragraphs share out all words,
        so that theirs add up to what the words add up to.
    """
    check_by(by)
    if not isinstance(explanation, Explanation):
        kind = type(explanation).__name__
        raise InputError(Argument("explanation"), f" must be an Explanation, not {kind}")
    relevance = explanation.relevance
    sums = np.concatenate(
        [np.zeros_like(relevance[:1], float), relevance.cumsum(axis=0, dtype=float)]
    )
    if not len(relevance):
        return []
    result = []
    for first, last in ranges(explanation.document, by):
        span = int(explanation.spans[first, 0]), int(explanation.spans[last - 1, 1])
        total = sums[last] - sums[first]
        result.append(
            Passage(
                explanation.text[slice(*span)],
                span,
                first,
                last,
                float(total) if relevance.ndim == 1 else total.astype(np.float32),
            )
        )
    return result
