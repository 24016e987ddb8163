"""From texts to the ids of characters, and back to words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whyword.models.pytorch.character_encoding import (
    BLANK,
    FIRST,
    UNKNOWN,
    CharacterEncoder,
    alphabet_of,
    as_read,
)
from whyword.models.pytorch.pieces import with_symbols
from whyword.words.reader import Reader

ENCODER = CharacterEncoder("abcdé!", lowercase=True)


def read(text: str, encoder: CharacterEncoder = ENCODER) -> tuple[str, list[int]]:
    """Return the characters that the ids stand for, and their places."""
    ids, spans = encoder.ids_and_spans(Reader()(text), text)
    names = {BLANK: " ", UNKNOWN: "?"} | dict(enumerate(encoder.alphabet, FIRST))
    assert (spans[:, 1] - spans[:, 0] == 1).all()
    return "".join(names[one] for one in ids.tolist()), spans[:, 0].tolist()


def test_characters_have_ids() -> None:
    assert read("Bad cab") == ("bad cab", [0, 1, 2, 3, 4, 5, 6])
    assert read("aÉz!") == ("aé?!", [0, 1, 2, 3])
    assert read("") == ("", [])
    assert read(" \n\t") == ("", [])
    assert read("  a \n\n b  ") == ("a b ", [2, 3, 7, 8])
    assert read("BAD", CharacterEncoder("ABd", lowercase=False)) == ("BA?", [0, 1, 2])


def test_lower_case_of_one_character_only() -> None:
    assert as_read("İ", True) == "İ"  # two characters in lower case
    assert as_read("Ä", True) == "ä"
    assert as_read("Ä", False) == "Ä"


def test_the_alphabet_is_what_is_most_frequent() -> None:
    texts = ["aab B", "b\ud800\n\u3000", "cC c"]
    assert alphabet_of(texts, 2, lowercase=True) == "bc"
    assert alphabet_of(texts, 9, lowercase=True) == "bca"
    assert alphabet_of(texts, 9, lowercase=False) == "abcBC"
    assert alphabet_of([], 9, lowercase=True) == ""


@given(st.text())
def test_every_character_that_is_no_blank_is_of_one_word(text: str) -> None:
    document = with_symbols(Reader()(text))
    encoded = ENCODER(document)
    pieces = encoded.pieces
    assert pieces.of_words.tolist() == (encoded.ids != BLANK).tolist()
    assert sum(not one.isspace() for one in text) == pieces.of_words.sum()
    assert np.bincount(pieces.piece, pieces.share, pieces.count)[pieces.of_words].tolist() == [
        1
    ] * int(pieces.of_words.sum())
    assert not ((encoded.ids[1:] == BLANK) & (encoded.ids[:-1] == BLANK)).any()
    owners = pieces.owners
    assert (owners >= 0).tolist() == pieces.of_words.tolist()
    assert (np.diff(owners[owners >= 0]) >= 0).all()
