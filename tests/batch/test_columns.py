"""Arrow columns without an object for each word."""

import numpy as np
import pyarrow as pa

from whyword.batch.columns import rows_column, strongest, texts_column
from whyword.explanation.formats.parquet import arrow_lists

FIRSTS = np.array([0, 2, 2, 5], np.int64)


def test_lists() -> None:
    assert arrow_lists(np.arange(5), FIRSTS).to_pylist() == [[0, 1], [], [2, 3, 4]]
    pairs = np.arange(10, dtype=np.int32).reshape(5, 2)
    assert arrow_lists(pairs, FIRSTS).to_pylist() == [
        [[0, 1], [2, 3]],
        [],
        [[4, 5], [6, 7], [8, 9]],
    ]
    assert arrow_lists(pa.array(list("abcde")), FIRSTS).to_pylist()[2] == ["c", "d", "e"]
    deep = np.arange(20).reshape(5, 2, 2)
    assert arrow_lists(deep, FIRSTS).to_pylist()[0] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert arrow_lists(np.empty(0), np.array([0])).to_pylist() == []
    every_second = np.arange(10)[::2]
    assert arrow_lists(every_second, FIRSTS).to_pylist() == [[0, 2], [], [4, 6, 8]]


def test_rows_and_texts() -> None:
    assert rows_column(np.eye(2)).to_pylist() == [[1.0, 0.0], [0.0, 1.0]]
    assert texts_column(["a", "\ud800"]).to_pylist() == ["a", "\ufffd"]


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
