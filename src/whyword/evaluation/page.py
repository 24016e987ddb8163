"""An evaluation as one self-contained page."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from whyword.base.printable import html_line
from whyword.evaluation.comparison import Comparison, of_best
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.findings import Findings
from whyword.evaluation.quality import ModelQuality
from whyword.explanation import heatmap
from whyword.pages.charts import Line, line_chart
from whyword.pages.layout import STYLE, table

_MOST_CLASSES = 40  # of a confusion matrix that is still readable
_CONFUSIONS = 20
_EXPERIMENTS = {
    1: (
        "Right documents, most relevant words first",
        "Of documents that are predicted right, the words most relevant for the true class go. "
        "The faster accuracy falls, the better the words were chosen.",
    ),
    2: (
        "Wrong documents, least relevant words first",
        "Of documents that are predicted wrong, the words that speak most against the true class "
        "go. The higher accuracy rises, the better they were chosen.",
    ),
    3: (
        "Wrong documents, what misled the model first",
        "Of documents that are predicted wrong, the words most relevant for the wrongly predicted "
        "class go. The higher accuracy rises, the better they were chosen.",
    ),
}


def evaluation_page(evaluation: Findings, title: str = "Evaluation") -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    evaluation : Findings
    title : str
        Of what: the model's and the corpus's name.
    """
    yield heatmap.page_head(title, STYLE)
    yield f'<main class="ww"><h1>{html_line(title)}</h1>'
    identity = "" if evaluation.model is None else f", identity {evaluation.model[:12]}"
    source = evaluation.settings.get("source")
    yield (
        f'<p class="facts">{html_line(evaluation.kind)}{identity}; '
        f"{evaluation.quality.n_documents:,} documents, {len(evaluation.classes)} classes"
        f"{html_line(f' ({source})' if source else '')}.</p>"
    )
    if evaluation.remarks:
        remarks = "".join(f"<li>{html_line(remark)}</li>" for remark in evaluation.remarks)
        yield f"<ul>{remarks}</ul>"
    yield from _model(evaluation.quality)
    yield from _deletion(evaluation)
    yield from _power(evaluation)
    yield from _sanity(evaluation)
    yield from _how(evaluation)
    yield f"</main>{heatmap.PAGE_END}"


# ---- the model --------------------------------------------------------------------------------


def _model(quality: ModelQuality) -> Iterator[str]:
    yield "<h2>The model</h2><ul class='tiles'>"
    for value, name in (
        (f"{quality.accuracy:.2%}", "accuracy"),
        (f"{quality.macro_f1:.4f}", "macro-F1"),
        (f"{quality.calibration_error:.4f}", "calibration error"),
    ):
        yield f"<li><b>{value}</b><span>{name}</span></li>"
    yield "</ul><p>An explanation says what the model does, right or wrong. "
    yield (
        "Calibration error: how far, on average, the probability of the predicted class is from "
        "the share of such predictions that are right.</p>"
    )
    if len(quality.bins) > 1:
        yield "<details><summary>Calibration</summary>"
        confidence = [one.confidence for one in quality.bins]
        lines = [
            Line("here", confidence, [one.accuracy for one in quality.bins]),
            Line("perfect", confidence, confidence, 2),
        ]
        title = "Share of right predictions by their probability"
        yield line_chart(lines, "probability of the predicted class", "right", title, percent=True)
        yield "</details>"
    yield "<details open><summary>Each class</summary>"
    rows = [
        [
            html_line(str(one.label)),
            f"{one.precision:.3f}",
            f"{one.recall:.3f}",
            f"{one.f1:.3f}",
            f"{one.n_documents:,}",
        ]
        for one in quality.classes
    ]
    yield table(["class", "precision", "recall", "F1", "documents"], rows)
    yield "</details>"
    if len(quality.classes) <= _MOST_CLASSES:
        yield "<details><summary>Confusions: true classes down, predicted across</summary>"
        yield _matrix(quality)
        yield "</details>"
    yield "<details><summary>The most frequent mistakes</summary>"
    yield table(["true class", "predicted", "documents", "of the class"], _mistakes(quality))
    yield "</details>"


def _matrix(quality: ModelQuality) -> str:
    numbers = range(1, len(quality.classes) + 1)
    head = "".join(f'<th scope="col">{number}</th>' for number in numbers)
    rows = []
    for number, (one, row) in enumerate(zip(quality.classes, quality.confusion, strict=True), 1):
        cells = []
        for column, count in enumerate(row.tolist(), 1):
            level = round(heatmap.LEVELS * count / max(1, one.n_documents))
            kind = "n" if column == number else "p"
            look = f' class="{kind}{level}"' if level else ""
            cells.append(f"<td{look}>{count or ''}</td>")
        name = f'<th scope="row">{html_line(str(one.label))} {number}</th>'
        rows.append(f"<tr>{name}{''.join(cells)}</tr>")
    return (
        f'<div class="scroll"><table class="matrix"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _mistakes(quality: ModelQuality) -> list[list[str]]:
    wrong = quality.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_CONFUSIONS]
    result = []
    for true, predicted in zip(*np.unravel_index(order, wrong.shape), strict=True):
        count = int(wrong[true, predicted])
        if count:
            one = quality.classes[int(true)]
            other = quality.classes[int(predicted)]
            share = f"{count / one.n_documents:.1%}"
            result.append(
                [html_line(str(one.label)), html_line(str(other.label)), f"{count:,}", share]
            )
    return result


# ---- the explanations -------------------------------------------------------------------------


