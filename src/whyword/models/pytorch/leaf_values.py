"""From what the vectors of look-ups have to what the tokens of a batch have."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from whyword.models.protocol import Scores
from whyword.models.pytorch.word_vectors import Leaf


def spread(sums: Scores, others: Scores, leaf: Leaf, values: Tensor) -> None:
    """Add what a leaf's vectors have, (K, …), to their tokens, (B, T, K), and to what is none."""
    flat = leaf.tokens.reshape(-1).numpy()
    rows = values.reshape(len(values), -1).numpy().T
    own = flat >= 0
    batch, tokens, classes = sums.shape
    added = np.zeros((batch * tokens, classes))
    with np.errstate(over="ignore", invalid="ignore"):  # too large: the residual says so
        np.add.at(added, flat[own], rows[own])
        sums += added.reshape(sums.shape)
    if not own.all():
        np.add.at(others, leaf.documents(tokens)[~own], rows[~own])


def spread_elements(sums: NDArray[np.float32], leaf: Leaf, values: Tensor) -> None:
    """Add a leaf's elements, (K, …, D), to their tokens', (B, T, D, K)."""
    flat = leaf.tokens.reshape(-1).numpy()
    own = flat >= 0
    rows = values.reshape(len(values), -1, values.shape[-1]).permute(1, 2, 0).numpy()
    batch, tokens = sums.shape[:2]
    added = np.zeros((batch * tokens, *rows.shape[1:]), np.float32)
    np.add.at(added, flat[own], rows[own])
    sums += added.reshape(sums.shape)


def table_starts(words: list[Leaf]) -> dict[int, int]:
    """Return where the dimensions of each look-up begin: those of one table are the same ones."""
    starts: dict[str, int] = {}
    at, result = 0, {}
    for leaf in words:
        if leaf.name not in starts:
            starts[leaf.name] = at
            at += leaf.vectors.shape[-1]
        result[id(leaf)] = starts[leaf.name]
    return result


def width_of(words: list[Leaf]) -> int:
    """Return how many dimensions the vectors of all tables have together."""
    return sum({leaf.name: leaf.vectors.shape[-1] for leaf in words}.values())


def looked_up(words: list[Leaf], shape: Sequence[int]) -> NDArray[np.float32]:
    """Return the vectors of ids of a shape, (B, T, D): those of several tables side by side."""
    starts = table_starts(words)
    found = np.zeros((*shape, width_of(words), 1), np.float32)
    done: set[int] = set()
    for leaf in words:
        start = starts[id(leaf)]
        if start not in done:
            done.add(start)
            part = found[:, :, start : start + leaf.vectors.shape[-1]]
            spread_elements(part, leaf, leaf.vectors.detach().unsqueeze(0))
    return found[..., 0]
