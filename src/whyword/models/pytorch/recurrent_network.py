"""A recurrent network: words' vectors, LSTM or GRU cells in one or two directions, pooling, scores.

What follows a text in a batch cannot be seen: each direction reads the text's words first, and the
rest is masked. (Packed sequences would do the same, but take three times as long to train.)

What a cell may remember (its candidate, an LSTM's g, a GRU's n) is made of the word that is read,
not of the states before; its gates see both. With the states in it, too, relevance (39) goes
through their matrix at every word, grows with each, and cancels out: a thousand words of an LSTM
trained so bear 10¹⁹ times the score. Without, no factor on the way back is above 1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

LSTM, GRU = CELLS = ("lstm", "gru")
LAST, MEAN, MAX, ATTENTION = POOLINGS = ("last", "mean", "max", "attention")


class WordTables(nn.Module):
    """Words' vectors in one or several tables, side by side; a row of zeros for all others.

    Parameters
    ----------
    rows : list of (V + 1,) int64 Tensor
        Of each table: the row of each word; 0 for one that it does not have. Word 0 is no word.
    sizes : list of (int, int)
        Rows and elements of each table, without the row of zeros.
    listed : list of list of str
        The words of each table, kept with it.
    """

    def __init__(
        self,
        rows: Sequence[Tensor],
        sizes: Sequence[tuple[int, int]],
        listed: Sequence[Sequence[str]] = (),
    ) -> None:
        super().__init__()
        self.listed = [list(words) for words in listed]
        self.rows = [f"rows_{number}" for number in range(len(rows))]
        for name, some in zip(self.rows, rows, strict=True):
            self.register_buffer(name, some, persistent=False)
        self.tables = nn.ModuleList(
            nn.Embedding(count + 1, size, padding_idx=0) for count, size in sizes
        )
        self.scale = nn.Buffer(torch.ones(1))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the words' vectors, (…, D)."""
        found = [
            table(self.get_buffer(name)[ids])
            for name, table in zip(self.rows, self.tables, strict=True)
        ]
        return torch.cat(found, -1) * self.scale

    @property
    def weights(self) -> list[nn.Parameter]:
        """The vectors of each table, (rows + 1, elements), zeros first."""
        return list(self.tables.parameters())

    @property
    def dimensions(self) -> int:
        """The length D of a vector, all tables together."""
        return sum(weight.shape[1] for weight in self.weights)


class Shape(NamedTuple):
    """What a recurrent network is made of; see :class:`whyword.RecurrentClassifier`."""

    cell: str
    hidden: int
    layers: int
    bidirectional: bool
    pooling: str
    scores: int


class RecurrentNetwork(nn.Module):
    """Scores of texts whose words are read one after the other.

    Parameters
    ----------
    words : WordTables
    shape : Shape
    dropout : float
        Share of the numbers that are zeroed at random while training, between layers and after
        pooling.
    """

    def __init__(self, words: WordTables, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.words, self.shape = words, shape
        kind = nn.LSTM if shape.cell == LSTM else nn.GRU
        width = shape.hidden * (1 + shape.bidirectional)
        sizes = [words.dimensions, *[width] * (shape.layers - 1)]
        self.forth = nn.ModuleList(kind(size, shape.hidden, batch_first=True) for size in sizes)
        back = sizes if shape.bidirectional else []
        self.back = nn.ModuleList(kind(size, shape.hidden, batch_first=True) for size in back)
        for cells in (*self.forth, *self.back):
            _remember_words_only(cells.get_parameter("weight_hh_l0"))
        self.dropout = nn.Dropout(dropout)
        if shape.pooling == ATTENTION:
            self.look = nn.Linear(width, shape.hidden)
            self.query = nn.Linear(shape.hidden, 1, bias=False)
        self.output = nn.Linear(width, shape.scores)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the scores of texts, (B, scores)."""
        lengths = attention_mask.sum(1, keepdim=True)
        places = torch.arange(attention_mask.shape[1]).unsqueeze(0)
        turned = torch.where(places < lengths, lengths - 1 - places, places)
        hidden = self.words(input_ids)
        for number, cells in enumerate(self.forth):
            hidden = self.dropout(hidden) if number else hidden
            sides = [cells(hidden)[0]]
            if self.shape.bidirectional:
                sides.append(_reordered(self.back[number](_reordered(hidden, turned))[0], turned))
            hidden = torch.cat(sides, -1) if len(sides) > 1 else sides[0]
        pooled = self._pooled(hidden, attention_mask, lengths)
        scores: Tensor = self.output(self.dropout(pooled))
        return scores

    def _pooled(self, hidden: Tensor, mask: Tensor, lengths: Tensor) -> Tensor:
        """Return what all words together say, (B, D)."""
        seen = mask.unsqueeze(-1)
        if self.shape.pooling == MAX:
            return hidden.masked_fill(seen == 0, -torch.inf).amax(1)
        if self.shape.pooling == MEAN:
            return (hidden * seen).sum(1) / lengths
        if self.shape.pooling == ATTENTION:
            asked = self.query(torch.tanh(self.look(hidden)))
            weights = torch.softmax(asked.masked_fill(seen == 0, -torch.inf), 1)
            return (weights * hidden).sum(1)
        size = self.shape.hidden
        last = (lengths - 1).unsqueeze(-1).expand(-1, 1, size)
        ends = [hidden[..., :size].gather(1, last).squeeze(1)]
        if self.shape.bidirectional:  # the way back ends at the first word
            ends.append(hidden[:, 0, size:])
        return torch.cat(ends, 1) if len(ends) > 1 else ends[0]

    @torch.no_grad()
    def largest(self) -> float:
        """Return a bound of all that is computed: states are within ±1, gates are sums of them."""
        words = max(float(weight.abs().max()) for weight in self.words.weights)
        of_words = words * float(self.words.scale.abs()) * self.words.dimensions
        width = self.output.in_features
        weights = [
            float(one.abs().max())
            for name, one in self.named_parameters()
            if not name.startswith("words.")
        ]
        return 3 * max(weights) * max(of_words, width, 1)


def _remember_words_only(weight: nn.Parameter) -> None:
    """Take the states out of the cells' candidates, for good: no step of a training puts them back.

    Parameters
    ----------
    weight : (3 or 4 times H, H) Parameter
        By which the states before are seen; the third H rows are the candidates'.
    """
    size = weight.shape[1]
    seen = torch.ones(len(weight), 1, device="cpu")
    seen[2 * size : 3 * size] = 0
    with torch.no_grad():
        weight.mul_(seen.to(weight.device))
    weight.register_hook(lambda gradient: gradient * seen)  # type: ignore[no-untyped-call]


def _reordered(hidden: Tensor, order: Tensor) -> Tensor:
    """Return what is at other places, (B, T, D)."""
    return hidden.gather(1, order.unsqueeze(-1).expand(hidden.shape))
