"""Models side by side as one self-contained page: what ``templates/comparison.html`` shows."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from whyword.audit.changes_page import ShownChanges, shown_changes
from whyword.audit.measures import measures
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.side_by_side import SideBySide
from whyword.evaluation.comparison import Comparison
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.experiment import EXPERIMENTS
from whyword.evaluation.page import settings_line
from whyword.pages.charts import Line, LineChart, line_chart
from whyword.pages.layout import Table, table
from whyword.pages.render import count, fixed, percent, render

_LONGEST = 16  # letters of a line's name


def comparison_page(
    compared: SideBySide, findings: Sequence[str], title: str = "Models side by side"
) -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    compared : SideBySide
    findings : sequence of str
        What it says, in sentences.
    title : str
    """
    rows, settings = list(compared.models.values()), compared.settings
    return render(
        "comparison.html",
        title=title,
        findings=findings,
        remarks=compared.remarks,
        documents=compared.n_documents,
        classes=len(compared.classes),
        several=compared.truth.ndim == 2,
        source=settings.get("source"),
        names=[row.name for row in rows],
        measures=list(measures(rows)),
        deletions=_deletions(rows),
        power=_power_chart(rows),
        pairs=pair_table(compared.pairs),
        top=next((pair.words.top for pair in compared.pairs if pair.words is not None), None),
        comparisons=_comparisons(compared.pairs),
        changes=_changes(compared),
        least_words=settings.get("least_words"),
        settings=settings_line(settings),
        seconds=sum(compared.seconds.values()),
    )


def _changes(compared: SideBySide) -> list[ShownChanges]:
    """Return what changes from the first model to each of the others."""
    first = next(iter(compared.models))
    explained = compared.examples
    return [
        shown_changes(
            (first, name),
            changes,
            compared.ids,
            (explained.get(first, {}), explained.get(name, {})),
        )
        for name, changes in compared.changes_from_first().items()
    ]


# ---- charts -------------------------------------------------------------------------------------


class Deletion(NamedTuple):
    """One experiment of word deletion, a line for each model and one for chance."""

    number: int
    chart: LineChart


def _deletions(rows: Sequence[ModelRow]) -> list[Deletion]:
    return [
        Deletion(number, chart)
        for number in EXPERIMENTS
        if (chart := _deletion_chart(rows, number)) is not None
    ]


def _deletion_chart(rows: Sequence[ModelRow], number: int) -> LineChart | None:
    lines, areas = [], []
    for colour, row in enumerate(rows):
        curve, chance = row.curve(number), row.chance_curve(number)
        if curve is None or chance is None:
            continue
        areas.append(f"{row.name} {curve.area:.3f} (by chance {chance.area:.3f})")
        lines.append(_line(_short(row.name), curve, colour))
        if curve is not chance:
            lines.append(_line("", chance, colour)._replace(thin=True))
    if not lines:
        return None
    return line_chart(
        lines, "words deleted", "accuracy", "Areas: " + ", ".join(areas), percent=True
    )


def _line(name: str, curve: DeletionCurve, colour: int) -> Line:
    return Line(name, curve.steps.tolist(), curve.accuracy.tolist(), colour)


def _power_chart(rows: Sequence[ModelRow]) -> LineChart | None:
    powers = [(colour, row.name, row.power) for colour, row in enumerate(rows)]
    measured = [(colour, name, power) for colour, name, power in powers if power is not None]
    if not measured:
        return None
    lines = [
        Line(_short(name), power.neighbours.tolist(), power.curve.tolist(), colour)
        for colour, name, power in measured
    ]
    said = "Best: " + ", ".join(f"{name} {power.epi:.3f}" for _, name, power in measured)
    return line_chart(lines, "neighbours, K", "accuracy", said, percent=True)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


# ---- pairs --------------------------------------------------------------------------------------


def pair_table(pairs: Sequence[PairRow]) -> Table:
    """Return what each two models have in common, a row each."""
    head = ["models", "same prediction", "both right", "only the first", "only the second"]
    head += ["both wrong", "the same mistake", "common top words", "by chance", "rank correlation"]
    return table(head, [_pair_cells(pair) for pair in pairs])


def _pair_cells(pair: PairRow) -> list[str]:
    counts = (pair.both_right, pair.only_first, pair.only_second, pair.both_wrong)
    cells = [" / ".join(pair.names), percent(pair.share, 1), *map(count, counts)]
    cells.append(count(pair.same_mistake))
    if pair.words is None:
        return [*cells, "–", "–", "–"]
    correlation = pair.words.to_dict()["rank_correlation"]
    shares = (pair.words.overlap, pair.words.chance)
    return [*cells, *map(percent, shares), fixed(correlation, 2)]


class Verdicts(NamedTuple):
    """What the comparisons of one measure say, in full."""

    name: str
    said: list[str]


def _comparisons(pairs: Sequence[PairRow]) -> list[Verdicts]:
    by_measure: dict[str, list[Comparison | None]] = {
        "accuracy": [pair.accuracy for pair in pairs],
        "explanatory power": [pair.power for pair in pairs],
        "word deletion 1, gain over chance": [pair.deletion for pair in pairs],
    }
    verdicts = (
        Verdicts(name, [one.verdict for one in several if one is not None])
        for name, several in by_measure.items()
    )
    return [one for one in verdicts if one.said]
