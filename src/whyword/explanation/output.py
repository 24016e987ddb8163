"""Explanations to a file or to stdout, one after the other, in the form asked for."""

import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

from rich.console import Console

from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write
from whyword.explanation.explanation import Explanation
from whyword.explanation.formats.registry import ENDINGS, FORMATS


def format_of(out: Path | None, format: str | None) -> str:
    """Return the format: the one named, the one that the file's ending speaks of, or text."""
    if format is None:
        format = "text" if out is None else ENDINGS.get(out.suffix.lower(), "")
        if not format:
            raise InputError(
                f"{out}: the ending says nothing of the format; say ",
                Argument("format", ...),
                f", or one of {', '.join(ENDINGS)}",
            )
    if format not in FORMATS:
        raise InputError(Argument("format"), f" may be {', '.join(FORMATS)}; not {format!r}")
    if out is None and FORMATS[format].parts is None:
        example = Argument("out", f"why{FORMATS[format].endings[0]}")
        raise InputError(f"{format} is written to a file: say ", example)
    return format


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
