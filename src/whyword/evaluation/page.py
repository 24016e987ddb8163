"""An evaluation as one self-contained page: what ``pages/templates/evaluation.html`` shows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from whyword.evaluation.comparison import Comparison, of_best
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.findings import Findings
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.evaluation.steps import shown_steps
from whyword.explanation.heatmap import LEVELS
from whyword.pages.charts import Line, LineChart, line_chart
from whyword.pages.layout import Table, table
from whyword.pages.render import count, fixed, percent, render

_MOST_CLASSES = 40  # of a confusion matrix that is still readable
_CONFUSIONS = 20


def evaluation_page(evaluation: Findings, title: str = "Evaluation") -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    evaluation : Findings
    title : str
        Of what: the model's and the corpus's name.
    """
    quality, settings = evaluation.quality, evaluation.settings
    return render(
        "evaluation.html",
        title=title,
        kind=evaluation.kind,
        identity=(evaluation.model or "")[:12],
        source=settings.get("source"),
        remarks=evaluation.remarks,
        quality=quality,
        copies=evaluation.copies,
        classes=_classes(quality),
        **_of_kind(quality),
        least_words=settings.get("least_words"),
        deletions=[_deletion(evaluation, number) for number in evaluation.curves],
        power=_power(evaluation) if evaluation.powers else None,
        sanity=_sanity(evaluation) if evaluation.checks else None,
        settings=settings_line(settings),
        seconds=sum(evaluation.seconds.values()),
    )


def settings_line(settings: Mapping[str, Any]) -> str:
    """Return in one line what was asked for, without what was left open."""
    said = {name: value for name, value in settings.items() if value not in ("", None)}
    if "methods" in said:
        said["methods"] = ", ".join(said["methods"])
    if "steps" in said:
        said["steps"] = shown_steps(said["steps"])
    return "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in said.items())


# ---- the model --------------------------------------------------------------------------------


class Cell(NamedTuple):
    """A number of a confusion matrix, and the class of its colour."""

    n_documents: int
    colour: str


class MatrixRow(NamedTuple):
    """The predictions for documents of one true class."""

    label: str
    cells: list[Cell]


def _of_kind(quality: ModelQuality | MultiLabelQuality) -> dict[str, object]:
    """Return what only models that predict a class have, or those that predict several labels."""
    if isinstance(quality, MultiLabelQuality):
        return {"several": True, "calibration": None, "matrix": None, "mistakes": None}
    return {
        "several": False,
        "calibration": _calibration(quality) if len(quality.bins) > 1 else None,
        "matrix": _matrix(quality) if len(quality.classes) <= _MOST_CLASSES else None,
        "mistakes": _mistakes(quality),
    }


def _calibration(quality: ModelQuality) -> LineChart:
    confidence = [one.confidence for one in quality.bins]
    lines = [
        Line("here", confidence, [one.accuracy for one in quality.bins]),
        Line("perfect", confidence, confidence, 2),
    ]
    said = "Share of right predictions by their probability"
    return line_chart(lines, "probability of the predicted class", "right", said, percent=True)


def _classes(quality: ModelQuality | MultiLabelQuality) -> Table:
    rows = [
        [
            str(one.label),
            fixed(one.precision, 3),
            fixed(one.recall, 3),
            fixed(one.f1, 3),
            count(one.n_documents),
        ]
        for one in quality.classes
    ]
    kind = "label" if isinstance(quality, MultiLabelQuality) else "class"
    return table([kind, "precision", "recall", "F1", "documents"], rows)


def _matrix(quality: ModelQuality) -> list[MatrixRow]:
    """Return the confusions, right ones blue and wrong ones red, as far as they are frequent."""
    rows = []
    for number, (one, row) in enumerate(zip(quality.classes, quality.confusion, strict=True)):
        cells = []
        for column, documents in enumerate(row.tolist()):
            level = round(LEVELS * documents / max(1, one.n_documents))
            colour = f"{'n' if column == number else 'p'}{level}" if level else ""
            cells.append(Cell(documents, colour))
        rows.append(MatrixRow(str(one.label), cells))
    return rows


