"""How evidence is weighed: one number, from what speaks against a unit and what hangs on it.

Equations are those of docs/method.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.evidence import Evidence
from whyword.audit.suspicion.forms import WORD as FORM_OF_WORDS
from whyword.audit.suspicion.spread import Numbers
from whyword.audit.suspicion.units import LINE, Unit

SUSPECT, NOISE, NO_EVIDENCE = VERDICTS = ("suspect", "noise", "no evidence")
SUSPICIOUS = 0.5  # suspicion from which on a unit is a suspect
HEAVY = 1.0  # documents' worth of relevance, and predictions, that must hang on it
UNUSUAL_FORM = 0.5  # suspicion of an address, a host, a number, …
RECURRING = 0.3  # suspicion of a line that recurs
NOISY = 10  # held-out predictions that turn, at least, and
ALIKE = 0.4  # the share of them that turn the other way, from which on a unit is noise


@dataclass(frozen=True, eq=False)
class Turns:
    """Predictions that change when a unit is deleted everywhere, (U,) int64 each.

    Attributes
    ----------
    right_to_wrong, wrong_to_right, other : int64
        `other` are those that were wrong and stay so, or of which the truth is not known.
    """

    right_to_wrong: NDArray[np.int64]
    wrong_to_right: NDArray[np.int64]
    other: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.int64]:
        """All of them."""
        return self.right_to_wrong + self.wrong_to_right + self.other


@dataclass(frozen=True, eq=False)
class Suspicion:
    """What speaks against U units, before anything is deleted, (U,) each, from 0 to 1.

    Attributes
    ----------
    habit, drift, form : float64
        What each kind of evidence adds: that few groups write the unit; that it speaks less for
        its class elsewhere than in training; what it looks like.
    """

    habit: Numbers
    drift: Numbers
    form: Numbers

    @property
    def whole(self) -> Numbers:
        """All of it: 1 − (1 − habit)(1 − drift)(1 − form)."""
        return 1 - (1 - self.habit) * (1 - self.drift) * (1 - self.form)


@dataclass(frozen=True, eq=False)
class Weighed:
    """What is thought of U units, (U,) each.

    Attributes
    ----------
    habit, drift, form, suspicion : float64
        As of :class:`Suspicion`, and all of it.
    weight : float64
        What hangs on it: documents' worth of relevance, and predictions of its class that change.
    score : float64
        suspicion · log2(1 + weight).
    is_noise : bool
        Whether as many held-out predictions turn right as wrong without it.
    """

    habit: Numbers
    drift: Numbers
    form: Numbers
    suspicion: Numbers
    weight: Numbers
    score: Numbers
    is_noise: NDArray[np.bool_]

    def verdict(self, unit: int) -> str:
        """Return what a unit is called."""
        if self.weight[unit] >= HEAVY and self.suspicion[unit] >= SUSPICIOUS:
            return SUSPECT
        return NOISE if self.is_noise[unit] else NO_EVIDENCE


def suspicion_of(evidence: Evidence, units: Sequence[Unit], alpha: float) -> Suspicion:
    """Return what speaks against all units: docs/method.md (46).

    Parameters
    ----------
    evidence : Evidence
    units : sequence of U Unit
    alpha : float
        Above which q of a test counts for nothing.
    """
    habit = np.where(
        evidence.q_groups <= alpha,
        np.clip(1 - evidence.groups / np.maximum(evidence.expected, 1), 0, 1),
        0.0,
    )
    shares = (
        evidence.train_class / np.maximum(evidence.train, 1),
        evidence.other_class / np.maximum(evidence.other, 1),
    )
    drift = np.where(evidence.q_odds <= alpha, np.clip(shares[0] - shares[1], 0, 1), 0.0)
    form = np.array(
        [
            max(UNUSUAL_FORM * (unit.form != FORM_OF_WORDS), RECURRING * (unit.kind == LINE))
            for unit in units
        ]
    )
    return Suspicion(habit, drift, form)


def score_of(suspicion: Numbers, weight: Numbers) -> Numbers:
    """Return what units are ordered by: suspicion · log2(1 + weight)."""
    return suspicion * np.log2(1 + weight)


def weigh(
    against: Suspicion, carried: Numbers, changed: NDArray[np.int64], held_out: Turns
) -> Weighed:
    """Return what is thought of all units: docs/method.md (46).

    Parameters
    ----------
    against : Suspicion
    carried : (U,) float64
        Documents' worth of relevance.
    changed : (U,) int64
        Predictions of the unit's class that change without it.
    held_out : Turns
        Of held-out documents.
    """
    suspicion, weight = against.whole, carried + changed
    return Weighed(
        against.habit,
        against.drift,
        against.form,
        suspicion,
        weight,
        score_of(suspicion, weight),
        _noise(held_out),
    )


def _noise(held_out: Turns) -> NDArray[np.bool_]:
    """Return whether about as many predictions turn right as wrong, (U,)."""
    fewer = np.minimum(held_out.right_to_wrong, held_out.wrong_to_right)
    both = held_out.right_to_wrong + held_out.wrong_to_right
    noisy: NDArray[np.bool_] = (both >= NOISY) & (fewer >= ALIKE * both)
    return noisy
