"""What a format is: a name, the endings of its files, and how explanations are written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias

from whyword.base.errors import InputError
from whyword.explanation.heatmap import Heatmap
from whyword.explanation.row import Row


class ExplanationLike(Protocol):
    """What formats ask of an explanation."""

    def fields(self) -> Row:
        """Return the row."""

    def heatmap(self) -> Heatmap:
        """Return what is to be looked at."""


Parts: TypeAlias = Callable[[Iterable[ExplanationLike]], Iterator[str]]
Write: TypeAlias = Callable[[Iterable[ExplanationLike], Path], object]


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    name : str
    endings : tuple of str
        Of its files, in lower case, with the dot.
    write : function of explanations and a path
        Writes the file; holds few explanations at a time.
    parts : function of explanations, or None
        Yields the file's text piece by piece; None for a format that needs a file.
    """

    name: str
    endings: tuple[str, ...]
    write: Write
    parts: Parts | None = None

    @classmethod
    def textual(cls, name: str, endings: tuple[str, ...], parts: Parts) -> "Format":
        """Return a format that can be printed, too: UTF-8, its lines ended as they are."""

        def write(explanations: Iterable[ExplanationLike], path: Path) -> None:
            with path.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(parts(explanations))

        return cls(name, endings, write, parts)


def only(explanations: Iterable[ExplanationLike]) -> ExplanationLike:
    """Return the explanation of the one document that a picture shows."""
    first_two = list(islice(explanations, 2))
    if len(first_two) != 1:
        raise InputError("a picture shows one document; for several take html")
    return first_two[0]
