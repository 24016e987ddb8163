"""Charts: round numbers, names that do not overlap, whatever the lines are called."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whyword.pages.charts import (
    COLOURS,
    LINE_COLOURS,
    Line,
    LineChart,
    ScatterChart,
    _spread_apart,
    _ticks,
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


@given(
    lines=st.lists(
        st.tuples(st.text(max_size=30), st.lists(finite, min_size=1, max_size=8)),
        min_size=1,
        max_size=12,
    )
)
def test_any_lines_make_a_picture(lines: list[tuple[str, list[float]]]) -> None:
    made = [Line(name, range(len(values)), values) for name, values in lines]
    picture = drawn(line_chart(made, "x <&>", "y", 'said "so"'))
    ElementTree.fromstring(picture)
    assert picture.count("<polyline") == len(lines)
    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", picture.partition("<polyline")[2]):
        assert 0 <= float(x) <= 520
        assert 0 <= float(y) <= 300


@given(finite, finite)
@example(0.0, 5e-324)
def test_ticks_are_few_and_cover(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    ticks = _ticks(low, high)
    assert 2 <= len(ticks) <= 8
    slack = 1e-6 * max(1, abs(low), abs(high))
    assert ticks[0] <= low + slack
    assert ticks[-1] >= high - slack


def test_ticks_are_round() -> None:
    assert _ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert _ticks(0, 50) == [0, 10, 20, 30, 40, 50]
    assert _ticks(0.62, 0.81) == [0.6, 0.65, 0.7, 0.75, 0.8, 0.85]


@given(st.lists(st.floats(14, 256), min_size=1, max_size=10))
def test_names_do_not_overlap(places: list[float]) -> None:
    result = sorted(_spread_apart(places))
    assert all(after - before >= 14.9 for before, after in pairwise(result))


def test_shares_are_percentages_and_long_names_are_cut() -> None:
    line = Line("a very long name indeed", [0, 1], [0, 1])
    picture = drawn(line_chart([line], "", "", "", percent=True))
    assert ">20%<" in picture
    assert "a very long name…" in picture


@pytest.mark.parametrize("count", [1, len(LINE_COLOURS) + 2])
def test_more_lines_than_colours(count: int) -> None:
    chart = line_chart([Line(str(n), [0, 1], [n, n], n) for n in range(count)], "", "", "")
    assert drawn(chart).count(f'stroke="{LINE_COLOURS[0]}"') == (1 if count == 1 else 2)


def test_names_stay_where_the_picture_is() -> None:
    """Lines that end at the top keep their names there, however many end at the bottom."""
    ends = _spread_apart([14, 256, 256, 256])
    assert ends[0] == 14
    assert max(ends) <= 258


@given(
    st.lists(
        st.tuples(finite, finite, st.sampled_from(["a", "b <&>", "c"])), min_size=1, max_size=500
    )
)
def test_every_point_is_drawn_once_and_inside(points: list[tuple[float, float, str]]) -> None:
    groups = [group for _, _, group in points]
    chart = scatter_chart([point[:2] for point in points], groups, ["a", "b <&>", "c"], "said <so>")
    picture = ElementTree.fromstring(drawn(chart))
    places = [
        tuple(map(int, place))
        for path in picture.iter("path")
        for place in re.findall(r"M(\d+) (\d+)h0", path.attrib["d"])
    ]
    assert len(places) == len(points)
    assert all(0 < x < chart.width and 0 < y < chart.height for x, y in places)
    counts = {group_look(number).colour: 0 for number in range(3)}
    for some in chart.points:
        counts[some.look.colour] += len(some.places)
    assert list(counts.values()) == [groups.count(name) for name in ("a", "b <&>", "c")]


def test_up_is_up() -> None:
    chart = scatter_chart([(0, 0), (1, 1)], ["a", "b"], ["a", "b"], "")
    (x, y), (other_x, other_y) = (some.places[0] for some in chart.points)
    assert x < other_x
    assert y > other_y


def test_more_groups_than_colours_differ_by_shape() -> None:
    looks = [group_look(number) for number in range(3 * len(COLOURS))]
    assert len(set(looks)) == len(looks)
    assert group_look(3 * len(COLOURS)) == looks[0]


def test_the_map_to_explore_has_the_same_colours() -> None:
    listed = re.search(r"COLOURS = \[([^]]*)\]", static_file("scatter.js").decode())
    assert listed is not None
    assert tuple(re.findall(r"#[0-9a-f]{6}", listed[1])) == COLOURS


def test_charts_together_are_a_picture() -> None:
    line = line_chart([Line("one", [0, 1], [0, 1])], "x", "y", "")
    made = figure([("first <b>", line), None, ("third", line)], 2, 260, ["a & b", "c"])
    picture = ElementTree.fromstring(svg(made))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"first <b>", "third", "a & b", "c"} <= set(texts)
    assert made.panels[1].y > made.panels[0].y + made.panels[0].height
    assert made.panels[1].x == made.panels[0].x
    assert float(picture.attrib["width"]) > made.legend[0].x > 2 * 260
