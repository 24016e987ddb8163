"""What a class is about: the words that speak for it most, over many documents."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from whyword.analysis.word_statistics import WordStatistics
from whyword.base.checks import flag, items, one_of, whole_number
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.labels import Label
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_explanations
from whyword.methods.request import PHRASE, WORD, Request, check_phrases, has_phrases
from whyword.methods.targets import class_number
from whyword.models.abilities import Reading, Trained
from whyword.models.blackbox import as_classifier, labels_of

PER = ("word", "occurrence")
RANKS = {
    "typical": "its mean over the documents that have it (0 unless they were given the class), "
    "times log²(1 + documents)",
    "strongest": "its strongest occurrence",
    "mean": "the mean over its occurrences",
    "sum": "the sum over its occurrences",
}
UNITS = ("words", "phrases")
_BLOCK = 512  # documents whose relevance is gathered at a time


class ClassWord(NamedTuple):
    """A word that speaks for a class, or a phrase.

    Attributes
    ----------
    word : str
        Lower-cased.
    relevance : float
        What it is ranked by: see :func:`class_words`. Above 0.
    document : str or int
        Where the strongest occurrence stands: the document's id, or its number.
    position : int
        Which word of that document it is, or its first word.
    occurrences, documents : int
        How often the word occurs in all documents, and in how many of them.
    seen : bool or None
        Whether it (each word of it) occurs in the training texts; None if the model does not tell.
    """

    word: str
    relevance: float
    document: str | int
    position: int
    occurrences: int
    documents: int
    seen: bool | None


@dataclass(frozen=True, eq=False)
class ClassWords(Mapping[Label, list[ClassWord]]):
    """The words of each class, the highest relevance first.

    Attributes
    ----------
    words : dict from label to list of ClassWord
    per, rank, units : str
    n_documents : int
        How many were read.
    """

    words: dict[Label, list[ClassWord]]
    per: str
    rank: str
    n_documents: int
    units: str = "words"

    def __getitem__(self, label: Label) -> list[ClassWord]:
        return self.words[list(self.words)[class_number(list(self.words), label)]]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        said = f"{len(self)} classes, {self.n_documents:,} documents, {self.units} by {self.rank}"
        return f"ClassWords({said})"

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
    rank: str | None = None,
    least: int = 1,
    units: str = "words",
    symbols: bool = False,
    method: str | None = None,
    ids: Iterable[str] | None = None,
    **parameters: float | str,
) -> ClassWords:
    """Return the words that speak most for each class, whatever the documents' own labels.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
        Read once, a block at a time, for all classes together.
    target : label, sequence of labels or "all"
    top : int
        How many words for each class; there are fewer if fewer speak for it.
    per : {"word", "occurrence"}
        Whether each word counts once, or each of its occurrences.
    rank : {"typical", "strongest", "mean", "sum"}, optional
        What orders the words. "typical", the default: the mean over the n documents that have the
        word, times log²(1 + n), where a document counts 0 unless the model gives it the class; so
        that neither rare names come first nor words that are everywhere. "strongest": the strongest
        occurrence, as in the paper. "mean" and "sum": over all occurrences. Single occurrences can
        only be ordered by "strongest".
    least : int
        Leave out words that occur less often than this.
    units : {"words", "phrases"}
        Phrases are what the model used as a unit: n-grams, a network's windows of words.
    symbols : bool
        Whether to list what has neither a letter nor a digit, too: punctuation, emoji.
    method, **parameters
        As for :func:`~whyword.explain`.
    ids : iterable of str, optional
        Names of the documents, instead of their numbers.
    """
    request = ClassWordsRequest.of(
        target, top, per, rank, least, units, method, parameters, symbols
    )
    classifier = as_classifier(model)  # wrapped once, and asked which words it has seen
    return request.words(classifier, request.collect(classifier, texts, ids))


def class_words_choices(
    model: object,
    asked: "ClassWordsRequest",
    texts: Iterable[str],
    ids: Iterable[str] | None = None,
) -> list[ClassWords]:
    """Return what is asked for, and the same by all other ranks and units, read once.

    Phrases are among them if the model has any that are not its words; single occurrences can only
    be ordered in one way.
    """
    classifier = as_classifier(model)
    gathered = asked.collect_choices(classifier, texts, ids)
    return [words for one in gathered for words in asked.words_by_rank(classifier, one)]


@dataclass(frozen=True)
class ClassWordsRequest:
    """What is asked of class words; see :func:`class_words`."""

    target: Any = "all"
    top: int = 30
    per: str = "word"
    rank: str = "typical"
    least: int = 1
    units: str = "words"
    method: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    symbols: bool = False

    @classmethod
    def of(
        cls,
        target: object,
        top: int,
        per: str,
        rank: str | None,
        least: int,
        units: str,
        method: str | None,
        parameters: Mapping[str, Any],
        symbols: bool = False,
    ) -> "ClassWordsRequest":
        """Return what makes sense; raise if it does not."""
        top, least = whole_number("top", top), whole_number("least", least)
        one_of("per", per, PER)
        one_of("units", units, UNITS)
        if rank is None:
            rank = "strongest" if per == "occurrence" else "typical"
        one_of("rank", rank, list(RANKS))
        if per == "occurrence" and rank != "strongest":
            raise InputError(
                Argument("rank", rank),
                " is over a word's occurrences: say ",
                Argument("per", "word"),
            )
        if per == "occurrence" and least > 1:
            raise InputError(
                Argument("least"),
                " is for words, not for single occurrences: say ",
                Argument("per", "word"),
            )
        if isinstance(target, str) and target == "predicted":
            raise InputError("class words are those of classes: name them, or say 'all'")
        if isinstance(target, np.ndarray) and target.ndim == 0:
            target = target.item()
        chosen: Any = target if isinstance(target, str) and target == "all" else [target]
        if isinstance(target, Iterable) and not isinstance(target, str):
            chosen = list(items("target", target, "a class, or a list of them"))
        symbols = flag("symbols", symbols)
        return cls(chosen, top, per, rank, least, units, method, parameters, symbols)

    @property
    def level(self) -> str:
        """The level of explanations that has the units."""
        return PHRASE if self.units == "phrases" else WORD

    def check(self, model: object) -> None:
        """Raise unless the model has what is asked for."""
        request = Request.of(model, self.target, self.method, parameters=dict(self.parameters))
        if self.units == "phrases":
            asked = Argument("units", "phrases"), Argument("units", "words")
            check_phrases(request.method, request.model, *asked)

    def collect(
        self,
        model: object,
        texts: Iterable[str],
        ids: Iterable[str] | None = None,
    ) -> WordStatistics:
        """Return what the texts say of each word."""
        return self._collect(model, texts, ids, (self.units,))[0]

    def collect_choices(
        self,
        model: object,
        texts: Iterable[str],
        ids: Iterable[str] | None = None,
        placed: bool = False,
    ) -> list[WordStatistics]:
        """Return what the texts say of words, and of phrases if they are not the words.

        The units asked for come first; see :class:`WordStatistics` for `placed`.
        """
        request = Request.of(model, self.target, self.method, parameters=dict(self.parameters))
        both = self.units == "phrases" or has_phrases(request.method, request.model)
        gathered = self._collect(model, texts, ids, UNITS if both else UNITS[:1], placed)
        if self.units == "words" and gathered[-1].numbers.keys() <= gathered[0].numbers.keys():
            del gathered[1:]
        return sorted(gathered, key=lambda statistics: statistics.units != self.units)

    def _collect(
        self,
        model: object,
        texts: Iterable[str],
        ids: Iterable[str] | None,
        units: Sequence[str],
        placed: bool = False,
    ) -> list[WordStatistics]:
        """Return what the texts say of words, of phrases or of both, read once."""
        self.check(model)
        explanations = iter_explanations(
            model,
            texts,
            self.target,
            method=self.method,
            level=PHRASE if "phrases" in units else WORD,
            ids=ids,
            **self.parameters,
        )
        count = len(labels_of(as_classifier(model)))
        classes = count if self.target == "all" else len(self.target)
        kept = self.top if self.per == "occurrence" else 0
        result = [
            WordStatistics(classes, kept, ids is not None, one, placed, self.symbols)
            for one in units
        ]
        for block in _in_lists(explanations):
            for statistics in result:
                statistics.add(block)
        return result

    def words(self, model: object, statistics: WordStatistics) -> ClassWords:
        """Return the words of each class."""
        if not len(statistics):
            raise InputError("there are no texts to look for words in")
        seen = model.training_words if isinstance(model, Trained) else None
        ignored = model.reader_.ignores if isinstance(model, Reading) else None
        entries = {
            label: [
                entry
                for entry in self._entries(statistics, column, seen)
                if ignored is None or not ignored(entry.word)
            ]
            for column, label in enumerate(statistics.labels)
        }
        return ClassWords(entries, self.per, self.rank, len(statistics), self.units)

    def words_by_rank(self, model: object, statistics: WordStatistics) -> list[ClassWords]:
        """Return the words of each class by every rank there is, that asked for first."""
        others = [rank for rank in RANKS if rank != self.rank and self.per == "word"]
        return [
            replace(self, rank=rank, units=statistics.units).words(model, statistics)
            for rank in (self.rank, *others)
        ]

    def _entries(
        self, statistics: WordStatistics, column: int, seen: Collection[str] | None
    ) -> list[ClassWord]:
        """Return the words of one class."""
        chosen = (
            [one for one in statistics.best[column] if one.relevance > 0]
            if self.per == "occurrence"
            else statistics.ranked(column, self.rank, self.least, self.top, self.symbols)
        )
        names, result = list(statistics.numbers), []
        for relevance, word, place in chosen:
            name = names[word]
            result.append(
                ClassWord(
                    name,
                    relevance,
                    *statistics.locate(place),
                    int(statistics.counts[word]),
                    int(statistics.documents[word]),
                    None if seen is None else _is_seen(name, seen, self.units),
                )
            )
        return result


def _is_seen(name: str, seen: Collection[str], units: str) -> bool:
    """Return whether a word, or each word of a phrase, is among those seen."""
    if name in seen or units == "words":
        return name in seen
    return all(word in seen for word in name.split() if word != "…")  # a word that is not read


def _in_lists(explanations: Iterator[Explanation]) -> Iterator[list[Explanation]]:
    while some := list(islice(explanations, _BLOCK)):
        yield some
