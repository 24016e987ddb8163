"""What a class is about: the words that speak for it most, over many documents."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import whole_number
from whyword.base.compiled import compiled
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.labels import Label
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_explanations
from whyword.methods.targets import class_number
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Trained

PER = ("word", "occurrence")
RANKS = ("strongest", "mean", "sum")
_BLOCK = 512  # documents whose relevance is gathered at a time


class ClassWord(NamedTuple):
    """A word that speaks for a class.

    Attributes
    ----------
    word : str
        Lower-cased.
    relevance : float
        Of its strongest occurrence; their mean or sum if that is the rank.
    document : str or int
        Where the strongest occurrence stands: the document's id, or its number.
    position : int
        Which word of that document it is.
    occurrences : int
        How often the word occurs in all documents.
    seen : bool or None
        Whether it occurs in the training texts; None if the model does not tell.
    """

    word: str
    relevance: float
    document: str | int
    position: int
    occurrences: int
    seen: bool | None


@dataclass(frozen=True, eq=False)
class ClassWords(Mapping[Label, list[ClassWord]]):
    """The words of each class, the highest relevance first.

    Attributes
    ----------
    words : dict from label to list of ClassWord
    per, rank : str
    n_documents : int
        How many were read.
    """

    words: dict[Label, list[ClassWord]]
    per: str
    rank: str
    n_documents: int

    def __getitem__(self, label: Label) -> list[ClassWord]:
        return self.words[list(self.words)[class_number(list(self.words), label)]]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"ClassWords({len(self)} classes, {self.n_documents:,} documents, by {self.rank})"

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each class and word."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "frames") from None
        rows = [
            {"class": label, "place": place, **entry._asdict()}
            for label, entries in self.words.items()
            for place, entry in enumerate(entries, 1)
        ]
        return pd.DataFrame(rows, columns=["class", "place", *ClassWord._fields])


def class_words(
    model: object,
    texts: Iterable[str],
    target: object = "all",
    top: int = 30,
    per: str = "word",
    *,
    rank: str = "strongest",
    least: int = 1,
    method: str | None = None,
    ids: Iterable[str] | None = None,
    **parameters: float | str,
) -> ClassWords:
    """Return the words that speak most for each class, whatever the documents' own labels.

    Parameters
    ----------
    model : TextClassifier, or anything with ``predict_proba(list of str)``
    texts : iterable of str
        Read once, a block at a time, for all classes together.
    target : label, sequence of labels or "all"
    top : int
        How many words for each class; there are fewer if the texts have fewer.
    per : {"word", "occurrence"}
        Whether each word counts once, or each of its occurrences.
    rank : {"strongest", "mean", "sum"}
        What orders the words: their strongest occurrence as in the paper, or the mean or sum over
        all of them, so that one document cannot fill the list.
    least : int
        Leave out words that occur less often than this.
    method, **parameters
        As for :func:`~whyword.explain`.
    ids : iterable of str, optional
        Names of the documents, instead of their numbers.
    """
    request = ClassWordsRequest.of(target, top, per, rank, least, method, parameters)
    return request.words(model, request.collect(model, texts, ids))


@dataclass(frozen=True)
class ClassWordsRequest:
    """What is asked of class words; see :func:`class_words`."""

    target: Any
    top: int
    per: str
    rank: str
    least: int
    method: str | None
    parameters: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        target: object,
        top: int,
        per: str,
        rank: str,
        least: int,
        method: str | None,
        parameters: Mapping[str, Any],
    ) -> "ClassWordsRequest":
        """Return what makes sense; raise if it does not."""
        top, least = whole_number("top", top), whole_number("least", least)
        if per not in PER:
            raise InputError(f"per may be 'word' or 'occurrence', not {per!r}")
        if rank not in RANKS:
            raise InputError(f"rank may be 'strongest', 'mean' or 'sum', not {rank!r}")
        if per == "occurrence" and rank != "strongest":
            raise InputError(f"rank={rank!r} is over a word's occurrences: say per='word'")
        if per == "occurrence" and least > 1:
            raise InputError("least is for words, not for single occurrences: say per='word'")
        if target == "predicted" and isinstance(target, str):
            raise InputError("class words are those of classes: name them, or say 'all'")
        several = isinstance(target, Iterable) and not isinstance(target, str)
        chosen: Any = target if isinstance(target, str) and target == "all" else [target]
        if several:
            chosen = list(target)  # type: ignore[call-overload]
        return cls(chosen, top, per, rank, least, method, parameters)

    def collect(
        self,
        model: object,
        texts: Iterable[str],
        ids: Iterable[str] | None = None,
    ) -> "WordStatistics":
        """Return what the texts say of each word."""
        explanations = iter_explanations(
            model, texts, self.target, method=self.method, ids=ids, **self.parameters
        )
        count = len(labels_of(as_classifier(model)))
        classes = count if self.target == "all" else len(self.target)
        statistics = WordStatistics(
            classes, self.top if self.per == "occurrence" else 0, ids is not None
        )
        for block in _in_lists(explanations):
            statistics.add(block)
        return statistics

    def words(self, model: object, statistics: "WordStatistics") -> ClassWords:
        """Return the words of each class."""
        if not len(statistics):
            raise InputError("there are no texts to look for words in")
        seen = model.training_words if isinstance(model, Trained) else None
        entries = {
            label: statistics.entries(column, self.top, self.per, self.rank, self.least, seen)
            for column, label in enumerate(statistics.labels)
        }
        return ClassWords(entries, self.per, self.rank, len(statistics))


class _Occurrence(NamedTuple):
    relevance: float
    word: int
    place: int


class WordStatistics:
    """What is known of each word so far, for K classes.

    Parameters
    ----------
    classes : int
        K.
    occurrences : int
        How many of the strongest occurrences are kept of each class.
    named : bool
        Whether documents have names; else they are known by their numbers.

    Attributes
    ----------
    numbers : dict from lower-cased word to its number
    strongest : (V, K) float32
    where : (V, K) int64
        The place of that occurrence among all words of all documents.
    sums : (V, K) float64
    counts : (V,) int64
    labels : tuple of K labels
        Once there is a document.
    """

    def __init__(self, classes: int, occurrences: int, named: bool) -> None:
        self.occurrences, self.named = occurrences, named
        self.labels: tuple[Label, ...] = ()
        self.numbers: dict[str, int] = {}
        self.strongest = np.empty((0, classes), np.float32)
        self.where = np.empty((0, classes), np.int64)
        self.sums = np.empty((0, classes))
        self.counts = np.empty(0, np.int64)
        self.best: list[list[_Occurrence]] = [[] for _ in range(classes)]
        self.names: list[str] = []
        self.starts = array("q", [0])  # ten million documents are 80 MB

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, explanations: Sequence[Explanation]) -> None:
        """Take in some documents."""
        self.labels = explanations[0].targets
        ids, first = [], self.starts[-1]
        for explanation in explanations:
            if self.named:
                self.names.append(str(explanation.id))
            self.starts.append(self.starts[-1] + len(explanation.spans))
            ids += [
                self.numbers.setdefault(word.lower(), len(self.numbers))
                for word in explanation.document.cut()
            ]
        numbers = np.array(ids, np.int32)
        relevance = np.concatenate([explanation.relevance for explanation in explanations])
        values = np.concatenate([one.word_values() for one in explanations]).astype(np.float32)
        self._grow()
        take_in(
            numbers, values, relevance, first, self.strongest, self.where, self.sums, self.counts
        )
        for column, best in enumerate(self.best if self.occurrences else ()):
            self.best[column] = self._best(best, values[:, column], numbers, first)

    def merge(self, others: "WordStatistics") -> None:
        """Take in what was gathered of documents that come after these, in the same way."""
        self.labels = others.labels or self.labels
        first = self.starts[-1]
        at = np.array(
            [self.numbers.setdefault(word, len(self.numbers)) for word in others.numbers], np.intp
        )
        self._grow()
        stronger = others.strongest > self.strongest[at]
        self.strongest[at] = np.where(stronger, others.strongest, self.strongest[at])
        self.where[at] = np.where(stronger, others.where + first, self.where[at])
        self.sums[at] += others.sums
        self.counts[at] += others.counts
        for column, best in enumerate(others.best):
            new = [_Occurrence(one.relevance, int(at[one.word]), one.place + first) for one in best]
            self.best[column] = self._first_of([*self.best[column], *new])
        self.names += others.names
        self.starts.extend(start + first for start in others.starts[1:])

    def _grow(self) -> None:
        more = len(self.numbers) - len(self.counts)
        if more:
            classes = self.strongest.shape[1]
            self.strongest = np.concatenate(
                [self.strongest, np.full((more, classes), -np.inf, np.float32)]
            )
            self.where = np.concatenate([self.where, np.zeros((more, classes), np.int64)])
            self.sums = np.concatenate([self.sums, np.zeros((more, classes))])
            self.counts = np.concatenate([self.counts, np.zeros(more, np.int64)])

    def _best(
        self,
        before: list[_Occurrence],
        relevance: NDArray[np.float32],
        numbers: NDArray[np.int32],
        first: int,
    ) -> list[_Occurrence]:
        """Return the strongest occurrences, those of before included; earlier ones win ties."""
        order = np.argsort(-relevance, kind="stable")[: self.occurrences].tolist()
        new = [_Occurrence(float(relevance[n]), int(numbers[n]), first + n) for n in order]
        return self._first_of([*before, *new])

    def _first_of(self, occurrences: list[_Occurrence]) -> list[_Occurrence]:
        return sorted(occurrences, key=lambda one: (-one.relevance, one.place))[: self.occurrences]

    def entries(
        self, column: int, top: int, per: str, rank: str, least: int, seen: Collection[str] | None
    ) -> list[ClassWord]:
        """Return the words of one class."""
        names = list(self.numbers)
        if per == "occurrence":
            chosen = self.best[column]
        else:
            values = {
                "strongest": self.strongest[:, column].astype(np.float64),
                "sum": self.sums[:, column],
                "mean": self.sums[:, column] / np.maximum(self.counts, 1),
            }[rank]
            values = np.where(self.counts >= least, values, -np.inf)
            order = np.argsort(-values, kind="stable")[:top].tolist()
            chosen = [
                _Occurrence(float(values[word]), word, int(self.where[word, column]))
                for word in order
                if np.isfinite(values[word])
            ]
        result = []
        for relevance, word, place in chosen:
            document = int(np.searchsorted(self.starts, place, "right")) - 1
            result.append(
                ClassWord(
                    names[word],
                    relevance,
                    self.names[document] if self.named else document,
                    place - self.starts[document],
                    int(self.counts[word]),
                    None if seen is None else names[word] in seen,
                )
            )
        return result


@compiled
def take_in(
    numbers: NDArray[np.int32],
    values: NDArray[np.float32],
    relevance: NDArray[np.float32],
    first: int,
    strongest: NDArray[np.float32],
    where: NDArray[np.int64],
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> None:
    """strongest[w, k] = max over the occurrences n of w, where[w, k] the first n that attains it.

    Parameters
    ----------
    numbers : (N,) int32
        The word of each occurrence.
    values, relevance : (N, K) float32
        What the strongest is chosen by, and what is summed up.
    first : int
        The place of the first of them among all.
    strongest, where, sums : (V, K)
    counts : (V,)
        Updated.
    """
    for n in range(numbers.size):
        word = numbers[n]
        counts[word] += 1
        for k in range(relevance.shape[1]):
            value = values[n, k]
            sums[word, k] += relevance[n, k]
            if value > strongest[word, k]:
                strongest[word, k] = value
                where[word, k] = first + n


def _in_lists(explanations: Iterator[Explanation]) -> Iterator[list[Explanation]]:
    while some := list(islice(explanations, _BLOCK)):
        yield some
