"""A pretrained encoder and a head of our own: the mean of its tokens' vectors, then scores."""

from typing import Any

import torch
from torch import Tensor, nn


class PooledEncoder(nn.Module):
    """The mean over a text's tokens, perhaps a layer of ReLUs, and a linear layer.

    Parameters
    ----------
    encoder : nn.Module
        Of Hugging Face's: it returns ``last_hidden_state``, (B, T, D). It is kept under its own
        prefix (``bert``), so that Hugging Face finds its weights in ours.
    scores : int
    hidden : int or None
        How many ReLUs there are between.
    dropout : float
        Share of the mean's numbers that are zeroed at random while training.
    """

    def __init__(
        self, encoder: nn.Module, scores: int, hidden: int | None = None, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.prefix = str(getattr(encoder, "base_model_prefix", "") or "encoder")
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None  # type: ignore[assignment]  # what the model's own head would use
        self.add_module(self.prefix, encoder)
        config: Any = encoder.config
        self.config, size = config, int(config.hidden_size)
        self.hidden, self.dropout = hidden, nn.Dropout(dropout)
        self.dense = None if hidden is None else nn.Linear(size, hidden)
        # not "classifier": Hugging Face's own head of that name would take it for its last layer
        self.scores = nn.Linear(size if hidden is None else hidden, scores)

    def get_input_embeddings(self) -> nn.Module:
        """Return the table of the words' vectors."""
        table: nn.Module = self.get_submodule(self.prefix).get_input_embeddings()  # type: ignore[operator]
        return table

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Return the scores of texts, (B, scores)."""
        encoder = self.get_submodule(self.prefix)
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        states = encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        seen = attention_mask.unsqueeze(-1).to(states.dtype)
        mean = (states * seen).sum(1) / seen.sum(1)
        if self.dense is not None:
            mean = torch.relu(self.dense(mean))
        scores: Tensor = self.scores(self.dropout(mean))
        return scores
