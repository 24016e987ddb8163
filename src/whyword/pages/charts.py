"""Charts and where everything in them stands; ``templates/charts.svg`` draws them.

Drawn here and not by a plotting library because they are part of pages: they take their letters,
their width and the colour of their ink, dark or light, from the page, and need no extra.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyword.pages.render import render

WIDTH, HEIGHT = 520, 300  # of lines
_RIGHT, _TOP, _BOTTOM = 132, 14, 44
_AXIS_NAME, _DIGIT, _PERCENT = 28, 10, 5  # how wide these are in the largest font, blanks included
_SMALLEST = 1e-300
_LINE = 15  # between the names of lines that end side by side
LINE_COLOURS = (
    *("#d6453d", "#3f7fd0", "#8a8a8a", "#b08c1a", "#2f9e6e", "#a35bb5", "#d07a2a", "#4f9fb0"),
)
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 2", "1 2", "12 4", "3 5")
PLANE = 1000  # height and width of a plane of points
_MARGIN = 40
_ROUND = 200  # points after which every group has had its turn, so that none hides the others
# twelve colours that differ for most eyes (Okabe and Ito's, darker forms of some); shapes go on.
# static/scatter.js has the same
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#7f3c8d", "#808080", "#a5aa00", "#8c510a", "#e7298a", "#01665e"),
)
_SHAPES = 3  # dots, squares, triangles
_TRIANGLE = "m0-5l5 9h-10z"


# ---- lines ------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A named line through points; its colour, and whether it is a variant that is drawn thin."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int = 0
    thin: bool = False


class Tick(NamedTuple):
    """A number at an axis."""

    place: float
    number: str


class Curve(NamedTuple):
    """A line as it is drawn, and where its name stands."""

    points: str
    colour: str
    dashes: str
    thin: bool
    name: str
    name_y: float


@dataclass(frozen=True)
class LineChart:
    """Lines over steps.

    Attributes
    ----------
    description : str
        What a reader who does not see the picture is told.
    x_label, y_label : str
    x_ticks, y_ticks : list of Tick
    curves : list of Curve
    left : float
        Where the lines begin: right of the numbers.
    """

    description: str
    x_label: str
    y_label: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    curves: list[Curve]
    left: float

    kind: ClassVar = "lines"
    width: ClassVar = WIDTH
    height: ClassVar = HEIGHT
    right: ClassVar = WIDTH - _RIGHT
    top: ClassVar = _TOP
    floor: ClassVar = HEIGHT - _BOTTOM


def line_chart(
    lines: Sequence[Line], x_label: str, y_label: str, description: str, percent: bool = False
) -> LineChart:
    """Return the lines as a chart.

    Parameters
    ----------
    lines : sequence of Line
        Told apart by colour and dashes, named at their ends.
    x_label, y_label : str
    description : str
        What a reader who does not see the picture is told.
    percent : bool
        Whether y is a share.
    """
    xs = [x for line in lines for x in line.x]
    ys = [y for line in lines for y in line.y if math.isfinite(y)]
    x_ticks, y_ticks = _ticks(min(xs), max(xs)), _ticks(min(ys), max(ys))
    numbers = _shares(y_ticks) if percent else [f"{y:g}" for y in y_ticks]
    begin = _AXIS_NAME + _DIGIT * max(map(len, numbers)) + (_PERCENT if percent else 0)
    scale = _Scale(min(xs), max(xs), min(y_ticks[0], *ys), max(y_ticks[-1], *ys), begin)
    name_places = _spread_apart([scale.y(line.y[-1]) for line in lines])
    return LineChart(
        description,
        x_label,
        y_label,
        [Tick(scale.x(x), f"{x:g}") for x in x_ticks if scale.left <= x <= scale.right],
        [Tick(scale.y(y), number) for y, number in zip(y_ticks, numbers, strict=True)],
        [_curve(line, scale, y) for line, y in zip(lines, name_places, strict=True)],
        begin,
    )


def _curve(line: Line, scale: "_Scale", name_y: float) -> Curve:
    points = " ".join(
        f"{scale.x(x):.1f},{scale.y(y):.1f}"
        for x, y in zip(line.x, line.y, strict=True)
        if math.isfinite(y)
    )
    look, name = line.colour % len(LINE_COLOURS), line.name
    shown = name if len(name) <= 17 else name[:16] + "…"
    return Curve(points, LINE_COLOURS[look], _DASHES[look], line.thin, shown, name_y)


class _Scale(NamedTuple):
    """From values to places on the picture."""

    left: float
    right: float
    low: float
    high: float
    begin: float

    def x(self, value: float) -> float:
        wide = WIDTH - self.begin - _RIGHT
        return self.begin + wide * (value - self.left) / ((self.right - self.left) or 1)

    def y(self, value: float) -> float:
        tall = HEIGHT - _TOP - _BOTTOM
        return _TOP + tall * (self.high - value) / ((self.high - self.low) or 1)


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers that cover the range."""
    # below the smallest normal numbers there is nothing to divide
    span = next(size for size in (high - low, abs(high), 1.0) if size > _SMALLEST)
    rough = span / 5
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def _shares(ticks: Sequence[float]) -> list[str]:
    """Return shares as percentages, all with as many digits as the one that needs most."""
    needed = (f"{100 * share:.6f}".rstrip("0").partition(".")[2] for share in ticks)
    digits = max(map(len, needed))
    return [f"{share:.{digits}%}" for share in ticks]


