"""The ways to recognise a class as one page: what ``templates/strategies.html`` shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from whyword.analysis.document_map import DocumentMap, map_chart
from whyword.audit.clusters import CONFIRMED
from whyword.audit.strategy import SUSPICIOUS, Strategy, StrategyWord
from whyword.evaluation.page import settings_line
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.charts import Look, group_look
from whyword.pages.render import render

_HEATMAPS = 2  # of each strategy


class ShownWord(NamedTuple):
    """A word as a chip: its shares, and the strength of its colour."""

    word: StrategyWord
    level: int


class ShownStrategy(NamedTuple):
    """A strategy, how its points look, its words and typical documents."""

    row: Strategy
    look: Look
    words: list[ShownWord]
    distinct: list[ShownWord]
    articles: list[heatmap.Article]


def strategies_page(
    strategies: Sequence[Strategy],
    plane: DocumentMap,
    explanations: Mapping[int, Explanation],
    *,
    title: str,
    verdict: str,
    remarks: Sequence[str],
    strengths: Mapping[int, float],
    settings: Mapping[str, Any],
) -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    strategies : sequence of Strategy
    plane : DocumentMap
        Their documents, coloured by strategy.
    explanations : mapping from int to Explanation
        By the numbers of documents, those that are typical.
    title, verdict : str
    remarks : sequence of str
    strengths : mapping from int to float
        Of each number of clusters that was tried.
    settings : mapping
    """
    names = [one.name for one in strategies]
    full = max((word.share for one in strategies for word in one.words), default=0.0)
    return render(
        "strategies.html",
        title=title,
        verdict=verdict,
        remarks=remarks,
        strategies=[
            ShownStrategy(
                one,
                group_look(place),
                [_chip(word, full) for word in one.words],
                [_chip(word, full) for word in one.distinct],
                [_article(number, explanations[number]) for number in one.typical[:_HEATMAPS]],
            )
            for place, one in enumerate(strategies)
        ],
        labelled=any(one.accuracy is not None for one in strategies),
        suspected=any(one.on_suspects is not None for one in strategies),
        suspicious=SUSPICIOUS,
        confirmed=CONFIRMED,
        chart=map_chart(plane, names),
        names=names,
        looks=[group_look(place) for place in range(len(names))],
        caption=plane.caption,
        strengths=sorted(strengths.items()),
        settings=settings_line(dict(settings)),
    )


def _article(number: int, one: Explanation) -> heatmap.Article:
    """Return a typical document, by its name if it has one."""
    return heatmap.article(replace(one.heatmap(), title=one.id or f"document {number}"))


def _chip(word: StrategyWord, full: float) -> ShownWord:
    return ShownWord(word, round(heatmap.LEVELS * word.share / full) if full > 0 else 0)
