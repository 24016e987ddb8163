"""The tables of docs/case-study.md, made of what headers_left_in.py left behind."""

from collections.abc import Sequence
from typing import Any

import numpy as np

NAMES = {"svm": "SVM", "cnn": "CNN2"}
STATES = {
    "before": "headers left in",
    "what_if": "what if: without the 300 suspects",
    "retrained": "trained again without them",
    "without_headers": "trained without headers",
}
Row = dict[str, Any]


def headers_table(measured: list[list[Row]]) -> str:
    """Return the accuracies: the mean of the seeds, and from where to where their intervals go."""
    lines = ["| | test posts with headers | test posts, bodies only |", "|---|---|---|"]
    for kind, name in NAMES.items():
        rows = [row for some in measured for row in some if row["kind"] == kind]
        for state, title in STATES.items() if rows else ():
            cells = [_cell(rows, state, what) for what in ("with headers", "bodies")]
            lines.append(f"| {name}, {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def first_rows_table(measured: list[list[Row]]) -> str:
    """Return the first rows of the first seed of each kind."""
    lines = ["| | speaks for | what | training posts, authors (usual) |", "|---|---|---|---|"]
    for kind, name in NAMES.items():
        first = next((row for some in measured for row in some if row["kind"] == kind), None)
        for place, row in enumerate(first["first"][:10] if first else (), start=1):
            what = row["what"].replace("|", "\\|")
            cells = (f"{name} {place}", row["label"], f"`{what}`", _authors(row))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _authors(row: Row) -> str:
    if row["groups"] is None:
        return f"{row['train']}"
    return f"{row['train']}, {row['groups']:.0f} ({row['groups_expected']:.0f})"


def _cell(rows: Sequence[Row], state: str, what: str) -> str:
    figures = [row["accuracy"][state][what] for row in rows]
    mean = float(np.mean([one["value"] for one in figures]))
    low, high = (f([one["interval"][end] for one in figures]) for end, f in ((0, min), (1, max)))
    return f"{mean:.1%} ({low:.1%} to {high:.1%})".replace("%", " %")
