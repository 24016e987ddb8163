"""What becomes of predictions: by one model and then another, or with some words and without."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.labels import Label
from whyword.models.multilabel import chosen_labels

RIGHT_TO_WRONG, WRONG_TO_RIGHT, WRONG_TO_WRONG = TURNS = (
    "right to wrong",
    "wrong to right",
    "wrong to other wrong",
)


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
class ChangedPredictions:
    """What is predicted of n documents before something changed, and after.

    Attributes
    ----------
    classes : tuple of C labels
    before, after : (n,) intp, or (n, C) bool of several labels
        The class that is predicted of each document, by its number; or which labels are.
    truth : the same, or None
        None if nobody knows.
    """

    classes: tuple[Label, ...]
    before: NDArray[Any]
    after: NDArray[Any]
    truth: NDArray[Any] | None

    def __repr__(self) -> str:
        said = [f"{len(self.changed):,} of {self.n_documents:,} predictions changed"]
        if self.turns is not None:
            said += [f"{many:,} {turn}" for turn, many in self.turns.items()]
        return f"{type(self).__name__}({', '.join(said)})"

    @property
    def n_documents(self) -> int:
        """How many documents were predicted."""
        return len(self.before)

    @cached_property
    def changed(self) -> NDArray[np.intp]:
        """The numbers of the documents of which something else is predicted."""
        return np.flatnonzero(~alike(self.before, self.after))

    @property
    def right(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Which documents are predicted right before and after, (n,) each; None if nobody knows."""
        if self.truth is None:
            return None
        return alike(self.before, self.truth), alike(self.after, self.truth)

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

    def some(self, most: int) -> list[Change]:
        """Return so many of the changes at most: the first of each turn before any second."""
        seen: Counter[str | None] = Counter()
        ranked = []
        for one in self.changes:
            ranked.append((seen[one.turn], one))
            seen[one.turn] += 1
        return [one for _, one in sorted(ranked, key=lambda pair: pair[0])[:most]]

    def _labels(self, predicted: NDArray[Any]) -> list[Any]:
        """Return what is said of the documents that changed, by labels."""
        if predicted.ndim == 1:
            return [self.classes[number] for number in predicted[self.changed].tolist()]
        return [chosen_labels(row, self.classes) for row in predicted[self.changed]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; of documents those that changed."""
        return {
            "classes": list(self.classes),
            "documents": self.n_documents,
            "changed": len(self.changed),
            "turns": self.turns,
            "confusions": [_plain(one._asdict()) for one in self.confusions],
            "changes": [_plain(one._asdict()) for one in self.changes],
        }


def alike(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return of which documents the same is said, (n,); of several labels, all of them."""
    same: NDArray[np.bool_] = one == other
    return np.all(same, axis=1) if same.ndim == 2 else same


def turn_order(one: Change) -> tuple[int, int]:
    """Return what sorts changes: what turned wrong first, then what turned right."""
    return len(TURNS) if one.turn is None else TURNS.index(one.turn), one.document


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
