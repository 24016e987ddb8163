"""The network and its forward pass: word table, max-pooling, output layer.

Equations are those of docs/method.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import InputBatch
from whyword.models.cnn.kernels import Activations, pooled_maxima

TABLE_BYTES = 256 << 20  # what the word tables of one batch may take

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Convolution:
    """Filters of one width.

    Attributes
    ----------
    weight : (H, F, D) float32
        w1[τ, i, j], the dimensions last.
    bias : (F,) float32
        b1[j].
    """

    weight: Floats
    bias: Floats

    @property
    def width(self) -> int:
        """How many words a filter sees, H."""
        return int(self.weight.shape[0])

    def table(self, vectors: Floats, out: Floats | None = None) -> Floats:
        """Return P[w, τ, j] of equation (29), the bias added at τ = 0: (rows, H, F)."""
        width, filters, dimensions = self.weight.shape
        table = np.empty((len(vectors), width, filters), np.float32) if out is None else out
        weight = self.weight.reshape(-1, dimensions)
        np.matmul(vectors, weight.T, out=table.reshape(len(vectors), width * filters))
        table[:, 0] += self.bias
        return table


@dataclass(frozen=True, eq=False)
class Network:
    """Filters of one or several widths in increasing order, and the output layer.

    Attributes
    ----------
    convolutions : tuple of Convolution
    output_weight : (ΣF, C) float32
        w2[j, k].
    output_bias : (C,) float32
        b2[k].
    """

    convolutions: tuple[Convolution, ...]
    output_weight: Floats
    output_bias: Floats

    def activate(self, batch: InputBatch) -> list[Activations]:
        """Return the activations of each width's filters."""
        tables = batch.tables or self.tables(batch.vectors)
        return [
            Activations(
                batch.ids,
                batch.offsets,
                table,
                convolution.bias,
                *pooled_maxima(batch.ids, batch.offsets, table),
                batch.vectors,
                convolution.weight,
            )
            for table, convolution in zip(tables, self.convolutions, strict=True)
        ]

    def tables(self, vectors: Floats, out: Sequence[Floats] | None = None) -> list[Floats]:
        """Return each width's P[w, τ, j] of equation (29), (rows, H, F)."""
        places = [None] * len(self.convolutions) if out is None else out
        return [
            convolution.table(vectors, place)
            for convolution, place in zip(self.convolutions, places, strict=True)
        ]

    def scores(self, pooled: Floats) -> Floats:
        """Return the classes' scores x[k] from the pooled x[j], equation (4): (documents, C).

        Summed in float64: where large terms cancel, relevance is a share of a small score.
        """
        weight, bias = self.output_weight.astype(np.float64), self.output_bias.astype(np.float64)
        result: Floats = (pooled.astype(np.float64) @ weight + bias).astype(np.float32)
        return result

    def largest(self, element: float) -> float:
        """Return a bound of all that is computed from vectors, and of its gradient.

        NaN or infinite if there is none.

        Parameters
        ----------
        element : float
            The largest number in a vector, without its sign.
        """
        score, gradient, first = float(np.abs(self.output_bias).max()), 0.0, 0
        bounds = [element]
        for convolution in self.convolutions:
            last = first + len(convolution.bias)
            output = np.abs(self.output_weight[first:last].astype(np.float64)).max(axis=1)
            weight = np.abs(convolution.weight.astype(np.float64)).sum(axis=(0, 2))
            found = weight * element + np.abs(convolution.bias)
            bounds.append(float(found.max()))
            score, gradient = score + float(found @ output), gradient + float(weight @ output)
            first = last
        return max([*bounds, score, gradient], key=lambda bound: (isnan(bound), bound))

    def forward(self, batch: InputBatch) -> Floats:
        """Return the classes' scores, (documents, C)."""
        widths = self.activate(batch)
        return self.scores(np.concatenate([width.pooled for width in widths], axis=1))

    def most_rows(self) -> int:
        """Return how many distinct words' tables fit the budget."""
        return max(1, TABLE_BYTES // (4 * self.row_size()))

    def row_size(self) -> int:
        """Return how many numbers the tables have for a word."""
        return sum(c.weight.shape[0] * c.weight.shape[1] for c in self.convolutions)
