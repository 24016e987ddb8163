"""Lines over steps as an SVG that takes its colours and letters from the page it stands on."""

import html
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_WIDTH, _HEIGHT = 520, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 132, 14, 44
_SMALLEST = 1e-300
_LINE = 15  # between the names of lines that end side by side
_COLOURS = ("#d6453d", "#3f7fd0", "#8a8a8a", "#b08c1a", "#2f9e6e", "#a35bb5", "#d07a2a", "#4f9fb0")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 2", "1 2", "12 4", "3 5")
STYLE = (
    ".chart{width:100%;height:auto;max-width:36rem;display:block;font:13px system-ui,sans-serif}"
    ".chart text{fill:currentColor}.chart .grid{stroke:currentColor;opacity:.15}"
    ".chart .axis{stroke:currentColor;opacity:.6}.chart polyline{fill:none;stroke-width:2.2}"
    ".chart polyline.thin{stroke-width:1.1}@media(max-width:600px){.chart{font-size:15px}}"
    + "".join(f".chart .s{n}{{stroke:{colour}}}" for n, colour in enumerate(_COLOURS))
    + "".join(f".chart text.t{n}{{fill:{colour}}}" for n, colour in enumerate(_COLOURS))
)


class Line(NamedTuple):
    """A named line through points; its colour, and whether it is a variant that is drawn thin."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int = 0
    thin: bool = False


def line_chart(
    lines: Sequence[Line], x_label: str, y_label: str, description: str, percent: bool = False
) -> str:
    """Return the lines as SVG; :data:`STYLE` must be on the page.

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
    scale = _Scale(min(xs), max(xs), min(y_ticks[0], *ys), max(y_ticks[-1], *ys))
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{html.escape(description, quote=True)}">'
    ]
    for tick in y_ticks:
        y = scale.y(tick)
        shown = f"{tick:.0%}" if percent else f"{tick:g}"
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'
        )
    floor = _HEIGHT - _BOTTOM
    parts += [
        f'<text x="{scale.x(tick):.1f}" y="{floor + 16}" text-anchor="middle">{tick:g}</text>'
        for tick in x_ticks
        if scale.left <= tick <= scale.right
    ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts += [
        f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{floor}" y2="{floor}"/>',
        f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{html.escape(x_label)}</text>',
        f'<text transform="translate(13 {(_TOP + floor) / 2}) rotate(-90)" '
        f'text-anchor="middle">{html.escape(y_label)}</text>',
    ]
    for line in lines:
        points = " ".join(
            f"{scale.x(x):.1f},{scale.y(y):.1f}"
            for x, y in zip(line.x, line.y, strict=True)
            if math.isfinite(y)
        )
        look = line.colour % len(_COLOURS)
        kind = f"s{look} thin" if line.thin else f"s{look}"
        parts.append(
            f'<polyline class="{kind}" stroke-dasharray="{_DASHES[look]}" points="{points}"/>'
        )
    ends = [scale.y(line.y[-1]) for line in lines]
    for line, y in zip(lines, _spread_apart(ends), strict=True):
        look, name = line.colour % len(_COLOURS), line.name
        shown = name if len(name) <= 17 else name[:16] + "…"
        parts.append(
            f'<text class="t{look}" x="{_WIDTH - _RIGHT + 7}" y="{y + 4:.1f}">'
            f"{html.escape(shown)}</text>"
        )
    return "".join([*parts, "</svg>"])


class _Scale(NamedTuple):
    """From values to places on the picture."""

    left: float
    right: float
    low: float
    high: float

    def x(self, value: float) -> float:
        wide = _WIDTH - _LEFT - _RIGHT
        return _LEFT + wide * (value - self.left) / ((self.right - self.left) or 1)

    def y(self, value: float) -> float:
        tall = _HEIGHT - _TOP - _BOTTOM
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


def _spread_apart(places: Sequence[float]) -> list[float]:
    """Return the places moved so far that no two names overlap, in the same order."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    result = list(places)
    for before, after in pairwise(order):
        result[after] = max(result[after], result[before] + _LINE)
    over = max(0.0, result[order[-1]] - (_HEIGHT - _BOTTOM + 2))
    return [place - over for place in result]
