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
FRAMES = [pd.DataFrame(DATA), pl.DataFrame(DATA), pa.table(DATA), pa.RecordBatch.from_pydict(DATA)]
COLUMNS = [
    pd.Series(DATA["text"]),
    pd.Series(DATA["text"], dtype=object),
    pd.Series(DATA["text"], dtype="category"),
    pl.Series(DATA["text"]),
    pa.array(DATA["text"]),
    pa.chunked_array([["one"], ["two"]]),
    pa.array(DATA["text"]).dictionary_encode(),
    np.array(DATA["text"]),
    np.array(DATA["text"], object),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__module__)
def test_a_frame_is_known_by_what_it_can_do(frame: object) -> None:
    assert is_frame(frame)
    assert not is_arrow(frame)
    assert not is_lazy(frame)
    assert frame_columns(frame) == ["text", "n"]
    for take in (strings, items):
        with pytest.raises(InputError, match=r"texts: a \w+, not a column: pass frame\['text'\]$"):
            take("texts", frame)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"labels: .* one of its columns: 'text', 'n'$"):
        one_each("labels", frame, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{type(column)}")
def test_a_column_is_a_list_of_strings(column: object) -> None:
    assert not is_frame(column)
    assert strings("texts", column) == ["one", "two"]  # type: ignore[arg-type]
    assert list(items("labels", column)) == ["one", "two"]


@pytest.mark.parametrize("missing", [None, math.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_missing_values(missing: object) -> None:
    assert is_missing(missing)
    with pytest.raises(InputError, match=r"texts: item 1 is missing \("):
        strings("texts", ["one", missing])  # type: ignore[list-item]
    for whole in (pd.Series(["one", missing], dtype=object), pd.Series(["one", None])):
        with pytest.raises(InputError, match=r"texts: item 1 is missing \("):
            strings("texts", whole)


def test_missing_values_of_others() -> None:
    for column in (pl.Series(["one", None]), pa.array(["one", None])):
        with pytest.raises(InputError, match=r"texts: item 1 is missing \(None\)"):
            strings("texts", column)
    present: list[object] = ["", 0, 0.0, "nan", np.str_("x"), [], math.inf]
    for there in present:
        assert not is_missing(there)


def test_a_lazy_frame_is_not_asked_for_its_columns() -> None:
    lazy = pl.DataFrame(DATA).lazy()
    assert is_frame(lazy)
    assert is_lazy(lazy)
    assert frame_columns(lazy) == []
    assert "collect it" in instead_of_frame(lazy, "text")


def test_a_dict_is_no_list_of_texts() -> None:
    with pytest.raises(InputError, match="texts must be a list of strings, not dict"):
        strings("texts", {"train": ["a"]})
    assert strings("vocabulary", {"a": 1}) == ["a"]


def test_arrow_values_that_are_no_text() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    )
    with pytest.raises(InputError, match="texts cannot be read from Arrow"):
        strings("texts", broken)
    with pytest.raises(InputError, match="item 0 must be a str, not bytes"):
        strings("texts", pa.array([b"a"]))


def test_columns_by_their_names() -> None:
    assert candidates(["Text", "body", "x"], "text") == ["Text", "body"]
    assert only(["a"]) == "a"
    assert only(["a", "b"]) is only([]) is None


def test_many_columns_are_not_all_named() -> None:
    wide = pd.DataFrame({f"c{n}": [1] for n in range(1000)})
    assert len(instead_of_frame(wide, "text")) < 150
    assert "'0'" in instead_of_frame(pd.DataFrame([[1, 2]]), "")