def _deletion(evaluation: Findings) -> Iterator[str]:
    yield "<h2>Word deletion</h2>"
    if not evaluation.curves:
        yield "<p>It could not be measured; see the remarks above.</p>"
        return
    least = evaluation.settings["least_words"]
    yield (
        "<p>Relevance is found once, on the intact text; then words are taken away one after the "
        f"other, and the model predicts again. Documents of at least {least} words.</p>"
    )
    for experiment, curves in evaluation.curves.items():
        title, explained = _EXPERIMENTS[experiment]
        first = next(iter(curves.values()))
        yield f"<h3>{experiment}. {title}</h3><p>{explained} {len(first):,} documents.</p>"
        yield '<div class="grid2"><div>'
        lines = [
            Line(name, range(curve.steps + 1), curve.accuracy.tolist(), number)
            for number, (name, curve) in enumerate(curves.items())
        ]
        areas = ", ".join(f"{name} {curve.area:.3f}" for name, curve in curves.items())
        yield line_chart(lines, "words deleted", "accuracy", f"Areas: {areas}", percent=True)
        yield "</div><div>"
        yield _curve_table(curves.values())
        yield _verdicts(evaluation.curve_comparisons[experiment])
        yield "</div></div>"
    yield (
        "<p class='facts'>Area: mean accuracy over the steps (± deviation of random runs). AOPC: "
        "mean fall of the target's score. Comprehensiveness: mean fall of the target's "
        "probability as the words go. Sufficiency: the same when only those words are kept. In 1 "
        "and 3 a good method has a high AOPC and comprehensiveness and a low sufficiency; in 2, "
        "where what speaks against the target goes first, it is the reverse.</p>"
    )


def _curve_table(curves: Iterable[DeletionCurve]) -> str:
    listed = list(curves)
    better = listed[0].better
    choose = min if better == "lower" else max
    best = choose(curve.area for curve in listed) if better else None
    rows = [
        [
            html_line(curve.method),
            f"{curve.area:.4f}" + (f" ± {curve.deviation:.4f}" if curve.runs > 1 else ""),
            _number(curve.aopc),
            _number(curve.comprehensiveness),
            _number(curve.sufficiency),
        ]
        for curve in listed
    ]
    head = ["method", "area", "AOPC", "comprehen&shy;siveness", "suffi&shy;ciency"]
    return table(head, rows, [curve.area == best for curve in listed])


def _power(evaluation: Findings) -> Iterator[str]:
    yield "<h2>Explanatory power</h2>"
    if not evaluation.powers:
        yield "<p>It could not be measured; see the remarks above.</p>"
        return
    yield (
        "<p>Each document becomes one vector: its words' vectors, weighted by their relevance for "
        "the predicted class. The better K nearest neighbours know a document's class by it, the "
        "more of what matters the relevance has caught. “ew”: weighted element by element. "
        "<i>uniform</i> and <i>tfidf</i> use no explanation.</p>"
    )
    best = max(power.epi for power in evaluation.powers.values())
    rows = [
        [html_line(name), f"{power.epi:.4f} ± {power.deviation:.4f}", f"{power.k}"]
        for name, power in evaluation.powers.items()
    ]
    yield '<div class="grid2"><div>'
    colours = {name: number for number, name in enumerate(evaluation.settings["methods"])}
    lines = [
        Line(
            name,
            power.neighbours.tolist(),
            power.curve.tolist(),
            colours.setdefault(name.removesuffix(" (ew)"), len(colours)),
            thin=not name.endswith(" (ew)") and f"{name} (ew)" in evaluation.powers,
        )
        for name, power in evaluation.powers.items()
    ]
    best_of = ", ".join(f"{name} {power.epi:.3f}" for name, power in evaluation.powers.items())
    yield line_chart(lines, "neighbours, K", "accuracy", f"Best: {best_of}", percent=True)
    yield "</div><div>"
    marks = [power.epi == best for power in evaluation.powers.values()]
    yield table(["by", "EPI", "K"], rows, marks)
    yield "</div></div>"
    yield _verdicts(evaluation.power_comparisons)


def _sanity(evaluation: Findings) -> Iterator[str]:
    if not evaluation.checks:
        return
    yield "<h2>Sanity</h2><p>With the model's weights shuffled, its relevance must change.</p>"
    rows = [
        [
            html_line(name),
            "the output layer's" if "output" in check.name else "all",
            _number(check.agreement.to_dict()["rank_correlation"]),
            f"{check.agreement.overlap:.0%} ({check.agreement.chance:.0%} by chance)",
            "depends on them" if check.passed else "hardly depends on them",
        ]
        for name, checks in evaluation.checks.items()
        for check in checks
    ]
    top = next(iter(evaluation.checks.values()))[0].agreement.top
    head = ["method", "weights", "rank correlation", f"common among the top {top}", ""]
    yield table(head, rows)


def _how(evaluation: Findings) -> Iterator[str]:
    yield "<h2>How this was measured</h2>"
    settings = {**evaluation.settings, "methods": ", ".join(evaluation.settings["methods"])}
    listed = "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
    spent = sum(evaluation.seconds.values())
    yield (
        f'<p class="facts">{html_line(listed)}. {spent:.0f} s. Explanatory power is compared by '
        "the corrected resampled t-test on identical splits, word deletion by the paired bootstrap "
        "over documents; p is corrected by Holm's method for all comparisons of a list.</p>"
    )


def _verdicts(comparisons: Sequence[Comparison]) -> str:
    """Return what the comparisons with the best say, all sentences to be unfolded."""
    if not comparisons:
        return ""
    best, others = of_best(comparisons)
    headlines = "".join(f"<li>{html_line(one.headline)}</li>" for one in best)
    all_of_them = "".join(f"<li>{html_line(one.verdict)}</li>" for one in [*best, *others])
    return (
        f'<ul class="verdicts">{headlines}</ul><details><summary>All {len(comparisons)} '
        f'comparisons, all numbers</summary><ul class="verdicts">{all_of_them}</ul></details>'
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")
