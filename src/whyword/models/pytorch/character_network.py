"""A network of characters: their vectors, convolutions of several widths, max-pooling, scores."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn


class CharacterNetwork(nn.Module):
    """Scores of texts by what is found anywhere in them.

    A filter answers at each character of a text, and the best answer counts. Adding the bias and
    taking the positive part after that is the same as before it, and takes less memory.

    Parameters
    ----------
    characters : int
        How many ids there are; the vector of 0 is zero.
    dimensions : int
        The length of a character's vector.
    widths : sequence of int
        How many characters a filter sees.
    filters : int
        Of each width.
    hidden : int
        How many ReLUs there are before the scores; 0 for none.
    scores : int
    dropout : float
        Share of the numbers that are zeroed at random while training, before each dense layer.
    """

    def __init__(
        self,
        characters: int,
        dimensions: int,
        widths: Sequence[int],
        filters: int,
        hidden: int,
        scores: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.characters = nn.Embedding(characters, dimensions, padding_idx=0)
        self.widths = tuple(widths)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(dimensions, filters, width, bias=False) for width in widths
        )
        self.biases = nn.Parameter(torch.zeros(len(widths) * filters))
        self.dropout = nn.Dropout(dropout)
        size = len(widths) * filters
        self.dense = nn.Linear(size, hidden) if hidden else None
        self.output = nn.Linear(hidden or size, scores)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the scores of texts, (B, scores)."""
        found = self.answers(input_ids, attention_mask)
        best = self.dropout(torch.relu(found + self.biases))
        if self.dense is not None:
            best = self.dropout(torch.relu(self.dense(best)))
        scores: Tensor = self.output(best)
        return scores

    def answers(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the best answer of each filter, before its bias, (B, filters of all widths)."""
        vectors = self.characters(input_ids).transpose(1, 2)
        outside = (attention_mask == 0).unsqueeze(1)
        is_padded = bool(outside.any())  # a long text by itself is not copied
        found = []
        for width, filters in zip(self.widths, self.convolutions, strict=True):
            around = nn.functional.pad(vectors, ((width - 1) // 2, width // 2))
            each = filters(around)
            each = each.masked_fill(outside, -torch.inf) if is_padded else each
            found.append(each.amax(2))
        return torch.cat(found, 1)

    @torch.no_grad()
    def centre(self, batches: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Set biases so that filters, before training, say 0 of some texts on average.

        The best of many answers is about as good in all texts; with that left in, training would
        stay where it is for epochs.

        Parameters
        ----------
        batches : iterable of (ids, mask)
        """
        answers = torch.cat([self.answers(ids, mask) for ids, mask in batches])
        self.biases[:] = -answers.mean(0)

    @torch.no_grad()
    def largest(self) -> float:
        """Return a bound of all that is computed."""
        numbers = [(name, one.abs()) for name, one in self.named_parameters()]
        bound = 1.0
        for first in ("characters", "convolutions", "dense", "output"):  # a word times the next
            own = [one for name, one in numbers if name.startswith(first) and one.dim() > 1]
            sums = [
                one.max() if first == "characters" else one.flatten(1).sum(1).max() for one in own
            ]
            bound *= max([1.0, *map(float, sums)])
        return bound * (1 + sum(float(one.max()) for _, one in numbers if one.dim() == 1))
