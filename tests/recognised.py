"""Texts of a class that is recognised in two ways, and what is found of them."""

from functools import cache

import numpy as np
from networks import COMMON, TOPICS

from whyword import BlackBox, strategies
from whyword.audit import Strategies

WAYS = ("rocket", "moon")


def two_ways(count: int = 120, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and their classes: half are of space, by one word or by the other.

    Every tenth text of hockey says “moon”, too.
    """
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(count):
        label = ("space", "hockey")[number % 2]
        own = [WAYS[number % 3 > 0]] if label == "space" else random.choice(TOPICS[label], 3)
        words = [*random.choice(COMMON, 6), *own, *["moon"] * (number % 20 == 19)]
        random.shuffle(words)
        texts.append(" ".join(words))
        labels.append(label)
    return texts, labels


def sure(texts: list[str]) -> list[list[float]]:
    """Say how probable space and hockey are."""
    chances = [0.9 if {*WAYS} & {*text.split()} else 0.2 for text in texts]
    return [[chance, 1 - chance] for chance in chances]


def box() -> BlackBox:
    """Return a model that knows space by either word."""
    return BlackBox(sure, ["space", "hockey"], name="two ways")


@cache
def found() -> Strategies:
    """Return the two ways, with all that there can be."""
    texts, labels = two_ways()
    ids = [f"text {number}" for number in range(len(texts))]
    return strategies(box(), texts, "space", labels, ids=ids, suspects=["Moon"], most=3)
