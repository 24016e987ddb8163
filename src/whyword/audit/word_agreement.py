"""Do two models find the same words relevant: their units differ, the characters do not.

A model has its own words: another tokeniser's, or none beyond some number. Compared are stretches
of the text that neither model cuts: spans that overlap belong to one stretch, and what a model says
of its words there adds up.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label
from whyword.evaluation.agreement import TOP, Agreement, agreement
from whyword.methods.explain import explain
from whyword.models.protocol import TextClassifier

Values = NDArray[np.float64]


class WordRelevance(NamedTuple):
    """The relevance of a text's words.

    Attributes
    ----------
    text : str
        As the model read it: of a mail or page, what it says.
    spans : (T, 2) int
        ``text[start:end]`` of each word.
    values : (T,) float64
    """

    text: str
    spans: NDArray[np.integer]
    values: Values


def word_relevances(
    model: TextClassifier, texts: Sequence[str], targets: Sequence[Label], method: str
) -> list[WordRelevance]:
    """Return the relevance of each text's words for its target, one of the model's classes."""
    if not texts:
        return []
    explanations = explain(model, texts, targets=targets, method=method)
    return [
        WordRelevance(one.text, one.spans, one.relevance.astype(np.float64)) for one in explanations
    ]


def common_units(a: WordRelevance, b: WordRelevance) -> tuple[Values, Values]:
    """Return two relevances of one text by the stretches that neither cuts, (U,) each.

    They are in the order of the text. Where one model has no word, its relevance is 0; words
    without characters are left out.
    """
    spans = np.concatenate([a.spans, b.spans]).astype(np.int64).reshape(-1, 2)
    numbers = np.full(len(spans), -1)
    there = np.flatnonzero(spans[:, 0] < spans[:, 1])
    order = there[np.argsort(spans[there, 0], kind="stable")]
    starts, ends = spans[order].T
    reached = np.maximum.accumulate(ends)  # by the words before, wherever they begin
    begins = np.append(True, starts[1:] >= reached[:-1])[: len(order)]
    numbers[order] = np.cumsum(begins) - 1
    units = int(begins.sum())
    return (
        _sums(numbers[: len(a.spans)], a.values, units),
        _sums(numbers[len(a.spans) :], b.values, units),
    )


def _sums(numbers: NDArray[np.int_], values: Values, units: int) -> Values:
    """Return the sum of the values that each unit has, (units,); of number −1 is none."""
    has = numbers >= 0
    return np.bincount(numbers[has], values[has], units).astype(np.float64)


def word_agreement(
    a: Mapping[int, WordRelevance], b: Mapping[int, WordRelevance], top: int = TOP
) -> Agreement | None:
    """Return how far two models agree on the relevance of words.

    Parameters
    ----------
    a, b : mapping from a document's number to WordRelevance
        Only documents count that both have, and read as the same text.
    top : int
        How many of the highest stretches to compare.

    Returns
    -------
    Agreement or None
        None if there is no such document, or none with a word.
    """
    both = [number for number in a if number in b and a[number].text == b[number].text]
    pairs = [common_units(a[number], b[number]) for number in both]
    worded = [pair for pair in pairs if len(pair[0])]
    if not worded:
        return None
    first, second = zip(*worded, strict=True)
    return agreement(first, second, top)
