import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from whyword.audit.clusters import (
    find_clusters,
    found_again,
    k_means,
    prediction_strength,
    reference_scatter,
    scatter_share,
)

Points = NDArray[np.float64]


def clouds(sizes: list[int], apart: float = 6.0, dimensions: int = 4, seed: int = 0) -> Points:
    """Return normal clouds, each along an axis of its own."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(sum(sizes), dimensions))
    points[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] += apart
    return points


def one_cloud(kind: str, seed: int) -> Points:
    """Return points of one cluster."""
    random = np.random.default_rng(seed)
    points: Points = random.normal(size=(60, 8))
    if kind == "long":
        points[:, 0] *= 8
    if kind == "flat":
        points /= np.arange(1, 9)
    if kind == "directions":
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    if kind == "words":  # a document has few of many
        points = np.abs(points) * (random.random((60, 8)) < 0.3)
    return points


@pytest.mark.parametrize("seed", range(5))
def test_found_again_is_the_literal_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    for count in (1, 2, 7, 20):
        own, other = random.integers(0, 3, (2, count))
        expected = oracle.found_again(own.tolist(), other.tolist(), 3)
        assert found_again(own, other, 3) == pytest.approx(expected)


def test_k_means_is_as_good_as_another() -> None:
    points = clouds([20, 30, 10])
    for number in (1, 2, 3, 5):
        own = scatter_share(points, k_means(points, number, np.random.default_rng(0)))
        other = KMeans(number, n_init=20, random_state=0).fit(points)
        total = ((points - points.mean(axis=0)) ** 2).sum()
        assert own <= other.inertia_ / total * (1 + 1e-9 if number < 4 else 1.03)


def test_points_that_are_alike() -> None:
    same = np.ones((40, 3))
    found = find_clusters(same, 8)
    assert (found.count, found.strengths) == (1, {1: 1.0})
    assert found.groups.tolist() == [0] * 40
    assert scatter_share(same, found.groups) == 0
    two = np.repeat(np.eye(2), [30, 10], axis=0)  # two points, each many times
    found = find_clusters(two, 8)
    assert np.bincount(found.groups).tolist() == [30, 10]
    assert found.centres.tolist() == [[1, 0], [0, 1]]
    # more clusters than there are different points: none is lost sight of
    assert k_means(two, 5, np.random.default_rng(0)).max() < 5


@pytest.mark.parametrize("number", [1, 3])
def test_few_points(number: int) -> None:
    points = clouds([number])
    assert find_clusters(points, 8).count == 1


def test_prediction_strength() -> None:
    points = clouds([20, 20], apart=8.0)
    assert prediction_strength(points, 2) == 1
    assert prediction_strength(points, 3) < 0.8
    assert prediction_strength(points, 2, seed=1) == 1


def test_one_cloud_of_the_same_spread_is_less_close() -> None:
    points = clouds([25, 25], apart=8.0)
    groups = np.repeat([0, 1], 25)
    assert scatter_share(points, groups) < reference_scatter(points, 2)
    long = one_cloud("long", 0)
    assert scatter_share(long, k_means(long, 2, np.random.default_rng(0))) >= (
        reference_scatter(long, 2)
    )


@pytest.mark.slow(reason="many clusterings")
@pytest.mark.parametrize("kind", ["round", "long", "flat", "directions", "words"])
def test_one_cloud_is_one_cluster(kind: str) -> None:
    found = [find_clusters(one_cloud(kind, seed), 3, seed) for seed in range(3)]
    assert [one.count for one in found] == [1, 1, 1]


@pytest.mark.slow(reason="many clusterings")
@pytest.mark.parametrize("sizes", [[40, 20], [30, 30, 30], [60, 12]])
def test_clouds_are_found(sizes: list[int]) -> None:
    points = clouds(sizes)
    found = find_clusters(points, 4)
    assert np.bincount(found.groups).tolist() == pytest.approx(sizes, abs=2)
    assert found.strengths[len(sizes)] > 0.9
    assert found.scatter is not None
    assert found.reference is not None
    assert found.scatter < found.reference
    again = find_clusters(points, 4)
    assert np.array_equal(again.groups, found.groups)
    assert again.strengths == found.strengths


def test_no_more_clusters_than_asked_for() -> None:
    tried: list[int] = []
    found = find_clusters(clouds([15, 15]), 1, on_count=tried.append)
    assert (found.count, tried, found.scatter) == (1, [], None)
    assert set(find_clusters(clouds([10, 10]), 2, on_count=tried.append).strengths) == {1, 2}
    assert tried == [2]
