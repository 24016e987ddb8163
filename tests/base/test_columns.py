"""Columns and frames of pandas, polars and Arrow, recognized by what they can do."""

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from whyword import InputError
from whyword.base.checks import items, one_each, strings
from whyword.base.columns import (
    candidates,
    frame_columns,
    instead_of_frame,
    is_arrow,
    is_frame,
    is_lazy,
    is_missing,
    only,
)

DATA: dict[str, list[Any]] = {"text": ["one", "two"], "n": [1, 2]}
TEXTS = DATA["text"]


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(DATA), pl.DataFrame(DATA), pa.table(DATA), pa.RecordBatch.from_pydict(DATA)],
    ids=lambda frame: type(frame).__module__,
)
def test_frames(frame: object) -> None:
    assert (is_frame(frame), is_arrow(frame), is_lazy(frame)) == (True, False, False)
    assert frame_columns(frame) == ["text", "n"]
    for take in (strings, items):
        with pytest.raises(InputError, match=r"texts: a \w+, not a column: pass frame\['text'\]$"):
            take("texts", frame)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"labels: .* one of its columns: 'text', 'n'$"):
        one_each("labels", frame, 2)  # type: ignore[arg-type]


def test_a_column_is_a_list_of_strings() -> None:
    columns: list[Any] = [pd.Series(TEXTS), pd.Series(TEXTS, dtype="category"), pl.Series(TEXTS)]
    columns += [pa.array(TEXTS), pa.chunked_array([["one"], ["two"]]), np.array(TEXTS, object)]
    for column in [*columns, pa.array(TEXTS).dictionary_encode(), np.array(TEXTS)]:
        assert not is_frame(column)
        assert strings("texts", column) == TEXTS
        assert list(items("labels", column)) == TEXTS


def test_missing_values() -> None:
    columns: list[Any] = [pl.Series(["a", None]), pa.array(["a", None]), pd.Series(["a", None])]
    for missing in (None, math.nan, np.float32("nan"), pd.NA, pd.NaT):
        assert is_missing(missing)
        columns += [["one", missing], pd.Series(["one", missing], dtype=object)]
    for column in columns:
        with pytest.raises(InputError, match=r"texts: item 1 is missing \("):
            strings("texts", column)
    present: list[object] = ["", 0, 0.0, "nan", np.str_("x"), [], math.inf]
    assert not any(map(is_missing, present))


def test_a_lazy_frame_is_not_asked_for_its_columns() -> None:
    lazy = pl.DataFrame(DATA).lazy()
    assert is_frame(lazy)
    assert is_lazy(lazy)
    assert frame_columns(lazy) == []
    assert "collect it" in instead_of_frame(lazy, "text")


def test_values_that_are_no_list_of_texts() -> None:
    with pytest.raises(InputError, match="texts must be a list of strings, not dict"):
        strings("texts", {"train": ["a"]})
    assert strings("vocabulary", {"a": 1}) == ["a"]
    offsets, data = np.array([0, 1], np.int32), b"\xff"
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    with pytest.raises(InputError, match="texts cannot be read from Arrow"):
        strings("texts", pa.Array.from_buffers(pa.string(), 1, buffers))
    with pytest.raises(InputError, match="item 0 must be a str, not bytes"):
        strings("texts", pa.array([b"a"]))


def test_columns_by_their_names() -> None:
    assert candidates(["Text", "body", "x"], "text") == ["Text", "body"]
    assert only(["a"]) == "a"
    assert only(["a", "b"]) is only([]) is None
    wide = pd.DataFrame({f"c{n}": [1] for n in range(1000)})
    assert len(instead_of_frame(wide, "text")) < 150
    assert "'0'" in instead_of_frame(pd.DataFrame([[1, 2]]), "")
