"""Which way text runs: where the runs of a line stand when scripts of both directions meet.

Unicode's bidirectional algorithm, for whole runs instead of characters: what shows a run lays out
its letters itself. Pages leave all of it to the browser.
"""

import unicodedata
from collections.abc import Iterable, Sequence

_RIGHT_TO_LEFT = ("R", "AL")
_NUMBERS = ("EN", "AN")
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")


def starts_right_to_left(text: str) -> bool | None:
    """Whether the first letter is of a script from right to left; None if there is none."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return False
        if kind in _RIGHT_TO_LEFT:
            return True
    return None


def signs_apart(run: str) -> list[str]:
    """Return the run; signs of which one runs from the right, each apart.

    Together they are laid out in different ways: some take the first one for the direction of all.
    """
    if run.isascii() or not starts_right_to_left(run) or any(map(str.isalnum, run)):
        return [run]
    return list(run)


def visual_order(runs: Sequence[str], right_to_left: bool) -> list[tuple[int, str]]:
    """Return the runs of a line from left to right.

    Parameters
    ----------
    runs : list of str
        Words, what stands between them, and spaces, each apart, as they are read.
    right_to_left : bool
        Which way the paragraph runs.

    Returns
    -------
    list of (int, str)
        Which run, and its text; signs between words of a script from the right are turned round.
    """
    levels = _levels(runs, right_to_left)
    order = list(range(len(runs)))
    for level in range(max(levels, default=0), 0, -1):
        order = _turned(order, levels, level)
    return [(number, _shown(runs[number], levels[number])) for number in order]


def _levels(runs: Sequence[str], right_to_left: bool) -> list[int]:
    """Return each run's level: even ones run from the left, odd ones from the right."""
    sides: list[bool | None] = []  # whether from the right; of signs and spaces nobody knows yet
    nested = []  # numbers run from the left within a script from the right
    latest = right_to_left
    for run in runs:
        side = starts_right_to_left(run)
        is_number = side is None and _has_number(run)
        latest = latest if side is None else side
        sides.append(latest if is_number else side)
        nested.append(is_number and latest)
    levels = []
    before = right_to_left
    following = _next_known(sides, right_to_left)
    for side, after, is_nested in zip(sides, following, nested, strict=True):
        before = before if side is None else side
        from_right = before if side is not None or before == after else right_to_left
        levels.append(2 if is_nested else 1 if from_right else 2 * right_to_left)
    return levels


def _next_known(sides: Sequence[bool | None], last: bool) -> list[bool]:
    """Return the next side that is known, for each."""
    found = []
    for side in reversed(sides):
        last = last if side is None else side
        found.append(last)
    return found[::-1]


def _has_number(run: str) -> bool:
    return any(unicodedata.bidirectional(character) in _NUMBERS for character in run)


def _turned(order: Iterable[int], levels: Sequence[int], level: int) -> list[int]:
    """Return the order with every stretch of at least this level reversed."""
    found: list[int] = []
    stretch: list[int] = []
    for number in order:
        if levels[number] >= level:
            stretch.append(number)
        else:
            found += [*reversed(stretch), number]
            stretch = []
    return found + stretch[::-1]


def _shown(run: str, level: int) -> str:
    """Return the run's text, signs alone in the direction of their neighbours."""
    is_turned = level == 1 and not any(map(str.isalnum, run))
    return run[::-1].translate(_MIRRORED) if is_turned else run
