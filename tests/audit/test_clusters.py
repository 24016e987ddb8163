"""Principal components and clusters, against scikit-learn and literal counts."""

from typing import Any

import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from whyword.audit.clusters import (
    find_clusters,
    found_again,
    k_means,
    prediction_strength,
    reference_scatter,
    scatter_share,
)
from whyword.audit.components import principal_components

Points = NDArray[np.float64]


def clouds(sizes: list[int], apart: float = 6.0, dimensions: int = 4) -> Points:
    """Return normal clouds, each along an axis of its own."""
    points = np.random.default_rng(0).normal(size=(sum(sizes), dimensions))
    points[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] += apart
    return points


def one_cloud(kind: str, seed: int) -> Points:
    """Return points of one cluster."""
    random = np.random.default_rng(seed)
    points: Points = random.normal(size=(60, 8))
    if kind == "directions":
        return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))
    if kind == "words":  # a document has few of many
        return np.abs(points) * (random.random((60, 8)) < 0.3)
    scales = {"round": [1.0], "long": [8.0, *[1] * 7], "flat": [1 / n for n in range(1, 9)]}
    return points * scales[kind]


@pytest.mark.parametrize("shape", [(40, 8), (12, 90), (150, 130)])
@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
def test_components_are_scikit_learns(shape: tuple[int, int], make: Any) -> None:  # noqa: ANN401
    random = np.random.default_rng(0)
    rows = random.normal(size=shape) * (random.random(shape) < 0.5) / np.arange(1, shape[1] + 1)
    rows = rows.astype(np.float32)
    found = principal_components(make(rows), 6)
    other = PCA(6, svd_solver="full").fit(rows.astype(np.float64))
    directions = other.components_
    signs = np.sign(directions[np.arange(6), np.abs(directions).argmax(axis=1)])
    expected = other.transform(rows.astype(np.float64)) * signs
    np.testing.assert_allclose(found.points, expected, atol=1e-4)
    np.testing.assert_allclose(found.shares, other.explained_variance_ratio_, atol=1e-5)
    np.testing.assert_allclose(principal_components(rows, 6, 1).points, expected, atol=1e-3)


def test_components_of_degenerate_rows() -> None:
    same = principal_components(np.ones((5, 3), np.float32), 50)
    assert same.points.shape == (5, 3)
    assert np.abs(same.points).max() < 1e-9
    assert same.shares.tolist() == [0, 0, 0]
    line = principal_components(np.arange(4.0)[:, None], 50)
    assert line.points[:, 0].tolist() == pytest.approx([-1.5, -0.5, 0.5, 1.5])
    assert line.shares.tolist() == pytest.approx([1.0])


@pytest.mark.parametrize("seed", range(4))
def test_found_again_is_counted_pair_by_pair(seed: int) -> None:
    random = np.random.default_rng(seed)
    for count in (1, 2, 7, 20):
        own, other = random.integers(0, 3, (2, count))
        expected = oracle.found_again(own.tolist(), other.tolist(), 3)
        assert found_again(own, other, 3) == pytest.approx(expected)


def test_k_means_is_as_good_as_scikit_learns() -> None:
    points = clouds([20, 30, 10])
    for number in (1, 2, 3, 5):
        own = scatter_share(points, k_means(points, number, np.random.default_rng(0)))
        other = KMeans(number, n_init=20, random_state=0).fit(points)
        total = ((points - points.mean(axis=0)) ** 2).sum()
        assert own <= other.inertia_ / total * (1 + 1e-9 if number < 4 else 1.03)
        assert own >= other.inertia_ / total * 0.97


def test_points_that_are_alike() -> None:
    same = np.ones((40, 3))
    found = find_clusters(same, 8)
    assert (found.count, found.strengths, found.groups.tolist()) == (1, {1: 1.0}, [0] * 40)
    assert scatter_share(same, found.groups) == 0
    two = np.repeat(np.eye(2), [10, 30], axis=0)  # two points, each many times
    found = find_clusters(two, 8)
    assert found.groups.tolist() == [1] * 10 + [0] * 30  # the largest first
    assert found.centres.tolist() == [[0, 1], [1, 0]]
    assert set(found.strengths) == {1, 2}
    # more clusters than there are different points: none is lost sight of
    assert k_means(two, 5, np.random.default_rng(0)).max() < 5
    for number in (1, 3):
        assert find_clusters(clouds([number]), 8).count == 1


def test_prediction_strength() -> None:
    points = clouds([20, 20], apart=8.0)
    assert prediction_strength(points, 2) == prediction_strength(points, 2, seed=1) == 1
    assert prediction_strength(points, 3) < 0.8


def test_one_cloud_of_the_same_spread_is_less_close() -> None:
    points, groups = clouds([25, 25], apart=8.0), np.repeat([0, 1], 25)
    assert scatter_share(points, groups) < reference_scatter(points, 2)
    long = one_cloud("long", 0)
    own = scatter_share(long, k_means(long, 2, np.random.default_rng(0)))
    assert own >= reference_scatter(long, 2) > 0.5 * own


@pytest.mark.parametrize("kind", ["round", "long", "flat", "directions", "words"])
def test_one_cloud_is_one_cluster(kind: str) -> None:
    assert [find_clusters(one_cloud(kind, seed), 3, seed).count for seed in range(2)] == [1, 1]


@pytest.mark.parametrize("sizes", [[20, 40], [30, 30, 30], [60, 12]])
def test_clouds_are_found(sizes: list[int]) -> None:
    points, tried = clouds(sizes), list[int]()
    found = find_clusters(points, 4, on_count=tried.append)
    expected = sorted(sizes, reverse=True)
    assert np.bincount(found.groups).tolist() == pytest.approx(expected, abs=2)
    assert (tried, list(found.strengths)) == ([2, 3, 4], [1, 2, 3, 4])
    assert found.strengths[len(sizes)] == prediction_strength(points, len(sizes)) > 0.9
    assert found.scatter == round(scatter_share(points, found.groups), 4)
    assert found.reference == round(reference_scatter(points, len(sizes)), 4) > found.scatter
    for group, centre in enumerate(found.centres):
        np.testing.assert_allclose(centre, points[found.groups == group].mean(axis=0))
    again = find_clusters(points, 4)
    assert (again.groups.tolist(), again.strengths) == (found.groups.tolist(), found.strengths)


def test_no_more_clusters_than_asked_for_or_than_quarters_of_the_points() -> None:
    tried: list[int] = []
    found = find_clusters(clouds([15, 15]), 1, on_count=tried.append)
    assert (found.count, tried, found.scatter, found.reference) == (1, [], None, None)
    assert set(find_clusters(clouds([6, 6]), 9).strengths) == {1, 2, 3}
