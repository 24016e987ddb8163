"""The same network in plain PyTorch: nn.Conv1d, max-pooling, a linear layer; padded batches."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from whyword.models.cnn.inputs import InputBatch
from whyword.models.cnn.network import Network


class PlainNetwork(torch.nn.Module):
    """What a user would write."""

    def __init__(self, dimensions: int, width: int, filters: int, classes: int) -> None:
        super().__init__()
        self.width = width
        self.convolution = torch.nn.Conv1d(dimensions, filters, width)
        self.dropout = torch.nn.Dropout(0.5)
        self.output = torch.nn.Linear(filters, classes)

    def forward(self, inputs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return scores from padded (documents, dimensions, length) inputs."""
        responses = torch.relu(self.convolution(inputs))
        # windows that reach into the padding of a longer neighbour do not count
        places = torch.arange(responses.shape[2])
        outside = places[None, :] > (lengths - self.width)[:, None]
        pooled = responses.masked_fill(outside[:, None, :], 0).amax(dim=2)
        scores: torch.Tensor = self.output(self.dropout(pooled))
        return scores


def from_network(network: Network) -> PlainNetwork:
    """Return the plain network with the same weights."""
    (convolution,) = network.convolutions
    width, filters, dimensions = convolution.weight.shape
    plain = PlainNetwork(dimensions, width, filters, len(network.output_bias))
    with torch.no_grad():
        plain.convolution.weight.copy_(torch.tensor(convolution.weight.transpose(1, 2, 0).copy()))
        plain.convolution.bias.copy_(torch.tensor(convolution.bias))  # type: ignore[union-attr]
        plain.output.weight.copy_(torch.tensor(network.output_weight.T.copy()))
        plain.output.bias.copy_(torch.tensor(network.output_bias))
    return plain.eval()


def sorted_batches(inputs: InputBatch, size: int) -> list[NDArray[np.intp]]:
    """Return the documents in batches of similar length, which wastes little on padding."""
    order = np.argsort(np.diff(inputs.offsets), kind="stable")
    return [order[start : start + size] for start in range(0, len(order), size)]


def padded(inputs: InputBatch, documents: NDArray[np.intp]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (documents, D, longest) inputs, zero where a text has ended, and the lengths."""
    lengths = np.diff(inputs.offsets)[documents]
    ids = np.zeros((len(documents), lengths.max()), np.int64)
    for row, document in enumerate(documents):
        start = inputs.offsets[document]
        ids[row, : lengths[row]] = inputs.ids[start : start + lengths[row]]
    vectors = torch.from_numpy(inputs.vectors)[torch.from_numpy(ids)]
    return vectors.transpose(1, 2).contiguous(), torch.from_numpy(lengths)


def padded_batches(
    inputs: InputBatch, size: int
) -> Iterator[tuple[NDArray[np.intp], torch.Tensor, torch.Tensor]]:
    """Yield (documents, inputs, lengths) in length-sorted batches."""
    for documents in sorted_batches(inputs, size):
        yield documents, *padded(inputs, documents)
