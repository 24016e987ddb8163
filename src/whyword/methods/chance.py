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
        shape = (len(document), block.scores.shape[1])
        everything = generator_for(document.text, seed).normal(size=shape)
        words.append(everything[:, chosen])
    return Relevance(words, np.zeros(targets.shape))


def generator_for(text: str, seed: int) -> np.random.Generator:
    """Return random numbers that depend on the seed and the text only."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])
