"""Explanations to a file or to stdout, one after the other, in the form asked for."""

import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

from rich.console import Console

from whyword.base.errors import InputError
from whyword.base.files import atomic_write
from whyword.explanation.explanation import Explanation
from whyword.explanation.formats.registry import ENDINGS, FORMATS


def format_of(out: Path | None, name: str | None) -> str:
    """Return the format: the one named, the one that the file's ending speaks of, or text."""
    if name is None:
        name = "text" if out is None else ENDINGS.get(out.suffix.lower(), "")
        if not name:
            endings = ", ".join(ENDINGS)
            raise InputError(
                f"{out}: the ending says nothing of the format; say --format, or one of {endings}"
            )
    if out is None and FORMATS[name].parts is None:
        raise InputError(f"{name} is written to a file: say --out why{FORMATS[name].endings[0]}")
    return name


def write_explanations(explanations: Iterable[Explanation], name: str, out: Path) -> None:
    """Write a file that is there whole or not at all; few explanations are held at a time."""
    with atomic_write(out) as draft:
        FORMATS[name].write(explanations, draft)


def print_explanations(explanations: Iterable[Explanation], name: str, console: Console) -> None:
    """Print to stdout, in colours if the console has them and text is wanted."""
    # the first is made before anything is printed, so that an error comes alone
    remaining = iter(explanations)
    explanations = chain(list(islice(remaining, 1)), remaining)
    parts = FORMATS[name].parts
    if name == "text":
        for explanation in explanations:
            console.print(explanation, soft_wrap=not console.is_terminal, end="")
    elif parts is None:
        raise InputError(f"{name} is written to a file, not printed")
    else:
        sys.stdout.flush()
        for part in parts(explanations):  # data is UTF-8 whatever the terminal is
            sys.stdout.buffer.write(part.encode("utf-8"))
        sys.stdout.buffer.flush()
