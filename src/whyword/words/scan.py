"""Code points to word spans, in one compiled pass.

The rules are those of NLTK's ``sent_tokenize`` + ``word_tokenize`` followed by the paper's
filter, written as a scan: cut the text into chunks at spaces and separators; take a closing
quote, a sentence-final dot and an English contraction off the chunk's end; keep what consists
of letters, ``-``, ``.`` and ``'`` with at least one letter. By hand, since NLTK takes more than ten
times as long (``benchmarks/tokenizer.py``).
"""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.words.characters import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    HYPHEN,
    LETTER,
    MARK,
    SEPARATOR,
    SPACE,
)

Codes: TypeAlias = NDArray[np.uint32]
Classes: TypeAlias = NDArray[np.uint8]
Hashes: TypeAlias = NDArray[np.uint64]

# A dot can end a sentence before one of these; elsewhere (say "Inc.,") the sentence goes on.
_AFTER_SENTENCE = np.array(sorted(map(ord, ")\";}]*:@'({[!?»”’")), np.uint64)
_OPENING = np.array(sorted(map(ord, "(\"'`[{“‘„«")), np.uint64)


@compiled
def _folded_hash(codes: Codes, start: int, end: int) -> np.uint64:
    """FNV-1a of codes[start:end] with ASCII capitals folded; 64 bits make a clash negligible."""
    value = np.uint64(0xCBF29CE484222325)
    for i in range(start, end):
        code = codes[i]
        if 65 <= code <= 90:
            code += 32
        value = (value ^ np.uint64(code)) * np.uint64(0x100000001B3)
    return value


@compiled
def _member(sorted_values: Hashes, value: np.uint64) -> bool:
    at = np.searchsorted(sorted_values, value)
    return bool(at < sorted_values.size and sorted_values[at] == value)


@compiled
def _is_word(codes: Codes, classes: Classes, start: int, end: int) -> bool:
    letters = 0
    for i in range(start, end):
        kind = classes[codes[i]]
        if kind == LETTER:
            letters += 1
        elif kind not in (MARK, HYPHEN, DOT, APOSTROPHE):
            return False
    return letters > 0


@compiled
def _is_dotted(codes: Codes, classes: Classes, start: int, dot: int) -> bool:
    """Whether codes[start:dot] is made of short dotted pieces: e.g, U.S, Ph.D, J.-P."""
    dots, piece = 0, 0
    for i in range(start, dot):
        kind = classes[codes[i]]
        if kind == LETTER:
            piece += 1
            if piece > 2:
                return False
        elif kind == DOT:
            dots += 1
            piece = 0
        elif kind != HYPHEN:
            return False
    return dots > 0


@compiled
def _starts_sentence(codes: Codes, classes: Classes, at: int, starters: Hashes) -> bool:
    """Whether the next word is a capitalised one that mostly begins sentences (The, However)."""
    n = codes.size
    while at < n and (classes[codes[at]] == SPACE or _member(_OPENING, codes[at])):
        at += 1
    if at == n:
        return True
    if not 65 <= codes[at] <= 90:
        return False
    end = at
    while end < n and classes[codes[end]] == LETTER:
        end += 1
    return _member(starters, _folded_hash(codes, at, end))


@compiled
def _ends_sentence(
    codes: Codes,
    classes: Classes,
    start: int,
    dot: int,
    after: int,
    abbreviations: Hashes,
    starters: Hashes,
) -> bool:
    """Whether the dot of codes[start:dot + 1] only ends a sentence; the chunk ends at `after`.

    Dotted pieces always keep their dot; initials and listed abbreviations unless a sentence
    evidently begins after them.
    """
    if after < codes.size:
        next_code = codes[after]
        if classes[next_code] != SPACE and not _member(_AFTER_SENTENCE, next_code):
            return False
    if _is_dotted(codes, classes, start, dot):
        return False
    if dot - start > 1 and not _member(abbreviations, _folded_hash(codes, start, dot)):
        return True
    return _starts_sentence(codes, classes, after, starters)


@compiled
def _chunk_end(codes: Codes, classes: Classes, start: int) -> int:
    """End of the chunk that begins at `start`; doubled ``--``, ``..``, ``''`` end it too."""
    n = codes.size
    i = start
    while i < n:
        kind = classes[codes[i]]
        if kind in (SPACE, SEPARATOR):
            break
        follows = i + 1 < n
        if kind == COMMA and not (follows and classes[codes[i + 1]] == DIGIT):
            break
        if kind in (HYPHEN, DOT, APOSTROPHE) and follows and codes[i + 1] == codes[i]:
            break
        i += 1
    return i


