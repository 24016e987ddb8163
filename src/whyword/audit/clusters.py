"""Points in clusters, and how many there are: as many as other points confirm, perhaps one.

By hand, in numpy: the base install has no package that clusters, and k-means is small.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Groups = NDArray[np.intp]

CONFIRMED = 0.8  # prediction strength from which clusters are said to be found again
_HALVINGS = 5  # each of which says something of both halves
_REFERENCES = 19  # sets of one cluster; closer than all of them by chance: p = 1/20
_STARTS = 8  # of k-means, the best of which is taken
_MOST_ROUNDS = 100
_FAR = 1e9  # where the centre of a cluster is that has lost its points


@dataclass(frozen=True, eq=False)
class Clustering:
    """Points in k clusters.

    Attributes
    ----------
    groups : (n,) intp
        The cluster of each point, from 0; the largest is 0.
    centres : (k, D) float64
        Their means.
    strengths : dict from int to float
        The prediction strength of each number of clusters that was tried, 1 of one cluster.
    scatter, reference : float or None
        The share of the variance that lies within the clusters, and the lowest of it in points of
        one cluster; None if there was nothing to compare.
    """

    groups: Groups
    centres: Points
    strengths: dict[int, float]
    scatter: float | None = None
    reference: float | None = None

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.centres)


def find_clusters(
    points: Points,
    most: int,
    seed: int = 0,
    on_count: Callable[[int], None] = lambda _: None,
) -> Clustering:
    """Return the points in the largest number of clusters for which there is evidence.

    k clusters are taken if (a) they are found again: the prediction strength, docs/method.md (42),
    is at least 0.8, the mean over 5 random halvings; and (b) they are closer than one cluster's:
    a smaller share of the variance lies within them than within the k clusters of each of 19 sets
    of as many normally distributed points with the same mean and covariance.

    Parameters
    ----------
    points : (n, D) float64
    most : int
        The most clusters that are tried.
    seed : int
    on_count : callable
        Called with each number as it is tried.
    """
    distinct = len(np.unique(points.round(9), axis=0))
    strengths = {1: 1.0}
    for number in range(2, min(most, distinct, len(points) // 4) + 1):
        on_count(number)
        strengths[number] = prediction_strength(points, number, seed)
    compared: tuple[float, float] | None = None
    for number in sorted(strengths, reverse=True):
        if number > 1 and strengths[number] >= CONFIRMED:
            groups = k_means(points, number, np.random.default_rng(seed))
            own, reference = scatter_share(points, groups), reference_scatter(points, number, seed)
            compared = round(own, 4), round(reference, 4)
            if compared[0] < compared[1]:
                return _sorted(points, groups, strengths, *compared)
    groups = np.zeros(len(points), np.intp)
    return _sorted(points, groups, strengths, *(compared or (None, None)))


def _sorted(
    points: Points,
    groups: Groups,
    strengths: dict[int, float],
    scatter: float | None,
    reference: float | None,
) -> Clustering:
    """Return the clusters, the largest first."""
    _, groups, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    numbered = ranks[groups]
    return Clustering(numbered, _means(points, numbered, len(order)), strengths, scatter, reference)


def prediction_strength(points: Points, number: int, seed: int = 0) -> float:
    """Return how far clusters of one half of the points are those of the other.

    docs/method.md (42): the mean over random halvings, each half in the place of the other once.

    Parameters
    ----------
    points : (n, D) float64
    number : int
        k.
    seed : int
    """
    random = np.random.default_rng([seed, number])
    found = []
    for _ in range(_HALVINGS):
        order, middle = random.permutation(len(points)), len(points) // 2
        halves = points[order[:middle]], points[order[middle:]]
        groups = [k_means(half, number, random) for half in halves]
        centres = [_means(half, own, number) for half, own in zip(halves, groups, strict=True)]
        for own, other in ((0, 1), (1, 0)):
            predicted = _nearest(halves[own], centres[other])
            found.append(found_again(groups[own], predicted, number))
    return float(np.mean(found))


def found_again(groups: Groups, predicted: Groups, number: int) -> float:
    """Return the least share, over clusters, of the pairs in one that are predicted to be in one.

    Parameters
    ----------
    groups, predicted : (n,) intp
        The cluster of each point, and that whose centre, of others' clusters, is nearest.
    number : int
        k. A cluster of one point has no pairs, and is not found again.
    """
    table = np.zeros((number, number))
    np.add.at(table, (groups, predicted), 1)
    sizes = table.sum(axis=1)
    together = (table * (table - 1)).sum(axis=1)
    return float((together / np.maximum(sizes * (sizes - 1), 1)).min())


def scatter_share(points: Points, groups: Groups) -> float:
    """Return the share of the variance that lies within the groups; 0 if there is no variance."""
    whole = float(((points - points.mean(axis=0)) ** 2).sum())
    centres = _means(points, groups, int(groups.max(initial=0)) + 1)
    within = float(((points - centres[groups]) ** 2).sum())
    return within / whole if whole > 0 else 0.0


def reference_scatter(points: Points, number: int, seed: int = 0) -> float:
    """Return the least share of the variance within clusters in points of one cluster.

    Of 19 sets of as many points, normally distributed, with the same mean and covariance.
    """
    random = np.random.default_rng([seed, number, _REFERENCES])
    centred = points - points.mean(axis=0)
    _, deviations, _ = np.linalg.svd(
        centred / np.sqrt(max(1, len(points) - 1)), full_matrices=False
    )
    # turning a set changes no distance, so that the axes may be those of the variance
    drawn = (random.normal(size=(len(points), len(deviations))) for _ in range(_REFERENCES))
    sets = (normal * deviations for normal in drawn)
    return min(scatter_share(one, k_means(one, number, random)) for one in sets)


# ---- k-means ------------------------------------------------------------------------------------


def k_means(points: Points, number: int, random: np.random.Generator) -> Groups:
    """Return the cluster of each point, (n,): the best of several starts.

    Parameters
    ----------
    points : (n, D) float64
    number : int
        k, at most n.
    random : Generator
    """
    best, least = np.zeros(len(points), np.intp), np.inf
    for _ in range(_STARTS if number > 1 else 0):
        groups = _improved(points, _start(points, number, random))
        within = float(((points - _means(points, groups, number)[groups]) ** 2).sum())
        if within < least * (1 - 1e-9):
            best, least = groups, within
    return best


def _start(points: Points, number: int, random: np.random.Generator) -> Points:
    """Return points of the set as first centres, each far from those before (k-means++)."""
    chosen = [int(random.integers(len(points)))]
    distances = np.full(len(points), np.inf)
    while len(chosen) < number:
        distances = np.minimum(distances, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        reached = np.cumsum(distances)
        place = int(np.searchsorted(reached, random.random() * reached[-1], "right"))
        chosen.append(min(place, len(points) - 1))
    return points[chosen]


def _improved(points: Points, centres: Points) -> Groups:
    """Return the clusters that these centres lead to: means and nearest points in turn."""
    groups = _nearest(points, centres)
    for _ in range(_MOST_ROUNDS):
        centres = _means(points, groups, len(centres))
        moved = _nearest(points, centres)
        if np.array_equal(moved, groups):
            break
        groups = moved
    return groups


def _nearest(points: Points, centres: Points) -> Groups:
    """Return the number of the nearest centre of each point; of equal ones the first."""
    distances = (centres**2).sum(axis=1) - 2 * points @ centres.T
    nearest: Groups = distances.argmin(axis=1)
    return nearest


def _means(points: Points, groups: Groups, number: int) -> Points:
    """Return the mean of each cluster, (k, D); that of none is far from everything."""
    members = np.zeros((number, len(points)))
    members[groups, np.arange(len(points))] = 1
    sizes = members.sum(axis=1, keepdims=True)
    means: Points = members @ points / np.maximum(sizes, 1)
    means[sizes[:, 0] == 0] = _FAR
    return means
