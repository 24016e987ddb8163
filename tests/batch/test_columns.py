"""The words of many documents as an Arrow column, and the strongest words of each document."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import tokenize
from whyword.base.printable import storable
from whyword.batch.columns import strongest, words_column
from whyword.batch.word_kernels import byte_spans
from whyword.explanation.formats.parquet import arrow_strings

FIRSTS = np.array([0, 2, 2, 5], np.int64)


def test_the_strongest() -> None:
    values = np.array([[1], [-3], [2], [-2], [0]], np.float32)
    chosen, firsts = strongest(values, FIRSTS, 1)
    assert (chosen.tolist(), firsts.tolist()) == ([1, 2], [0, 1, 1, 2])  # the first of 2 and −2
    chosen, firsts = strongest(values, FIRSTS, 2)
    assert (chosen.tolist(), firsts.tolist()) == ([0, 1, 2, 3], [0, 2, 2, 4])
    chosen, firsts = strongest(values, FIRSTS, 100)
    assert (chosen.tolist(), firsts.tolist()) == ([0, 1, 2, 3, 4], FIRSTS.tolist())


def test_the_strongest_of_several_classes_literally() -> None:
    random = np.random.default_rng(0)
    lengths = random.integers(0, 9, 20)
    firsts = np.cumsum([0, *lengths]).astype(np.int64)
    values = random.integers(-3, 4, (int(firsts[-1]), 3)).astype(np.float32)
    chosen, starts = strongest(values, firsts, 4)
    for document in range(20):
        rows = range(firsts[document], firsts[document + 1])
        order = sorted(rows, key=lambda row: (-abs(values[row]).max(), row))[:4]
        assert chosen[starts[document] : starts[document + 1]].tolist() == sorted(order)


@given(st.lists(st.text(max_size=40), max_size=6))
def test_words_are_those_of_the_documents(texts: list[str]) -> None:
    """Those cut out of bytes, whatever the letters."""
    documents = [tokenize(text) for text in texts]
    spans = np.concatenate([np.empty((0, 2), np.int32), *(d.spans for d in documents)])
    firsts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    actual = words_column(arrow_strings(texts), spans, firsts)
    assert actual.to_pylist() == [[storable(word) for word in d.words] for d in documents]


@pytest.mark.parametrize("text", ["moon", "mïñ€𝔘", "\ud800x\udc80", "", "\0a\0"])
def test_every_letter(text: str) -> None:
    """Each code point by itself, and the whole text."""
    spans = np.array([*((n, n + 1) for n in range(len(text))), (len(text), len(text))], np.int32)
    firsts = np.array([0, len(spans)], np.int64)
    (actual,) = words_column(arrow_strings([text]), spans, firsts).to_pylist()
    assert actual == [*storable(text), ""]


def test_a_part_of_an_array() -> None:
    texts = pa.array(["left out", "moon ✓", "too"])[1:2]
    spans = np.array([(0, 4), (5, 6)], np.int32)
    assert words_column(texts, spans, np.array([0, 2])).to_pylist() == [["moon", "✓"]]


def test_places_in_bytes() -> None:
    text = np.frombuffer("äb".encode(), np.uint8)
    spans = np.array([(0, 1), (1, 2)], np.int32)
    actual = byte_spans(text, np.array([0, 3]), spans, np.array([0, 2]))
    assert actual.tolist() == [[0, 2], [2, 3]]
