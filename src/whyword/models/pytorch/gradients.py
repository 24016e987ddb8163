"""A module's own gradients with respect to its words' vectors."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from whyword.models.protocol import Targets
from whyword.models.pytorch.frozen import TokenRelevance
from whyword.models.pytorch.leaf_values import looked_up, spread, spread_elements, table_starts
from whyword.models.pytorch.network import Batch, Network, logits_of
from whyword.models.pytorch.word_vectors import WordVectors


class GradientPass:
    """A batch whose gradients are asked for."""

    def __init__(self, network: Network, batch: Batch) -> None:
        self._network, self._batch = network, batch

    def _forward(self, scale: float = 1.0) -> tuple[WordVectors, Tensor]:
        network, batch = self._network, self._batch

        def change(vectors: Tensor, tokens: Tensor) -> Tensor:
            changed = batch.change(vectors, tokens) if batch.has_zeros else vectors
            return changed if scale == 1 else changed * scale

        with network.lock, torch.enable_grad():
            with WordVectors(
                network.module, batch.ids, change=change, differentiate=True, tables=network.tables
            ) as run:
                said = logits_of(network.call(batch))
            return run, network.checked(run.before_end(said), batch)

    def vectors(self) -> NDArray[np.float32]:
        """Return the words' vectors, (B, T, D)."""
        run, _ = self._forward()
        return looked_up(run.words, self._batch.ids.shape)

    def relevance(
        self, targets: Targets, value: Callable[[Tensor, Tensor], Tensor], elements: bool
    ) -> TokenRelevance:
        """Return a value of vectors and gradients, summed for each token."""
        found = self._nothing(targets, elements)
        self._add(found, targets, value, 1.0, 1.0)
        return found

    def integrated(
        self, targets: Targets, points: Sequence[tuple[float, float]], elements: bool
    ) -> TokenRelevance:
        """Return the mean gradient on the way from zeros, times the vectors."""
        found = self._nothing(targets, elements)
        for alpha, weight in points:
            # what was scaled by α is divided by it again
            self._add(
                found, targets, lambda vectors, gradient: vectors * gradient, alpha, weight / alpha
            )
        _, said = self._forward(0.0)
        scores = self._network.scores_of(said)
        found.constant[:] = np.take_along_axis(scores, targets.astype(np.intp), axis=1)
        return found

    def _nothing(self, targets: Targets, elements: bool) -> TokenRelevance:
        batch, classes = targets.shape
        shape = (batch, self._batch.ids.shape[1], classes)
        width = self.vectors().shape[-1] if elements else 0
        return TokenRelevance(
            np.zeros(shape),
            np.zeros(shape),
            np.zeros((batch, classes)),
            np.zeros((batch, classes)),
            np.zeros((*shape[:2], width, classes), np.float32) if elements else None,
        )

    def _add(
        self,
        found: TokenRelevance,
        targets: Targets,
        value: Callable[[Tensor, Tensor], Tensor],
        scale: float,
        weight: float,
    ) -> None:
        """Add a pass's values, with a weight, for all targets one after the other."""
        run, said = self._forward(scale)
        leaves = run.words
        starts = table_starts(leaves)
        inputs = [leaf.vectors for leaf in leaves]
        chosen = torch.from_numpy(targets.astype(np.int64))
        for column in range(targets.shape[1]):
            if self._network.single:
                score = said[:, 0] * (2 * chosen[:, column] - 1)
            else:
                score = said.gather(1, chosen[:, column : column + 1])[:, 0]
            with self._network.lock:
                gradients = torch.autograd.grad(
                    score.sum(), inputs, retain_graph=True, allow_unused=True
                )
            for leaf, gradient in zip(leaves, gradients, strict=True):
                if gradient is None:
                    continue
                each = value(leaf.vectors.detach(), gradient).unsqueeze(0) * weight
                sums = found.tokens[..., column : column + 1]
                spread(sums, found.others[:, column : column + 1], leaf, each.sum(-1).double())
                if found.elements is not None:
                    start = starts[id(leaf)]
                    part = found.elements[:, :, start : start + each.shape[-1], column : column + 1]
                    spread_elements(part, leaf, each)
