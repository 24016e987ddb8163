"""Unicode tables: the class and the kind of each character, by its category, name and properties.

Tables are compared on both sides of each place where they change, and at every 61st character.
"""

import sys
import unicodedata
from collections.abc import Iterable

import numpy as np
import pytest
import regex
import segments
from numpy.typing import NDArray

from whyword.words import scripts
from whyword.words.characters import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    HYPHEN,
    LETTER,
    MARK,
    OTHER,
    SEPARATOR,
    SPACE,
    character_classes,
)
from whyword.words.scripts import character_kinds

ALL = range(sys.maxunicode + 1)
SPECIAL = (
    {"-": HYPHEN, ".": DOT, "'": APOSTROPHE, ",": COMMA, ":": COMMA}
    | dict.fromkeys("/\\|_=+^~", OTHER)  # make no word of what they touch
    | dict.fromkeys("\u00ad\u200c\u200d", MARK)  # soft hyphen, joiners
)
BY_CATEGORY = {"L": LETTER, "M": MARK, "Nd": DIGIT, "Nl": OTHER, "No": OTHER}
KINDS = {  # by the letters of segments.kind
    "L": [scripts.LETTER, *range(scripts.HANGUL_L, scripts.HANGUL_LVT + 1)],
    "H": [scripts.HEBREW],
    "D": [scripts.DIGIT],
    "K": [scripts.KATAKANA],
    "A": [scripts.ALONE],
    "C": [scripts.CLUSTER],
    "m": [scripts.MARK, scripts.JOINER, scripts.LINKER],
    "j": [scripts.FORMAT, scripts.CONNECTOR],
    "l": [scripts.MID_LETTER],
    "d": [scripts.MID_NUMBER],
    "b": [scripts.MID_BOTH],
    "q": [scripts.QUOTE],
    " ": [scripts.SPACE, scripts.CONTROL, scripts.OTHER, scripts.PICTOGRAPH, scripts.REGIONAL],
}


def places(table: NDArray[np.uint8]) -> list[int]:
    changes = np.flatnonzero(np.diff(table))
    found: list[int] = np.unique(np.concatenate([changes, changes + 1, ALL[::61]])).tolist()
    return found


def literal_class(character: str) -> int:
    if character in SPECIAL:
        return SPECIAL[character]
    if character.isspace():
        return SPACE
    category = unicodedata.category(character)
    return BY_CATEGORY.get(category[0], BY_CATEGORY.get(category, SEPARATOR))


def check(codes: Iterable[int]) -> None:
    classes, kinds = character_classes(), character_kinds()
    for code in codes:
        assert classes[code] == literal_class(chr(code)), hex(code)
        assert kinds[code] in KINDS[segments.kind(chr(code))], hex(code)
        assert (kinds[code] == scripts.SPACE) == chr(code).isspace(), hex(code)


def test_tables_are_those_of_unicode() -> None:
    assert len(character_classes()) == len(character_kinds()) == len(ALL)
    check([*places(character_classes()), *places(character_kinds()), *range(0x300)])


@pytest.mark.nightly(reason="each of a million characters")
def test_tables_of_all_characters() -> None:
    check(ALL)


def test_numbers_of_classes_and_kinds_differ() -> None:
    names = (SPACE, SEPARATOR, LETTER, MARK, HYPHEN, DOT, APOSTROPHE, COMMA, DIGIT, OTHER)
    assert sorted(names) == list(range(10))
    every = [kind for kinds in KINDS.values() for kind in kinds]
    assert sorted(every) == list(range(scripts.LINKER + 1))


@pytest.mark.parametrize(
    ("properties", "kind"),
    [
        (r"\p{hst=L}", scripts.HANGUL_L),
        (r"\p{hst=V}", scripts.HANGUL_V),
        (r"\p{hst=T}", scripts.HANGUL_T),
        (r"\p{hst=LV}", scripts.HANGUL_LV),
        (r"\p{hst=LVT}", scripts.HANGUL_LVT),
        (r"\p{RI}", scripts.REGIONAL),
        (r"\u200d", scripts.JOINER),
        (r"\p{Cc}(?<![\t-\r\x1c-\x1f\x85])|\p{Cs}|\u200b", scripts.CONTROL),
        (r"\p{Pc}|[\u055b\u055c\u055e]", scripts.CONNECTOR),
        (r"\p{So}(?<!\p{RI})|\u2194", scripts.PICTOGRAPH),
    ],
)
def test_kinds_are_properties(properties: str, kind: int) -> None:
    first = "".join(map(chr, range(0x20000)))
    expected = {found.start() for found in regex.finditer(properties, first)}
    found = set(np.flatnonzero(character_kinds()[: len(first)] == kind).tolist())
    differ = "".join(map(chr, found ^ expected))  # regex may know a later version of Unicode
    assert {unicodedata.category(character) for character in differ} <= {"Cn"}


def test_other_kinds() -> None:
    kinds = character_kinds()
    linkers = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6"
    linkers += "\U00010a3f\U00011133\U0001193e\U00011a47\U00011a99"
    assert "".join(map(chr, np.flatnonzero(kinds == scripts.LINKER))) == linkers
    for characters, kind in (
        ("\u0301\u0e33\u200c\ufe0f\U0001f3fd\U000e0100\U000e0020\U000e007f", scripts.MARK),
        ("\u00ad\u202e\ufeff", scripts.FORMAT),
        ("。、「」・!:½€\ue000\U0010ffff", scripts.OTHER),
    ):
        assert {int(kinds[ord(character)]) for character in characters} == {kind}
