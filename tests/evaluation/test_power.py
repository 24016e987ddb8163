"""Explanatory power and its nearest neighbors, against the definition and scikit-learn."""

import json
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsClassifier

from whyword import InputError, explanatory_power
from whyword.evaluation.neighbour_kernels import (
    dense_distances,
    merged_distances,
    predicted_by_count,
    sparse_distances,
)
from whyword.evaluation.neighbours import nearest_neighbours, unit_vectors
from whyword.evaluation.power import random_halves, usual_neighbours

# ---- neighbors ----------------------------------------------------------------------------------


def test_distances_dense_and_sparse() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 11)) * (random.random((20, 11)) < 0.4)
    rows = np.array([3, 0, 7, *range(9, 17)])  # more than are looked up side by side
    others = np.tile([[1, 2], [5, 5], [19, 0]], (4, 1))[: len(rows)]
    expected = ((vectors[rows][:, None] - vectors[None]) ** 2).sum(axis=2)
    pairs = np.take_along_axis(expected, others, axis=1)
    np.testing.assert_allclose(dense_distances(vectors, rows, others), pairs, atol=1e-12)
    matrix = csr_matrix(vectors)
    starts, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    distances = sparse_distances(starts, columns, matrix.data, 11, rows)
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    assert (distances >= 0).all()
    merged = merged_distances(starts, columns, matrix.data, rows, others)
    np.testing.assert_allclose(merged, pairs, atol=1e-14)


def test_equal_vectors_are_exactly_equally_far() -> None:
    random = np.random.default_rng(1)
    vectors = np.repeat(random.normal(size=(7, 353)), 5, axis=0)[random.permutation(35)]
    distances = dense_distances(vectors, np.arange(35), np.tile(np.arange(35), (35, 1)))
    _, same = np.unique(vectors, axis=0, return_inverse=True)
    for group in range(7):
        columns = distances[:, same.reshape(-1) == group]
        np.testing.assert_array_equal(columns, columns[:, :1].repeat(5, axis=1))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_the_most_frequent_label_wins_and_of_several_the_smallest(labels: list[int]) -> None:
    numbers = np.array(labels, np.int64)
    winners = predicted_by_count(np.arange(len(labels))[None], numbers, 5)[0]
    for k, winner in enumerate(winners.tolist(), 1):
        votes = labels[:k]
        assert winner == min(votes, key=lambda label: (-votes.count(label), label))


