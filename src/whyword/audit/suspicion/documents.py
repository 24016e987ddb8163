"""The documents in which suspects are looked for: whose they are, and what is known of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.base.checks import join_names, one_each
from whyword.base.columns import is_missing
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.corpora.copy_groups import copy_groups
from whyword.corpora.corpus import Corpus, Part
from whyword.methods.targets import class_numbers
from whyword.words.document import Document

_ENOUGH = 50  # documents of a part whose classes are worth counting
_SHIFT = np.log(2.0)  # by which the odds of a class differ between the parts


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
        The number of each one's author, thread or the like; −1 if it is not known. Only those of
        training documents count.
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
        remarks = [*_remarks(corpus), *_shift_remarks(known, classes)]
        return cls(corpus.texts, corpus.ids, known, name, remarks)

    def with_copies(self, read: Sequence[Document]) -> "Documents":
        """Return them with near copies as groups, where nobody says who wrote what.

        Themselves if somebody does, or if there is no training document with a class.

        Parameters
        ----------
        read : sequence of n Document
            The texts as a model reads them.
        """
        known = self.known
        if known.groups is not None or not (known.is_train & (known.classes >= 0)).any():
            return self
        of_train = copy_groups(read[: int(known.is_train.sum())])
        sizes = np.bincount(of_train)
        copied = sizes[sizes > 1]
        documents = replace(self, remarks=[_copies_remark(copied), *self.remarks])
        if not len(copied):
            return documents
        groups = np.full(len(known.is_train), -1, np.intp)
        groups[: len(of_train)] = of_train
        return replace(documents, known=replace(known, groups=groups), groups=NEAR_COPIES)


def _copies_remark(copied: NDArray[np.integer]) -> str:
    """Return what near copies say in the place of authors; of each text that has some, how many."""
    if not len(copied):
        return (
            "Who wrote the documents is not known, and none is a near copy of another, so that "
            "habits of few cannot be seen: keep a column of authors, threads or sources "
            "(groups, --groups COLUMN)."
        )
    return (
        "Who wrote the documents is not known, so that habits of few are those of near copies: "
        f"{copied.sum():,} training documents are copies of {len(copied):,} "
        f"text{'s' if len(copied) != 1 else ''}. A column of authors, threads or sources "
        "(groups, --groups COLUMN) would say more."
    )


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
    if groups is None:
        name = next((one for one in kept if any(kept[one])), None)
        return name, None if name is None else kept[name]
    if isinstance(groups, str):
        if groups not in kept:
            there = (
                f"it has {join_names(kept)}" if kept else "load_corpus keeps those that it is told"
            )
            raise InputError(
                Argument("groups"), f": {corpus.name} kept no column {shown(groups)}; {there}"
            )
        return groups, kept[groups]
    values = one_each("groups", groups, len(corpus.train), "training document")
    return "group", ["" if is_missing(value) else str(value).strip() for value in values]


def _numbered(values: Sequence[str], count: int) -> NDArray[np.intp]:
    """Return the number of each group, −1 where it is not known."""
    names: dict[str, int] = {}
    numbers = np.full(count, -1, np.intp)
    for at, value in enumerate(values):
        if value:
            numbers[at] = names.setdefault(value, len(names))
    return numbers


def _shift_remarks(known: Known, classes: Sequence[Label]) -> Iterator[str]:
    """Yield that a class is much rarer, or more frequent, in held-out documents than in training.

    Then a word speaks less for it there, too, whatever the word.
    """
    parts = [
        known.classes[(known.classes >= 0) & part] for part in (known.is_train, ~known.is_train)
    ]
    if min(map(len, parts)) < _ENOUGH:
        return
    shares = np.array([np.bincount(one, minlength=len(classes)) / len(one) for one in parts])
    odds = np.log((shares + 1 / _ENOUGH) / (1 - shares + 1 / _ENOUGH))
    moved = np.abs(odds[0] - odds[1])
    worst = int(moved.argmax())
    if moved[worst] > _SHIFT:
        train, other = (f"{share:.0%}" for share in shares[:, worst])
        yield (
            f"The classes are not as frequent in held-out documents as in training "
            f"({shown(classes[worst])}: {train} and {other}), so that a word may speak less for "
            "its class there for no other reason: take care with what does not carry over."
        )


def _remarks(corpus: Corpus) -> Iterator[str]:
    """Yield what cannot be said of these documents, and why."""
    if not len(corpus.train):
        yield (
            "There are no training documents: who writes a word, and whether it carries over, "
            "cannot be said."
        )
    elif corpus.train.labels is None:
        yield "The training documents have no labels: what words speak for is what the model says."
    if not len(corpus.test):
        yield "There are no held-out documents: whether words carry over cannot be said."
    elif corpus.test.labels is None:
        yield "The held-out documents have no labels: which predictions get right is not known."