def _spread_apart(places: Sequence[float]) -> list[float]:
    """Return the places moved so far that no two names overlap, in the same order."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    result = list(places)
    for before, after in pairwise(order):
        result[after] = max(result[after], result[before] + _LINE)
    result[order[-1]] = min(result[order[-1]], HEIGHT - _BOTTOM + 2)
    for after, before in pairwise(reversed(order)):
        result[before] = min(result[before], result[after] - _LINE)
    return result


# ---- points -----------------------------------------------------------------------------------


class Look(NamedTuple):
    """How the points of a group are drawn: ``shape`` 0 is a dot, 1 a square, 2 a triangle."""

    colour: str
    shape: int


class Points(NamedTuple):
    """Some points of one group: (n, 2) places from the upper left corner, and their look."""

    places: list[list[int]]
    look: Look

    @property
    def path(self) -> str:
        """What SVG draws: at each place a line without length, which its ends make a point."""
        shape = _TRIANGLE if self.look.shape == 2 else "h0"
        return "".join(f"M{x} {y}{shape}" for x, y in self.places)


@dataclass(frozen=True)
class ScatterChart:
    """Points on a plane, coloured by group."""

    description: str
    points: list[Points]

    kind: ClassVar = "points"
    width: ClassVar = PLANE
    height: ClassVar = PLANE


def group_look(number: int) -> Look:
    """Return how the points of the group with this number are drawn."""
    return Look(COLOURS[number % len(COLOURS)], number // len(COLOURS) % _SHAPES)


def scatter_chart(
    points: ArrayLike, groups: Sequence[str], names: Sequence[str], description: str
) -> ScatterChart:
    """Return points as a chart, both axes filled.

    Parameters
    ----------
    points : (n, 2) floats
    groups : sequence of str
        Of the points.
    names : sequence of str
        All groups; the place of a group among them says how it is drawn.
    description : str
    """
    values = np.asarray(points, np.float64).reshape(-1, 2)
    low, high = values.min(axis=0), values.max(axis=0)
    shares = (values - low) / np.maximum(high - low, 1e-12)
    shares[:, 1] = 1 - shares[:, 1]
    places = np.rint(_MARGIN + (PLANE - 2 * _MARGIN) * shares).astype(int)
    numbers = np.array([names.index(group) for group in groups])
    drawn = []
    for start in range(0, len(places), _ROUND):
        some = slice(start, start + _ROUND)
        drawn += [
            Points(places[some][numbers[some] == number].tolist(), group_look(number))
            for number in np.unique(numbers[some]).tolist()
        ]
    return ScatterChart(description, drawn)


# ---- several in one picture -------------------------------------------------------------------


class Panel(NamedTuple):
    """A chart with a title above it, at its place in a figure."""

    title: str
    chart: LineChart | ScatterChart
    x: float
    y: float
    width: float
    height: float


class LegendEntry(NamedTuple):
    """A group's name at its place in a figure, and its look."""

    name: str
    look: Look
    x: float
    y: float


class Figure(NamedTuple):
    """Charts side by side and below one another, as a file of its own."""

    width: float
    height: float
    panels: list[Panel]
    legend: list[LegendEntry]


_TITLE, _GAP, _LETTER, _ENTRY = 26, 14, 7.6, 18  # pixels, of a font of 13


def figure(
    charts: Sequence[tuple[str, LineChart | ScatterChart] | None],
    columns: int,
    width: float,
    names: Sequence[str] = (),
) -> Figure:
    """Return charts in rows of so many.

    Parameters
    ----------
    charts : sequence of (title, chart)
        None leaves a place empty. All have the proportions of the first.
    columns : int
    width : float
        Of one chart, in pixels.
    names : sequence of str
        Groups for a legend on the right.
    """
    first = next(one[1] for one in charts if one is not None)
    height = width * first.height / first.width
    panels = [
        Panel(
            *one,
            _GAP + number % columns * (width + _GAP),
            _TITLE + number // columns * (height + _TITLE + _GAP),
            width,
            height,
        )
        for number, one in enumerate(charts)
        if one is not None
    ]
    right = _GAP + columns * (width + _GAP)
    legend = [
        LegendEntry(name, group_look(number), right, _TITLE + _ENTRY * (number + 0.5))
        for number, name in enumerate(names)
    ]
    longest = max(map(len, names), default=0)
    rows = -(-len(charts) // columns)
    return Figure(
        right + (_ENTRY + _LETTER * longest + _GAP if names else 0),
        max(rows * (height + _TITLE + _GAP), _TITLE + _ENTRY * len(names) + _GAP),
        panels,
        legend,
    )


def svg(drawn: Figure) -> str:
    """Return a figure as an SVG picture that needs nothing else."""
    return "".join(render("figure.svg", figure=drawn))
