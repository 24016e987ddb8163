"""Figures as files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from whyword.reports.figures import deletion_figure, neighbour_figure, plane_figure, write_figures
from whyword.reports.reproduction import Reproduction


@pytest.mark.real
def test_every_figure_is_drawn(tiny: Reproduction, tmp_path: Path) -> None:
    written = write_figures(tiny.results, tmp_path / "figures")
    assert len(written) == len(set(written)) == 16
    for path in written:
        start = path.read_bytes()[:200]
        assert start.startswith(b"\x89PNG") if path.suffix == ".png" else b"svg" in start


@pytest.mark.real
def test_lines_are_the_results(tiny: Reproduction) -> None:
    axes = deletion_figure(tiny.results["deletion"]).axes[0]
    curves = tiny.results["deletion"]["CNN1"]["1"]["curves"]
    drawn = {line.get_label(): line.get_ydata().tolist() for line in axes.lines}
    assert drawn["LRP"] == curves["lrp"]["accuracy"]
    assert drawn["SA"] == curves["sensitivity"]["accuracy"]
    left, right = neighbour_figure(tiny.results["powers"]).axes
    assert left.lines[0].get_ydata().tolist() == tiny.results["powers"]["CNN2 LRP (ew)"]["curve"]
    assert len(right.lines) == 4
    panels = plane_figure(tiny.results["planes"]).axes
    assert sum(len(axes.collections) == 6 for axes in panels) == 10


def test_matplotlib_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("matplotlib")
    with pytest.raises(ImportError, match=r"whyword\[figures\]"):
        plane_figure({})
