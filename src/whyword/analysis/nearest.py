"""The vectors nearest to one, by cosine: all of them looked at, or a graph of neighbours walked.

The exact search is a product of matrices, by hand: scikit-learn's cosine scales the whole index
anew for every query, while these vectors have length 1 already and stay.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.rows import products
from whyword.base.errors import MissingExtraError
from whyword.models.protocol import Rows

_NEIGHBOURS, _EFFORT = 32, 200  # of the approximate graph: links of a document, width of a search


class NearestVectors(Protocol):
    """Unit vectors that can be searched."""

    def search(self, unit: Rows, top: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest and their cosines, the nearest first.

        Parameters
        ----------
        unit : (D,) array, or (1, D) sparse
            Of length 1.
        top : int
            At most so many.
        """


class ExactNearest:
    """All vectors are looked at; of equally near ones the first come first.

    Parameters
    ----------
    vectors : (n, D)
        Of length 1.
    """

    def __init__(self, vectors: Rows) -> None:
        self.vectors = vectors

    def search(self, unit: Rows, top: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest and their cosines."""
        cosines = np.clip(products(self.vectors, unit), -1, 1)
        top = min(top, len(cosines))
        if not top:
            return []
        least = np.partition(cosines, -top)[-top]
        near = np.flatnonzero(cosines >= least)
        order = near[np.argsort(-cosines[near], kind="stable")[:top]]
        return list(zip(order.tolist(), cosines[order].tolist(), strict=True))


def check_graph() -> None:
    """Raise unless the package that makes graphs of neighbours is installed."""
    try:
        import faiss  # noqa: F401
    except ImportError:
        raise MissingExtraError("faiss-cpu", "search") from None


class GraphNearest:
    """Some vectors are looked at, from neighbour to neighbour: faiss's HNSW graph.

    Parameters
    ----------
    vectors : (n, D) float32
        Of length 1.
    """

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        check_graph()
        import faiss

        metric = faiss.METRIC_INNER_PRODUCT
        self.graph: Any = faiss.IndexHNSWFlat(vectors.shape[1], _NEIGHBOURS, metric)
        self.graph.hnsw.efSearch = _EFFORT
        self.graph.add(np.ascontiguousarray(vectors))

    def search(self, unit: NDArray[np.float32], top: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest that were met, and their cosines."""
        if not self.graph.ntotal:
            return []
        cosines, numbers = self.graph.search(
            np.ascontiguousarray(unit[None]), min(top, self.graph.ntotal)
        )
        pairs = zip(numbers[0].tolist(), cosines[0].tolist(), strict=True)
        return [(number, cosine) for number, cosine in pairs if number >= 0]
