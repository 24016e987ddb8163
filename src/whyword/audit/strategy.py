"""One way in which documents of a class are recognised."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.audit.word_shares import WordShares

SUSPICIOUS = 0.4  # of the relevance on suspects, from which on a strategy is said to live on them
WORDS = 12  # that are listed
_FAINT = 0.05  # of the first one's value, from which on words are listed


class StrategyWord(NamedTuple):
    """A word by which documents are recognised.

    Attributes
    ----------
    word : str
        Lower-cased.
    share : float
        Of what speaks for the class in a document, the part that lies on the word: the mean over
        the strategy's documents, 0 for one without the word.
    elsewhere : float
        The same over all other documents; 0 if there are none.
    documents : int
        In how many of the strategy's documents it occurs.
    """

    word: str
    share: float
    elsewhere: float
    documents: int

    @property
    def more(self) -> float:
        """By how much its share here is above that in the other documents."""
        return self.share - self.elsewhere


@dataclass(frozen=True)
class Strategy:
    """Documents that are given a class by the same words.

    Attributes
    ----------
    number : int
        From 1; the first has most documents.
    n_documents : int
    share : float
        Of all documents that were looked at.
    words : list of StrategyWord
        Those with the highest share here, highest first.
    distinct : list of StrategyWord
        Those whose share here is most above that elsewhere; none if there is one strategy only.
    typical : list of int
        Documents, by their numbers among the texts, those nearest to the mean vector first.
    score : float
        The mean score of the class.
    accuracy : float or None
        The share of documents that are of the class in truth; None without labels.
    interval : (float, float) or None
        Where that is, with 95 % confidence.
    on_suspects : float or None
        The mean share of what speaks for the class that lies on suspects; None without any.
    """

    number: int
    n_documents: int
    share: float
    words: list[StrategyWord]
    distinct: list[StrategyWord]
    typical: list[int]
    score: float
    accuracy: float | None = None
    interval: tuple[float, float] | None = None
    on_suspects: float | None = None

    def __repr__(self) -> str:
        accuracy = "" if self.accuracy is None else f", accuracy {self.accuracy:.1%}"
        marked = ", lives on suspects" if self.lives_on_suspects else ""
        documents = f"{self.n_documents:,} documents ({self.share:.0%})"
        return f"Strategy({self.name}: {documents}{accuracy}{marked})"

    @property
    def listed(self) -> list[StrategyWord]:
        """What tells it from the others; of the only one, its words."""
        return self.distinct or self.words

    @property
    def name(self) -> str:
        """Its number and first words."""
        words = ", ".join(word.word for word in self.listed[:3])
        return f"{self.number}: {words}" if words else f"{self.number}"

    @property
    def lives_on_suspects(self) -> bool:
        """Whether at least two fifths of what speaks for the class lies on suspects."""
        return self.on_suspects is not None and self.on_suspects >= SUSPICIOUS

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        words = {
            key: [word._asdict() for word in getattr(self, key)] for key in ("words", "distinct")
        }
        return {**asdict(self), **words, "lives_on_suspects": self.lives_on_suspects}


def strategy_words(
    shares: WordShares, groups: NDArray[np.intp], count: int
) -> list[tuple[list[StrategyWord], list[StrategyWord]]]:
    """Return for each group of documents its words, and those that tell it from the others.

    Words without a letter or digit are left out, as from class words, and those in one document
    only, those that do not speak for the class here, and those that have less than a twentieth of
    what the first has.

    Parameters
    ----------
    shares : WordShares
    groups : (n,) intp
        The group of each document, from 0.
    count : int
    """
    sizes = np.bincount(groups, minlength=count)[:, None]
    means, documents = shares.means(groups, count), shares.document_counts(groups, count)
    sums = means * sizes
    others = (sums.sum(axis=0) - sums) / np.maximum(len(groups) - sizes, 1)
    spoken = np.array([any(map(str.isalnum, word)) for word in shares.words], np.bool_)

    def listed(group: int, values: NDArray[np.float64]) -> list[StrategyWord]:
        fit = spoken & (documents[group] > 1) & (means[group] > 0)
        kept = np.where(fit, values, 0)
        order = np.argsort(-kept, kind="stable")[:WORDS]
        return [
            StrategyWord(
                shares.words[number],
                float(means[group, number]),
                float(others[group, number]) if count > 1 else 0.0,
                int(documents[group, number]),
            )
            for number in order.tolist()
            if kept[number] > _FAINT * kept[order[0]]
        ]

    return [
        (
            listed(group, means[group]),
            listed(group, means[group] - others[group]) if count > 1 else [],
        )
        for group in range(count)
    ]
