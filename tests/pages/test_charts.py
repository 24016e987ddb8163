"""Charts: round numbers, names that do not overlap, every point in the picture."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whyword.pages.charts import (
    COLOURS,
    Line,
    LineChart,
    ScatterChart,
    figure,
    group_look,
    line_chart,
    scatter_chart,
    svg,
)
from whyword.pages.render import environment, static_file

finite = st.floats(-1e9, 1e9)


def drawn(chart: LineChart | ScatterChart) -> str:
    """The chart as a page has it."""
    macros = environment().get_template("charts.svg").module
    return str(macros.draw(chart))  # type: ignore[attr-defined]


def ticks(low: float, high: float) -> list[float]:
    """Return the numbers at the axis of a line between two heights."""
    chart = line_chart([Line("a", [0, 1], [low, high])], "x", "y", "")
    return [float(tick.number) for tick in chart.y_ticks]


def name_places(ends: list[float]) -> list[float]:
    """Return where the names of lines stand that end at such heights."""
    lines = [Line(str(n), [0, 1], [0, end]) for n, end in enumerate(ends)]
    return [curve.name_y for curve in line_chart(lines, "", "", "").curves]


@given(
    lines=st.lists(
        st.tuples(st.text(max_size=30), st.lists(finite, min_size=1, max_size=8)),
        min_size=1,
        max_size=12,
    )
)
def test_any_lines_make_a_picture(lines: list[tuple[str, list[float]]]) -> None:
    made = [Line(name, range(len(values)), values) for name, values in lines]
    picture = drawn(line_chart(made, "x <&>", "y </text>", 'said "so"'))
    root = ElementTree.fromstring(picture)
    assert root.attrib["aria-label"] == 'said "so"'
    assert {"x <&>", "y </text>"} <= {text.text for text in root.iter("text")}
    assert picture.count("<polyline") == len(lines)
    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", picture.partition("<polyline")[2]):
        assert 0 <= float(x) <= 520
        assert 0 <= float(y) <= 300
    places = sorted(curve.name_y for curve in line_chart(made, "", "", "").curves)
    assert all(after - before >= 14.9 for before, after in pairwise(places))


@pytest.mark.parametrize(
    ("highest", "numbers"),
    [
        (1.0, ["0%", "20%", "40%", "60%", "80%", "100%"]),
        (0.12, ["0.0%", "2.5%", "5.0%", "7.5%", "10.0%", "12.5%"]),
        (0.02, ["0.0%", "0.5%", "1.0%", "1.5%", "2.0%"]),
    ],
)
def test_shares_are_percentages_with_as_many_digits_as_needed(
    highest: float, numbers: list[str]
) -> None:
    line = Line("a very long name indeed", [0, 1], [0.0, highest])
    chart = line_chart([line], "x", "y", "said", percent=True)
    assert [tick.number for tick in chart.y_ticks] == numbers
    assert chart.curves[0].name == "a very long name…"


@given(finite, finite)
@example(0.0, 5e-324)
def test_ticks_are_few_and_cover(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    slack = 1e-5 * max(1, abs(low), abs(high))  # as they are written
    assert found[0] <= low + slack
    assert found[-1] >= high - slack


def test_ticks_are_round() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert ticks(0, 50) == [0, 10, 20, 30, 40, 50]
    assert ticks(0.62, 0.81) == [0.6, 0.65, 0.7, 0.75, 0.8, 0.85]


def test_names_stay_beside_their_lines_and_in_the_picture() -> None:
    """Lines that end at the top keep their names there, however many end at the bottom."""
    assert name_places([1, 0.5, 0]) == [14, 135, 256]
    top, *bottom = name_places([1, 0, 0, 0])
    assert (top, sorted(bottom)) == (14, [228, 243, 258])


@given(
    st.lists(
        st.tuples(finite, finite, st.sampled_from(["a", "b <&>", "c"])), min_size=1, max_size=500
    )
)
def test_every_point_is_drawn_once_and_inside(points: list[tuple[float, float, str]]) -> None:
    names = ["a", "b <&>", "c"]
    groups = [group for _, _, group in points]
    chart = scatter_chart([point[:2] for point in points], groups, names, "said <so>")
    picture = ElementTree.fromstring(drawn(chart))
    assert picture.attrib["aria-label"] == "said <so>"
    paths = [path.attrib["d"] for path in picture.iter("path")]
    places = [place for path in paths for place in re.findall(r"M(\d+) (\d+)h0", path)]
    assert len(places) == len(points)
    assert all(0 < int(x) < chart.width and 0 < int(y) < chart.height for x, y in places)
    counts = {group_look(number).colour: 0 for number in range(3)}
    for some in chart.points:
        counts[some.look.colour] += len(some.places)
    assert list(counts.values()) == [groups.count(name) for name in names]


def test_up_is_up_and_groups_differ_by_colour_and_shape() -> None:
    chart = scatter_chart([(0, 0), (1, 1)], ["a", "b"], ["a", "b"], "")
    assert [some.places for some in chart.points] == [[[40, 960]], [[960, 40]]]
    looks = [group_look(number) for number in range(3 * len(COLOURS))]
    assert len(set(looks)) == len(looks)
    assert group_look(3 * len(COLOURS)) == looks[0]
    listed = re.search(r"COLOURS = \[([^]]*)\]", static_file("scatter.js").decode())
    assert listed is not None
    assert tuple(re.findall(r"#[0-9a-f]{6}", listed[1])) == COLOURS


def test_charts_together_are_a_picture() -> None:
    line = line_chart([Line("<i>one", [0, 1], [0, 1])], "x", "y", "")
    made = figure([("first <b>", line), None, ("third", line)], 2, 260, ["a & b", "c"])
    picture = ElementTree.fromstring(svg(made))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"first <b>", "third", "a & b", "c", "<i>one"} <= set(texts)
    assert made.panels[1].y > made.panels[0].y + made.panels[0].height
    assert made.panels[1].x == made.panels[0].x
    assert float(picture.attrib["width"]) > made.legend[0].x > 2 * 260
