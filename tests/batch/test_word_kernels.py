"""Words as bytes are the words."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import tokenize
from whyword.base.printable import storable
from whyword.batch.columns import words_column
from whyword.batch.word_kernels import byte_spans
from whyword.explanation.formats.parquet import arrow_strings


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
