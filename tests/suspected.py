"""Suspects that nobody had to look for."""

from typing import Any

from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.table import Suspects


def one_suspect(*entries: str, label: str = "space", **settings: Any) -> Suspect:  # noqa: ANN401
    """Return a row of such entries; all that is not named is made up."""
    figures: dict[str, Any] = dict.fromkeys(("score", "suspicion", "relevance"), 1.5)
    figures |= {"habit": 0.4, "drift": 0.0, "unusual": 0.5, "n_documents": 7, "train": 6}
    figures |= {"train_class": 5, "held_out": 3, "held_out_class": 1, "grouped": 5}
    figures |= {"groups": 2.0, "groups_expected": 4.5, "p_groups": 0.001, "q_groups": 0.01}
    figures |= {"p_odds": None, "q_odds": None, "train_turned": None}
    figures |= {"held_out_turned": Turned(2, 1, 0), "examples": (3, 1), "verdict": "suspect"}
    figures |= {"kind": "word", "form": "host"}
    return Suspect(entries=entries, label=label, **figures | settings)


def some_suspects(rows: list[Suspect], model: str | None = None, *labels: str) -> Suspects:
    """Return these rows as what was found of a model of this identity."""
    return Suspects(
        rows=rows,
        classes=labels or ("crypto", "hockey", "space"),
        n_units=99,
        n_train=60,
        n_held_out=40,
        accuracy=0.75,
        remarks=["nothing is known of <b>threads</b>"],
        settings={"source": "posts", "model": model, "groups": "author", "alpha": 0.05},
        seconds={"relevance": 1.0},
    )
