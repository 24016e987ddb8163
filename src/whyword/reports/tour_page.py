"""A model at a glance as one page: what ``pages/templates/tour.html`` shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any

from whyword.analysis.class_words import ClassWords
from whyword.analysis.document_map import DocumentMap, map_chart
from whyword.audit.suspicion.row import grounds, reasons
from whyword.audit.suspicion.table import Suspects
from whyword.base.labels import Labels, label_text
from whyword.evaluation.comparison import of_best
from whyword.evaluation.evaluate import Evaluation
from whyword.evaluation.page import deletion_chart
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.charts import group_look
from whyword.pages.layout import Table, table
from whyword.pages.render import fixed, percent, render

_TOP = 10  # words of a class; the page of words has more
_SUSPECTS, _NAME = 6, 80  # that are shown, and how much of each: their own page has more


def tour_page(
    title: str,
    facts: Mapping[str, Any],
    suspects: Suspects | None,
    shown: Sequence[Explanation],
    wrong: Sequence[tuple[Labels, Explanation]],
    words: ClassWords,
    plane: DocumentMap | None,
    evaluation: Evaluation,
    links: Mapping[str, str],
) -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    title : str
    facts : dict
        What it says in numbers, as :class:`~whyword.reports.tour.Tour` has them.
    suspects : Suspects or None
        None if none were looked for.
    shown : sequence of Explanation
        Of documents that were predicted right, or were asked for.
    wrong : sequence of (label, Explanation)
        Of documents that were predicted wrong, with their true classes.
    words : ClassWords
    plane : DocumentMap or None
    evaluation : Evaluation
    links : dict from str to str
        Where the pages of "suspects", "words", "map" and "evaluation" are.
    """
    groups = sorted(set(plane.groups)) if plane else []
    said = "Accuracy of texts that were right, words deleted, the most relevant first"
    return render(
        "tour.html",
        title=title,
        facts=facts,
        links=links,
        suspects=None if suspects is None else _reasons(suspects),
        n_suspects=0 if suspects is None else len(suspects.suspects),
        grounds=[] if suspects is None else _grounds(suspects),
        remarks=[] if suspects is None else suspects.remarks,
        tiles=list(_tiles(facts, len(words), shown[0].method if shown else "")),
        conserved=all(one.conserves for one in shown),
        right=[heatmap.article(one.heatmap()) for one in shown],
        wrong=[heatmap.article(_titled(one, label)) for label, one in wrong],
        classes=[
            (label, [(one.word, one.relevance, one.seen) for one in entries[:_TOP]])
            for label, entries in words.items()
        ],
        plane=map_chart(plane, groups) if plane else None,
        plane_title=plane.caption if plane else "",
        groups=groups,
        looks=[group_look(number) for number in range(len(groups))],
        deletion=deletion_chart(evaluation.curves[1], said) if 1 in evaluation.curves else None,
        powers=_powers(evaluation) if evaluation.powers else None,
        verdicts=[
            one.headline
            for several in (evaluation.curve_comparisons.get(1, []), evaluation.power_comparisons)
            for one in of_best(several)[0]
        ],
    )


def _tiles(facts: Mapping[str, Any], classes: int, best: str) -> Iterator[tuple[str, str]]:
    """Yield the figures at the top, each with what it is."""
    yield percent(facts["accuracy"], 1), f"right, of {facts['documents']:,} texts"
    yield str(classes), "classes"
    for name, said in (
        (best, f"still right without the {facts['deleted']} most relevant words"),
        ("random", f"still right without {facts['deleted']} words by chance"),
    ):
        if name in facts["still_right"]:
            yield percent(facts["still_right"][name]), said


def _reasons(found: Suspects) -> list[tuple[str, str, str]]:
    """Return the first suspects: their names, classes, and what speaks against them."""
    return [
        (
            shorten(row.name, _NAME, placeholder=" …"),
            label_text(row.label),
            "; ".join(reasons(row, found.groups)),
        )
        for row in found.suspects[:_SUSPECTS]
    ]


def _grounds(found: Suspects) -> list[str]:
    """Return what speaks against suspects, the most frequent first."""
    counted = Counter(ground for row in found.suspects for ground in grounds(row))
    return [ground for ground, _ in counted.most_common()]


def _titled(one: Explanation, label: Labels) -> heatmap.Heatmap:
    return replace(
        one.heatmap(), title=f"{one.id}: {label_text(one.predicted)}, in truth {label_text(label)}"
    )


def _powers(evaluation: Evaluation) -> Table:
    powers = evaluation.powers
    best = max(power.epi for power in powers.values())
    rows = [[name, fixed(power.epi, 3), str(power.k)] for name, power in powers.items()]
    return table(["by", "EPI", "K"], rows, [power.epi == best for power in powers.values()])
