"""Charts: round numbers, names that do not overlap, whatever the lines are called."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whyword.pages.charts import _COLOURS, Line, _spread_apart, _ticks, line_chart

finite = st.floats(-1e9, 1e9)


@given(
    lines=st.lists(
        st.tuples(st.text(max_size=30), st.lists(finite, min_size=1, max_size=8)),
        min_size=1,
        max_size=12,
    )
)
def test_any_lines_make_a_picture(lines: list[tuple[str, list[float]]]) -> None:
    made = [Line(name, range(len(values)), values) for name, values in lines]
    svg = line_chart(made, "x <&>", "y", 'said "so"')
    ElementTree.fromstring(re.sub(r"[\x00-\x1f\ufffe\uffff\ud800-\udfff]", "", svg))
    assert svg.count("<polyline") == len(lines)
    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", svg.partition("<polyline")[2]):
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
    svg = line_chart([Line("a very long name indeed", [0, 1], [0, 1])], "", "", "", percent=True)
    assert ">20%<" in svg
    assert "a very long name…" in svg


@pytest.mark.parametrize("count", [1, len(_COLOURS) + 2])
def test_more_lines_than_colours(count: int) -> None:
    svg = line_chart([Line(str(n), [0, 1], [n, n], n) for n in range(count)], "", "", "")
    assert svg.count('class="s0"') == (1 if count == 1 else 2)
