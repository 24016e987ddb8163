"""The scan by itself; what it makes of texts is compared with NLTK in test_tokenizer.py."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.words.characters import character_classes
from whyword.words.scan import code_points, folded_hashes, word_spans

NONE = np.empty(0, np.uint64)


def words(text: str, abbreviations: Sequence[str] = (), starters: Sequence[str] = ()) -> list[str]:
    hashes = folded_hashes(abbreviations), folded_hashes(starters), NONE
    spans = word_spans(code_points(text), character_classes(), *hashes)
    assert spans.dtype == np.int32
    assert spans.shape[1:] == (2,)
    return [text[start:end] for start, end in spans.tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("42 -- !", []),
        ("can't", ["ca", "n't"]),
        ("NASA's", ["NASA", "'s"]),
        ("the end.", ["the", "end"]),
        ("in the U.S. today", ["in", "the", "U.S.", "today"]),
        ("a\u0301 日本", ["a\u0301", "日本"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_abbreviations_keep_their_dot_unless_a_sentence_begins() -> None:
    assert words("Dr. who") == ["Dr", "who"]
    assert words("Dr. who", ("dr",)) == ["Dr.", "who"]
    assert words("the Dr. The end", ("dr",), ("the",)) == ["the", "Dr", "The", "end"]


def test_hashes_are_sorted_and_fold_capitals() -> None:
    hashes = folded_hashes(["Inc", "etc", "Dr"])
    assert (np.diff(hashes.astype(object)) > 0).all()
    np.testing.assert_array_equal(hashes, folded_hashes(["dr", "INC", "Etc"]))
    assert len(folded_hashes([])) == 0


@given(st.text())
def test_code_points_are_those_of_python(text: str) -> None:
    assert code_points(text).tolist() == list(map(ord, text))


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_spans_are_in_order_and_within_the_text(text: str) -> None:
    spans = word_spans(code_points(text), character_classes(), NONE, NONE, NONE)
    assert (np.diff(spans.ravel()) >= 0).all()
    assert (spans[:, 0] < spans[:, 1]).all()
    assert spans.max(initial=0) <= len(text)
