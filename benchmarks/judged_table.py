"""The table of docs/suspects.md on suspects that were read, of judged_suspects.py."""

from typing import Any

NAMES = {"suspect": "suspects", "no evidence": "control: heavy units without evidence"}


def judged_table(measured: list[dict[str, Any]]) -> str:
    """Return what two readers called artefacts, of suspects and of the control."""
    lines = [
        "| | rows | artefacts, by each reader | they agree on | kappa |",
        "|---|---|---|---|---|",
    ]
    for found in measured:
        for key, name in NAMES.items():
            one = found[key]
            called = ", ".join(str(reader["artefact"]) for reader in one["readers"])
            cells = (name, one["rows"], called, one["agree"], f"{one['kappa']:.2f}")
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
