"""Nearest vectors, by distance and then by number, among any of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from whyword import InputError
from whyword.evaluation.neighbours import nearest_neighbours, unit_vectors


def literal(vectors: np.ndarray, row: int, allowed: np.ndarray) -> list[int]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    distances = ((units - units[row]) ** 2).sum(axis=1).round(9).tolist()
    others = np.flatnonzero(allowed).tolist()
    return sorted((n for n in others if n != row), key=lambda n: (distances[n], n))


@settings(max_examples=80)
@given(
    count=st.integers(2, 24),
    held=st.integers(1, 24),
    small=st.booleans(),
    sparse=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_nearest_among_some(count: int, held: int, small: bool, sparse: bool, seed: int) -> None:
    """Few held neighbours, and ties of vectors along the axes, need the search of all."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, 3))
    if small:
        vectors = np.eye(3)[random.integers(0, 3, count)] * random.integers(-1, 3, (count, 1))
    allowed = random.random(count) < 0.6
    rows = np.flatnonzero(~allowed)
    wanted = int(allowed.sum())
    if not wanted or not len(rows):
        return
    neighbours = nearest_neighbours(unit_vectors(csr_matrix(vectors) if sparse else vectors), held)
    nearest = neighbours.among(rows, allowed, wanted)
    expected = [literal(vectors, row, allowed) for row in rows.tolist()]
    assert nearest.tolist() == expected


def test_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(0).normal(size=(50, 4))
    whole = nearest_neighbours(unit_vectors(vectors), 8)
    monkeypatch.setattr("whyword.evaluation.neighbours._BLOCK_BYTES", 8 * 50 * 3)
    parts = nearest_neighbours(unit_vectors(vectors), 8)
    np.testing.assert_array_equal(parts.nearest, whole.nearest)
    allowed = np.arange(50) < 30
    rows = np.arange(30, 50)
    np.testing.assert_array_equal(parts.among(rows, allowed, 25), whole.among(rows, allowed, 25))


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_tiny_and_huge_vectors_have_length_one(scale: float) -> None:
    vectors = np.array([[1.0, 2.0], [2.0, 4.1], [-1.0, 1.0]]) * scale
    for given_ in (vectors, csr_matrix(vectors)):
        neighbours = nearest_neighbours(unit_vectors(given_), 2)
        assert neighbours.nearest.tolist() == [[1, 2], [0, 2], [1, 0]]


def test_bad_vectors() -> None:
    vectors = np.ones((3, 2))
    vectors[1, 0] = np.nan
    for given_ in (vectors, csr_matrix(vectors)):
        with pytest.raises(InputError, match=r"vector 1 has an element .* \(1 of 3 vectors do\)"):
            unit_vectors(given_)
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        unit_vectors([1, 2, 3])
    with pytest.raises(InputError, match="must be numbers"):
        unit_vectors([["a"]])
