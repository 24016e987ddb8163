"""The networks of ready-made classifiers, written as one writes them in torch."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class KimCNN(nn.Module):
    """Windows of three widths over word vectors, maxima over time, one logit."""

    def __init__(self, words: int, size: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.conv_layers = nn.ModuleList(nn.Conv2d(1, filters, (width, size)) for width in widths)
        self.fc = nn.Linear(filters * len(widths), 1)
        self.dropout = nn.Dropout(0.5)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return the logit (B, 1) of a film that is liked."""
        vectors = self.embedding(input_ids).unsqueeze(1)
        maps = [torch.relu(layer(vectors)).squeeze(3) for layer in self.conv_layers]
        pooled = [nn.functional.max_pool1d(one, one.shape[2]).squeeze(2) for one in maps]
        logit: Tensor = self.fc(self.dropout(torch.cat(pooled, dim=1)))
        return logit


class LastLSTM(nn.Module):
    """An LSTM's last state, and one sigmoid."""

    def __init__(self, words: int, size: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, hidden, batch_first=True)
        self.dense = nn.Linear(hidden, 1)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return the probability (B, 1) of a film that is liked."""
        states, _ = self.lstm(self.embedding(input_ids))
        return torch.sigmoid(self.dense(states[:, -1]))


class PooledLSTM(nn.Module):
    """A bi-LSTM, maxima over time, a hidden layer, a sigmoid for each label."""

    def __init__(self, words: int, size: int, hidden: int, inner: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.dense = nn.Linear(2 * hidden, inner)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(inner, labels)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return the probability of each label (B, C)."""
        states, _ = self.lstm(self.embedding(input_ids))
        inner = torch.relu(self.dense(states.max(dim=1).values))
        return torch.sigmoid(self.output(self.dropout(inner)))
