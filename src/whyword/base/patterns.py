"""Regular expressions that come with a model: those by which a short text could hold us for ever.

Python's :mod:`re` tries one way to read a text after the other, and knows no time limit. A pattern
that can read the same run of characters in two ways, over and over (``(a+)+b``), doubles the time
with every character. Whether it can is decided here before it is used, by the automaton of the
pattern's characters: a way from one of them back to itself that two different walks have in common
(Weber and Seidl's criterion). Where it is not sure, it says no.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import Argument, InputError

_MOST = 24  # characters and sets of them in a pattern; the check takes their sixth power
_COPIES = 8  # of something that is repeated so often are looked at one by one
_BLANKS = 3  # places where nothing can be read in two ways, each of which doubles the time
_PARALLEL = 2  # repetitions one after the other that may share a text: time by its length squared
_ASSIGNED = (range(0x33480), range(0xE0000, 0xE1000))  # other characters are like their neighbours
_OTHERS = (0x50000, 0xF0000, 0x10FFFF)
# the parser that `re.compile` uses itself; `test_patterns.py` fails if a new Python has another
_parser, _compiler = re._parser, re._compiler  # type: ignore[attr-defined]
_REPEATS = {_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT}
_CHARACTERS = {_parser.LITERAL, _parser.NOT_LITERAL, _parser.IN, _parser.ANY}


def check_pattern(name: str, pattern: str, parallel: int = _PARALLEL) -> "re.Pattern[str]":
    """Return the compiled pattern.

    Parameters
    ----------
    name : str
        What it is called in messages.
    pattern : str
    parallel : int
        How many repetitions one after the other may share a text: its length goes into the time
        with that power, and once more if the pattern is sought everywhere in a text.

    Raises
    ------
    InputError
        If it is no regular expression, or a text could take it time without end.
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        said = f" is no regular expression ({error}): {pattern!r:.60}"
        raise InputError(Argument(name), said) from None
    if _is_slow(pattern, parallel):
        raise InputError(
            Argument(name),
            " could read some texts in so many ways that it would never end: "
            f"{pattern!r:.60}; write it so that what is repeated can be read in one way only, "
            r"as in \w+(?:-\w+)*",
        )
    return compiled


@lru_cache(1_000)
def _is_slow(pattern: str, parallel: int) -> bool:
    """Whether the pattern may take time without end, or it cannot be told."""
    try:
        parsed = _parser.parse(pattern)
        if all(kind == _parser.LITERAL for kind, _ in parsed):  # of any length
            return False
        return _Automaton(parsed).is_slow(parallel)
    except (_TooManyWaysError, RecursionError):
        return True


class _TooManyWaysError(Exception):
    """There are too many ways to read a text, or it cannot be told."""


@dataclass
class _Fragment:
    """A part of the pattern: which characters it can begin and end with, and if it can be empty."""

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    empty: bool = True


