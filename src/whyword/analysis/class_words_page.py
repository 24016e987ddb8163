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


class ShownPlace(NamedTuple):
    """Where a document stands on the page, and which classes it is coloured for."""

    anchor: str
    classes: list[Label]


class ShownList(NamedTuple):
    """The words of all classes in one order: its rank, its units, their numbers on the page."""

    rank: str
    units: str
    key: str
    classes: list[ShownClass]


def needed_documents(words: ClassWords) -> dict[str | int, list[Label]]:
    """Return the documents that the words come from, and the classes they come from them for."""
    needed: dict[str | int, list[Label]] = {}
    for label, entries in words.items():
        for entry in entries:
            classes = needed.setdefault(entry.document, [])
            if label not in classes:
                classes.append(label)
    return needed


def explain_documents(
    model: object,
    documents: Iterable[tuple[str | int, str]],
    words: ClassWords,
    method: str | None = None,
) -> dict[str | int, Explanation]:
    """Return the explanations, for all classes, of those documents that words come from.

    Parameters
    ----------
    documents : iterable of (id or number, text)
        All of them, read once more; only the needed ones are kept.
    """
    needed = needed_documents(words)
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
        The same by several ranks or units, to choose from. The first is shown first, and the page
        has the documents of its words; those of all would make it five times as large.
    explanations : mapping from document to its explanation for all classes
        See :func:`explain_documents`.
    """
    shown = {
        name: ShownPlace(f"d{number}", classes)
        for number, (name, classes) in enumerate(needed_documents(lists[0]).items())
        if name in explanations
    }
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
                [_class(label, entries, shown) for label, entries in words.items()],
            )
            for words in lists
        ],
        labels=list(lists[0]),
        documents=_documents(shown, explanations),
    )


def _class(
    label: Label, entries: Sequence[ClassWord], places: Mapping[str | int, ShownPlace]
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
            _anchor(places.get(entry.document), label),
        )
        for entry in entries
    ]
    return ShownClass(label, shown, sum(word.unseen for word in shown))


def _anchor(place: ShownPlace | None, label: Label) -> str:
    """Return where a document is shown for a class; nothing if it is not on the page so."""
    return place.anchor if place is not None and label in place.classes else ""


def _documents(
    places: Mapping[str | int, ShownPlace], explanations: Mapping[str | int, Explanation]
) -> Iterator[ShownDocument]:
    for name, (anchor, classes) in places.items():
        titled = replace(explanations[name].heatmap(classes), title=str(name))
        yield ShownDocument(anchor, heatmap.article(titled))
