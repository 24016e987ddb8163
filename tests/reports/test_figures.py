"""The paper's figures: what they show, and their files."""

from pathlib import Path

import pytest

from whyword.pages.charts import LineChart, ScatterChart
from whyword.reports import paper
from whyword.reports.figures import (
    SIDES,
    deletion_chart,
    deletion_figure,
    neighbour_chart,
    neighbour_figure,
    plane_figure,
    slug,
    word_figure,
    write_figures,
)
from whyword.reports.reproduction import Reproduction


@pytest.mark.real
def test_every_figure_is_drawn(tiny: Reproduction, tmp_path: Path) -> None:
    written = write_figures(tiny.results, tmp_path / "figures")
    assert len(written) == len(set(written)) == 8
    assert all(path.read_bytes().startswith(b"<svg") for path in written)


@pytest.mark.real
def test_lines_are_the_results(tiny: Reproduction) -> None:
    curves = tiny.results["deletion"]["CNN1"]["1"]["curves"]
    chart = deletion_chart(curves)
    assert [curve.name for curve in chart.curves] == [paper.METHODS[name] for name in curves]
    points = chart.curves[0].points.split()
    assert len(points) == len(curves["lrp"]["accuracy"])
    figure = deletion_figure(tiny.results["deletion"])
    assert figure.panels[0].chart == chart
    assert [panel.title for panel in figure.panels[:2]] == [
        "CNN1, experiment 1",
        "CNN2, experiment 1",
    ]
    left, right = neighbour_figure(tiny.results["powers"]).panels
    assert isinstance(left.chart, LineChart)
    assert left.chart == neighbour_chart("CNN2", tiny.results["powers"])
    assert [len(SIDES[side]) for side in SIDES] == [4, 4]
    assert right.x > left.x
    planes = plane_figure(tiny.results["planes"])
    assert len(planes.panels) == 10
    count = len(tiny.results["planes"]["SVM LRP"]["points"])
    for panel in planes.panels:
        assert isinstance(panel.chart, ScatterChart)
        assert sum(len(some.places) for some in panel.chart.points) == count


def test_words_are_text_and_unseen_ones_underlined() -> None:
    words = {label: [["<b>", 1.234, True], ["new", 0.5, False]] for label in paper.WORD_CLASSES}
    made = word_figure(words)
    assert made.count("<tspan>&lt;b&gt;</tspan> (1.23)") == 3
    assert made.count('<tspan text-decoration="underline">new</tspan>') == 3


def test_names_of_files() -> None:
    assert slug("CNN2, GloVe alone") == "cnn2-glove-alone"
