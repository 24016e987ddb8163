"""The paper's figures: the charts of the page, and an SVG file of each."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from whyword.base.files import save_or_return
from whyword.explanation.explanation import Explanation
from whyword.pages.charts import (
    Figure,
    Line,
    LineChart,
    ScatterChart,
    figure,
    line_chart,
    scatter_chart,
    svg,
)
from whyword.pages.render import render
from whyword.reports import paper

SIDES = {  # rows of Table 2 whose accuracies over K are shown
    "CNN2": ("CNN2 LRP (ew)", "CNN2 SA (ew)", "word vectors TFIDF", "word vectors uniform"),
    "SVM": ("SVM LRP", "SVM SA", "BoW TFIDF", "BoW uniform"),
}
EXPERIMENTS = ("1", "2", "3")
GROUPS = tuple(sorted(set(paper.GROUPS.values())))
_LINES, _PLANE = 430, 210  # pixels of a chart in a file


def write_figures(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write every figure; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        **{f"heatmap-{slug(name)}": picture for name, picture in _heatmaps(results)},
        "deletion": svg(deletion_figure(results["deletion"])),
        "neighbours": svg(neighbour_figure(results["powers"])),
        "planes": svg(plane_figure(results["planes"])),
        **{f"words-{slug(name)}": word_figure(one) for name, one in results["words"].items()},
    }
    return [Path(save_or_return(one, folder / f"{name}.svg")) for name, one in pictures.items()]


def weighting(name: str) -> str:
    """Return by what a row of Table 2 weighs words."""
    return next(row.weighting for row in paper.POWERS if row.name == name)


def slug(name: str) -> str:
    """Return a name as part of a file's."""
    return re.sub(r"\W+", "-", name.lower())


def _heatmaps(results: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, one in results["heatmaps"].items():
        yield name, Explanation.from_json(one["explanation"]).to_svg()


# ---- one chart each ---------------------------------------------------------------------------


def areas(curves: Mapping[str, Any]) -> str:
    """Return the areas under deletion curves in words."""
    return ", ".join(f"{paper.METHODS[name]} {one['area']:.3f}" for name, one in curves.items())


def deletion_chart(curves: Mapping[str, Any]) -> LineChart:
    """Return accuracy over the words deleted, a line for each method."""
    lines = [
        Line(paper.METHODS[method], range(len(curve["accuracy"])), curve["accuracy"], colour)
        for colour, (method, curve) in enumerate(curves.items())
    ]
    return line_chart(lines, "words deleted", "accuracy", f"Areas: {areas(curves)}", percent=True)


def neighbour_chart(side: str, rows: Mapping[str, Any]) -> LineChart:
    """Return KNN accuracy over the number of neighbours, for one side of Table 2."""
    lines = [
        Line(weighting(name), rows[name]["neighbours"], rows[name]["curve"], colour)
        for colour, name in enumerate(SIDES[side])
    ]
    return line_chart(lines, "neighbours, K", "accuracy", side, percent=True)


def plane_chart(name: str, plane: Mapping[str, Any]) -> ScatterChart:
    """Return the documents on their first two principal components, coloured by group."""
    groups = [paper.group_of(label) for label in plane["labels"]]
    return scatter_chart(plane["points"], groups, GROUPS, f"{name}: the posts on a plane")


# ---- and together -----------------------------------------------------------------------------


def deletion_figure(networks: Mapping[str, Any]) -> Figure:
    """Return accuracies over deleted words: experiments down, networks across."""
    charts = [
        (f"{name}, experiment {number}", deletion_chart(experiments[number]["curves"]))
        if number in experiments
        else None
        for number in EXPERIMENTS
        for name, experiments in networks.items()
    ]
    return figure(charts, len(networks), _LINES)


def neighbour_figure(rows: Mapping[str, Any]) -> Figure:
    """Return KNN accuracy over the number of neighbours, for CNN2 and for the SVM."""
    return figure([(side, neighbour_chart(side, rows)) for side in SIDES], len(SIDES), _LINES)


def plane_figure(planes: Mapping[str, Any]) -> Figure:
    """Return the documents on their first two principal components: CNN2 above, SVM below."""
    columns = list(dict.fromkeys(row.weighting for row in paper.POWERS))
    places: list[tuple[str, ScatterChart] | None] = [None] * (2 * len(columns))
    for name, one in planes.items():
        row = int(name.startswith(("SVM", "BoW")))
        places[row * len(columns) + columns.index(weighting(name))] = name, plane_chart(name, one)
    return figure(places, len(columns), _PLANE, GROUPS)


def word_figure(words: Mapping[str, Any]) -> str:
    """Return the class words of the paper's three classes as SVG, unseen ones underlined."""
    classes = [(label, words[label]) for label in paper.WORD_CLASSES]
    return "".join(render("word_lists.svg", classes=classes))
