"""The network and its forward pass: word table, max-pooling, output layer."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import InputBatch
from whyword.models.cnn.kernels import pooled_maxima
from whyword.models.cnn.row_cache import RowMemory

TABLE_BYTES = 256 << 20  # what the word tables of one batch may take

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Convolution:
    """Filters of one width.

    Attributes
    ----------
    weight : (H, F, D) float32
    bias : (F,) float32
    """

    weight: Floats
    bias: Floats

    @property
    def width(self) -> int:
        """How many words a filter sees, H."""
        return int(self.weight.shape[0])

    def table(self, vectors: Floats, out: Floats | None = None) -> Floats:
        """Return P[w, τ, :] = W₁[τ]·x_w, with the bias added at τ = 0: (rows, H, F)."""
        width, filters, dimensions = self.weight.shape
        table = np.empty((len(vectors), width, filters), np.float32) if out is None else out
        weight = self.weight.reshape(-1, dimensions)
        np.matmul(vectors, weight.T, out=table.reshape(len(vectors), width * filters))
        table[:, 0] += self.bias
        return table


@dataclass(frozen=True, eq=False)
class Activations:
    """What the filters of one width found in each document.

    Attributes
    ----------
    table : (rows, H, F) float32
    pooled : (documents, F) float32
        Maximum over the text, at least 0.
    winners : (documents, F) int32
        Where it was attained first; 0 for a filter that never fired.
    """

    table: Floats
    pooled: Floats
    winners: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Network:
    """Filters of one or several widths in increasing order, and the output layer.

    Attributes
    ----------
    convolutions : tuple of Convolution
    output_weight : (ΣF, C) float32
    output_bias : (C,) float32
    memory : RowMemory or None
        Of the word tables, if they are to be remembered from batch to batch.
    """

    convolutions: tuple[Convolution, ...]
    output_weight: Floats
    output_bias: Floats
    memory: RowMemory | None = None

    def remembering(self, budget: int) -> "Network":
        """Return the same network with a memory of so many bytes for word tables, or none for 0."""
        shapes = [convolution.weight.shape[:2] for convolution in self.convolutions]
        return replace(self, memory=RowMemory(shapes, budget) if budget else None)

    def activate(self, batch: InputBatch) -> list[Activations]:
        """Return the activations of each width's filters."""
        return [
            Activations(table, *pooled_maxima(batch.ids, batch.offsets, table))
            for table in self._tables(batch)
        ]

    def _tables(self, batch: InputBatch) -> list[Floats]:
        if batch.tables is not None:
            return list(batch.tables)
        if self.memory is None or batch.keys is None:
            return [convolution.table(batch.vectors) for convolution in self.convolutions]

        def made(rows: NDArray[np.intp]) -> list[Floats]:
            return [convolution.table(batch.vectors[rows]) for convolution in self.convolutions]

        return self.memory.rows(batch.keys, made)

    def scores(self, pooled: Floats) -> Floats:
        """Return the classes' scores from the pooled activations, (documents, C).

        Summed in float64: where large terms cancel, relevance is a share of a small score.
        """
        weight, bias = self.output_weight.astype(np.float64), self.output_bias.astype(np.float64)
        result: Floats = (pooled.astype(np.float64) @ weight + bias).astype(np.float32)
        return result

    def forward(self, batch: InputBatch) -> Floats:
        """Return the classes' scores, (documents, C)."""
        found = self.activate(batch)
        return self.scores(np.concatenate([activations.pooled for activations in found], axis=1))

    def most_rows(self) -> int:
        """Return how many distinct words' tables fit the budget."""
        return max(1, TABLE_BYTES // (4 * self.row_size()))

    def row_size(self) -> int:
        """Return how many numbers the tables have for a word."""
        return sum(c.weight.shape[0] * c.weight.shape[1] for c in self.convolutions)
