"""Which documents to hold out, in proportion to the classes.

By hand, since scikit-learn's stratified split refuses classes of one document, and reading a corpus
needs no scikit-learn.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def hold_out(labels: Sequence[object], count: int, seed: int) -> NDArray[np.bool_]:
    """Choose `count` documents at random, each class by its share; one of a class always stays.

    Parameters
    ----------
    labels : sequence of n labels
    count : int
    seed : int

    Returns
    -------
    chosen : (n,) bool
        Fewer than `count` are chosen only if classes of one document leave no other way.
    """
    random = np.random.default_rng(seed)
    _, numbers, sizes = np.unique(
        np.array([str(label) for label in labels]), return_inverse=True, return_counts=True
    )
    chosen = np.zeros(len(labels), bool)
    for label, quota in enumerate(_quotas(sizes, count)):
        members = np.flatnonzero(numbers == label)
        chosen[random.permutation(members)[:quota]] = True
    return chosen


def _quotas(sizes: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Share `count` out in proportion, what is left over to the largest remainders."""
    exact = count * sizes / max(sizes.sum(), 1)
    quotas = np.minimum(np.floor(exact).astype(np.intp), sizes - 1)
    order = np.argsort(-(exact - np.floor(exact)), kind="stable")
    while (missing := count - quotas.sum()) > 0:
        free = [label for label in order if quotas[label] < sizes[label] - 1]
        if not free:
            break
        quotas[free[:missing]] += 1
    shares: NDArray[np.intp] = quotas
    return shares
