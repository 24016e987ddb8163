"""Code points to spans in any script, in one compiled pass each.

Words are those of Unicode's word boundaries (UAX #29) that have a letter, with two liberties: a
colon joins nothing, and what only joins (an underscore, a soft hyphen, a mark of direction) is no
part of a word's ends. Where Unicode leaves it to a dictionary (Thai, Lao, Khmer, Myanmar) a word is
a letter with its marks. Units are Unicode's grapheme clusters, without spaces, controls and marks
that stand alone.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled
from whyword.words.scan import Classes, Codes
from whyword.words.scripts import (
    ALONE,
    CLUSTER,
    CONNECTOR,
    DIGIT,
    FORMAT,
    HANGUL_L,
    HANGUL_LV,
    HANGUL_LVT,
    HANGUL_T,
    HANGUL_V,
    HEBREW,
    JOINER,
    KATAKANA,
    LETTER,
    LINKER,
    MARK,
    MID_BOTH,
    MID_LETTER,
    MID_NUMBER,
    PICTOGRAPH,
    QUOTE,
    REGIONAL,
)

_NON_JOINER = 0x200C
_BLOCK = 7  # bits: a script with linkers stands within 128 code points


@compiled
def _is_letter(kind: int) -> bool:
    return LETTER <= kind <= HANGUL_LVT


@compiled
def _jamo_join(left: int, right: int) -> bool:
    """Whether two parts of a Hangul syllable belong together: GB6, GB7, GB8."""
    if left == HANGUL_L:
        return right in (HANGUL_L, HANGUL_V, HANGUL_LV, HANGUL_LVT)
    if left in (HANGUL_LV, HANGUL_V):
        return right in (HANGUL_V, HANGUL_T)
    return left in (HANGUL_LVT, HANGUL_T) and right == HANGUL_T


@compiled
def _cluster_end(codes: Codes, kinds: Classes, start: int) -> int:
    """End of the grapheme cluster whose base, no mark, is at `start`."""
    n = codes.size
    base, block = kinds[codes[start]], codes[start] >> _BLOCK
    end = start + 1
    if base == REGIONAL:
        end += end < n and kinds[codes[end]] == REGIONAL
    elif HANGUL_L <= base <= HANGUL_LVT:
        while end < n and _jamo_join(kinds[codes[end - 1]], kinds[codes[end]]):
            end += 1
    linked, joinable = False, base == PICTOGRAPH
    while end < n:
        kind = kinds[codes[end]]
        if kind == LINKER:
            linked = linked or codes[end] >> _BLOCK == block
        elif kind == MARK:
            linked = linked and codes[end] != _NON_JOINER
        elif kind == JOINER:
            joinable = joinable and end + 1 < n and kinds[codes[end + 1]] == PICTOGRAPH
            end += joinable
        elif linked and kind in (LETTER, CLUSTER) and codes[end] >> _BLOCK == block:
            linked = False
        else:
            break
        end += 1
    return end


@compiled
def _joins(left: int, right: int) -> bool:
    """Whether two characters of these kinds, side by side, are of one word."""
    if left == KATAKANA or right == KATAKANA:
        return left == right
    return (_is_letter(left) or left == DIGIT) and (_is_letter(right) or right == DIGIT)


@compiled
def _joins_across(left: int, middle: int, right: int) -> bool:
    """Whether what stands between two characters makes one word of them."""
    if middle == QUOTE:
        return left == HEBREW and right == HEBREW
    if left == DIGIT:
        return right == DIGIT and middle in (MID_NUMBER, MID_BOTH)
    return _is_letter(left) and _is_letter(right) and middle in (MID_LETTER, MID_BOTH)


@compiled
def _skip_joining(codes: Codes, kinds: Classes, at: int) -> int:
    """Return where the marks and joining characters from `at` on end."""
    n = codes.size
    while at < n:
        kind = kinds[codes[at]]
        if kind < MARK and kind != FORMAT and kind != CONNECTOR:
            break
        at += 1
    return at


@compiled
def _run(codes: Codes, kinds: Classes, start: int) -> tuple[int, int, bool]:
    """Return the end of the word that begins at `start`, where to go on, if there is a letter."""
    n = codes.size
    left = kinds[codes[start]]
    has_letter = left != DIGIT
    end = start + 1
    while True:
        while end < n and kinds[codes[end]] >= MARK:
            end += 1
        at = _skip_joining(codes, kinds, end)
        if at == n:
            return end, at, has_letter
        kind = kinds[codes[at]]
        if not _joins(left, kind):
            is_middle = MID_LETTER <= kind <= QUOTE
            after = _skip_joining(codes, kinds, at + 1) if is_middle else n
            if after == n or not _joins_across(left, kind, kinds[codes[after]]):
                return end, at, has_letter
            at, kind = after, kinds[codes[after]]
        left = kind
        has_letter = has_letter or kind != DIGIT
        end = at + 1


@compiled
def unicode_spans(codes: Codes, kinds: Classes) -> NDArray[np.int32]:
    """Find the words of a text in any script.

    Parameters
    ----------
    codes : (N,) uint32
        The text's code points.
    kinds : (0x110000,) uint8
        :func:`whyword.words.scripts.character_kinds`.

    Returns
    -------
    spans : (T, 2) int32
        Start and end of each word, in order.
    """
    n = codes.size
    spans = np.empty((n, 2), np.int32)
    count = 0
    i = 0
    while i < n:
        kind = kinds[codes[i]]
        start = i
        if kind in (ALONE, CLUSTER):
            i = end = _cluster_end(codes, kinds, start)
            is_word = True
        elif kind in (DIGIT, KATAKANA) or _is_letter(kind):
            end, i, is_word = _run(codes, kinds, start)
        else:
            i += 1
            continue
        if is_word:
            spans[count] = start, end
            count += 1
    return spans[:count].copy()


@compiled
def character_spans(codes: Codes, kinds: Classes) -> NDArray[np.int32]:
    """Find what a reader takes for a character: letters with their marks, whole emoji and flags.

    Parameters
    ----------
    codes : (N,) uint32
        The text's code points.
    kinds : (0x110000,) uint8
        :func:`whyword.words.scripts.character_kinds`.

    Returns
    -------
    spans : (T, 2) int32
        Start and end of each, in order; spaces and controls are none.
    """
    n = codes.size
    spans = np.empty((n, 2), np.int32)
    count = 0
    i = 0
    while i < n:
        kind = kinds[codes[i]]
        if kind <= FORMAT or kind >= MARK:
            i += 1
            continue
        start = i
        i = _cluster_end(codes, kinds, start)
        spans[count] = start, i
        count += 1
    return spans[:count].copy()
