"""One unit under suspicion: the numbers, and what they say in words."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from whyword.base.labels import Label

NEAR_COPIES = "near copies"  # what groups are called where nobody says who wrote what
BETWEEN = "; "  # entries of a row's name
WORDS_COLUMN, MARK_COLUMN = "words", "artefact"  # of the table that people fill in
_SEPARATOR, _ESCAPED = ";", r"\;"


def joined_entries(entries: Iterable[str]) -> str:
    """Return entries as a cell of the table holds them: a semicolon of their own is escaped."""
    return BETWEEN.join(one.replace(_SEPARATOR, _ESCAPED) for one in entries)


def split_entries(cell: str) -> list[str]:
    """Return the entries of a cell."""
    parts = (part.strip() for part in re.split(rf"(?<!\\){BETWEEN}", cell))
    return [part.replace(_ESCAPED, _SEPARATOR) for part in parts if part]


@dataclass(frozen=True)
class Turned:
    """Predictions that change when a unit is deleted everywhere.

    Attributes
    ----------
    right_to_wrong, wrong_to_right : int
    other : int
        That were wrong and stay so, or of which the truth is not known.
    """

    right_to_wrong: int
    wrong_to_right: int
    other: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.right_to_wrong + self.wrong_to_right + self.other


@dataclass(frozen=True)
class Suspect:
    """A word, or what is deleted together with it, and the evidence.

    Attributes
    ----------
    entries : tuple of str
        What a :class:`~whyword.Reader` would have to ignore: words, phrases, /patterns/.
    kind : {"word", "words", "line", "pair", "pattern"}
    form : str
        What it looks like: "word", "address", "host", "link", "date", "number", "code".
    label : label
        The class that it speaks for most.
    verdict : {"suspect", "noise", "no evidence"}
    score : float
        suspicion · log2(1 + weight), docs/method.md (46).
    suspicion, habit, drift, unusual : float
        From 0 to 1: of all evidence; that few groups write it; that it speaks less for its class in
        held-out documents; that it looks like no word.
    relevance : float
        Documents' worth of relevance that it carries for its class.
    n_documents : int
        Documents given this class in which it speaks for it.
    train, train_class, held_out, held_out_class : int
        Documents that have it, and how many of these are of the class.
    grouped : int
        The training documents of the class that have it and whose group is known.
    groups, groups_expected : float or None
        Of how many groups the latter are, and how many would be by chance; None if there are none.
    p_groups, q_groups, p_odds, q_odds : float or None
        Of the two tests; q after Benjamini and Hochberg's correction. None if it was not tested.
    train_turned, held_out_turned : Turned or None
        What happens without it; None if that was not tried.
    examples : tuple of int
        Documents in which it carries most: their numbers in the corpus, training documents first.
    """

    entries: tuple[str, ...]
    kind: str
    form: str
    label: Label
    verdict: str
    score: float
    suspicion: float
    habit: float
    drift: float
    unusual: float
    relevance: float
    n_documents: int
    train: int
    train_class: int
    held_out: int
    held_out_class: int
    grouped: int
    groups: float | None
    groups_expected: float | None
    p_groups: float | None
    q_groups: float | None
    p_odds: float | None
    q_odds: float | None
    train_turned: Turned | None
    held_out_turned: Turned | None
    examples: tuple[int, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return BETWEEN.join(self.entries)

    def to_dict(self, groups: str = "groups") -> dict[str, Any]:
        """Return it as plain data, with its reasons; `groups` as for :func:`reasons`."""
        data = asdict(self)
        return data | {
            "entries": list(self.entries),
            "examples": list(self.examples),
            "reasons": reasons(self, groups),
        }


class _Ground(NamedTuple):
    """A piece of evidence: how strong it is, what it is called, what it says of this unit."""

    strength: float
    name: str
    said: str


def reasons(one: Suspect, groups: str = "groups") -> list[str]:
    """Return the evidence in sentences, the strongest first.

    Parameters
    ----------
    one : Suspect
    groups : str
        What groups are called: "authors"; "near copies".
    """
    found = [ground.said for ground in _grounds(one, groups)]
    turned = one.held_out_turned
    if turned is not None and turned.total:
        turns = "prediction turns" if turned.right_to_wrong == 1 else "predictions turn"
        found.append(
            f"without it, {turned.right_to_wrong} held-out {turns} wrong, "
            f"{turned.wrong_to_right} right"
        )
    return found


def grounds(one: Suspect) -> list[str]:
    """Return what speaks against a unit in a word or two each, the strongest first."""
    return [ground.name for ground in _grounds(one, "groups")]


def _grounds(one: Suspect, groups: str) -> list[_Ground]:
    found = []
    if one.habit > 0 and one.groups is not None and one.groups_expected is not None:
        said = (
            f"a habit of few: {one.grouped:,} training documents of {one.label} have it, "
            f"{_of_groups(one.groups, groups)}, where {one.groups_expected:,.0f} would be "
            f"usual (q = {one.q_groups:.1g})"
        )
        found.append(_Ground(one.habit, "a habit of few", said))
    if one.drift > 0:
        said = (
            f"it does not carry over: {_share(one.train_class, one.train)} of the training "
            f"documents that have it are {one.label}, of others "
            f"{_share(one.held_out_class, one.held_out)} (q = {one.q_odds:.1g})"
        )
        found.append(_Ground(one.drift, "nothing that carries over", said))
    if one.unusual > 0:
        if one.kind == "line":
            found.append(_Ground(one.unusual, "a line that recurs", "a line that recurs"))
        if one.form != "word":
            name = f"{'an' if one.form[0] in 'aeiou' else 'a'} {one.form}"
            found.append(_Ground(one.unusual, name, f"it looks like {name}"))
    return sorted(found, key=lambda ground: -ground.strength)


def _of_groups(count: float, groups: str) -> str:
    """Return of how many groups documents are."""
    if groups == NEAR_COPIES:
        return f"copies of {count:,.0f} text{'s' if count != 1 else ''}"
    return f"of {count:,.0f} {groups if count != 1 else groups[:-1]}"


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,}"