def nearest_of(vectors: NDArray[Any], row: int, allowed: NDArray[np.bool_]) -> list[int]:
    """Return those allowed by distance and then by number, literally."""
    vectors = vectors / (np.abs(vectors).max() or 1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    distances = ((units - units[row]) ** 2).sum(axis=1).round(9).tolist()
    others = np.flatnonzero(allowed).tolist()
    return sorted((n for n in others if n != row), key=lambda n: (distances[n], n))


@settings(max_examples=60)
@given(
    count=st.integers(2, 24),
    held=st.integers(1, 24),
    small=st.booleans(),
    sparse=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_nearest_among_some(count: int, held: int, small: bool, sparse: bool, seed: int) -> None:
    """Few held neighbors, and ties of vectors along the axes, need the search of all."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, 3))
    if small:
        vectors = np.eye(3)[random.integers(0, 3, count)] * random.integers(-1, 3, (count, 1))
    vectors *= random.choice([1e-300, 1, 1e300])
    neighbours = nearest_neighbours(unit_vectors(csr_matrix(vectors) if sparse else vectors), held)
    for _ in range(2):  # what was searched is kept
        allowed = random.random(count) < 0.6
        rows = np.flatnonzero(~allowed)
        if len(rows) and allowed.any():
            found = neighbours.among(rows, allowed, int(allowed.sum()))
            assert found.tolist() == [nearest_of(vectors, row, allowed) for row in rows.tolist()]


def test_invalid_vectors() -> None:
    vectors = np.ones((3, 2))
    vectors[1, 0] = np.nan
    for given_ in (vectors, csr_matrix(vectors)):
        with pytest.raises(InputError, match=r"vector 1 has an element .* \(1 of 3 vectors do\)"):
            unit_vectors(given_)
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        unit_vectors([1, 2, 3])
    with pytest.raises(InputError, match="must be numbers"):
        unit_vectors([["a"]])


# ---- power --------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    count=st.integers(4, 30),
    classes=st.integers(1, 5),
    small=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_power_equals_the_definition(count: int, classes: int, small: bool, seed: int) -> None:
    """Ties of distances (whole numbers along the axes) and of votes, zero vectors, rare classes."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, 4))
    if small:
        vectors = np.eye(4)[random.integers(0, 4, count)] * random.integers(0, 3, (count, 1))
    labels = random.integers(0, classes, count).tolist()
    most = count // 2
    for given_ in (vectors, csr_matrix(vectors)):
        power = explanatory_power(given_, labels, 3, range(1, most + 1), seed=seed)
        splits = [(train.tolist(), test.tolist()) for train, test in power.splits]
        expected = oracle.explanatory_power(vectors, labels, splits, most)
        np.testing.assert_allclose(power.accuracies, expected, atol=1e-12)
        assert power.epi == pytest.approx(expected.mean(axis=0).max(), abs=1e-12)
        assert power.k == 1 + int(np.argmax(expected.mean(axis=0).round(12)))


def test_power_equals_scikit_learns_where_nothing_ties() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(200, 12))
    labels = np.array([f"class {n}" for n in random.integers(0, 6, 200)])
    vectors[:, 0] += 3 * (labels == "class 2")
    power = explanatory_power(vectors, labels, 2)
    assert power.neighbours.tolist() == list(range(1, 31))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for number, (train, test) in enumerate(power.splits):
        for k in (1, 2, 30):
            theirs = KNeighborsClassifier(k, algorithm="brute").fit(units[train], labels[train])
            accuracy = theirs.score(units[test], labels[test])
            assert accuracy == pytest.approx(power.accuracies[number, k - 1], abs=1e-12)


def test_splits_are_halves_by_the_seed() -> None:
    random = np.random.default_rng(5)
    for train, test in random_halves(41, 10, 5):
        order = random.permutation(41)
        assert (train.tolist(), test.tolist()) == (sorted(order[:21]), sorted(order[21:]))
    vectors, labels = np.random.default_rng(0).normal(size=(41, 3)), [0, 1] * 20 + [0]
    power = explanatory_power(vectors, labels, neighbours=[3, 1], seed=5)
    assert (power.neighbours.tolist(), power.accuracies.shape) == ([1, 3], (10, 2))
    again = explanatory_power(vectors * 7, labels, neighbours=[1, 3], seed=5)
    np.testing.assert_array_equal(again.accuracies, power.accuracies)
    assert [usual_neighbours(n) for n in (4, 5, 200)] == [range(1, 3), range(1, 4), range(1, 31)]


def test_given_splits() -> None:
    vectors = np.eye(4)[[0, 0, 1, 1, 2, 2]]
    splits = [([0, 2, 4], [1, 3, 5]), (np.array([5, 3, 1]), [0])]
    power = explanatory_power(vectors, list("aabbcc"), splits, [1])
    assert power.accuracies.tolist() == [[1.0], [1.0]]
    assert power.splits[1][0].tolist() == [1, 3, 5]
    lone = np.concatenate([np.tile([1.0, 0], (9, 1)), [[0, 1.0]]])
    splits = [(range(9), [9]), (range(1, 10), [0])]
    power = explanatory_power(lone, ["a"] * 9 + ["b"], splits, [1])
    assert power.accuracies.tolist() == [[0.0], [1.0]]  # a class of one is missed, and counts


def test_constant_vectors_go_by_their_order() -> None:
    labels = [0] * 10 + [1] * 10
    splits = [([1, 2, 12], [0, 11])]
    for vectors in (np.ones((20, 3)), np.zeros((20, 3)), csr_matrix((20, 3))):
        power = explanatory_power(vectors, labels, splits, [1, 2, 3])
        assert power.accuracies.tolist() == [[0.5, 0.5, 0.5]]


def test_rounding_is_no_order_and_tiny_differences_are() -> None:
    """Whole numbers at equal angles: neither the order of columns nor the format matters."""
    random = np.random.default_rng(0)
    vectors = random.integers(0, 2, (200, 12)).astype(float)
    vectors[::9] = 0
    labels = random.integers(0, 3, 200).tolist()
    power = explanatory_power(vectors, labels, 2, range(1, 11))
    for other in (vectors[:, random.permutation(12)], csr_matrix(vectors), vectors * 3):
        again = explanatory_power(other, labels, 2, range(1, 11))
        np.testing.assert_array_equal(again.accuracies, power.accuracies)
    near = np.column_stack([np.ones(40), np.array([0, 1, 2, 3] * 10) * 1e-7])
    for given_ in (near, csr_matrix(near)):
        assert explanatory_power(given_, [0, 1, 2, 3] * 10, neighbours=[1]).epi == 1.0


def test_plain_data_and_deviation() -> None:
    power = explanatory_power(
        np.random.default_rng(0).normal(size=(41, 3)), [0, 1] * 20 + [1], 3, range(1, 22)
    )
    best = power.accuracies[:, power.k - 1]
    expected = {"epi": power.epi, "k": power.k, "train": [21] * 3, "test": [20] * 3}
    expected |= {"deviation": pytest.approx(np.std(best, ddof=1)), "neighbours": [*range(1, 22)]}
    expected |= {"curve": power.accuracies.mean(axis=0).tolist()}
    expected |= {"accuracies": power.accuracies.tolist()}
    assert json.loads(json.dumps(power.to_dict())) == expected
    said = f"ExplanatoryPower(epi={power.epi:.4f} ± {power.deviation:.4f}, k={power.k})"
    assert repr(power) == said
    assert explanatory_power(np.eye(4), [0, 0, 1, 1], 1, [1]).deviation == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"labels": [0, 1]}, "labels and vectors differ in length: 2 ≠ 20"),
        ({"labels": np.full(20, np.nan, np.float32)}, "label 0 is missing"),
        ({"labels": [(0, 1)] * 20}, "label 0 must be a string or a number"),
        ({"labels": ["a", 1] * 10}, "all strings or all numbers"),
        ({"labels": np.array(3)}, "one entry per vector"),
        ({"splits": np.array(0)}, "splits must be a whole number"),
        ({"neighbours": range(1, 31)}, r"30 neighbours .* a split has 10: .*range\(1, 11\)"),
        ({"neighbours": []}, "neighbours is empty"),
        ({"neighbours": [1.5]}, "neighbours must be a whole number"),
        ({"splits": 10_001}, "splits must be a whole number from 1 to 10,000"),
        ({"splits": []}, "splits is empty"),
        ({"splits": [([0], [0])]}, "document 0 is in train and in test"),
        ({"splits": [([0], [20, 3])]}, "test names document 20; there are 20"),
        ({"splits": [([-1, 1], [2])]}, "train names document -1"),
        ({"splits": [([], [2])]}, "train must be some documents' numbers"),
        ({"splits": [(1, 2, 3)]}, "split 0 is no pair"),
        ({"vectors": np.full((20, 2), np.nan)}, r"vector 0 .*20 of 20"),
        ({"vectors": [[1.0]], "labels": ["a"]}, "there are 1 documents; two halves need at least"),
        ({"vectors": np.empty((0, 3)), "labels": []}, "there are 0 documents"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {
        "vectors": np.random.default_rng(0).normal(size=(20, 3)),
        "labels": [0, 1] * 10,
        "neighbours": [1],
    }
    with pytest.raises(InputError, match=message):
        explanatory_power(**{**usual, **asked})
