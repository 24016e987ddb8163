import sys
import unicodedata

import pytest
import segments

from whyword.words import scripts
from whyword.words.scripts import character_kinds

LETTERS = {
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


@pytest.mark.slow(reason="goes through all of Unicode")
def test_scripts_are_those_of_the_characters_names() -> None:
    kinds = character_kinds()
    assert kinds.shape == (sys.maxunicode + 1,)
    for code in range(sys.maxunicode + 1):
        assert kinds[code] in LETTERS[segments.kind(chr(code))], hex(code)
        assert (kinds[code] == scripts.SPACE) == chr(code).isspace(), hex(code)


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        ("漢字々〇𠀀ひらがな\u309d", scripts.ALONE),
        ("カタカナーｶﾅ", scripts.KATAKANA),
        ("กเໂကខ", scripts.CLUSTER),
        ("aßяاह", scripts.LETTER),
        ("אש", scripts.HEBREW),
        ("\u0301\u0e33\u200c\ufe0f\U0001f3fd\U000e0100\U000e007f", scripts.MARK),
        ("\u094d\u17d2", scripts.LINKER),
        ("\x00\u200b\ud800", scripts.CONTROL),
        ("\u00ad\u202e\ufeff", scripts.FORMAT),
        ("😀♀\u2194©", scripts.PICTOGRAPH),
        ("🇩🇪", scripts.REGIONAL),
        ("가", scripts.HANGUL_LV),
        ("각", scripts.HANGUL_LVT),
        ("。、「」・!:½€", scripts.OTHER),
    ],
)
def test_kinds(characters: str, expected: int) -> None:
    assert [character_kinds()[ord(c)] for c in characters] == [expected] * len(characters)


def test_every_kind_is_tested() -> None:
    every = [kind for kinds in LETTERS.values() for kind in kinds]
    assert sorted(every) == list(range(scripts.LINKER + 1))


def test_hangul_syllables_tell_whether_they_are_closed() -> None:
    for syllable in ("가", "각", "힣", "히"):
        parts = len(unicodedata.normalize("NFD", syllable))
        is_closed = character_kinds()[ord(syllable)] == scripts.HANGUL_LVT
        assert is_closed == (parts == 3)
