"""Where the features of a scikit-learn vectoriser stand in a text."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise, takewhile
from typing import Any, TypeAlias

import numpy as np

from whyword.models.linear.bag import Occurrence
from whyword.words.document import Document

Span: TypeAlias = tuple[int, int]
_Retraced: TypeAlias = tuple[Document, list[str], list[Occurrence]]  # all names, those wanted

_GAP = re.compile(r"\s\s+")  # what the character analysers make one space
_CHUNK = re.compile(r"\S+")
_LETTERS = re.compile(r"\w+")
_LOOKED = 500_000_000  # characters to go through for names that do not begin a word: about a second


def locate_features(
    vectorizer: Any,  # noqa: ANN401 - scikit-learn has no types
    text: str,
    analyzer: Callable[[str], Iterable[str]] | None = None,
    known: Container[str] | None = None,
) -> tuple[Document, list[Occurrence]]:
    """Return the text's words and every occurrence of a feature with the words it covers.

    The vectoriser's own steps are retraced with the places kept. Where they cannot be (a step is
    somebody's function), its features are looked for in the text, and those that are not found
    cover no word.

    Parameters
    ----------
    vectorizer : object
        Of scikit-learn.
    text : str
    analyzer : function, optional
        Its analyser, if it is made already.
    known : container of str, optional
        Which features are wanted, if not all.
    """
    features = list((analyzer or vectorizer.build_analyzer())(text))
    custom = any(callable(getattr(vectorizer, name)) for name in _STEPS)
    retraced = None if custom else _retrace(vectorizer, text, known)
    if retraced is not None:
        document, names, occurrences = retraced
        if names == features or Counter(names) == Counter(features):
            return document, occurrences
    wanted = Counter(one for one in features if known is None or one in known)
    return _search(wanted, text)


_STEPS = ("analyzer", "tokenizer", "preprocessor", "strip_accents")


def _retrace(
    vectorizer: Any,  # noqa: ANN401 - scikit-learn has no types
    text: str,
    known: Container[str] | None,
) -> _Retraced | None:
    prepared, origins = _preprocess(text, vectorizer.lowercase, vectorizer.strip_accents)
    if vectorizer.analyzer == "word":
        return _words(vectorizer, text, prepared, origins, known)
    return _characters(vectorizer, text, prepared, origins, known)


def _preprocess(text: str, lowercase: bool, accents: str | None) -> tuple[str, Sequence[int]]:
    """Return the preprocessed text, and for each of its characters the place it comes from."""
    lowered = text.lower() if lowercase else text  # not letter by letter: a final sigma has a form
    if accents is None and len(lowered) == len(text):  # no letter becomes fewer
        return lowered, range(len(text) + 1)
    sources = list(range(len(text)))
    if lowercase:
        sources = [place for place, c in enumerate(text) for _ in c.lower()]
    pieces, origins = [], []
    for place, character in zip(sources, lowered, strict=True):
        piece = character
        if accents is not None:
            piece = unicodedata.normalize("NFKD", piece)
            if accents == "ascii":
                piece = piece.encode("ascii", "ignore").decode("ascii")
            else:
                piece = "".join(c for c in piece if not unicodedata.combining(c))
        pieces.append(piece)
        origins += [place] * len(piece)
    return "".join(pieces), [*origins, len(text)]


def _words(
    vectorizer: Any,  # noqa: ANN401 - scikit-learn has no types
    text: str,
    prepared: str,
    origins: Sequence[int],
    known: Container[str] | None,
) -> _Retraced | None:
    pattern = re.compile(vectorizer.token_pattern)
    group = min(pattern.groups, 1)
    spans = [match.span(group) for match in pattern.finditer(prepared)]
    if any(start < end for (_, end), (start, _) in pairwise(spans)) or (-1, -1) in spans:
        return None  # tokens that overlap, or that stand nowhere
    stops = vectorizer.get_stop_words() or ()
    tokens = [prepared[start:end] for start, end in spans]
    kept = [number for number, token in enumerate(tokens) if token not in stops]
    tokens = [tokens[number] for number in kept]
    originals = [_original(span, origins) for span in spans]
    least, most = vectorizer.ngram_range
    names: list[str] = []
    occurrences: list[Occurrence] = []
    for size in range(least, min(most, len(kept)) + 1):
        some = tokens if size == 1 else _joined(tokens, size)
        names += some
        for first, name in enumerate(some):
            if known is None or name in known:
                covered = kept[first : first + size]
                span = originals[covered[0]][0], originals[covered[-1]][1]
                occurrences.append(Occurrence(name, covered, span))
    return _document(text, originals), names, occurrences


def _joined(tokens: list[str], size: int) -> list[str]:
    """Return the n-grams of so many tokens."""
    return list(map(" ".join, zip(*(tokens[first:] for first in range(size)), strict=False)))


def _original(span: Span, origins: Sequence[int]) -> Span:
    start, end = span
    return origins[start], (origins[end - 1] + 1 if end > start else origins[start])


def _characters(
    vectorizer: Any,  # noqa: ANN401 - scikit-learn has no types
    text: str,
    prepared: str,
    origins: Sequence[int],
    known: Container[str] | None,
) -> _Retraced:
    squeezed, places = _squeeze_spaces(prepared, origins)
    document = _document(text, [match.span() for match in _CHUNK.finditer(text)])
    present, ahead, behind = _words_around(squeezed, places, document)
    least, most = vectorizer.ngram_range
    cut = _within_words if vectorizer.analyzer == "char_wb" else _anywhere
    names: list[str] = []
    occurrences: list[Occurrence] = []
    for name, characters in cut(squeezed, least, most):
        names.append(name)
        if known is None or name in known:
            covered = present[ahead[characters[0]] : behind[characters[-1]]]
            span = places[characters[0]], places[characters[-1]] + 1
            occurrences.append(Occurrence(name, covered, span))
    return document, names, occurrences


def _words_around(
    squeezed: str, places: list[int], document: Document
) -> tuple[list[int], list[int], list[int]]:
    """Return the words that have letters, and how many are before a letter, and up to it."""
    is_letter = np.array([not character.isspace() for character in squeezed], np.bool_)
    words = np.searchsorted(document.spans[:, 0], places[: len(squeezed)], "right") - 1
    present, ranks = np.unique(words[is_letter], return_inverse=True)
    letters = np.flatnonzero(is_letter)
    every = np.arange(len(squeezed))
    ahead = np.append(ranks, len(present))[np.searchsorted(letters, every, "left")]
    behind = np.append(-1, ranks)[np.searchsorted(letters, every, "right")] + 1
    return present.tolist(), ahead.tolist(), behind.tolist()


def _squeeze_spaces(prepared: str, origins: Sequence[int]) -> tuple[str, list[int]]:
    """Return the text with runs of white space as one space, and where each character was."""
    pieces: list[str] = []
    places: list[int] = []
    done = 0
    for gap in _GAP.finditer(prepared):
        pieces += [prepared[done : gap.start()], " "]
        places += origins[done : gap.start() + 1]
        done = gap.end()
    pieces.append(prepared[done:])
    return "".join(pieces), [*places, *origins[done:]]


def _anywhere(text: str, least: int, most: int) -> Iterator[tuple[str, range]]:
    for size in range(least, min(most, len(text)) + 1):
        for first in range(len(text) - size + 1):
            yield text[first : first + size], range(first, first + size)


def _within_words(text: str, least: int, most: int) -> Iterator[tuple[str, range]]:
    for match in _CHUNK.finditer(text):
        start, end = match.span()
        padded = f" {match[0]} "
        for size in range(least, most + 1):
            for first in range(max(1, len(padded) - size + 1)):
                low = start - 1 + first
                inside = range(max(start, low), min(end, low + size))
                yield padded[first : first + size], inside or range(start, start + 1)
            if size >= len(padded):  # a short word counts once
                break


def _search(features: Counter[str], text: str) -> tuple[Document, list[Occurrence]]:
    """Look for the features in the text, the occurrences of each one after the other."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = text
    document = _document(text, [match.span() for match in _CHUNK.finditer(text)])
    starts = document.spans[:, 0]
    exact = _Index(text)
    lower = exact if folded == text else _Index(folded)
    occurrences: list[Occurrence] = []
    for feature, count in features.items():
        name = str(feature)
        places = _places(name, exact, lower, count)
        for number in range(count):
            covered, span = list[int](), (0, 0)
            if number < len(places):
                span = places[number], places[number] + len(name)
                first = int(np.searchsorted(starts, places[number], "right")) - 1
                last = int(np.searchsorted(starts, places[number] + len(name) - 1, "right")) - 1
                covered = list(range(max(0, first), last + 1))
            occurrences.append(Occurrence(name, covered, span))
    return document, occurrences


