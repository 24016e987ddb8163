import sys
import unicodedata

import pytest

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


@pytest.mark.slow(reason="goes through all of Unicode")
def test_no_letter_mark_or_space_is_overlooked() -> None:
    classes = character_classes()
    special = {"\u00ad", "\u200c", "\u200d"}
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        category = unicodedata.category(character)
        if character in special:
            continue
        assert (classes[code] == LETTER) == (category[0] == "L"), hex(code)
        assert (classes[code] == MARK) == (category[0] == "M"), hex(code)
        assert (classes[code] == SPACE) == character.isspace(), hex(code)
        assert (classes[code] == DIGIT) == (category == "Nd"), hex(code)


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        ("-", HYPHEN),
        (".", DOT),
        ("'", APOSTROPHE),
        (",:", COMMA),
        ('()[]{}<>"`?!;@#$%&*“”’«»—…。😀€\x00\u202e', SEPARATOR),
        ("/\\|_=+^~²½", OTHER),
        ("\u200d\u0301\u093f", MARK),
    ],
)
def test_classes(characters: str, expected: int) -> None:
    assert [character_classes()[ord(c)] for c in characters] == [expected] * len(characters)
