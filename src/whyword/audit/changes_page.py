"""What changes from one model to another, as a part of the page that compares them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from whyword.audit.changes import TURNS, Change, ChangedPredictions, turn_order
from whyword.base.labels import label_text
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.layout import Table, table
from whyword.pages.render import count, percent

EXAMPLES = 12  # documents, of those that two models predict differently, that are explained
CONFUSIONS, DOCUMENTS = 15, 200  # rows of the tables; to_json has all
_TELLING = 10  # words of a document around which its excerpt is


class ShownExample(NamedTuple):
    """A document of which two models predict something else, and why they do."""

    title: str
    turn: str | None
    articles: list[heatmap.Article]


class ShownChanges(NamedTuple):
    """What changes from one model to another, as the page shows it.

    Attributes
    ----------
    names : (str, str)
    said : str
    confusions, documents : Table
    n_confusions, n_documents : int
        How many there are in all.
    examples : list of ShownExample
    """

    names: tuple[str, str]
    said: str
    confusions: Table
    n_confusions: int
    documents: Table
    n_documents: int
    examples: list[ShownExample]


def shown_changes(
    names: tuple[str, str],
    changes: ChangedPredictions,
    ids: Sequence[str],
    examples: tuple[Mapping[int, Explanation], Mapping[int, Explanation]],
) -> ShownChanges:
    """Return what the page shows of two models.

    Parameters
    ----------
    names : (str, str)
    changes : ChangedPredictions
        From the first to the second.
    ids : sequence of n str
    examples : pair of mappings from a document's number to Explanation
        Of each model; what was explained of the documents that changed is shown.
    """
    before, after = names
    confusions = changes.confusions
    listed = sorted(changes.changes, key=turn_order)
    return ShownChanges(
        names,
        changes_sentence(names, changes),
        table(
            ["true class", before, after, "documents"],
            [
                [*map(label_text, (one.true, one.before, one.after)), count(one.n_documents)]
                for one in confusions[:CONFUSIONS]
            ],
        ),
        len(confusions),
        table(
            ["document", "true class", before, after, ""],
            [
                [
                    ids[one.document],
                    *map(label_text, (one.true, one.before, one.after)),
                    one.turn or "",
                ]
                for one in listed[:DOCUMENTS]
            ],
        ),
        len(listed),
        [
            _example(one, names, ids, examples)
            for one in sorted(changes.some(EXAMPLES), key=turn_order)
        ],
    )


def changes_sentence(names: tuple[str, str], changes: ChangedPredictions) -> str:
    """Return in one sentence how many predictions change from one model to another."""
    before, after = names
    many, turns = len(changes.changed), changes.turns
    if not many:
        return f"{before} and {after} predict the same of every document."
    share = percent(many / changes.n_documents, 1)
    said = f"{after} predicts something else than {before} of {count(many)} documents ({share})"
    if turns is None:
        return f"{said}."
    wrong, right, other = (turns[turn] for turn in TURNS)
    return f"{said}: {count(right)} get right, {count(wrong)} wrong, {count(other)} stay wrong."


def _example(
    one: Change,
    names: tuple[str, str],
    ids: Sequence[str],
    examples: tuple[Mapping[int, Explanation], Mapping[int, Explanation]],
) -> ShownExample:
    true = f", {label_text(one.true)}"
    return ShownExample(
        f"{ids[one.document]}{true}",
        one.turn,
        [
            _article(name, explained[one.document])
            for name, explained in zip(names, examples, strict=True)
            if one.document in explained
        ],
    )


def _article(title: str, explanation: Explanation) -> heatmap.Article:
    """Return the heatmap of what a model says, around the words that tell most."""
    strength = np.abs(explanation.relevance)
    if strength.ndim > 1:  # of several labels
        strength = strength.max(axis=1, initial=0)
    telling = np.zeros(len(strength), np.bool_)
    telling[np.argsort(-strength, kind="stable")[:_TELLING]] = True
    return heatmap.article(replace(explanation.heatmap(), title=title).around(telling))