def _places(name: str, exact: "_Index", folded: "_Index", most: int) -> list[int]:
    """Return where the name stands in the text, at most so many places.

    Whole words come first, those in the same case before others, then beginnings of words (the
    name may be a stem), then any place.
    """
    if not name.strip():
        return []
    lowered = name.lower()
    searches = chain(
        exact.beginnings(name, whole=True),
        folded.beginnings(lowered, whole=True),
        folded.beginnings(lowered, whole=False),
        folded.anywhere(lowered),
    )
    places: set[int] = set()
    while len(places) < most and (place := next(searches, None)) is not None:
        places.add(place)
    return sorted(places)


class _Index:
    """Where the runs of letters of a text begin: a name is found without reading all of it."""

    def __init__(self, text: str) -> None:
        self._text, self._left = text, _LOOKED
        self._runs: dict[str, list[int]] = {}
        for match in _LETTERS.finditer(text):
            self._runs.setdefault(match[0], []).append(match.start())

    @cached_property
    def _in_order(self) -> list[str]:
        return sorted(self._runs)

    def beginnings(self, name: str, whole: bool) -> Iterator[int]:
        """Yield where a name stands with no letter before it; if it is whole, none behind it."""
        head = _LETTERS.match(name)
        places: Iterable[int]
        if head is None:
            found = self.anywhere(name)
            places = (place for place in found if not (place and self._is_letter(place - 1)))
        elif whole or head.end() < len(name):
            places = self._runs.get(head[0], ())
        else:
            first = bisect_left(self._in_order, name)
            later = (self._in_order[number] for number in range(first, len(self._in_order)))
            runs = takewhile(lambda run: run.startswith(name), later)
            places = sorted(chain.from_iterable(self._runs[run] for run in runs))
        for place in places:
            stands = self._text.startswith(name, place)
            if stands and not (whole and self._is_letter(place + len(name))):
                yield place

    def anywhere(self, name: str) -> Iterator[int]:
        """Yield where a name stands, as long as not too much was looked through for such."""
        place, end = 0, len(self._text)
        while self._left > 0 and place < end:
            found = self._text.find(name, place)
            self._left -= (end if found < 0 else found + len(name)) - place
            if found < 0:
                return
            yield found
            place = found + len(name)

    def _is_letter(self, place: int) -> bool:
        return _LETTERS.match(self._text, place) is not None


def _document(text: str, spans: list[Span]) -> Document:
    return Document(text, np.array(spans, np.int32).reshape(-1, 2))
