"""Rows of vectors: the same whether they are an array or a sparse matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from whyword.analysis.rows import lengths_of, products, stack, sums_over, unit_vectors
from whyword.models.protocol import Rows

VALUES = np.array([[3, 0, 4, 0], [0, 0, 0, 0], [1, -1, 1, -1], [0, 2, 0, 0]], np.float32)


def plain(rows: Rows) -> list[list[float]]:
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    assert dense.dtype == np.float32
    listed: list[list[float]] = dense.tolist()
    return listed


@pytest.mark.parametrize("make", [np.array, csr_matrix])
def test_rows_of_both_kinds(make: type) -> None:
    rows = make(VALUES)
    assert lengths_of(rows).tolist() == [5, 0, 2, 2]
    units = unit_vectors(rows)
    np.testing.assert_allclose(plain(units), VALUES / np.array([[5], [1], [2], [2]]), rtol=1e-6)
    assert plain(unit_vectors(rows, np.ones(4))) == VALUES.tolist()
    assert products(rows, rows[0]).tolist() == [25, 0, 7, 0]
    assert plain(stack([rows[:1], rows[2:]])) == VALUES[[0, 2, 3]].tolist()
    assert plain(stack([rows[:0], rows[:0]])) == []
    assert plain(sums_over(rows, [(0, 3), (1, 1), (2, 4)])) == [
        VALUES[:3].sum(axis=0).tolist(),
        [0, 0, 0, 0],
        VALUES[2:].sum(axis=0).tolist(),
    ]
    assert sums_over(rows, []).shape == (0, 4)
