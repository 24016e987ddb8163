"""Occlusion: what the score loses when a word is taken away."""

from whyword.methods.registry import Cost, Method, register
from whyword.models.protocol import Erasable, Targets
from whyword.models.relevance import Relevance


def _compute(trace: Erasable, targets: Targets) -> Relevance:
    return trace.occlusion(targets)


OCCLUSION = register(
    Method(
        name="occlusion",
        meaning="what the score loses without the word",
        compute=_compute,
        needs=Erasable,
        cost=Cost.PER_WORD,
        of_output=True,
    )
)
