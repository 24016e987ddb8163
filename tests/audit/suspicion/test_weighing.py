"""How evidence is weighed: the thresholds at their edges."""

from typing import Any

import numpy as np
import pytest

from whyword.audit.suspicion.evidence import Evidence
from whyword.audit.suspicion.units import Unit
from whyword.audit.suspicion.weighing import Turns, Weighed, suspicion_of, weigh

NONE = Turns(*(np.zeros(1, np.int64),) * 3)


def weighed(
    kind: str = "word", form: str = "word", changed: int = 0, turns: Turns = NONE, **given: float
) -> Weighed:
    numbers: dict[str, Any] = {
        "label": 0, "carried": 7, "documents": 9, "train": 10, "train_class": 10, "other": 10,
        "other_class": 10, "grouped": 20, "groups": 10, "expected": 10, "p_groups": 1,
        "q_groups": 1, "p_odds": 1, "q_odds": 1,
    }  # fmt: skip
    evidence = Evidence(**{name: np.array([value]) for name, value in (numbers | given).items()})
    word = {"word": "moon", "host": "mail.acme.org"}[form]
    against = suspicion_of(evidence, [Unit((word,), kind, (word,))], alpha=0.05)
    return weigh(against, evidence.carried, np.array([changed]), turns)


def test_nothing_speaks_against_a_word_that_all_write_everywhere() -> None:
    found = weighed()
    assert (found.suspicion[0], found.score[0]) == (0, 0)
    assert found.verdict(0) == "no evidence"


@pytest.mark.parametrize(
    ("given", "suspicion"),
    [
        ({"groups": 2, "q_groups": 0.05}, 0.8),
        ({"groups": 2, "q_groups": 0.051}, 0),
        ({"groups": 12, "q_groups": 0.01}, 0),
        ({"other_class": 1, "q_odds": 0.05}, 0.9),
        ({"other_class": 1, "q_odds": 0.06}, 0),
        ({"form": "host"}, 0.5),
        ({"kind": "line"}, 0.3),
        ({"kind": "line", "form": "host"}, 0.5),
        ({"form": "host", "groups": 5, "q_groups": 0, "other_class": 5, "q_odds": 0}, 0.875),
    ],
)
def test_suspicion(given: dict[str, Any], suspicion: float) -> None:
    found = weighed(**given)
    assert found.suspicion[0] == pytest.approx(suspicion)
    assert found.score[0] == pytest.approx(suspicion * 3)  # log2(1 + 7)
    assert found.verdict(0) == ("suspect" if suspicion >= 0.5 else "no evidence")


def test_what_hangs_on_it_are_relevance_and_predictions() -> None:
    assert weighed(form="host", carried=3, changed=4).score[0] == pytest.approx(1.5)
    assert weighed(form="host", carried=0.9).verdict(0) == "no evidence"
    assert weighed(form="host", carried=0.0, changed=1).verdict(0) == "suspect"


@pytest.mark.parametrize(
    ("wrong", "right", "noise"), [(6, 4, True), (4, 6, True), (7, 3, False), (5, 4, False)]
)
def test_noise_turns_both_ways(wrong: int, right: int, noise: bool) -> None:
    turns = Turns(np.array([wrong]), np.array([right]), np.array([0]))
    assert weighed(turns=turns).verdict(0) == ("noise" if noise else "no evidence")
    assert weighed(turns=turns, form="host").verdict(0) == "suspect"
    assert turns.total[0] == wrong + right
