"""Figures stand in tables made of what benchmarks left behind; other quantities are settings."""

import re
from pathlib import Path

import pytest
from tables import ROOT, TABLES

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
QUANTITY = re.compile(
    r"(?<![\w.])(?:\d[\d,]*(?:\.\d+)?|\.\d+) "
    r"(?:×|%|µs|ms|s|seconds?|minutes?|hours?|days|kB|KB|MB|GB|TB|points?|times)(?![\w-])"
)
DECIMAL = re.compile(r"(?<![\w.,])0?\.\d{2,}(?![\w.])")
# limits, settings, levels of tests, sizes of what is fetched: nobody measures them
SETTINGS: dict[str, set[str]] = {
    "docs/case-study.md": {"95 %"},
    "docs/classifiers.md": {"12,340 times"},
    "docs/corpus.md": {"64 KB", "70 %"},
    "docs/evaluation.md": {"10,000 times"},
    "docs/explanations.md": {"256 MB"},
    "docs/method.md": {"40 %", "50 times"},
    "docs/models.md": {"83 MB"},
    "docs/scale.md": {"64 MB", "384 MB"},
    "docs/start.md": {"15 seconds"},
    "docs/strategies.md": {"80 %", "95 %"},
    "docs/web.md": {
        *("64 KB", "8 MB", "256 MB", "10 s", "30 s", "500 times"),
        *("40 times", "200 MB", "250 ms", "10 %"),  # of the attack, and what it must not do
    },
}


def said_by_hand(text: str, tables: list[str]) -> set[str]:
    """Return the quantities of a page, outside of code and of tables that are made."""
    for name in tables:
        text = re.sub(f"<!-- begin: {name} -->.*?<!-- end: {name} -->", "", text, flags=re.DOTALL)
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", "", text)
    rows = "\n".join(line for line in prose.splitlines() if line.startswith("|"))
    return set(QUANTITY.findall(prose)) | set(DECIMAL.findall(rows))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_is_measured_stands_in_a_table_that_is_made(page: Path) -> None:
    made = [table.name for table in TABLES if table.page == name(page)]
    found = said_by_hand(page.read_text(), made)
    assert found == SETTINGS.get(name(page), set())


def test_quantities_are_seen() -> None:
    page = """It takes 3.5 s, 1,928 × less, and `4 ms` in code; 12 % of 2 GB.
<!-- begin: one -->
| 7 s |
<!-- end: one -->
```
8 minutes
```
| a | .327 | 0.81 |
A 2-layer one, 0.05, version 3.11 and 20 Newsgroups are none.
"""
    assert said_by_hand(page, ["one"]) == {"3.5 s", "1,928 ×", "12 %", "2 GB", ".327", "0.81"}
    assert "7 s" in said_by_hand(page, [])
