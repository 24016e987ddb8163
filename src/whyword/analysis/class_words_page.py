"""The words of all classes on one page, each leading to the heatmap it comes from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from whyword.analysis.class_words import RANKS, ClassWord, ClassWords
from whyword.base.labels import Label
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_explanations
from whyword.pages.render import render


class ShownWord(NamedTuple):
    """A word of a class, its strength as a level of colour, and where its document stands."""

    word: str
    relevance: str
    level: int
    unseen: bool
    occurrences: int
    documents: int
    document: str | int
    position: int
    anchor: str


class ShownClass(NamedTuple):
    """A class and its words."""

    label: Label
    words: list[ShownWord]
    unseen: int


class ShownDocument(NamedTuple):
    """A document that words come from."""

    anchor: str
    article: heatmap.Article


class ShownList(NamedTuple):
    """The words of all classes in one order: its rank, its units, their numbers on the page."""

    rank: str
    units: str
    key: str
    classes: list[ShownClass]


def needed_documents(lists: Iterable[ClassWords]) -> dict[str | int, list[Label]]:
    """Return the documents that the words come from, and the classes they come from them for."""
    needed: dict[str | int, list[Label]] = {}
    for words in lists:
        for label, entries in words.items():
            for entry in entries:
                classes = needed.setdefault(entry.document, [])
                if label not in classes:
                    classes.append(label)
    return needed


def explain_documents(
    model: object,
    documents: Iterable[tuple[str | int, str]],
    lists: Sequence[ClassWords],
    method: str | None = None,
) -> dict[str | int, Explanation]:
    """Return the explanations, for all classes, of those documents that words come from.

    Parameters
    ----------
    documents : iterable of (id or number, text)
        All of them, read once more; only the needed ones are kept.
    """
    needed = needed_documents(lists)
    texts = {name: text for name, text in documents if name in needed}
    explanations = iter_explanations(model, texts.values(), "all", method=method)
    return dict(zip(texts, explanations, strict=True))


def word_page(
    lists: Sequence[ClassWords],
    explanations: Mapping[str | int, Explanation],
    title: str = "Class words",
) -> Iterator[str]:
    """Yield the parts of a self-contained page.

    Parameters
    ----------
    lists : sequence of ClassWords
        The same by several ranks or units, to choose from; the first is shown first.
    explanations : mapping from document to its explanation for all classes
        See :func:`explain_documents`.
    """
    anchors = {name: f"d{number}" for number, name in enumerate(explanations)}
    ranks = list(dict.fromkeys(words.rank for words in lists))
    units = list(dict.fromkeys(words.units for words in lists))
    return render(
        "class_words.html",
        title=title,
        n_documents=lists[0].n_documents,
        per=lists[0].per,
        ranks=[(rank, RANKS[rank]) for rank in ranks],
        units=units,
        lists=[
            ShownList(
                words.rank,
                words.units,
                f"u{units.index(words.units)} r{ranks.index(words.rank)}",
                [_class(label, entries, anchors) for label, entries in words.items()],
            )
            for words in lists
        ],
        labels=list(lists[0]),
        documents=_documents(lists, explanations, anchors),
    )


def _class(
    label: Label, entries: Sequence[ClassWord], anchors: Mapping[str | int, str]
) -> ShownClass:
    full = max((abs(entry.relevance) for entry in entries), default=0) or 1.0
    shown = [
        ShownWord(
            entry.word,
            heatmap.number(entry.relevance),
            round(max(0.0, entry.relevance / full) * heatmap.LEVELS),
            entry.seen is False,
            entry.occurrences,
            entry.documents,
            entry.document,
            entry.position,
            anchors.get(entry.document, ""),
        )
        for entry in entries
    ]
    return ShownClass(label, shown, sum(word.unseen for word in shown))


def _documents(
    lists: Sequence[ClassWords],
    explanations: Mapping[str | int, Explanation],
    anchors: Mapping[str | int, str],
) -> Iterator[ShownDocument]:
    for name, classes in needed_documents(lists).items():
        if name in explanations:
            titled = replace(explanations[name].heatmap(classes), title=str(name))
            yield ShownDocument(anchors[name], heatmap.article(titled))
