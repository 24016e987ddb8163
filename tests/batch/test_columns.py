"""The strongest words of each document."""

import numpy as np

from whyword.batch.columns import strongest

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
