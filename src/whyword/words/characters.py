"""What each Unicode character is to the tokeniser: one byte per code point."""

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

SPACE = 0
SEPARATOR = 1  # stands alone: brackets, quotes, most punctuation, symbols, emoji
LETTER = 2
MARK = 3  # belongs to the letter before it: accents, vowel signs, joiners
HYPHEN = 4
DOT = 5
APOSTROPHE = 6
COMMA = 7  # comma and colon: part of a number when a digit follows, else alone
DIGIT = 8
OTHER = 9  # glues what it touches into something that is no word: and/or, x=1, a_b

_GLUE = "/\\|_=+^~"
_JOINERS = "\u00ad\u200c\u200d"  # soft hyphen and the joiners of Persian and Hindi words
# Outside of these there are only private and unassigned code points; `test_characters.py` looks.
_ASSIGNED = (range(0x33480), range(0xE0000, 0xE1000))


@cache
def character_classes() -> NDArray[np.uint8]:
    """Return the class of every code point.

    Returns
    -------
    classes : (0x110000,) uint8
    """
    classes = by_category(_BY_CATEGORY, SEPARATOR)
    for character, kind in _SPECIAL.items():
        classes[ord(character)] = kind
    return classes


def by_category(kinds: Mapping[str, int], otherwise: int) -> NDArray[np.uint8]:
    """Return a number for every code point, (0x110000,) uint8.

    Parameters
    ----------
    kinds : dict from str to int
        By Unicode's general categories, all of them.
    otherwise : int
        For planes in which nothing is assigned.
    """
    found = np.full(sys.maxunicode + 1, otherwise, np.uint8)
    for block in _ASSIGNED:
        categories = map(unicodedata.category, map(chr, block))
        found[block.start : block.stop] = [kinds[name] for name in categories]
    return found


# What is not listed stands alone. NLTK glues unusual punctuation, symbols and control characters
# to their neighbours, which then count as no word: the "good" of "good…" would vanish.
_BY_CATEGORY = defaultdict(
    lambda: SEPARATOR,
    {"Nd": DIGIT, "Nl": OTHER, "No": OTHER}
    | dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo"), LETTER)
    | dict.fromkeys(("Mn", "Mc", "Me"), MARK)
    | dict.fromkeys(("Zs", "Zl", "Zp"), SPACE),
)
_SPECIAL = (
    {"-": HYPHEN, ".": DOT, "'": APOSTROPHE, ",": COMMA, ":": COMMA}
    | dict.fromkeys("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85", SPACE)
    | dict.fromkeys(_GLUE, OTHER)
    | dict.fromkeys(_JOINERS, MARK)
)
