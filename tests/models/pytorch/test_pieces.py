"""Pieces and the words that they are of, by their characters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whyword.models.pytorch.pieces import Pieces, with_symbols
from whyword.words import Reader

texts = st.text(alphabet="ab1! é", max_size=12)


def read(text: str) -> list[str]:
    (document,) = Reader().documents([text])
    whole = with_symbols(document)
    return [text[start:end] for start, end in whole.spans.tolist()]


def test_symbols_are_words_too() -> None:
    assert read("In 2020, C++ was !!! 😡 don't") == "In 2020, C++ was !!! 😡 do n't".split()
    assert read("") == []
    assert read("  \n ") == []


@given(texts)
def test_every_visible_character_is_in_one_word(text: str) -> None:
    (document,) = Reader().documents([text])
    spans = with_symbols(document).spans.tolist()
    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert [text[place] for place in covered] == [one for one in text if not one.isspace()]


@st.composite
def documents_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(texts)
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    return text, [(min(pair), max(pair)) for pair in draw(st.lists(bounds, max_size=6))]


@given(documents_and_spans())
def test_shares_are_by_characters(given: tuple[str, list[tuple[int, int]]]) -> None:
    text, spans = given
    (document,) = Reader().documents([text])
    document = with_symbols(document)
    pieces = Pieces.of(np.array(spans, np.int64).reshape(-1, 2), document)
    owner = {
        place: number
        for number, (start, end) in enumerate(document.spans.tolist())
        for place in range(start, end)
    }
    shares = np.zeros((len(spans), len(document)))
    for number, (start, end) in enumerate(spans):
        own = [owner[place] for place in range(start, end) if place in owner]
        for word in own:
            shares[number, word] += 1 / len(own)
    values = np.arange(1.0, len(spans) + 1).reshape(-1, 1)
    np.testing.assert_allclose(pieces.to_words(values), shares.T @ values)
    np.testing.assert_array_equal(pieces.of_words, shares.any(1))
    gone = np.arange(len(document)) % 2 == 0
    np.testing.assert_array_equal(pieces.gone(gone), shares @ gone >= 0.5 - 1e-12)
    known = np.arange(len(spans)) % 2 == 0
    np.testing.assert_array_equal(pieces.known_words(known), shares[known].any(0))
    words = np.arange(1.0, len(document) + 1).reshape(-1, 1)
    there = shares.any(0)
    assert np.isclose(pieces.to_pieces(words).sum(), words[there].sum())


def test_chosen_pieces_keep_their_words() -> None:
    (document,) = Reader().documents(["one two three"])
    pieces = Pieces.of(np.array([[0, 2], [2, 3], [4, 7], [8, 13]]), document)
    kept = pieces.chosen(np.array([True, False, False, True]))
    assert kept.count == 2
    assert kept.to_words(np.array([[1.0], [5.0]])).tolist() == [[1], [0], [5]]
