"""From scores to the probabilities that a classifier makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from whyword.base.checks import one_of
from whyword.models.probabilities import softmax
from whyword.models.protocol import Scores
from whyword.models.stored import StoredSettings, positive_number


@dataclass(frozen=True)
class Link:
    """How scores become probabilities.

    Attributes
    ----------
    name : str
        One of :data:`LINKS`, or "own": a pipeline makes them of its texts, by a way of its own.
    temperature : float
        What scores are divided by before.
    by_score : bool
        Whether the class is that of the largest score; else of the largest probability.
    """

    name: str = "softmax"
    temperature: float = 1.0
    by_score: bool = True

    @property
    def is_own(self) -> bool:
        """Whether scores do not say what the probabilities are."""
        return self.name == "own"

    def probabilities(self, scores: Scores) -> Scores:
        """Return the probabilities of scores, (…, C); of its own, the softmax stands in."""
        link = LINKS["softmax" if self.is_own else self.name]
        return link(scores / self.temperature)

    def configuration(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"name": self.name, "temperature": self.temperature}

    @classmethod
    def restore(cls, settings: StoredSettings) -> "Link":
        """Return the link that stored settings are."""
        name = settings.take("name", partial(one_of, choices=tuple(LINKS)))
        return cls(name, settings.take("temperature", positive_number))


def sigmoids(scores: Scores) -> Scores:
    """Return the sigmoid of each score, normalised to sum 1 over the last axis."""
    with np.errstate(over="ignore"):
        return _normalised(1 / (1 + np.exp(-scores)))


def clipped(scores: Scores) -> Scores:
    """Return scores cut at −1 and 1, as shares of the way between, normalised to sum 1."""
    return _normalised((np.clip(scores, -1, 1) + 1) / 2)


def _normalised(chances: Scores) -> Scores:
    """Return chances that sum to 1; equal ones where all are 0."""
    sums = chances.sum(axis=-1, keepdims=True)
    equal = np.full_like(chances, 1 / chances.shape[-1])
    result: Scores = np.divide(chances, sums, out=equal, where=sums > 0)
    return result


LINKS: dict[str, Callable[[Scores], Scores]] = {
    "softmax": softmax,
    "sigmoids": sigmoids,
    "clipped": clipped,  # scikit-learn's modified_huber
}
# what is tried: two classes have (−s, s), whose softmax at 2 is the sigmoid of s
TRIED = [
    *(Link("softmax", temperature) for temperature in (1.0, 2.0, 0.5)),
    *(Link("sigmoids", temperature) for temperature in (1.0, 0.5)),
    Link("clipped"),
]
