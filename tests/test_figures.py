"""What benchmarks keep: medians and spreads in one file, and nothing unless it is named."""

import json
from pathlib import Path

import figures
import pytest


def test_rounds_are_compared_one_by_one() -> None:
    assert figures.ratios([10, 30], [5, 10]) == [2, 3]
    assert figures.ratios([10], [5, 10]) == [2, 1]  # what takes long runs once
    assert figures.ratios([10, 20, 60], [5, 10]) == [4, 2]


def test_the_median_is_kept_with_its_spread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(figures.FILE, str(tmp_path / "results" / "figures.json"))
    figures.keep("a", {"seconds": [3.00004, 1, 2], "ratio": 7})
    figures.keep("b", {"ratio": iter([1.5]), "units": 49_457})
    figures.keep("a", {"seconds": [5, 4]})  # measured again
    kept = json.loads((tmp_path / "results" / "figures.json").read_text())
    assert kept["benchmarks"]["a"]["figures"] == {
        "seconds": {"median": 4.5, "low": 4, "high": 5, "rounds": 2}
    }
    assert kept["benchmarks"]["b"]["figures"]["ratio"]["median"] == 1.5
    assert kept["benchmarks"]["b"]["figures"]["units"]["median"] == 49_457
    assert kept["benchmarks"]["b"]["load"] >= 0
    assert kept["machine"]["cores"] > 0
    assert kept["machine"]["packages"]["numpy"]


def test_nothing_is_kept_unless_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(figures.FILE, raising=False)
    monkeypatch.chdir(tmp_path)
    figures.keep("a", {"seconds": 1})
    assert list(tmp_path.iterdir()) == []
