"""Heatmaps as pictures: one layout on a grid of letters, drawn as SVG or PNG.

The PNG is drawn by matplotlib, which finds fonts and brings one of its own.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len

from whyword.base.checks import join_names
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.printable import one_line, visible
from whyword.explanation.direction import signs_apart, starts_right_to_left, visual_order
from whyword.explanation.fonts import DrawnFont
from whyword.explanation.heatmap import (
    AGAINST,
    FAINTEST,
    FOR,
    LEVELS,
    STRONGEST,
    Heatmap,
    Kind,
    Panel,
    number,
)
from whyword.pages.render import render

log = logging.getLogger(__name__)

_LETTER, _LINE, _MARGIN = 8.43, 22.0, 16.0  # of a monospaced font of 14 pixels
_SIZE = 14
_WIDEST = 90  # letters in a line
_TAIL = 1_000  # letters shown of what the model did not read
_HIGHEST = 30_000  # pixels of a PNG
_PARTS = re.compile(r"\n|[^\S\n]+|[^\s]+")
_INK, _PALE, _PALEST, _PAPER = "#111111", "#707070", "#aaaaaa", "#ffffff"


class Run(NamedTuple):
    """Letters in one style, at a place on the grid."""

    text: str
    kind: Kind
    level: int
    hint: str
    column: int = 0

    @property
    def cells(self) -> int:
        """How many columns it takes."""
        return cell_len(self.text)


class Box(NamedTuple):
    """A coloured rectangle, in pixels."""

    x: float
    y: float
    width: float
    height: float
    colour: tuple[int, int, int]
    opacity: float

    @property
    def hex(self) -> str:
        """The colour as SVG has it."""
        return f"#{bytes(self.colour).hex()}"


class Label(NamedTuple):
    """A piece of text with its baseline, in pixels."""

    x: float
    y: float
    width: float
    text: str
    ink: str
    bold: bool
    underlined: bool
    hint: str


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a picture consists of."""

    width: float
    height: float
    boxes: list[Box] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)


def svg(heatmap: Heatmap) -> str:
    """Return the heatmap as an SVG picture that needs nothing else."""
    return "".join(render("heatmap.svg", drawing=_lay_out(heatmap), paper=_PAPER, size=_SIZE))


