"""Distances that are equal for equal vectors, and votes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from whyword.evaluation.neighbour_kernels import (
    dense_distances,
    merged_distances,
    predicted_by_count,
    sparse_distances,
)


def test_distances_dense_and_sparse() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 11)) * (random.random((20, 11)) < 0.4)
    rows = np.array([3, 0, 7])
    others = np.array([[1, 2], [5, 5], [19, 0]])
    expected = ((vectors[rows][:, None] - vectors[None]) ** 2).sum(axis=2)
    distances = dense_distances(vectors, rows, others)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, others, axis=1), atol=1e-12)
    matrix = csr_matrix(vectors)
    starts, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    distances = sparse_distances(starts, columns, matrix.data, 11, rows)
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    distances = merged_distances(starts, columns, matrix.data, rows, others)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, others, axis=1), atol=1e-14)


def test_equal_vectors_are_exactly_equally_far() -> None:
    random = np.random.default_rng(1)
    vectors = np.repeat(random.normal(size=(7, 353)), 5, axis=0)[random.permutation(35)]
    everyone = np.tile(np.arange(35), (35, 1))
    distances = dense_distances(vectors, np.arange(35), everyone)
    _, same = np.unique(vectors, axis=0, return_inverse=True)
    for group in range(7):
        columns = distances[:, same.reshape(-1) == group]
        np.testing.assert_array_equal(columns, columns[:, :1].repeat(5, axis=1))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_votes(labels: list[int]) -> None:
    numbers = np.array(labels, np.int64)
    winners = predicted_by_count(np.arange(len(labels))[None], numbers, 5)[0]
    for k, winner in enumerate(winners.tolist(), 1):
        votes = labels[:k]
        assert winner == min(votes, key=lambda label: (-votes.count(label), label))
