import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA

from whyword.audit.components import principal_components


@pytest.mark.parametrize("shape", [(40, 8), (12, 90), (150, 130)])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_they_are_those_of_another(shape: tuple[int, int], is_sparse: bool) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=shape) * (random.random(shape) < 0.5) / np.arange(1, shape[1] + 1)
    rows = rows.astype(np.float32)
    given = sparse.csr_matrix(rows) if is_sparse else rows
    found = principal_components(given, 6)
    other = PCA(6, svd_solver="full").fit(rows.astype(np.float64))
    expected = other.transform(rows.astype(np.float64))
    signs = np.sign((found.points * expected).sum(axis=0))
    np.testing.assert_allclose(found.points * signs, expected, atol=1e-4)
    np.testing.assert_allclose(found.shares, other.explained_variance_ratio_, atol=1e-5)


def test_degenerate_rows() -> None:
    same = principal_components(np.ones((5, 3), np.float32), 50)
    assert same.points.shape == (5, 3)
    assert np.abs(same.points).max() < 1e-9
    assert same.shares.tolist() == [0, 0, 0]
    line = principal_components(np.arange(4.0)[:, None], 50)
    assert np.abs(line.points[:, 0]).tolist() == pytest.approx([1.5, 0.5, 0.5, 1.5])
    assert line.shares.tolist() == pytest.approx([1.0])


def test_the_seed_decides_nothing_that_shows() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 6))
    first, other = (principal_components(rows, 3, seed) for seed in (0, 1))
    np.testing.assert_allclose(first.points, other.points, atol=1e-9)
