"""Suspects as one page to work through: what ``templates/suspects.html`` shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from whyword.audit.suspicion.row import NEAR_COPIES, Suspect, Turned, reasons
from whyword.audit.suspicion.weighing import NO_EVIDENCE, NOISE, SUSPECT
from whyword.base.csv import csv_lines
from whyword.base.labels import Label
from whyword.evaluation.page import settings_line
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.render import fixed, render
from whyword.words.ignored import Ignored

MOST = {SUSPECT: 300, NOISE: 50, NO_EVIDENCE: 50}  # rows on the page; all are in the CSV
_CHIPS = 8  # entries of a row before it is opened
_LONGEST, _ROOM = 48, 160  # letters of such an entry; of all of them, where they are few


class Chip(NamedTuple):
    """An entry, as long as there is room; whether that is all of it."""

    text: str
    whole: bool


class Turn(NamedTuple):
    """Predictions of training and held-out documents that turn in one way without a unit."""

    name: str
    train: int | None
    held_out: int | None


class ShownRow(NamedTuple):
    """A row, as the page shows it.

    Attributes
    ----------
    row : Suspect
    class_number : int
    bar : float
        Its score in percent of the highest.
    chips : list of Chip
    more : int
        Entries that are no chips.
    reasons : list of str
    facts : list of (name, value)
    turns : list of Turn
    articles : list of Article
        Heatmaps of its examples.
    """

    row: Suspect
    class_number: int
    bar: float
    chips: list[Chip]
    more: int
    reasons: list[str]
    facts: list[tuple[str, str]]
    turns: list[Turn]
    articles: list[heatmap.Article]


class Head(NamedTuple):
    """What stands above the rows.

    Attributes
    ----------
    title : str
    tiles : list of (number, what it is)
    remarks : list of str
    settings : dict
    """

    title: str
    tiles: list[tuple[str, str]]
    remarks: list[str]
    settings: dict[str, Any]


class Verdict(NamedTuple):
    """A verdict, and how many rows have it, on the page and in all."""

    name: str
    shown: int
    total: int


def suspects_page(
    rows: Sequence[Suspect],
    table: Sequence[Sequence[Any]],
    examples: Mapping[int, Explanation],
    *,
    head: Head,
    classes: Sequence[Label],
    groups: str,
    n_train: int,
    n_held_out: int,
) -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    rows : sequence of R Suspect
    table : sequence of R + 1 sequences
        The names of the columns of the CSV, then its rows. The second column is to fill in.
    examples : mapping from int to Explanation
        By the numbers of documents.
    head : Head
    classes : sequence of labels
    groups : str
        What groups are called in sentences.
    n_train, n_held_out : int
        Documents; an example below `n_train` is a training document.
    """
    chosen = chosen_rows(rows)
    full = max((rows[at].score for at in chosen), default=0.0)
    numbers = {label: number for number, label in enumerate(classes)}
    marked = _Marked(examples, n_train)
    shown = [
        ShownRow(
            row,
            numbers[row.label],
            100 * row.score / full if full > 0 else 0.0,
            _chips(row.entries[:_CHIPS]),
            max(0, len(row.entries) - _CHIPS),
            reasons(row, groups),
            list(_facts(row, groups)),
            list(_turns(row)),
            marked.articles(row),
        )
        for row in (rows[at] for at in chosen)
    ]
    there = sorted({one.class_number for one in shown})
    return render(
        "suspects.html",
        title=head.title,
        tiles=head.tiles,
        remarks=head.remarks,
        rows=shown,
        total=len(rows),
        verdicts=_verdicts(rows, shown),
        classes=[(number, classes[number]) for number in there],
        data={
            "columns": _line(table[0]),
            "rows": [
                [*_around(table[at + 1]), rows[at].entries, _counted(rows[at], bool(n_held_out))]
                for at in chosen
            ],
            "counted": "held-out" if n_held_out else "training",
        },
        model=head.settings.get("model"),
        settings=settings_line(head.settings | {"model": None}),
    )