@compiled
def _clitic_length(codes: Codes, start: int, end: int) -> int:
    """Length of the contraction that ends codes[start:end]: 's 'm 'd 'll 're 've n't, or 0."""
    if end - start >= 3 and codes[end - 2] == 39 and codes[end - 3] != 39:
        last = codes[end - 1] | 32
        if last == 115 or last == 109 or last == 100:
            return 2
    if end - start < 4 or codes[end - 4] == 39:
        return 0
    a, b, c = codes[end - 3], codes[end - 2], codes[end - 1]
    if a == 39 and (b & 32) == (c & 32):
        pair = ((b | 32) << 8) | (c | 32)
        if pair == 0x6C6C or pair == 0x7265 or pair == 0x7665:
            return 3
    if b == 39 and (a & 32) == (c & 32) and (a | 32) == 110 and (c | 32) == 116:
        return 3
    return 0


@compiled
def _opens_quotation(codes: Codes, classes: Classes, start: int, end: int) -> bool:
    """Whether the apostrophe at `start` is a quote before a word rather than part of 's or 'n."""
    if end - start < 2:
        return False
    kind = classes[codes[start + 1]]
    if kind != LETTER and kind != DIGIT:
        return False
    word_end = start + 1
    while word_end < end and classes[codes[word_end]] in (LETTER, MARK, DIGIT):
        word_end += 1
    first, length = codes[start + 1] | 32, word_end - start - 1
    if length == 1:
        return not (first == 109 or first == 116 or first == 115 or first == 100 or first == 110)
    if length == 2:
        pair = (first << 8) | (codes[start + 2] | 32)
        return not (pair == 0x7265 or pair == 0x7665 or pair == 0x6C6C)
    return True


@compiled
def word_spans(
    codes: Codes,
    classes: Classes,
    abbreviations: Hashes,
    starters: Hashes,
    contractions: Hashes,
) -> NDArray[np.int32]:
    """Find the words.

    Parameters
    ----------
    codes : (N,) uint32
        The text's code points.
    classes : (0x110000,) uint8
        :func:`whyword.words.characters.character_classes`.
    abbreviations, starters, contractions : (·,) uint64, sorted
        :func:`folded_hashes` of the words that keep their dot, of the words that begin
        sentences, and of the words to cut after three letters (can-not, gon-na).

    Returns
    -------
    spans : (T, 2) int32
        Start and end of each word, in order; a contraction's parts touch.
    """
    n = codes.size
    spans = np.empty((n // 2 + 2, 2), np.int32)  # a word and its separator take two characters
    count = 0
    i = 0
    while i < n:
        kind = classes[codes[i]]
        if kind in (SPACE, SEPARATOR):
            i += 1
            continue
        after = _chunk_end(codes, classes, i)
        if after == i:  # a comma, or a run of dashes, dots or quotes
            while i < n and codes[i] == codes[after]:
                i += 1
            continue
        start, end = i, after
        i = after
        if codes[start] == 39 and _opens_quotation(codes, classes, start, end):
            start += 1
        if codes[end - 1] == 39:
            end -= 1
        if end - start > 1 and codes[end - 1] == 46:
            dot = end - 1
            if _ends_sentence(codes, classes, start, dot, after, abbreviations, starters):
                end = dot
                if codes[end - 1] == 39:  # 'said so'.
                    end -= 1
        clitic = end - _clitic_length(codes, start, end)
        cut = start
        if 5 <= clitic - start <= 6 and _member(contractions, _folded_hash(codes, start, clitic)):
            cut = start + 3
            spans[count] = start, cut
            count += 1
        if _is_word(codes, classes, cut, clitic):
            spans[count] = cut, clitic
            count += 1
        if clitic < end:
            spans[count] = clitic, end
            count += 1
    return spans[:count].copy()


def folded_hashes(words: Iterable[str]) -> NDArray[np.uint64]:
    """Return the sorted folded hashes of some words, for :func:`word_spans`."""
    hashes = [_folded_hash(code_points(word), 0, len(word)) for word in words]
    return np.unique(np.array(hashes, np.uint64))


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the text's code points, lone surrogates included, as (N,) uint32."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
