"""Relevance by chance: the baseline that every method must beat."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from whyword.methods.blocks import Block
from whyword.methods.relevance import Relevance


def random_relevance(block: Block, targets: NDArray[np.int32], *, seed: int = 0) -> Relevance:
    """Return normal random numbers that depend on the seed, the text and the class only."""
    words = []
    for document, chosen in zip(block.documents, targets, strict=True):
        text = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).digest()[:8]
        random = np.random.default_rng([seed, int.from_bytes(text, "little")])
        everything = random.normal(size=(len(document), block.scores.shape[1]))
        words.append(everything[:, chosen])
    return Relevance(words, np.zeros(targets.shape))
