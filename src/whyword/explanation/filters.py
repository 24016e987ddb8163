"""Which filters of a network spoke for a class: explanations of the pooled layer."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import whole_number
from whyword.base.labels import Label
from whyword.explanation.decomposition import Decomposition


class FilterShare(NamedTuple):
    """A filter, the words that made it fire, how strongly, and its relevance."""

    filter: int
    ngram: str
    activation: float
    relevance: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FilterExplanation(Decomposition):
    """Which filters of a network spoke for the target: relevance at the pooled layer.

    Attributes
    ----------
    relevance : (F,) or (F, K) float32
        Of each filter; filters of several widths one after the other.
    activations : (F,) float32
        The filter's maximum over the text, 0 if it did not fire.
    starts, widths : (F,) int32
        The words of the text that the filter answered to: ``words[start:start + width]``.
    """

    activations: NDArray[np.float32]
    starts: NDArray[np.int32]
    widths: NDArray[np.int32]

    def __repr__(self) -> str:
        fired = int((self.activations > 0).sum())
        return (
            f"FilterExplanation({self._target_name()}, {fired:,} of {len(self.activations):,} "
            f"filters fired, {self.method})"
        )

    @cached_property
    def ngrams(self) -> list[str]:
        """The words that made each filter fire; empty for a filter that did not."""
        words = self.words
        return [
            " ".join(words[start : start + width]) if fired else ""
            for start, width, fired in zip(
                self.starts.tolist(), self.widths.tolist(), self.activations > 0, strict=True
            )
        ]

    def top(self, count: int = 10, target: Label | None = None) -> list[FilterShare]:
        """Return the filters that matter most, the largest ``|relevance|`` first."""
        count = whole_number("count", count)
        values = self.relevance.reshape(len(self.activations), len(self.targets))[
            :, self._column(target)
        ]
        order = np.argsort(-np.abs(values), kind="stable")[:count].tolist()
        return [
            FilterShare(j, self.ngrams[j], float(self.activations[j]), float(values[j]))
            for j in order
        ]
