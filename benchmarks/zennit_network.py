"""The plain network explained by zennit's ε rule, one class per backward pass."""

import sys
import types
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_network import PlainNetwork, from_network, padded_batches

from whyword.models.inputs import InputBatch
from whyword.models.network import Network


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


def zennit_relevance(
    network: Network, batch: InputBatch, classes: int
) -> list[NDArray[np.float32]]:
    """Return the words' relevance for each class, (classes, T) for each document."""
    zennit = _zennit()
    plain = from_network(network)
    rule = zennit.rules.Epsilon(epsilon=0.01)
    composite = zennit.composites.LayerMapComposite(
        [(zennit.types.Convolution, rule), (zennit.types.Linear, rule)]
    )
    found: dict[int, NDArray[np.float32]] = {}
    for documents, inputs, lengths in padded_batches(batch, 64):
        model = Fixed(plain, lengths)
        with torch.inference_mode():
            scores = model(inputs)
        per_class = []
        with zennit.attribution.Gradient(model, composite) as attributor:
            for k in range(classes):
                start = torch.zeros_like(scores)
                start[:, k] = scores[:, k]
                _, relevance = attributor(inputs, start)
                per_class.append(relevance.sum(dim=1).numpy())
        for row, document in enumerate(documents.tolist()):
            length = int(lengths[row])
            found[document] = np.array([values[row, :length] for values in per_class])
    return [found[document] for document in range(len(batch))]