def _mistakes(quality: ModelQuality) -> Table:
    wrong = quality.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_CONFUSIONS]
    rows = []
    for true, predicted in zip(*np.unravel_index(order, wrong.shape), strict=True):
        documents = int(wrong[true, predicted])
        if documents:
            one, other = quality.classes[int(true)], quality.classes[int(predicted)]
            share = percent(documents / one.n_documents, 1)
            rows.append([str(one.label), str(other.label), count(documents), share])
    return table(["true class", "predicted", "documents", "of the class"], rows)


# ---- the explanations -------------------------------------------------------------------------


class Verdicts(NamedTuple):
    """What comparisons say: those with the best in short, all of them in full."""

    of_best: list[str]
    all: list[str]


class Deletion(NamedTuple):
    """One experiment of word deletion."""

    number: int
    size: str
    chart: LineChart
    table: Table
    verdicts: Verdicts


class Power(NamedTuple):
    """Explanatory power."""

    chart: LineChart
    table: Table
    verdicts: Verdicts


def _deletion(evaluation: Findings, number: int) -> Deletion:
    curves = evaluation.curves[number]
    return Deletion(
        number,
        next(iter(curves.values())).size,
        deletion_chart(
            curves, "Areas: " + ", ".join(f"{n} {curve.area:.3f}" for n, curve in curves.items())
        ),
        _curve_table(list(curves.values())),
        _verdicts(evaluation.curve_comparisons[number]),
    )


def deletion_chart(curves: Mapping[str, DeletionCurve], description: str) -> LineChart:
    """Return accuracy over the words deleted, a line for each method."""
    lines = [
        Line(name, curve.steps.tolist(), curve.accuracy.tolist(), number)
        for number, (name, curve) in enumerate(curves.items())
    ]
    return line_chart(lines, "words deleted", "accuracy", description, percent=True)


def _curve_table(curves: Sequence[DeletionCurve]) -> Table:
    better = curves[0].better
    choose = min if better == "lower" else max
    best = choose(curve.area for curve in curves) if better else None
    rows = [
        [
            curve.method,
            fixed(curve.area, 4) + (f" ± {fixed(curve.deviation, 4)}" if curve.runs > 1 else ""),
            fixed(curve.aopc, 3),
            fixed(curve.comprehensiveness, 3),
            fixed(curve.sufficiency, 3),
        ]
        for curve in curves
    ]
    head = ["method", "area", "AOPC", "comprehen\u00adsiveness", "suffi\u00adciency"]
    return table(head, rows, [curve.area == best for curve in curves])


def _power(evaluation: Findings) -> Power:
    powers = evaluation.powers
    colours = {name: number for number, name in enumerate(evaluation.settings["methods"])}
    lines = [
        Line(
            name,
            power.neighbours.tolist(),
            power.curve.tolist(),
            colours.setdefault(name.removesuffix(" (ew)"), len(colours)),
            thin=not name.endswith(" (ew)") and f"{name} (ew)" in powers,
        )
        for name, power in powers.items()
    ]
    said = "Best: " + ", ".join(f"{name} {power.epi:.3f}" for name, power in powers.items())
    best = max(power.epi for power in powers.values())
    rows = [
        [name, f"{fixed(power.epi, 4)} ± {fixed(power.deviation, 4)}", str(power.k)]
        for name, power in powers.items()
    ]
    return Power(
        line_chart(lines, "neighbours, K", "accuracy", said, percent=True),
        table(["by", "EPI", "K"], rows, [power.epi == best for power in powers.values()]),
        _verdicts(evaluation.power_comparisons),
    )


def _sanity(evaluation: Findings) -> Table:
    rows = [
        [
            name,
            "the output layer's" if "output" in check.name else "all",
            fixed(check.agreement.to_dict()["rank_correlation"], 3),
            f"{percent(check.agreement.overlap)} ({percent(check.agreement.chance)} by chance)",
            "depends on them" if check.passed else "hardly depends on them",
        ]
        for name, checks in evaluation.checks.items()
        for check in checks
    ]
    top = next(iter(evaluation.checks.values()))[0].agreement.top
    head = ["method", "weights", "rank correlation", f"common among the top {top}", ""]
    return table(head, rows)


def _verdicts(comparisons: Sequence[Comparison]) -> Verdicts:
    best, others = of_best(comparisons)
    return Verdicts([one.headline for one in best], [one.verdict for one in [*best, *others]])
