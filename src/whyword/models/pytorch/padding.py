"""Whether a module says the same of a text beside others: of its length, and of other lengths.

And whether it says the same whatever stands where its attention mask hides it, among words.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from whyword.models.protocol import Scores
from whyword.models.pytorch.encoding import Encoded
from whyword.models.pytorch.word_vectors import WordVectors

if TYPE_CHECKING:
    from whyword.models.pytorch.network import Batch, Network

_DRAWN = 16  # texts by which it is seen whether padding makes a difference
_TOLERANCE = 1e-4  # of a score with and without padding, relative to max(1, |score|)


def is_same_beside(network: "Network", text: Encoded) -> bool:
    """Return whether a text's scores are the same before and after another of its length."""
    alone = network.scores_of(network.outputs(network.batch([text])))
    three = [text, _one_word_again(text), text]
    beside = network.scores_of(network.outputs(network.batch(three)))[::2]
    return _are_close(alone, beside)


def is_same_padded(network: "Network", longest: Encoded, short: Encoded) -> bool:
    """Return whether a text's scores are the same beside longer ones, whatever its words are.

    Of some words a padding shows that loses against others, so they are drawn at random.
    """
    if len(short.ids) == len(longest.ids):
        return False  # nobody knows
    several = [short] * _DRAWN
    alone = _drawn(network, network.batch(several), len(short.ids))
    beside = network.batch([*several, longest])
    return _are_close(alone, _drawn(network, beside, len(short.ids))[:_DRAWN])


def is_unseen_hidden(network: "Network", text: Encoded) -> bool:
    """Return whether it is all the same which word the attention mask hides amid a text."""
    words = np.flatnonzero(text.pieces.of_words)
    place = words[len(words) // 2] if len(words) else 0
    others = text.ids[words][text.ids[words] != text.ids[place]] if len(words) else words
    if not len(others):
        return False  # nobody knows
    hidden = text.hidden.copy()
    hidden[place] = True
    one, other = replace(text, hidden=hidden), text.ids.copy()
    other[place] = others[0]
    said = network.scores_of(network.outputs(network.batch([one, replace(one, ids=other)])))
    return _are_close(said[:1], said[1:])


def _drawn(network: "Network", batch: "Batch", length: int) -> Scores:
    """Return scores of texts with vectors drawn at random, but the first one's."""
    scales: list[float] = []

    def draw(vectors: Tensor, tokens: Tensor) -> Tensor:
        random = torch.Generator().manual_seed(0)
        shape = (_DRAWN, length, vectors.shape[-1])
        drawn = torch.randn(shape, generator=random, dtype=vectors.dtype)
        text = torch.div(tokens, batch.ids.shape[1], rounding_mode="floor")
        place = tokens - text * batch.ids.shape[1]
        if not scales:
            scales.append(float(vectors[(text == 0) & (place < length)].abs().mean()) or 1.0)
        drawn *= torch.logspace(-1, 1, _DRAWN).reshape(-1, 1, 1) * scales[0]
        own = (text > 0) & (text < _DRAWN) & (place < length)
        changed = vectors.clone()
        changed[own] = drawn[text[own], place[own]]
        return changed

    tables = network.tables
    with torch.no_grad(), WordVectors(network.module, batch.ids, change=draw, tables=tables) as run:
        said = network.called(batch)
    return network.scores_of(network.checked(run.before_end(said), batch))


def _are_close(some: Scores, others: Scores) -> bool:
    """Return whether scores are the same but for rounding; no, if they are no numbers."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(some - others)
    return bool(np.all(apart <= _TOLERANCE * np.maximum(1, np.abs(some))))


def _one_word_again(text: Encoded) -> Encoded:
    """Return a text of the same length and ends with one word again and again."""
    ids = text.ids.copy()
    ids[1:-1] = ids[len(ids) // 2] if len(ids) else 0
    return replace(text, ids=ids)
