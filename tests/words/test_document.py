"""A text and its words."""

import numpy as np
import pytest

from whyword.words.document import Document, document_frequencies

TEXT = "The Moon, the moon"
SPANS = np.array([[0, 3], [4, 8], [10, 13], [14, 18]], np.int32)


def test_words_are_cut_out_of_the_text() -> None:
    document = Document(TEXT, SPANS)
    assert document.words == ["The", "Moon", "the", "moon"]
    assert document.words is document.words
    assert document.cut(np.array([3, 1])) == ["moon", "Moon"]
    assert document.cut() is not document.cut()
    assert len(document) == 4


def test_a_document_is_not_changed() -> None:
    with pytest.raises(AttributeError):
        Document(TEXT, SPANS).text = "another"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("most", "left", "truncated"), [(None, 4, 0), (9, 4, 0), (4, 4, 0), (1, 1, 3)]
)
def test_shortened(most: int | None, left: int, truncated: int) -> None:
    document = Document(TEXT, SPANS)
    short = document.shortened(most)
    assert (len(short), short.truncated, short.text) == (left, truncated, TEXT)
    assert (short is document) == (left == 4)
    assert document.shortened(2).shortened(1).truncated == 3


def test_in_how_many_documents_a_word_is() -> None:
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
