"""What the parts of a pipeline are asked about."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from whyword.models.pipeline.probes import NotLinearError, asked, is_close, probe_rows


def test_probes_are_few_and_the_same() -> None:
    for width in (1, 3, 1 << 20):
        rows = probe_rows(width)
        assert rows.shape[1] == width
        assert rows.shape[0] <= 13
        assert rows[0].nnz == 0
        assert (rows != probe_rows(width)).nnz == 0


def test_close_but_for_rounding() -> None:
    assert is_close(np.array([1e12]), np.array([1e12 + 1]))
    assert not is_close(np.array([1.0]), np.array([1.0 + 1e-8]))
    assert not is_close(np.array([np.nan]), np.array([np.nan]))
    assert not is_close(np.ones(2), np.ones((2, 1)))


def test_whoever_takes_no_sparse_rows_gets_dense_ones() -> None:
    rows = probe_rows(3)
    dense = StandardScaler().fit(rows.toarray())
    np.testing.assert_array_equal(asked(dense, "transform", rows), dense.transform(rows.toarray()))
    with pytest.raises(NotLinearError, match=r"its TfidfTransformer\.transform failed \(NotFitted"):
        asked(TfidfTransformer(), "transform", rows)