def chosen_rows(rows: Sequence[Suspect]) -> list[int]:
    """Return the places of the rows that a page has room for, worst first."""
    left, chosen = dict(MOST), []
    for at, row in enumerate(rows):
        if left[row.verdict]:
            left[row.verdict] -= 1
            chosen.append(at)
    return chosen


# ---- a row --------------------------------------------------------------------------------------


def _chips(entries: Sequence[str]) -> list[Chip]:
    longest = max(_LONGEST, _ROOM // max(len(entries), 1))
    return [
        Chip(entry, True) if len(entry) <= longest else Chip(f"{entry[: longest - 1]}…", False)
        for entry in entries
    ]


def _facts(row: Suspect, groups: str) -> Iterator[tuple[str, str]]:
    """Yield what is known of a row besides the predictions that turn."""
    yield "what", row.kind if row.form in ("word", row.kind) else f"{row.kind}, {row.form}"
    yield "relevance", f"{row.relevance:,.1f} documents' worth, in {row.n_documents:,} documents"
    yield (
        "of the class",
        (
            f"{row.train_class:,} of {row.train:,} training documents that have it, "
            f"{row.held_out_class:,} of {row.held_out:,} held-out ones"
        ),
    )
    if row.groups is not None and row.groups_expected is not None:
        usual = f"{row.groups:,.0f}, usual {row.groups_expected:,.0f}"
        name = "texts, copies as one" if groups == NEAR_COPIES else groups
        yield name, usual if row.q_groups is None else f"{usual}: q = {row.q_groups:.2g}"
    if row.q_odds is not None:
        yield "odds", f"whether lower when held out: q = {row.q_odds:.2g}"
    parts = (("habit", row.habit), ("drift", row.drift), ("form", row.unusual))
    said = ", ".join(f"{name} {fixed(value, 2)}" for name, value in parts)
    yield "suspicion", f"{fixed(row.suspicion, 2)} ({said})"


def _turns(row: Suspect) -> Iterator[Turn]:
    """Yield how many predictions turn in which way."""
    names = ("right to wrong", "wrong to right", "otherwise")
    parts = [_three(turned) for turned in (row.train_turned, row.held_out_turned)]
    return (Turn(*line) for line in zip(names, *parts, strict=True))


def _three(turned: Turned | None) -> tuple[int | None, int | None, int | None]:
    if turned is None:
        return (None, None, None)
    return (turned.right_to_wrong, turned.wrong_to_right, turned.other)


class _Marked(NamedTuple):
    """The examples, and what makes heatmaps of them in which a row's words are outlined."""

    examples: Mapping[int, Explanation]
    n_train: int

    def articles(self, row: Suspect) -> list[heatmap.Article]:
        """Return the heatmaps of a row's examples, as far as those were explained."""
        there = [number for number in row.examples if number in self.examples]
        ignored = Ignored(row.entries) if there else None
        return [] if ignored is None else [self._article(number, ignored) for number in there]

    def _article(self, number: int, ignored: Ignored) -> heatmap.Article:
        one = self.examples[number]
        marked = ignored.among(one.words)
        part = "training" if number < self.n_train else "held-out"
        title = f"{part} document {one.id or number}"
        whole = replace(one.heatmap(), title=title, marked=marked)
        return heatmap.article(whole.around(marked))


# ---- filters and the CSV ------------------------------------------------------------------------


def _verdicts(rows: Sequence[Suspect], shown: Sequence[ShownRow]) -> list[Verdict]:
    total = Counter(row.verdict for row in rows)
    there = Counter(one.row.verdict for one in shown)
    return [Verdict(name, there[name], total[name]) for name in MOST if total[name]]


def _line(cells: Sequence[Any]) -> str:
    return next(csv_lines([cells])).removesuffix("\r\n")


def _around(cells: Sequence[Any]) -> tuple[str, str]:
    """Return a line of CSV before and behind its second cell, which is to fill in."""
    return _line(cells[:1]), _line(cells[2:])


def _counted(row: Suspect, is_held_out: bool) -> tuple[int, int, int]:
    """Return the predictions that turn without it: wrong, right, otherwise."""
    turned = row.held_out_turned if is_held_out else row.train_turned
    wrong, right, other = _three(turned)
    return (wrong or 0, right or 0, other or 0)
