"""The plain network explained by zennit's ε rule, one class per backward pass."""

import sys
import types
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_network import PlainNetwork, from_network, padded_batches

from whyword.models.cnn.inputs import InputBatch
from whyword.models.cnn.network import Network


def _zennit() -> Any:  # noqa: ANN401 - zennit has no types
    """Import zennit; for its canonizers it wants torchvision, which this torch has no build of."""
    names = ("torchvision", "torchvision.models", "torchvision.models.resnet")
    for name in names:
        sys.modules.setdefault(name, types.ModuleType(name))
    for block in ("Bottleneck", "BasicBlock"):
        setattr(sys.modules[names[2]], block, type(block, (), {}))
    import zennit.attribution
    import zennit.composites
    import zennit.rules
    import zennit.types

    return zennit


class Fixed(torch.nn.Module):
    """The network on texts of known lengths, so that its only input is the padded batch."""

    def __init__(self, plain: PlainNetwork, lengths: torch.Tensor) -> None:
        super().__init__()
        self.plain = plain
        self.lengths = lengths

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the scores, (documents, C)."""
        scores: torch.Tensor = self.plain(inputs, self.lengths)
        return scores


class Attribution:
    """zennit's ε rule on batches of similar length, biases left out."""

    def __init__(self, network: Network) -> None:
        self.zennit = _zennit()
        self.plain = from_network(network)
        rule = self.zennit.rules.Epsilon(epsilon=0.01)
        self.composite = self.zennit.composites.LayerMapComposite(
            [(self.zennit.types.Convolution, rule), (self.zennit.types.Linear, rule)]
        )

    def scores(self, inputs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the scores, (documents, C)."""
        with torch.inference_mode():
            scores: torch.Tensor = self.plain(inputs, lengths)
        return scores

    def relevance(
        self, inputs: torch.Tensor, lengths: torch.Tensor, start: torch.Tensor
    ) -> torch.Tensor:
        """Return the inputs' relevance, (documents, D, T), from what the outputs start with."""
        model = Fixed(self.plain, lengths)
        with self.zennit.attribution.Gradient(model, self.composite) as attributor:
            _, relevance = attributor(inputs, start)
        found: torch.Tensor = relevance
        return found


def zennit_relevance(
    network: Network, batch: InputBatch, classes: int
) -> list[NDArray[np.float32]]:
    """Return the words' relevance for each class, (classes, T) for each document."""
    attribution = Attribution(network)
    found: dict[int, NDArray[np.float32]] = {}
    for documents, inputs, lengths in padded_batches(batch, 64):
        scores = attribution.scores(inputs, lengths)
        per_class = []
        for k in range(classes):
            start = torch.zeros_like(scores)
            start[:, k] = scores[:, k]
            relevance = attribution.relevance(inputs, lengths, start)
            per_class.append(relevance.sum(dim=1).numpy())
        for row, document in enumerate(documents.tolist()):
            length = int(lengths[row])
            found[document] = np.array([values[row, :length] for values in per_class])
    return [found[document] for document in range(len(batch))]


def zennit_summaries(network: Network, batch: InputBatch) -> NDArray[np.float32]:
    """Return Σ_t R[t, i]·x[t, i] for the predicted class, (documents, D)."""
    attribution = Attribution(network)
    result = np.empty((len(batch), batch.vectors.shape[1]), np.float32)
    for documents, inputs, lengths in padded_batches(batch, 64):
        scores = attribution.scores(inputs, lengths)
        best = scores.argmax(dim=1, keepdim=True)
        start = torch.zeros_like(scores).scatter(1, best, scores.gather(1, best))
        relevance = attribution.relevance(inputs, lengths, start)
        result[documents] = (relevance * inputs.detach()).sum(dim=2).numpy()
    return result
