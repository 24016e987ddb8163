"""The tables of speed of README and docs/performance.md, made of what `make bench` left behind.

A ratio is claimed by the lowest of its rounds, on the machine where it was lowest, with the median
behind it; a time by its median. A claim whose benchmark was not run has no row. `claims.toml` has
the claims.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Claim(NamedTuple):
    """What is claimed: in words, in figures, by which script, and whether README says it."""

    what: str
    figures: str  # {benchmark.figure:form}
    script: str
    in_readme: bool = False


CLAIMS = tuple(
    Claim(**row)
    for row in tomllib.loads((Path(__file__).parent / "claims.toml").read_text())["claim"]
)
_FIELD = re.compile(r"\{(\w+)\.(\w+):(\w+)\}")
Figure = dict[str, float]


def speed_table(measured: list[Any]) -> str:
    """Return all claims as a table of Markdown, and where they were measured."""
    return _table(CLAIMS, measured)


def short_speed_table(measured: list[Any]) -> str:
    """Return the table of README."""
    return _table([claim for claim in CLAIMS if claim.in_readme], measured)


def _table(claims: Sequence[Claim], measured: list[Any]) -> str:
    lines = ["| claim | here | script |", "|---|---|---|"]
    for claim in claims:
        if all(figures_of(measured, *field[:2]) for field in _FIELD.findall(claim.figures)):
            said = filled(claim.figures, measured)
            lines.append(f"| {claim.what} | {said} | `benchmarks/{claim.script}` |")
    return "\n".join([*lines, "", _where(measured)])


def filled(template: str, measured: list[Any]) -> str:
    """Return a text with figures where it has {benchmark.figure:form}."""
    return _FIELD.sub(
        lambda field: shown(figures_of(measured, field[1], field[2]), field[3]), template
    )


def figures_of(measured: list[Any], benchmark: str, figure: str) -> list[Figure]:
    """Return a figure as each machine has it; none if nobody measured it."""
    return [
        one["benchmarks"][benchmark]["figures"][figure]
        for one in measured
        if figure in one["benchmarks"].get(benchmark, {}).get("figures", {})
    ]


def shown(figures: list[Figure], form: str) -> str:
    """Return a figure as a table says it; of several machines, the worst.

    Parameters
    ----------
    figures : list of dict
        With "low", "median" and "high", one of each machine.
    form : str
        "times": a ratio that should be high, its lowest round and the median behind it; "median": a
        ratio that should be low; "worst": the largest number; others are units.
    """
    if form == "times":
        worst = min(figures, key=lambda one: one["low"])
        low, median = _digits(worst["low"]), _digits(worst["median"])
        return f"{low} ×" if low == median else f"{low} × (median {median})"
    highest = max(one["median"] for one in figures)
    if form == "worst":
        return f"{max(one['high'] for one in figures):.1e}".replace("e-0", "e-")
    if form == "e":
        return f"{highest:.0e}".replace("e-0", "e-")
    if form == "share":
        return f"{100 * highest:.4g} %"
    if form == "median":
        return f"{_digits(highest)} ×"
    return _digits(highest) + {"n": "", "s": " s", "ms": " ms", "mb": " MB", "gb": " GB"}[form]


def _digits(number: float) -> str:
    """Return a number with as many digits as mean something: 1,928, 38.6, 7.3, 0.72."""
    if number >= 100 or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def _where(measured: list[Any]) -> str:
    """Return the machines, and when."""
    said = []
    for one in measured:
        machine, days = one["machine"], sorted(b["taken"] for b in one["benchmarks"].values())
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
        said.append(
            f"{machine['cores']} cores ({machine['processor']}), {machine['gigabytes']} GB, Python "
            f"{machine['python']}, torch {machine['packages']['torch']}, {when}"
        )
    return f"Measured on {'; and on '.join(said)}."