def write_png(heatmap: Heatmap, path: Path, dots: int = 2) -> None:
    """Draw the heatmap into a PNG file, with so many dots per pixel."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import FancyBboxPatch
    except ImportError:
        raise MissingExtraError("matplotlib", "figures") from None
    _check_height(_least_height(heatmap))
    drawing = _lay_out(heatmap)
    _check_height(drawing.height)
    figure = Figure(figsize=(drawing.width / 72, drawing.height / 72), facecolor=_PAPER)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for box in drawing.boxes:
        axes.add_patch(
            FancyBboxPatch(
                (box.x, box.y),
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=3",
                facecolor=[channel / 255 for channel in box.colour],
                alpha=box.opacity,
                linewidth=0,
            )
        )
    fonts = {bold: DrawnFont("monospace", _SIZE, bold) for bold in (False, True)}
    _say_what_is_missing(fonts[False].missing("".join(label.text for label in drawing.labels)))
    for label in drawing.labels:
        font = fonts[label.bold]
        axes.text(
            label.x,
            label.y,
            font.on_grid(label.text),
            fontproperties=font.properties,
            color=label.ink,
            parse_math=False,
        )
        if label.underlined:
            under = (label.y + 3, label.y + 3)
            axes.plot((label.x, label.x + label.width), under, color=label.ink, linewidth=0.8)
    figure.savefig(path, dpi=72 * dots, format="png")


def _say_what_is_missing(letters: set[str]) -> None:
    if letters:
        log.info(
            "the picture has boxes for %d letters that no font here has (%s): install a font of "
            "that script, or take SVG or HTML",
            len(letters),
            join_names(sorted(letters), 6),
        )


def _check_height(height: float) -> None:
    if height > _HIGHEST:
        raise InputError(
            f"the text is too long for a PNG ({height:,.0f} pixels high, at most {_HIGHEST:,}); "
            "take HTML or SVG"
        )


def _least_height(heatmap: Heatmap) -> float:
    """Return what the picture will at least be high, before a long text is laid out."""
    length = _read_length(heatmap)
    lines = max(heatmap.text.count("\n", 0, length), length // _WIDEST)
    return lines * _LINE * -(-len(heatmap.panels) // 2)


def _read_length(heatmap: Heatmap) -> int:
    if not heatmap.truncated:
        return len(heatmap.text)
    return int(heatmap.spans[-1, 1]) if len(heatmap.spans) else 0


# ---- the layout -------------------------------------------------------------------------------


def _lay_out(heatmap: Heatmap) -> Drawing:
    across = min(2, len(heatmap.panels))
    columns = _WIDEST if across == 1 else 62
    wide = columns * _LETTER
    labels: list[Label] = []
    boxes: list[Box] = []
    y = _MARGIN

    def put(text: str, x: float, ink: str = _INK, bold: bool = False, most: int = columns) -> None:
        for line in _wrap(one_line(text), most):
            nonlocal y
            y += _LINE
            labels.append(Label(x, y - 6, cell_len(line) * _LETTER, line, ink, bold, False, ""))

    if heatmap.title:
        put(heatmap.title, _MARGIN, bold=True, most=columns * across)
    for remark in heatmap.remarks:
        put(remark, _MARGIN, most=columns * across)
    put(_legend(heatmap), _MARGIN, _PALE, most=columns * across)
    for first in range(0, len(heatmap.panels), across):
        top, bottom = y + _LINE / 2, y
        for place, panel in enumerate(heatmap.panels[first : first + across]):
            x, y = _MARGIN + place * (wide + 2 * _MARGIN), top
            put(panel.title, x, bold=True)
            put(panel.note, x, _PALE)
            for line in _lines(heatmap, panel, columns):
                y += _LINE
                for run in line:
                    _place_run(run, x, y, boxes, labels)
            bottom = max(bottom, y)
        y = bottom
    width = across * wide + 2 * _MARGIN * across
    return Drawing(width, y + _MARGIN, boxes, labels)


def _legend(heatmap: Heatmap) -> str:
    full = number(heatmap.full)
    legend = f"red: for the target (up to {full}), blue and underlined: against"
    if not heatmap.known.all():
        legend += "; grey: unknown to the model"
    if heatmap.unread_words:
        legend += f"; light grey: not read ({heatmap.unread_words:,} words)"
    return legend


_INKS = {Kind.UNKNOWN: _PALE, Kind.BEYOND: _PALEST, Kind.UNREAD: _PALEST}


def _place_run(run: Run, x: float, y: float, boxes: list[Box], labels: list[Label]) -> None:
    left, width = x + run.column * _LETTER, run.cells * _LETTER
    if run.level:
        colour = FOR if run.level > 0 else AGAINST
        share = STRONGEST * abs(run.level) / LEVELS
        boxes.append(Box(left, y - _LINE + 3, width, _LINE - 4, colour, share))
    ink = _INKS.get(run.kind, _INK)
    if run.text.strip():
        labels.append(
            Label(left, y - 6, width, run.text, ink, False, run.level <= -FAINTEST, run.hint)
        )


def _wrap(text: str, columns: int) -> list[str]:
    lines = [""]
    for part in _PARTS.findall(text):
        if cell_len(lines[-1] + part) > columns and lines[-1].strip():
            lines.append("")
        lines[-1] += part if lines[-1] or part.strip() else ""
    return lines if text else []


def _runs(heatmap: Heatmap, panel: Panel) -> Iterator[Run]:
    """Yield words, what stands between them, single spaces and line ends."""
    levels = heatmap.levels(panel).tolist()
    for piece in heatmap.pieces():
        level, hint = 0, ""
        if piece.word >= 0:
            level = levels[piece.word]
            hint = f"{one_line(piece.text)}: {number(float(panel.values[piece.word]))}"
        text = piece.text
        if piece.kind is Kind.BEYOND and len(text) > _TAIL:
            text = text[:_TAIL] + " …"
        for part in _PARTS.findall(visible(text)):
            for run in signs_apart(part.replace("\t", "    ")):
                yield Run(run, piece.kind, level, hint)


def _lines(heatmap: Heatmap, panel: Panel, columns: int) -> Iterator[list[Run]]:
    """Yield lines of at most so many columns, broken between words where that is possible."""
    line: list[Run] = []
    at = 0
    from_right = None  # which way the paragraph runs, by its first letter
    for is_space, group in groupby(_runs(heatmap, panel), lambda run: run.text.isspace()):
        cluster = list(group)
        size = sum(run.cells for run in cluster)
        if not is_space and at and at + size > columns:
            yield _in_place(line, columns, bool(from_right))
            line, at = [], 0
        for run in cluster:
            if run.text == "\n":
                yield _in_place(line, columns, bool(from_right))
                line, at, from_right = [], 0, None
                continue
            if is_space and at + run.cells > columns:
                continue  # the line ends here, or in the word that follows
            for part in _cut(run, columns):
                if at + part.cells > columns:
                    yield _in_place(line, columns, bool(from_right))
                    line, at = [], 0
                if from_right is None:
                    from_right = starts_right_to_left(part.text)
                line.append(part)
                at += part.cells
    yield _in_place(line, columns, bool(from_right))


def _cut(run: Run, columns: int) -> Iterator[Run]:
    """Yield the run in parts that fit a line."""
    text = ""
    for letter in run.text:
        if cell_len(text + letter) > columns:
            yield run._replace(text=text)
            text = ""
        text += letter
    if text:
        yield run._replace(text=text)


def _in_place(line: list[Run], columns: int, from_right: bool) -> list[Run]:
    """Return the runs, in the order in which they are read, with the columns they stand in."""
    at = columns - sum(run.cells for run in line) if from_right else 0
    placed = list(line)
    for place, text in visual_order([run.text for run in line], from_right):
        placed[place] = line[place]._replace(text=text, column=at)
        at += line[place].cells
    return placed
