"""The paper's figures as files: SVG and PNG of each."""

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from whyword.base.errors import MissingExtraError
from whyword.base.files import atomic_write
from whyword.explanation.explanation import Explanation
from whyword.reports import paper

KINDS = ("svg", "png")
LOOKS = {  # colour and dashes of a line, by method
    "lrp": ("#d6453d", "-"),
    "sensitivity": ("#3f7fd0", "--"),
    "random": ("#8a8a8a", ":"),
    "random_known": ("#b08c1a", "-."),
}
SIDES = {  # rows of Table 2 whose accuracies over K are shown
    "CNN2": ("CNN2 LRP (ew)", "CNN2 SA (ew)", "word vectors TFIDF", "word vectors uniform"),
    "SVM": ("SVM LRP", "SVM SA", "BoW TFIDF", "BoW uniform"),
}
_COLOURS = ("#d6453d", "#3f7fd0", "#2f9e6e", "#8a8a8a")
GROUP_COLOURS = {
    "comp": "#d6453d",
    "misc": "#3f7fd0",
    "politics": "#2f9e6e",
    "rec": "#b08c1a",
    "religion": "#a35bb5",
    "sci": "#555555",
}


def write_figures(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write every figure in every kind; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, explanation in _heatmaps(results):
        explanation.to_svg(folder / f"{name}.svg")
        explanation.to_png(folder / f"{name}.png")
        written += [folder / f"{name}.{kind}" for kind in KINDS]
    for name, figure in (
        ("deletion", deletion_figure(results["deletion"])),
        ("neighbours", neighbour_figure(results["powers"])),
        ("planes", plane_figure(results["planes"])),
        *((f"words-{slug(name)}", word_figure(one)) for name, one in results["words"].items()),
    ):
        for kind in KINDS:
            path = folder / f"{name}.{kind}"
            with atomic_write(path) as draft:
                figure.savefig(draft, format=kind, dpi=150)
            written.append(path)
    return written


def weighting(name: str) -> str:
    """Return by what a row of Table 2 weighs words."""
    return next(row.weighting for row in paper.POWERS if row.name == name)


def slug(name: str) -> str:
    """Return a name as part of a file's."""
    return re.sub(r"\W+", "-", name.lower())


def _heatmaps(results: Mapping[str, Any]) -> Iterator[tuple[str, Explanation]]:
    for name, one in results["heatmaps"].items():
        yield f"heatmap-{slug(name)}", Explanation.from_json(one["explanation"])


def _figure(width: float, height: float) -> Any:  # noqa: ANN401 - matplotlib has its own types
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures") from None
    return Figure(figsize=(width, height), layout="constrained")


def deletion_figure(networks: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a Figure
    """Return accuracies over deleted words: experiments down, networks across."""
    figure = _figure(11, 9)
    grid = figure.subplots(3, len(networks), squeeze=False)
    for column, (name, experiments) in enumerate(networks.items()):
        for row, number in enumerate(("1", "2", "3")):
            axes = grid[row][column]
            for method, curve in experiments.get(number, {"curves": {}})["curves"].items():
                colour, dashes = LOOKS[method]
                axes.plot(
                    curve["accuracy"], color=colour, linestyle=dashes, label=paper.METHODS[method]
                )
            axes.set_title(f"{name}, experiment {number}", fontsize=10)
            axes.set_xlabel("words deleted")
            axes.set_ylabel("accuracy")
            axes.grid(alpha=0.3)
    grid[0][0].legend(fontsize=8)
    return figure


def neighbour_figure(rows: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a Figure
    """Return KNN accuracy over the number of neighbours, for CNN2 and for the SVM."""
    figure = _figure(10, 4)
    for axes, (title, names) in zip(figure.subplots(1, 2, sharey=True), SIDES.items(), strict=True):
        for name, colour in zip(names, _COLOURS, strict=True):
            row = rows[name]
            axes.plot(row["neighbours"], row["curve"], color=colour, label=weighting(name))
        axes.set_title(title)
        axes.set_xlabel("neighbours, K")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return figure


def plane_figure(planes: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a Figure
    """Return the documents on their first two principal components: CNN2 above, SVM below."""
    figure = _figure(16, 5.6)
    columns = list(dict.fromkeys(row.weighting for row in paper.POWERS))
    grid = figure.subplots(2, len(columns))
    for axes in grid.ravel():
        axes.axis("off")
    for name, one in planes.items():
        row = int(name.startswith(("SVM", "BoW")))
        axes = grid[row][columns.index(weighting(name))]
        axes.axis("on")
        axes.set_title(name, fontsize=10)
        handles = _scatter(axes, one, 3)
    figure.legend(*handles, loc="outside right", markerscale=4)
    return figure


def plane_picture(plane: Mapping[str, Any]) -> bytes:
    """Return one plane as a PNG, without words."""
    figure = _figure(2.6, 2.6)
    axes = figure.subplots()
    _scatter(axes, plane, 2)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=130)
    return stream.getvalue()


def _scatter(axes: Any, plane: Mapping[str, Any], size: float) -> tuple[list[Any], list[str]]:  # noqa: ANN401 - matplotlib's
    """Draw the documents, coloured by group; return handles and names for a legend."""
    points = np.array(plane["points"])
    groups = np.array([paper.group_of(label) for label in plane["labels"]])
    for group, colour in GROUP_COLOURS.items():
        x, y = points[groups == group].T
        axes.scatter(
            x, y, s=size, alpha=0.5, linewidths=0, color=colour, label=group, rasterized=True
        )
    axes.set_xticks([])
    axes.set_yticks([])
    handles: tuple[list[Any], list[str]] = axes.get_legend_handles_labels()
    return handles


def word_figure(words: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a Figure
    """Return the class words of the paper's three classes, unseen ones underlined."""
    figure = _figure(9, 7)
    axes = figure.subplots()
    axes.axis("off")
    for column, label in enumerate(paper.WORD_CLASSES):
        axes.text(column / 3, 1, label, weight="bold", transform=axes.transAxes)
        for row, (word, relevance, seen) in enumerate(words[label]):
            place = (column / 3, 0.965 - row * 0.0325)
            shown = word if seen else "".join(f"{letter}\N{COMBINING LOW LINE}" for letter in word)
            line = f"{shown} ({relevance:.1f})".replace("$", r"\$")
            axes.text(*place, line, size=9, transform=axes.transAxes)
    return figure
