"""What speaks against each unit, in numbers.

Equations are those of docs/method.md.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.documents import Known
from whyword.audit.suspicion.read import ReadDocuments
from whyword.audit.suspicion.spread import Numbers, fewer_groups, lower_odds
from whyword.audit.suspicion.units import UnitGroups
from whyword.evaluation.significance import benjamini_hochberg

Counts = NDArray[np.int64]
LEAST_GROUPED = 2  # documents of a class: one has one group, whoever wrote it


@dataclass(frozen=True, eq=False)
class Evidence:
    """Numbers about U units, (U,) each.

    Attributes
    ----------
    label : intp
        The number of the class that the unit carries most relevance for.
    carried : float64
        Its shares of positive relevance in documents that are given this class, added up: so many
        documents' worth of relevance.
    documents : int64
        In how many of these it speaks for the class.
    train, train_class, other, other_class : int64
        Training documents that have it, those of them that are of its class; of held-out ones.
    grouped : int64
        Training documents of its class that have it and whose group is known.
    groups, expected : float64
        Of how many groups these are, and how many it would be by chance.
    p_groups, q_groups, p_odds, q_odds : float64
        Of the two tests; q is corrected for the number of units.
    """

    label: NDArray[np.intp]
    carried: Numbers
    documents: Counts
    train: Counts
    train_class: Counts
    other: Counts
    other_class: Counts
    grouped: Counts
    groups: Numbers
    expected: Numbers
    p_groups: Numbers
    q_groups: Numbers
    p_odds: Numbers
    q_odds: Numbers

    def chosen(self, wanted: NDArray[np.bool_]) -> "Evidence":
        """Return the numbers of some units, (U,)."""
        return Evidence(**{one.name: getattr(self, one.name)[wanted] for one in fields(self)})


def gather_evidence(
    read: ReadDocuments, units: UnitGroups, known: Known, classes: int, seed: int
) -> Evidence:
    """Return the numbers of all units but for what happens without them."""
    count = len(units.units)
    shares = units.sums(read.shares, read.occurrences)
    given = read.predicted[units.documents]
    for_class = shares > 0
    carried = np.zeros((count, classes))
    np.add.at(carried, (units.numbers[for_class], given[for_class]), shares[for_class])
    label = carried.argmax(axis=1)
    speaks = for_class & (given == label[units.numbers])
    true = known.classes[units.documents]
    is_train = known.is_train[units.documents]
    is_class = true == label[units.numbers]

    def counted(chosen: NDArray[np.bool_]) -> Counts:
        return np.bincount(units.numbers[chosen], minlength=count)

    train, train_class = counted(is_train & (true >= 0)), counted(is_train & is_class)
    other, other_class = counted(~is_train & (true >= 0)), counted(~is_train & is_class)
    grouped, groups, expected, p_groups = _group_spread(units, known, label, seed)
    p_odds = lower_odds(train, train_class, other, other_class)
    return Evidence(
        label=label,
        carried=carried[np.arange(count), label],
        documents=counted(speaks),
        train=train,
        train_class=train_class,
        other=other,
        other_class=other_class,
        grouped=grouped,
        groups=groups,
        expected=expected,
        p_groups=p_groups,
        q_groups=_corrected(p_groups, grouped >= LEAST_GROUPED),
        p_odds=p_odds,
        q_odds=_corrected(p_odds, (train > 0) & (other > 0)),
    )


def _corrected(p: Numbers, tested: NDArray[np.bool_]) -> Numbers:
    """Return q of the units that could be tested; 1 of the others."""
    q = np.ones(len(p))
    q[tested] = benjamini_hochberg(p[tested])
    return q


def _group_spread(
    units: UnitGroups,
    known: Known,
    label: NDArray[np.intp],
    seed: int,
) -> tuple[Counts, Numbers, Numbers, Numbers]:
    """Return each unit's training documents of its class with a group, their groups, and by chance.

    The last two are the number of groups that is expected, and p.
    """
    count = len(label)
    groups, expected, p = np.zeros(count), np.zeros(count), np.ones(count)
    if known.groups is None:
        return np.zeros(count, np.int64), groups, expected, p
    has_group = known.is_train & (known.groups >= 0)
    true = known.classes[units.documents]
    fit = has_group[units.documents] & (true == label[units.numbers])
    size = int(known.groups.max(initial=-1)) + 1
    keys = np.unique(
        units.numbers[fit].astype(np.int64) * size + known.groups[units.documents[fit]]
    )
    groups[:] = np.bincount(keys // max(1, size), minlength=count)
    documents = np.bincount(units.numbers[fit], minlength=count)
    for number in np.unique(label).tolist():
        of_class = np.flatnonzero(label == number)
        population = known.groups[has_group & (known.classes == number)]
        if len(population):
            expected[of_class], p[of_class] = fewer_groups(
                documents[of_class], groups[of_class].astype(np.intp), population, seed
            )
    return documents, groups, expected, p
