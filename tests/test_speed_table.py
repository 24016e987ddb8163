"""Claims of speed are what benchmarks keep, by the lower end of what was seen."""

import re
from pathlib import Path
from typing import Any

import pytest
from speed_table import CLAIMS, shown, speed_table
from tables import ROOT


def kept(**figures: Any) -> dict[str, Any]:  # noqa: ANN401 - of several forms
    machine = {"cores": 2, "processor": "some", "gigabytes": 24, "python": "3.11"}
    taken = {name: {"taken": "2026-11-18", "figures": some} for name, some in figures.items()}
    return {"machine": {**machine, "packages": {"torch": "2.13"}}, "benchmarks": taken}


def figure(low: float, median: float, high: float) -> dict[str, float]:
    return {"low": low, "median": median, "high": high, "rounds": 5}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("times", "4.9 × (median 5.4)"),
        ("median", "6.0 ×"),
        ("s", "6.0 s"),
        ("n", "6.0"),
        ("worst", "7.7e+00"),
        ("e", "6e+00"),
    ],
)
def test_a_claim_is_the_worst_that_was_seen(form: str, expected: str) -> None:
    figures = [figure(4.9, 5.4, 6), figure(5.04, 6.04, 7.7)]
    assert shown(figures, form) == expected


def test_figures_have_as_many_digits_as_mean_something() -> None:
    assert shown([figure(1928.4, 1928.4, 2000)], "times") == "1,928 ×"
    assert shown([figure(0.71, 0.723, 0.8)], "median") == "0.72 ×"
    assert shown([figure(0.99, 0.99764, 1)], "share") == "99.76 %"
    assert shown([figure(0, 0, 0)], "n") == "0"
    assert shown([figure(1e-6, 3.6e-5, 1e-4)], "e") == "4e-5"


def test_what_was_not_measured_has_no_row() -> None:
    table = speed_table([kept(startup={"seconds": figure(1.2, 1.4, 2)})])
    assert "from command to answer | 1.4 s | `benchmarks/startup.py`" in table
    assert table.count("\n| ") == 1
    assert table.endswith("Measured on 2 cores (some), 24 GB, Python 3.11, torch 2.13, 2026-11-18.")


def test_claims_name_figures_that_their_scripts_keep() -> None:
    assert len(CLAIMS) > 15
    for claim in CLAIMS:
        script = (ROOT / "benchmarks" / claim.script).read_text()
        assert "from figures import keep" in script
        for benchmark, _ in re.findall(r"\{(\w+)\.(\w+):", claim.figures):
            assert f'"{benchmark}"' in script, claim.what
    named = {claim.script for claim in CLAIMS}
    measured = {
        path.name
        for path in Path(ROOT / "benchmarks").glob("*.py")
        if "\nfrom figures import keep" in path.read_text()
    }
    assert named == measured
