"""Relevance that came from elsewhere, brought to the words of the texts."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyword.base.checks import one_each
from whyword.base.errors import InputError
from whyword.base.printable import shown
from whyword.explanation.explanation import Explanation
from whyword.words.document import Document

Values = NDArray[np.float64]


def align(relevance: Iterable[Any], documents: Sequence[Document], first: int = 0) -> list[Values]:
    """Return one value per word of each document, (T,) float64.

    Parameters
    ----------
    relevance : iterable
        For each document one of: a value per word, (T,); a pair ``(spans, values)`` of (n, 2)
        character offsets and (n,) values, see :func:`by_span`; an Explanation of one target.
    documents : sequence of Document
    first : int
        The number of the first document, for messages.
    """
    each = one_each("relevance", relevance, len(documents))
    pairs = enumerate(zip(each, documents, strict=True), first)
    return [_of_document(one, document, f"document {n}") for n, (one, document) in pairs]


def _of_document(relevance: object, document: Document, name: str) -> Values:
    if isinstance(relevance, Explanation):
        if relevance.relevance.ndim != 1:
            raise InputError(
                f"relevance of {name} explains {len(relevance.targets)} classes; one is needed"
            )
        if relevance.text != document.text:
            raise InputError(
                f"relevance of {name} explains another text: {relevance.text!r:.40}, not "
                f"{document.text!r:.40}; is it in the order of the texts?"
            )
        if np.array_equal(relevance.spans, document.spans):
            return _finite(relevance.relevance, name, document)
        return by_span(relevance.spans, relevance.relevance, document, name)
    if isinstance(relevance, tuple) and len(relevance) == 2 and _are_spans(relevance[0]):
        return by_span(*relevance, document, name)
    values = _numbers(relevance, name)
    if values.ndim != 1:
        raise InputError(
            f"relevance of {name} has shape {values.shape}; one value per word is needed"
        )
    if len(values) != len(document):
        raise InputError(
            f"relevance of {name} has {len(values)} values, but the model sees {len(document)} "
            "words there; give one per word, or (spans, values)"
        )
    return _finite(values, name, document)


def by_span(
    spans: ArrayLike, values: ArrayLike, document: Document, name: str = "the document"
) -> Values:
    """Return values of stretches of text as values of the words they overlap, (T,).

    A stretch's value is shared among the words by the characters that each has in it; pieces of
    one word add up. A stretch that touches no word (punctuation, say) is left out.

    Parameters
    ----------
    spans : (n, 2) ints
        ``text[start:end]``, in code points.
    values : (n,) floats
    document : Document
        Of T words.
    """
    bounds, numbers = _numbers(spans, name), _numbers(values, name)
    bounds = bounds.reshape(-1, 2) if bounds.size == 0 else bounds
    if bounds.ndim != 2 or bounds.shape[1] != 2:
        raise InputError(f"spans of {name} have shape {bounds.shape}; (n, 2) is needed")
    if numbers.shape != (len(bounds),):
        raise InputError(
            f"relevance of {name} has {numbers.size} values for {len(bounds)} spans; "
            "one per span is needed"
        )
    if not (np.isfinite(bounds).all() and (bounds[:, 0] <= bounds[:, 1]).all()):
        raise InputError(f"spans of {name} must be [start, end) with start ≤ end")
    outside = (bounds[:, 0] < 0) | (bounds[:, 1] > len(document.text))
    if outside.any():
        start, end = bounds[np.argmax(outside)]
        raise InputError(
            f"spans of {name} reach out of its text, which has {len(document.text)} characters: "
            f"[{start:g}, {end:g})"
        )
    result = np.zeros(len(document))
    starts, ends = document.spans.T.astype(np.float64)
    firsts = np.searchsorted(ends, bounds[:, 0], "right")
    lasts = np.searchsorted(starts, bounds[:, 1], "left")
    for (start, end), value, low, high in zip(
        bounds.tolist(), numbers.tolist(), firsts.tolist(), lasts.tolist(), strict=True
    ):
        common = np.minimum(ends[low:high], end) - np.maximum(starts[low:high], start)
        total = common.sum()
        if total > 0:
            result[low:high] += value * common / total
    return _finite(result, name, document)


def _are_spans(values: Any) -> bool:  # noqa: ANN401 - anybody's arrays
    """Whether the first of a pair is a list of spans, perhaps an empty one."""
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        return len(values) == 0 or np.ndim(values[0]) == 1
    return False


def _numbers(values: Any, name: str) -> Values:  # noqa: ANN401 - anybody's arrays
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"relevance of {name} is no list of numbers: {shown(values)}; give a value per word, "
            "in the order of the text, or (spans, values)"
        ) from None


def _finite(values: NDArray[Any], name: str, document: Document) -> Values:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        word = document.words[int(wrong[0])]
        raise InputError(
            f"relevance of {name} is {values[wrong[0]]} at word {wrong[0]} ({word!r:.40}); "
            "it must be finite"
        )
    return values.astype(np.float64)
