"""The table of docs/suspects.md on planted artefacts, made of what planted_artefacts.py left."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

FIRST = 10  # rows of a class that somebody looks at
ACCURACIES = ("before", "what_if", "retrained", "never")
NAMES = {"svm": "SVM", "cnn": "CNN2", "torch": "PyTorch module"}
Row = dict[str, Any]


def by_kind_and_rate(rows: Sequence[Row]) -> dict[tuple[str, float], list[Row]]:
    """Return the rows of all seeds together."""
    found: dict[tuple[str, float], list[Row]] = defaultdict(list)
    for row in rows:
        found[row["kind"], row["rate"]].append(row)
    return dict(found)


def ranks_of(rows: Sequence[Row]) -> list[int | None]:
    """Return the places of all artefacts among the rows of their class."""
    return [rank for row in rows for rank in row["ranks"].values()]


def recall(rows: Sequence[Row]) -> float:
    """Return the share of artefacts that are among the first rows of their class."""
    return float(np.mean([rank is not None and rank <= FIRST for rank in ranks_of(rows)]))


def learned(rows: Sequence[Row]) -> int | None:
    """Return how many artefacts misled the model on a post; None if that was not looked at."""
    if not all("misled" in row for row in rows):
        return None
    counts: list[int] = [count for row in rows for count in row["misled"].values()]
    return sum(count > 0 for count in counts)


def mean_accuracies(rows: Sequence[Row]) -> dict[str, float]:
    """Return the accuracy on the carriers, of those seeds for which there are all figures."""
    whole = [row["accuracy"] for row in rows if set(ACCURACIES) <= set(row["accuracy"])]
    some = whole or [row["accuracy"] for row in rows]
    names = [name for name in ACCURACIES if all(name in one for one in some)]
    return {name: float(np.mean([one[name] for one in some])) for name in names}


def planted_table(measured: list[list[Row]]) -> str:
    """Return the table: a row of each kind and rate, recall and accuracies."""
    groups = by_kind_and_rate([row for rows in measured for row in rows])
    lines = [
        "| | planted in | found | learned | accuracy on carriers | what if | trained again "
        "| never saw it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind, name in NAMES.items():
        for (_, rate), some in sorted(one for one in groups.items() if one[0] == (kind, one[0][1])):
            if not rate:
                continue
            ranks = ranks_of(some)
            count = sum(rank is not None and rank <= FIRST for rank in ranks)
            means = mean_accuracies(some)
            cells = [f"{means[one]:.1%}" if one in means else "–" for one in ACCURACIES]
            figures = " | ".join(cells).replace("%", " %")
            known = learned(some)
            cells = [name, f"{100 * rate:g} %", f"{count} of {len(ranks)}"]
            cells += ["–" if known is None else str(known), figures]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
