"""What becomes of predictions when a model reads a text otherwise: before and after."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.audit.pairs import compare_accuracies
from whyword.base.files import save_or_return
from whyword.base.labels import Label
from whyword.evaluation.comparison import Comparison
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.evaluation.significance import share_interval
from whyword.models.multilabel import chosen_labels

RIGHT_TO_WRONG, WRONG_TO_RIGHT, WRONG_TO_WRONG = TURNS = (
    "right to wrong",
    "wrong to right",
    "wrong to other wrong",
)
_NAMES = ("with them", "without them")


class Change(NamedTuple):
    """A document of which something else is predicted.

    Attributes
    ----------
    document : int
        Its number.
    before, after : label, or tuple of labels
    true : label, tuple of labels or None
        None if nobody knows.
    turn : {"right to wrong", "wrong to right", "wrong to other wrong"} or None
    """

    document: int
    before: Any
    after: Any
    true: Any
    turn: str | None


class ChangedConfusion(NamedTuple):
    """Documents of one class that are taken for something else than before: so many.

    Attributes
    ----------
    true : label, tuple of labels or None
        None if nobody knows.
    before, after : label, or tuple of labels
    n_documents : int
    """

    true: Any
    before: Any
    after: Any
    n_documents: int


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """What a model says of n texts with some words, and without them.

    Attributes
    ----------
    words : tuple of str
        Words, phrases and patterns that were taken away, in lower case.
    classes : tuple of C labels
    documents : (H,) intp
        The numbers of the documents that hold one of them where the model read it; the others
        cannot change.
    before, after : (n,) intp, or (n, C) bool of several labels
        The class that is predicted of each document, by its number; or which labels are.
    truth : the same, or None
        None if nobody knows.
    qualities : pair of ModelQuality or MultiLabelQuality, or None
        How good predictions are, before and after.
    alpha : float
        Of the intervals and the test.
    """

    words: tuple[str, ...]
    classes: tuple[Label, ...]
    documents: NDArray[np.intp]
    before: NDArray[Any]
    after: NDArray[Any]
    truth: NDArray[Any] | None
    qualities: tuple[ModelQuality | MultiLabelQuality, ModelQuality | MultiLabelQuality] | None
    alpha: float

    def __repr__(self) -> str:
        words = f"{len(self.words):,} word{'s' * (len(self.words) != 1)}"
        held = f"in {len(self.documents):,} of {self.n_documents:,} documents"
        changed = f"{len(self.changed):,} prediction{'s' * (len(self.changed) != 1)} changed"
        said = f"{words} {held}, {changed}"
        if self.qualities is not None:
            before, after = (one.accuracy for one in self.qualities)
            said += f", accuracy {before:.4f} → {after:.4f}"
        return f"WhatIf({said})"

    @property
    def n_documents(self) -> int:
        """How many documents were predicted."""
        return len(self.before)

    @cached_property
    def changed(self) -> NDArray[np.intp]:
        """The numbers of the documents of which something else is predicted."""
        return np.flatnonzero(~_alike(self.before, self.after))

    @property
    def right(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Which documents are predicted right before and after, (n,) each; None if nobody knows."""
        if self.truth is None:
            return None
        return _alike(self.before, self.truth), _alike(self.after, self.truth)

    @cached_property
    def changes(self) -> list[Change]:
        """The documents of which something else is predicted, in their order."""
        numbers, right = self.changed.tolist(), self.right
        turns: list[str | None] = [None] * len(numbers)
        if right is not None:
            turns = [_turn(bool(right[0][n]), bool(right[1][n])) for n in numbers]
        before, after = self._labels(self.before), self._labels(self.after)
        true = [None] * len(numbers) if self.truth is None else self._labels(self.truth)
        return [Change(*one) for one in zip(numbers, before, after, true, turns, strict=True)]

    @property
    def turns(self) -> dict[str, int] | None:
        """How many predictions turned from right to wrong, and so on; None if nobody knows."""
        if self.truth is None:
            return None
        counts = Counter(one.turn for one in self.changes)
        return {turn: counts[turn] for turn in TURNS}

    @property
    def confusions(self) -> list[ChangedConfusion]:
        """What was taken for what before and after, of the documents that changed; most first."""
        counts = Counter((one.true, one.before, one.after) for one in self.changes)
        ordered = sorted(counts.items(), key=lambda one: (-one[1], repr(one[0])))
        return [ChangedConfusion(*labels, count) for labels, count in ordered]

    @property
    def intervals(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Where the accuracies are, before and after, with confidence 1 − alpha: Wilson's."""
        if self.right is None:
            return None
        before, after = (share_interval(int(one.sum()), len(one), self.alpha) for one in self.right)
        return before, after

    @property
    def accuracy(self) -> Comparison | None:
        """The accuracies compared by McNemar's exact test; None if nobody knows the truth."""
        return None if self.right is None else compare_accuracies(_NAMES, self.right, self.alpha)

    def _labels(self, predicted: NDArray[Any]) -> list[Any]:
        """Return what is said of the documents that changed, by labels."""
        if predicted.ndim == 1:
            return [self.classes[number] for number in predicted[self.changed].tolist()]
        return [chosen_labels(row, self.classes) for row in predicted[self.changed]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; of documents those that changed."""
        qualities, intervals, compared = self.qualities, self.intervals, self.accuracy
        judged = None
        if qualities is not None and intervals is not None and compared is not None:
            judged = {
                side: {"quality": quality.to_dict(), "accuracy_interval": list(interval)}
                for side, quality, interval in zip(
                    ("before", "after"), qualities, intervals, strict=True
                )
            } | {"comparison": compared.to_dict(), "turns": self.turns}
        return {
            "words": list(self.words),
            "classes": list(self.classes),
            "documents": self.n_documents,
            "with_words": len(self.documents),
            "changed": len(self.changed),
            "judged": judged,
            "confusions": [_plain(one._asdict()) for one in self.confusions],
            "changes": [_plain(one._asdict()) for one in self.changes],
            "alpha": self.alpha,
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all figures as JSON; given a path, write them."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)


def _alike(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return of which documents the same is said, (n,); of several labels, all of them."""
    same: NDArray[np.bool_] = one == other
    return np.all(same, axis=1) if same.ndim == 2 else same


def _turn(before: bool, after: bool) -> str:
    if before:
        return RIGHT_TO_WRONG
    return WRONG_TO_RIGHT if after else WRONG_TO_WRONG


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row under the names that files have, tuples of labels as lists."""
    return {
        name.removeprefix("n_"): list(value) if isinstance(value, tuple) else value
        for name, value in row.items()
    }
