"""The path from no input to the input, for integrated gradients.

Equations are those of docs/method.md.
"""

from functools import lru_cache

import numpy as np

MOST_STEPS = 1_000


@lru_cache(maxsize=8)
def path_points(steps: int) -> tuple[tuple[float, float], ...]:
    """Return the points α of the path and their weights, equation (36): Gauss and Legendre's.

    They integrate polynomials of degree 2·steps − 1 exactly; no point is at an end of the path.

    Parameters
    ----------
    steps : int
        How many, from 1 to :data:`MOST_STEPS`.
    """
    points, weights = np.polynomial.legendre.leggauss(steps)
    pairs = zip(((1 + points) / 2).tolist(), (weights / 2).tolist(), strict=True)
    return tuple(pairs)
