"""A corpus in figures: how many documents, of which classes, how long."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from whyword.base.labels import Labels
from whyword.corpora.corpus import Corpus, Part
from whyword.words.tokenizer import Tokenizer

LONG = 100  # words; the paper's deletion experiments take documents of at least this length
PAPER_WORDS = 400  # the paper keeps the first 400 words of a document


@dataclass(frozen=True)
class ClassFigures:
    """One class, or label: its documents per part and their median length in words."""

    name: str
    train: int
    test: int
    median_words: float


@dataclass(frozen=True)
class PartFigures:
    """One part: its documents, its words, and how long its documents are.

    Attributes
    ----------
    documents, words, vocabulary : int
        `vocabulary` counts distinct lower-cased words; `vocabulary_400` those among the first
        400 words of each document, as in the paper.
    short, long : int
        Documents of at most one word, and of at least a hundred.
    """

    documents: int
    words: int
    vocabulary: int
    vocabulary_400: int
    short: int
    long: int


@dataclass(frozen=True)
class GroupFigures:
    """What documents belong to: how many different values each part has, and how many both."""

    name: str
    train: int
    test: int
    both: int


@dataclass(frozen=True)
class CorpusFigures:
    """A corpus in figures; `sizes` counts documents by how many labels they have, if several."""

    name: str
    classes: tuple[ClassFigures, ...]
    train: PartFigures
    test: PartFigures
    groups: tuple[GroupFigures, ...] = ()
    sizes: Mapping[int, int] = field(default_factory=dict)


def describe(corpus: Corpus, tokenizer: Tokenizer | None = None) -> CorpusFigures:
    """Count a corpus's classes, documents and words.

    Parameters
    ----------
    corpus : Corpus
    tokenizer : Tokenizer, optional
    """
    tokenizer = tokenizer or Tokenizer()
    train, train_lengths = _part_figures(corpus.train, tokenizer)
    test, test_lengths = _part_figures(corpus.test, tokenizer)
    lengths: dict[str, list[int]] = {}
    for label, length in zip(corpus.labels or (), train_lengths + test_lengths, strict=False):
        for one in _each(label):
            lengths.setdefault(one, []).append(length)
    in_train, in_test = (
        Counter(chain.from_iterable(map(_each, part.labels or ())))
        for part in (corpus.train, corpus.test)
    )
    classes = tuple(
        ClassFigures(name, in_train[name], in_test[name], float(np.median(lengths[name])))
        for name in corpus.classes
    )
    counted = Counter(len(one) for one in corpus.labels or () if isinstance(one, tuple))
    sizes = dict(sorted(counted.items()))
    return CorpusFigures(corpus.name, classes, train, test, tuple(_group_figures(corpus)), sizes)


def _each(label: Labels) -> tuple[str, ...]:
    """Return a document's labels; its class is one."""
    return (label,) if isinstance(label, str) else label


def _group_figures(corpus: Corpus) -> Iterator[GroupFigures]:
    for name in dict.fromkeys([*corpus.train.groups, *corpus.test.groups]):
        train, test = (
            set(part.groups.get(name, ())) - {""} for part in (corpus.train, corpus.test)
        )
        yield GroupFigures(name, len(train), len(test), len(train & test))


def _part_figures(part: Part, tokenizer: Tokenizer) -> tuple[PartFigures, list[int]]:
    lengths: list[int] = []
    vocabulary: set[str] = set()
    vocabulary_400: set[str] = set()
    for text in part.texts:
        words = [word.lower() for word in tokenizer(text).words]
        lengths.append(len(words))
        vocabulary.update(words)
        vocabulary_400.update(words[:PAPER_WORDS])
    figures = PartFigures(
        documents=len(part),
        words=sum(lengths),
        vocabulary=len(vocabulary),
        vocabulary_400=len(vocabulary_400),
        short=sum(length <= 1 for length in lengths),
        long=sum(length >= LONG for length in lengths),
    )
    return figures, lengths
