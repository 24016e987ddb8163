"""A text and its words, their numbers, and the words that are not read."""

import numpy as np
import pytest

from whyword.words.document import Document, document_frequencies
from whyword.words.word_hashes import WordHashes

TEXT = "The Moon, the moon"
SPANS = np.array([[0, 3], [4, 8], [10, 13], [14, 18]], np.int32)


def test_words_are_cut_out_of_the_text() -> None:
    document = Document(TEXT, SPANS)
    assert document.words == ["The", "Moon", "the", "moon"]
    assert document.words is document.words
    assert document.cut(np.array([3, 1])) == ["moon", "Moon"]
    assert document.cut() is not document.cut()
    assert len(document) == 4


@pytest.mark.parametrize(
    ("most", "left", "truncated"), [(None, 4, 0), (9, 4, 0), (4, 4, 0), (1, 1, 3)]
)
def test_shortened(most: int | None, left: int, truncated: int) -> None:
    document = Document(TEXT, SPANS)
    short = document.shortened(most)
    assert (len(short), short.truncated, short.text) == (left, truncated, TEXT)
    assert (short is document) == (left == 4)
    assert document.shortened(2).shortened(1).truncated == 3


def test_document_frequencies() -> None:
    documents = [Document(TEXT, SPANS), Document("moon", np.array([[0, 4]], np.int32))]
    assert document_frequencies(documents) == {"moon": 2, "the": 1}
    assert list(document_frequencies(documents)) == ["moon", "the"]
    assert document_frequencies([]) == {}


def test_ignored_words_in_their_places() -> None:
    unread = np.array([[0, 3], [8, 18]], np.int32)  # a word; a part that was removed, with words
    document = Document(TEXT, SPANS[:3], 1, unread)
    assert document.ignored.tolist() == [0, 2]
    assert document.are_ignored.tolist() == [True, False, True]
    assert document.visible == "    Moon" + " " * 10
    assert document.legible == "The Moon  the" + " " * 5
    plain = Document(TEXT, SPANS)
    assert plain.legible is plain.visible is TEXT
    assert not plain.are_ignored.any()
    both = np.array([[0, 5]], np.int32)
    touching = Document("Don't", np.array([[0, 2], [2, 5]], np.int32), 0, both)
    assert touching.legible == "Don't"


# ---- numbers of words --------------------------------------------------------------------------

WORDS = ["moon", "Moon", "mo", "on", "orbit", "ёж", "𝔘nicode", "n't", "\udc80"]


def spans_of(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Return the spans of a text's parts between spaces."""
    spans, at = [], 0
    for part in text.split(" "):
        spans.append((at, at + len(part)))
        at += len(part) + 1
    return np.array(spans, np.int32).reshape(-1, 2)


def test_words_are_found() -> None:
    forms = WordHashes.of(WORDS, range(10, 10 + len(WORDS)))
    assert len(forms) == len(WORDS)
    text = " ".join([*WORDS, "MOON", "moo", "", "moonmoon", "ё"])
    numbers = forms.look_up(text, spans_of(text))
    assert numbers.tolist() == [*range(10, 10 + len(WORDS)), -1, -1, -1, -1, -1]


def test_empty_tables() -> None:
    forms = WordHashes.of([], [])
    assert forms.look_up("", np.empty((0, 2), np.int32)).tolist() == []
    assert forms.look_up("moon", spans_of("moon")).tolist() == [-1]


def test_against_a_dictionary() -> None:
    random = np.random.default_rng(0)
    letters = "abcABCäß✓"
    words = {"".join(random.choice(list(letters), random.integers(1, 5))) for _ in range(3_000)}
    chosen = sorted(words)[::2]
    literal = {word: number for number, word in enumerate(chosen)}
    forms = WordHashes.of(chosen, range(len(chosen)))
    text = " ".join(sorted(words))
    numbers = forms.look_up(text, spans_of(text))
    assert numbers.tolist() == [literal.get(word, -1) for word in sorted(words)]


def test_words_with_the_same_hash() -> None:
    forms = WordHashes.of(["ab", "ba", "abc"], [0, 1, 2])
    forms.hashes[:] = forms.hashes[0]
    slots = np.full(16, -1, np.int32)
    at = int(forms.hashes[0]) % 16
    slots[at], slots[(at + 1) % 16], slots[(at + 2) % 16] = 1, 2, 0
    same = WordHashes(slots, forms.hashes, forms.codes, forms.ends, forms.numbers)
    assert same.look_up("ab", spans_of("ab")).tolist() == [0]
