"""Relevance by chance: the baseline that every method must beat."""

import hashlib

import numpy as np

from whyword.base.checks import whole_number
from whyword.methods.registry import Method, Parameter, register
from whyword.models.protocol import Targets, Trace
from whyword.models.relevance import Relevance


def _compute(trace: Trace, targets: Targets, seed: int) -> Relevance:
    """Return normal random numbers that depend on the seed, the text and the class only."""
    words = []
    for document, chosen in zip(trace.documents, targets, strict=True):
        shape = (len(document), trace.scores.shape[1])
        everything = generator_for(document.text, seed).normal(size=shape)
        words.append(everything[:, chosen])
    return Relevance(words, np.zeros(targets.shape))


def generator_for(text: str, seed: int) -> np.random.Generator:
    """Return random numbers that depend on the seed and the text only."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def _seed(name: str, value: object) -> int:
    return whole_number(name, value, least=0)


RANDOM = register(
    Method(
        name="random",
        meaning="numbers by chance: what a method must beat",
        compute=_compute,
        parameters=(Parameter("seed", 0, _seed, "of chance"),),
    )
)
