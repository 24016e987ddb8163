"""The documents in which suspects are looked for: whose they are, and what is known of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import join_names, one_each
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.corpora.corpus import Corpus, Part
from whyword.methods.targets import class_numbers


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of n documents beside what a model says of them.

    Attributes
    ----------
    classes : (n,) intp
        The number of each one's true class; −1 if it is not known.
    is_train : (n,) bool
        Whether the model was trained on it.
    groups : (n,) intp, or None
        The number of each one's author, thread or the like; −1 if it is not known.
    """

    classes: NDArray[np.intp]
    is_train: NDArray[np.bool_]
    groups: NDArray[np.intp] | None


@dataclass(frozen=True, eq=False)
class Documents:
    """The training documents of a corpus, then those that were held out.

    Attributes
    ----------
    texts, ids : list of n str
    known : Known
    groups : str or None
        What groups are called.
    remarks : list of str
        What is not known.
    """

    texts: list[str]
    ids: list[str]
    known: Known
    groups: str | None
    remarks: list[str]

    @classmethod
    def of(
        cls, corpus: Corpus, classes: Sequence[Label], groups: str | Iterable[Any] | None
    ) -> "Documents":
        """Return a corpus's documents; raise if its labels are none of the model's classes."""
        parts = (corpus.train, corpus.test)
        numbers = np.concatenate([_classes(part, classes) for part in parts])
        if len(np.unique(numbers[numbers >= 0])) == 1:
            only = classes[int(numbers.max())]
            raise InputError(
                f"all documents of {corpus.name} are of one class, {only!r:.60}: what tells it "
                "from others cannot be seen"
            )
        name, values = _groups(corpus, groups)
        known = Known(
            numbers,
            np.arange(len(corpus)) < len(corpus.train),
            None if values is None else _numbered(values, len(corpus)),
        )
        return cls(corpus.texts, corpus.ids, known, name, list(_remarks(corpus, name)))


def _classes(part: Part, classes: Sequence[Label]) -> NDArray[np.intp]:
    """Return the number of each document's class; −1 for all if there are no labels."""
    if part.labels is None:
        return np.full(len(part), -1, np.intp)
    return class_numbers(classes, part.labels)


def _groups(
    corpus: Corpus, groups: str | Iterable[Any] | None
) -> tuple[str | None, list[str] | None]:
    """Return what groups are called, and that of each training document."""
    kept = corpus.train.groups
    if isinstance(groups, str) or (groups is None and kept):
        name = groups if isinstance(groups, str) else next(iter(kept))
        if name not in kept:
            there = (
                f"it has {join_names(kept)}" if kept else "load_corpus keeps those that it is told"
            )
            raise InputError(
                Argument("groups"), f": {corpus.name} kept no column {shown(name)}; {there}"
            )
        return name, kept[name]
    if groups is None:
        return None, None
    values = one_each("groups", groups, len(corpus.train), "training document")
    return "group", [str(value) for value in values]


def _numbered(values: Sequence[str], count: int) -> NDArray[np.intp]:
    """Return the number of each group, −1 where it is not known."""
    names: dict[str, int] = {}
    numbers = np.full(count, -1, np.intp)
    for at, value in enumerate(values):
        if value:
            numbers[at] = names.setdefault(value, len(names))
    return numbers


def _remarks(corpus: Corpus, groups: str | None) -> Iterable[str]:
    """Yield what cannot be said of these documents, and why."""
    if not len(corpus.train):
        yield (
            "There are no training documents: who writes a word, and whether it carries over, "
            "cannot be said."
        )
    elif corpus.train.labels is None:
        yield "The training documents have no labels: what words speak for is what the model says."
    elif groups is None:
        yield (
            "Who wrote the documents is not known, so that habits of few cannot be seen: keep a "
            "column of authors, threads or sources (groups)."
        )
    if not len(corpus.test):
        yield "There are no held-out documents: whether words carry over cannot be said."
    elif corpus.test.labels is None:
        yield "The held-out documents have no labels: which predictions get right is not known."
