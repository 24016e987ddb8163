"""docs/method.md is the one place of the notation: its numbers, and whoever cites them."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import oracle
import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "method.md").read_text()
FORMULAS = re.findall(r"^\$\$\n(.*?)^\$\$$", PAGE, re.DOTALL | re.MULTILINE)
NUMBERS = [int(found) for formula in FORMULAS for found in re.findall(r"\\tag\{(\d+)\}", formula)]
CITED = re.compile(r"(?:docs/method\.md|[Ee]quations?)((?:,? (?:and |to |or )?\(\d+\))+)")
SOURCES = [
    path
    for folder in ("src", "tests", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def rows() -> Iterator[tuple[set[int], list[str], list[str]]]:
    """Yield the last table's equations, the places where they are computed, and their checks."""
    for line in PAGE.split("## Where it is computed")[1].splitlines():
        if line.startswith("| ("):
            equations, _, computed, checked = line.strip("| ").split(" | ")
            ends = [int(number) for number in re.findall(r"\d+", equations)]
            numbers = set(range(ends[0], ends[-1] + 1)) if " to " in equations else set(ends)
            yield numbers, re.findall(r"`([\w.]+)`", computed), re.findall(r"`(\w+)`", checked)


def test_equations_are_numbered_in_their_order() -> None:
    assert len(NUMBERS) == len(FORMULAS) == 46  # every formula on lines of its own has its number
    assert list(range(1, len(NUMBERS) + 1)) == NUMBERS
    assert PAGE.count("\\tag") == len(NUMBERS)


def test_the_page_names_equations_that_it_has() -> None:
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "", PAGE, flags=re.DOTALL)
    named = {int(number) for number in re.findall(r"(?<![\w)])\((\d+)\)", prose)}
    assert len(named) > 30
    assert named <= set(NUMBERS)


def test_the_table_has_every_equation() -> None:
    assert set().union(*(numbers for numbers, _, _ in rows())) == set(NUMBERS)


@pytest.mark.parametrize("name", sorted({name for _, names, _ in rows() for name in names}))
def test_what_computes_an_equation_is_there(name: str) -> None:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["whyword", *parts[:cut]]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return
    pytest.fail(f"there is no {name}")


def test_what_checks_an_equation_is_there() -> None:
    named = [name for _, _, checks in rows() for name in checks]
    assert len(named) > 10
    for name in named:
        assert callable(getattr(oracle, name))


def test_cited_equations_exist() -> None:
    cited = {
        (path.name, int(number))
        for path in SOURCES
        for citation in CITED.findall(path.read_text())
        for number in re.findall(r"\d+", citation)
    }
    assert len(cited) > 20
    assert {(name, number) for name, number in cited if number not in NUMBERS} == set()
