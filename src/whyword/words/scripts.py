"""What each character is to the rules for any script: one byte per code point.

The kinds are those of Unicode's word and grapheme boundaries (UAX #29), as far as the general
category tells them; what it does not tell is written here by hand: which scripts are written
without spaces, and which characters join letters.
"""

from collections import defaultdict
from functools import cache

import numpy as np
from numpy.typing import NDArray

from whyword.words.characters import by_category

SPACE = 0
CONTROL = 1  # controls, halves of surrogate pairs, the zero-width space
FORMAT = (
    2  # no shape of its own, may stand within a word: soft hyphen, directions; up to here no unit
)
OTHER = 3
PICTOGRAPH = 4  # joiners make one emoji of several
REGIONAL = 5  # two of them are a flag
CONNECTOR = 6  # joins what stands on its two sides: underscore, Armenian marks of stress
MID_LETTER = 7  # joins letters
MID_NUMBER = 8  # joins digits
MID_BOTH = 9  # joins either: dot, apostrophes
QUOTE = 10  # joins Hebrew letters, as in abbreviations
DIGIT = 11
LETTER = 12  # from here to HANGUL_LVT: letters of scripts with spaces
HEBREW = 13
HANGUL_L, HANGUL_V, HANGUL_T, HANGUL_LV, HANGUL_LVT = 14, 15, 16, 17, 18
KATAKANA = 19  # a run is a word
ALONE = 20  # Han, Hiragana: every character is a word
CLUSTER = 21  # Thai and the like: every letter with its marks is a word
MARK = 22  # from here on: belongs to the letter before it
JOINER = 23
LINKER = 24  # the letter after it belongs to the letter before it, too

_MID_LETTER = "\u00b7\u0387\u055f\u05f3\u05f4\u2027"  # the colon is none, as in CLDR
_MID_NUMBER = ",;\u037e\u060c\u066c\u2044\uff0c\uff1b"
_MID_BOTH = ".'\u2018\u2019\u2024\ufe52\uff07\uff0e"
# Letters that Unicode takes for marks (Thai and Lao am, halfwidth voicing), and skin tones.
_MARKS = "\u0e33\u0eb3\uff9e\uff9f\u200c\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
# The viramas that stack letters, Unicode's Indic_Conjunct_Break=Linker without those of 2022 on.
_LINKERS = (
    "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6"
    "\U00010a3f\U00011133\U0001193e\U00011a47\U00011a99"
)
_TAGS = (0xE0020, 0xE007F)  # of the flags of England, Scotland and Wales

# Scripts by ranges of code points, first and last; only the letters in them are meant.
_HEBREW = ((0x05D0, 0x05F2), (0xFB1D, 0xFB4F))
_KATAKANA = (
    *((0x3031, 0x3035), (0x30A1, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    *((0x1AFF0, 0x1AFFF), (0x1B000, 0x1B000), (0x1B120, 0x1B122), (0x1B155, 0x1B155)),
    *((0x1B164, 0x1B167),),
)
_HIRAGANA = (
    *((0x3041, 0x3096), (0x309D, 0x309F), (0x1B001, 0x1B11F), (0x1B132, 0x1B132)),
    *((0x1B150, 0x1B152),),
)
_IDEOGRAPHS = (
    *((0x3005, 0x3006), (0x303B, 0x303C), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    *((0x16FE0, 0x18DFF), (0x1B170, 0x1B2FF), (0x20000, 0x3FFFF)),  # Tangut, Khitan, Nushu; Han
)
_CLUSTERS = (
    *((0x0E01, 0x0E4E), (0x0E81, 0x0EDF)),  # Thai, Lao
    *((0x1000, 0x109F), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F)),  # Myanmar
    (0x1780, 0x17DC),  # Khmer
    *((0x1950, 0x1974), (0x1980, 0x19DF), (0x1A20, 0x1AAD), (0xAA80, 0xAADF)),  # Tai scripts
    (0x11700, 0x1174F),  # Ahom
)
_HANGUL = (
    *((0x1100, 0x115F, HANGUL_L), (0xA960, 0xA97C, HANGUL_L)),
    *((0x1160, 0x11A7, HANGUL_V), (0xD7B0, 0xD7C6, HANGUL_V)),
    *((0x11A8, 0x11FF, HANGUL_T), (0xD7CB, 0xD7FB, HANGUL_T), (0xAC00, 0xD7A3, HANGUL_LVT)),
)
_BY_CATEGORY = defaultdict(
    lambda: OTHER,
    {"Nd": DIGIT, "Nl": DIGIT, "So": PICTOGRAPH, "Pc": CONNECTOR, "Cf": FORMAT}
    | dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo"), LETTER)
    | dict.fromkeys(("Mn", "Mc", "Me"), MARK)
    | dict.fromkeys(("Cc", "Cs"), CONTROL)
    | dict.fromkeys(("Zs", "Zl", "Zp"), SPACE),
)
_SPECIAL = (
    dict.fromkeys("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85", SPACE)
    | dict.fromkeys(_MID_LETTER, MID_LETTER)
    | dict.fromkeys(_MID_NUMBER, MID_NUMBER)
    | dict.fromkeys(_MID_BOTH, MID_BOTH)
    | dict.fromkeys("\u055b\u055c\u055e", CONNECTOR)  # on the vowels of Armenian questions
    | dict.fromkeys(_MARKS, MARK)
    | dict.fromkeys(_LINKERS, LINKER)
    | {'"': QUOTE, "\u200b": CONTROL, "\u200d": JOINER, "〇": ALONE}
    | dict.fromkeys("\u2194", PICTOGRAPH)  # in emoji, though it is a sign of mathematics
)


@cache
def character_kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point.

    Returns
    -------
    kinds : (0x110000,) uint8
    """
    kinds = by_category(_BY_CATEGORY, OTHER)
    for ranges, kind in (
        *((_HEBREW, HEBREW), (_KATAKANA, KATAKANA), (_HIRAGANA, ALONE), (_IDEOGRAPHS, ALONE)),
        (_CLUSTERS, CLUSTER),
    ):
        for first, last in ranges:
            part = kinds[first : last + 1]
            part[part == LETTER] = kind
    for first, last, kind in _HANGUL:
        kinds[first : last + 1] = kind
    kinds[0xAC00:0xD7A4:28] = HANGUL_LV
    kinds[0x1F1E6:0x1F200] = REGIONAL
    kinds[_TAGS[0] : _TAGS[1] + 1] = MARK
    for character, kind in _SPECIAL.items():
        kinds[ord(character)] = kind
    return kinds
