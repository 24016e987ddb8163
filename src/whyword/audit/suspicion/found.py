"""From arrays about all units to the rows that are worth a look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.documents import Known
from whyword.audit.suspicion.evidence import LEAST_GROUPED, Evidence
from whyword.audit.suspicion.read import ReadDocuments
from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.units import UnitGroups
from whyword.audit.suspicion.weighing import Turns, Weighed, suspicion_of, weigh
from whyword.base.labels import Label

EXAMPLES = 3  # documents that are shown of a unit


@dataclass(frozen=True, eq=False)
class Found:
    """All that is known of U units.

    Attributes
    ----------
    read : ReadDocuments
    units : UnitGroups
    known : Known
    evidence : Evidence
    without : (G,) int32
        What is predicted of each document without each of its units.
    """

    read: ReadDocuments
    units: UnitGroups
    known: Known
    evidence: Evidence
    without: NDArray[np.int32]

    def rows(self, classes: Sequence[Label], alpha: float) -> list[Suspect]:
        """Return the units that have a score, or are noise, the worst first."""
        turns = [self._turns(self.known.is_train), self._turns(~self.known.is_train)]
        against = suspicion_of(self.evidence, self.units.units, alpha)
        weighed = weigh(against, self.evidence.carried, self._changed(), turns[1])
        chosen = np.flatnonzero((weighed.score > 0) | weighed.is_noise)
        order = chosen[np.argsort(-weighed.score[chosen], kind="stable")].tolist()
        examples = dict(self._examples(set(order)))
        return [self._row(unit, weighed, turns, classes, examples.get(unit, ())) for unit in order]

    def _changed(self) -> NDArray[np.int64]:
        """Return how many predictions of each unit's class change without it, (U,)."""
        given = self.read.predicted[self.units.documents]
        is_class = given == self.evidence.label[self.units.numbers]
        return self._counted(is_class & (self.without != given))

    def _turns(self, of: NDArray[np.bool_]) -> Turns:
        """Return the predictions of some documents that change without each unit."""
        documents = self.units.documents
        before, true = self.read.predicted[documents], self.known.classes[documents]
        changed = of[documents] & (self.without != before)
        wrong, right = changed & (before == true), changed & (self.without == true)
        return Turns(
            self._counted(wrong), self._counted(right), self._counted(changed & ~wrong & ~right)
        )

    def _counted(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.units.numbers[chosen], minlength=len(self.units.units))

    def _examples(self, wanted: set[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield units and the documents of their class in which they carry most."""
        units = self.units
        shares = units.sums(self.read.shares, self.read.occurrences)
        fit = self.read.predicted[units.documents] == self.evidence.label[units.numbers]
        order = np.lexsort((-np.where(fit, shares, -np.inf), units.numbers))
        numbers = units.numbers[order]
        starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])
        for start in starts.tolist():
            unit = int(numbers[start])
            if unit in wanted:
                some = order[start : start + EXAMPLES]
                some = some[(units.numbers[some] == unit) & fit[some]]
                yield unit, tuple(units.documents[some].tolist())

    def _row(
        self,
        unit: int,
        weighed: Weighed,
        turns: list[Turns],
        classes: Sequence[Label],
        examples: tuple[int, ...],
    ) -> Suspect:
        one, evidence = self.units.units[unit], self.evidence
        has_groups = bool(evidence.grouped[unit])
        is_tested = bool(evidence.grouped[unit] >= LEAST_GROUPED)
        compared = bool(evidence.train[unit] and evidence.other[unit])
        return Suspect(
            entries=one.entries,
            kind=one.kind,
            form=one.form,
            label=classes[int(evidence.label[unit])],
            verdict=weighed.verdict(unit),
            score=float(weighed.score[unit]),
            suspicion=float(weighed.suspicion[unit]),
            habit=float(weighed.habit[unit]),
            drift=float(weighed.drift[unit]),
            unusual=float(weighed.form[unit]),
            relevance=float(evidence.carried[unit]),
            n_documents=int(evidence.documents[unit]),
            train=int(evidence.train[unit]),
            train_class=int(evidence.train_class[unit]),
            held_out=int(evidence.other[unit]),
            held_out_class=int(evidence.other_class[unit]),
            grouped=int(evidence.grouped[unit]),
            groups=float(evidence.groups[unit]) if has_groups else None,
            groups_expected=float(evidence.expected[unit]) if has_groups else None,
            p_groups=float(evidence.p_groups[unit]) if is_tested else None,
            q_groups=float(evidence.q_groups[unit]) if is_tested else None,
            p_odds=float(evidence.p_odds[unit]) if compared else None,
            q_odds=float(evidence.q_odds[unit]) if compared else None,
            train_turned=_turned(turns[0], unit),
            held_out_turned=_turned(turns[1], unit),
            examples=examples,
        )


def _turned(turns: Turns, unit: int) -> Turned:
    return Turned(
        int(turns.right_to_wrong[unit]), int(turns.wrong_to_right[unit]), int(turns.other[unit])
    )
