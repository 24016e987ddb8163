"""Whether a unit is one source's habit, and whether what it says of a class carries over.

Two tests, each of all units at once. Equations are those of docs/method.md.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.evaluation.significance import distribution

DRAWS = 9_999  # random orders of a class's documents
_AT_ONCE = 1 << 22  # numbers held at a time
_MOST_WORK = 1 << 28  # additions for the bound of a class

Numbers = NDArray[np.float64]


def fewer_groups(
    documents: NDArray[np.intp],
    groups: NDArray[np.intp],
    population: NDArray[np.intp],
    seed: int,
    draws: int = DRAWS,
) -> tuple[Numbers, Numbers]:
    """Return the mean number of groups of random documents, and how often there are as few.

    Drawn are as many documents of the class as have the unit, in random orders of all of them:
    docs/method.md (43).

    Parameters
    ----------
    documents, groups : (U,) intp
        How many documents of the class have each unit, and of how many groups these are.
    population : (N,) intp
        The group of each of the class's documents.
    seed, draws : int

    Returns
    -------
    expected, p : (U,) float64 each
        p is (1 + random orders with as few) / (1 + all); where no order has as few, the bound, if
        that is lower: a correction for very many units asks for smaller numbers than so many orders
        can show. Never 0; 1 where there is no document.
    """
    expected, p = np.zeros(len(documents)), np.ones(len(documents))
    asked = np.flatnonzero(documents > 0)
    if not len(asked):
        return expected, p
    order = np.argsort(population, kind="stable")
    begins = np.append(True, np.diff(population[order]) != 0)
    starts, size = np.flatnonzero(begins), len(population)
    random, at_once = np.random.default_rng(seed), max(1, _AT_ONCE // size)
    total, as_few = np.zeros(size), np.zeros(len(asked))
    for first in range(0, draws, at_once):
        count = min(at_once, draws - first)
        ranks = random.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
        distinct = _distinct(np.minimum.reduceat(ranks, starts, axis=1), size)
        total += distinct.sum(axis=0)
        for many in np.unique(documents[asked]).tolist():
            alike = np.flatnonzero(documents[asked] == many)
            ordered = np.sort(distinct[:, many - 1])
            as_few[alike] += np.searchsorted(ordered, groups[asked[alike]], "right")
    expected[asked] = total[documents[asked] - 1] / draws
    p[asked] = (1 + as_few) / (1 + draws)
    rare = asked[as_few == 0]
    bound = chance_bound(documents[rare], groups[rare], population)
    p[rare] = np.minimum(p[rare], np.maximum(bound, np.finfo(np.float64).tiny))
    return expected, p


def chance_bound(
    documents: NDArray[np.intp], groups: NDArray[np.intp], population: NDArray[np.intp]
) -> Numbers:
    """Return an upper bound of the chance that random documents are of so few groups, (U,).

    Documents are of g groups at most if they all are of one of the sets of g groups: the chances of
    all these sets added up, on the right of docs/method.md (43). Where they are small, that is next
    to the chance itself; 1 where it would take too long.

    Parameters
    ----------
    documents, groups : (U,) intp
        How many documents are drawn, and the number of groups.
    population : (N,) intp
        The group of each document that may be drawn.
    """
    bound, size = np.ones(len(documents)), len(population)
    sizes = np.unique(population, return_counts=True)[1]
    most = min(len(sizes), _MOST_WORK // max(1, len(sizes) * (size + 1)))
    within = np.flatnonzero((groups <= most) & (documents > 0))
    if not len(within):
        return bound
    sets = _sets_by_size(sizes, int(groups[within].max()))
    factorials = np.append(0.0, np.cumsum(np.log(np.arange(1, size + 1))))  # their logarithms
    for many in np.unique(documents[within]).tolist():
        alike = within[documents[within] == many]
        among = np.arange(many, size + 1)  # all that are drawn are of so many documents
        logarithms = factorials[among] - factorials[among - many]
        chance = np.exp(logarithms - logarithms[-1])
        with np.errstate(invalid="ignore"):  # too many sets to be told
            added = sets[groups[alike], many:] @ chance
        bound[alike] = np.where(np.isfinite(added), np.minimum(1.0, added), 1.0)
    return bound


def _sets_by_size(sizes: NDArray[np.integer], most: int) -> Numbers:
    """Return how many sets of g groups have s documents together, (most + 1, N + 1)."""
    sets = np.zeros((most + 1, int(sizes.sum()) + 1))
    sets[0, 0] = 1
    with np.errstate(over="ignore"):  # too many to be told: the bound is 1
        for size in sizes.tolist():
            sets[1:, size:] += sets[:-1, :-size].copy()
    return sets


def _distinct(first: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Return how many groups are among the first 1, 2, … documents of random orders, (R, size).

    Parameters
    ----------
    first : (R, G) intp
        Where each group's first document stands.
    size : int
        How many documents there are.
    """
    rows = np.arange(len(first))[:, None] * size
    begins = np.bincount((first + rows).ravel(), minlength=len(first) * size)
    counted: NDArray[np.intp] = begins.reshape(len(first), size).cumsum(axis=1)
    return counted


def lower_odds(
    train: NDArray[np.intp],
    train_class: NDArray[np.intp],
    other: NDArray[np.intp],
    other_class: NDArray[np.intp],
) -> Numbers:
    """Return p of Fisher's exact test that the odds of the class are no lower elsewhere, (U,).

    docs/method.md (44). One-sided: small where a unit speaks for its class in training documents,
    and less so in others.

    Parameters
    ----------
    train, train_class : (U,) intp
        How many training documents have each unit, and how many of these are of its class.
    other, other_class : (U,) intp
        The same of documents that were held out.
    """
    in_class = train_class + other_class
    p = distribution("hypergeom").sf(train_class - 1, train + other, in_class, train)
    found: Numbers = np.where((train > 0) & (other > 0), np.clip(p, 0.0, 1.0), 1.0)
    return found
