"""Whether a unit is one source's habit, and whether what it says of a class carries over.

Two tests, each of all units at once. Equations are those of docs/method.md.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.evaluation.significance import distribution

DRAWS = 9_999  # random orders of a class's documents
_AT_ONCE = 1 << 24  # numbers held at a time

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
        p is (1 + random orders with as few) / (1 + all), so never 0; 1 where there is no document.
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
        for at, unit in enumerate(asked.tolist()):
            as_few[at] += (distinct[:, documents[unit] - 1] <= groups[unit]).sum()
    expected[asked] = total[documents[asked] - 1] / draws
    p[asked] = (1 + as_few) / (1 + draws)
    return expected, p


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