class _Automaton:
    """The pattern's characters, and which may follow which (Glushkov's automaton).

    Parameters
    ----------
    parsed
        Of :mod:`re`'s parser.
    """

    def __init__(self, parsed: Any) -> None:  # noqa: ANN401 - private to re
        self._state = parsed.state
        self._nodes: list[Any] = []
        self._follows: dict[tuple[int, int], int] = {}  # in how many ways
        self._blanks = 0  # places where nothing can be read in two ways
        self._sequence(parsed)

    def is_slow(self, parallel: int) -> bool:
        """Whether the ways to read a text grow faster than that power of its length."""
        count = len(self._nodes)
        edges = np.zeros((count, count), bool)
        for edge in self._follows:
            edges[edge] = True
        if any(ways > 1 for ways in self._follows.values()):
            return True
        onwards = _closure(edges)
        repeated = onwards.diagonal()
        if (
            repeated.sum() <= parallel
            and not (onwards & onwards.T & ~np.eye(count, dtype=bool)).any()
        ):
            return False  # single characters are repeated, each by itself, and but few of them
        shared = self._shared()
        pairs = edges[:, None, :, None] & edges[None, :, None, :] & shared[None, None]
        reach = _closure(pairs.reshape(count * count, -1)).reshape((count,) * 4)
        same = np.arange(count)
        apart = ~np.eye(count, dtype=bool)
        # from (q, q) to two different places and back
        away, back = reach[same, same], reach[:, :, same, same].transpose(2, 0, 1)
        if (away & back & apart).any():
            return True
        # from (p, p) to (p, q), and from there to (q, q): p's loop and q's share a text
        to = reach[same[:, None], same[:, None], same[:, None], same[None]]
        onwards = reach[same[:, None], same[None], same[None], same[None]]
        return _longest_chain(to & onwards & apart) > parallel

    def _shared(self) -> NDArray[np.bool_]:
        """Return which of the characters have one in common, (N, N)."""
        named = {place for node in self._nodes for place in _numbers(node)}
        near = {place + step for place in named for step in (-1, 0, 1)}
        every = _characters() + "".join(chr(place) for place in near if 0 <= place < 0x110000)
        sets: dict[str, NDArray[np.uint8]] = {}
        for node in self._nodes:
            if str(node) not in sets:
                single = _parser.SubPattern(self._state, [node])
                found = _compiler.compile(single, self._state.flags).findall(every)
                flags = np.zeros(0x110000, bool)
                flags[_code_points("".join(found))] = True
                sets[str(node)] = np.packbits(flags)
        each = [sets[str(node)] for node in self._nodes]
        return np.array([[(one & other).any() for other in each] for one in each])

    def _sequence(self, nodes: Any) -> _Fragment:  # noqa: ANN401 - private to re
        whole = _Fragment()
        for node in nodes:
            whole = self._joined(whole, self._fragment(*node))
        return whole

    def _joined(self, one: _Fragment, other: _Fragment) -> _Fragment:
        self._link(one.last, other.first)
        return _Fragment(
            one.first + (other.first if one.empty else []),
            other.last + (one.last if other.empty else []),
            one.empty and other.empty,
        )

    def _link(self, ends: list[int], beginnings: list[int]) -> None:
        for end in ends:
            for beginning in beginnings:
                edge = end, beginning
                self._follows[edge] = self._follows.get(edge, 0) + 1

    def _fragment(self, kind: Any, value: Any) -> _Fragment:  # noqa: ANN401 - private to re
        if kind in _CHARACTERS:
            if len(self._nodes) == _MOST:
                raise _TooManyWaysError
            self._nodes.append((kind, value))
            number = len(self._nodes) - 1
            return _Fragment([number], [number], empty=False)
        if kind in _REPEATS:
            return self._repeated(*value)
        if kind is _parser.AT:
            return _Fragment()
        if kind is _parser.BRANCH:
            parts = [self._sequence(part) for part in value[1]]
            self._count_blanks(sum(part.empty for part in parts) - 1)
            return _Fragment(
                [number for part in parts for number in part.first],
                [number for part in parts for number in part.last],
                any(part.empty for part in parts),
            )
        if kind is _parser.SUBPATTERN:
            _, added, removed, inside = value
            if added or removed:  # characters mean something else there
                raise _TooManyWaysError
            return self._sequence(inside)
        if kind is _parser.ATOMIC_GROUP:
            return self._sequence(value)
        if kind in (_parser.ASSERT, _parser.ASSERT_NOT):
            if any(_variable(value[1])):  # looked for at every place again
                raise _TooManyWaysError
            return _Fragment()
        raise _TooManyWaysError  # what refers to a group reads what that read

    def _repeated(self, least: int, most: int, body: Any) -> _Fragment:  # noqa: ANN401
        if least == most <= _COPIES and not any(_variable(body)):
            return self._sequence(list(body) * least)
        before = self._blanks
        part = self._sequence(body)
        if most > 1:
            if part.empty or self._blanks > before:
                raise _TooManyWaysError  # nothing, over and over
            self._link(part.last, part.first)
        elif part.empty:
            self._count_blanks(1)  # nothing, once or not at all
        return _Fragment(part.first, part.last, part.empty or least == 0)

    def _count_blanks(self, more: int) -> None:
        self._blanks += max(0, more)
        if self._blanks > _BLANKS:
            raise _TooManyWaysError


@cache
def _characters() -> str:
    """Return all characters, of stretches that are alike some."""
    return "".join(chr(place) for places in (*_ASSIGNED, _OTHERS) for place in places)


def _numbers(node: Any) -> Iterator[int]:  # noqa: ANN401 - private to re
    """Yield the characters that a part of a pattern names, by number."""
    if isinstance(node, list | tuple):
        for part in node:
            yield from _numbers(part)
    elif type(node) is int:
        yield node


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _variable(body: Any) -> Iterator[bool]:  # noqa: ANN401 - private to re
    """Yield True for each part that can be read in several ways."""
    for kind, value in body:
        if kind in _REPEATS or kind is _parser.BRANCH:
            yield True
        elif kind is _parser.SUBPATTERN:
            yield from _variable(value[3])


def _closure(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return from where one can come to where, in one step or more."""
    reach = edges
    while True:
        further = reach | (reach.astype(np.float32) @ reach.astype(np.float32) > 0)
        if (further == reach).all():
            return reach
        reach = further


def _longest_chain(edges: NDArray[np.bool_]) -> int:
    """Return how many places the longest way has; it never returns."""
    longest = np.zeros(len(edges), int)
    for _ in range(len(edges)):
        longest = np.where(edges, longest[None] + 1, 0).max(axis=1, initial=0)
    return int(longest.max(initial=-1)) + 1
