"""Explanations to a file or to stdout, one after the other, in the form asked for."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from rich.console import Console

from whyword.base.errors import InputError
from whyword.base.files import written_whole
from whyword.explanation import export, heatmap
from whyword.explanation.explanation import Explanation

Parts: TypeAlias = Iterator[str]

_ENDINGS = {
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "json",
    ".parquet": "parquet",
    ".svg": "svg",
    ".png": "png",
}


def text_parts(explanations: Iterable[Explanation]) -> Parts:
    """Yield texts without colours."""
    return (explanation.to_text() for explanation in explanations)


def json_parts(explanations: Iterable[Explanation]) -> Parts:
    """Yield one JSON object a line."""
    return (explanation.to_json() + "\n" for explanation in explanations)


def html_parts(explanations: Iterable[Explanation]) -> Parts:
    """Yield the parts of one page."""
    return heatmap.page(explanation.heatmap() for explanation in explanations)


def svg_parts(explanations: Iterable[Explanation]) -> Parts:
    """Yield the picture of the only explanation."""
    return iter([_only(explanations).to_svg()])


_TEXTUAL: dict[str, Callable[[Iterable[Explanation]], Parts]] = {
    "text": text_parts,
    "json": json_parts,
    "html": html_parts,
    "svg": svg_parts,
}
FORMATS = (*_TEXTUAL, "parquet", "png")


def format_of(out: Path | None, wanted: str | None) -> str:
    """Return the format: the one wanted, the one that the file's ending speaks of, or text."""
    if wanted is None:
        wanted = "text" if out is None else _ENDINGS.get(out.suffix.lower(), "")
        if not wanted:
            endings = ", ".join(_ENDINGS)
            raise InputError(
                f"{out}: the ending says nothing of the format; say --format, or one of {endings}"
            )
    if out is None and wanted in ("parquet", "png"):
        raise InputError(f"{wanted} is written to a file: say --out why.{wanted}")
    return wanted


def write_explanations(explanations: Iterable[Explanation], wanted: str, out: Path) -> None:
    """Write a file that is there whole or not at all; few explanations are held at a time."""
    with written_whole(out) as draft:
        if wanted == "parquet":
            export.write_parquet((one.fields() for one in explanations), draft)
        elif wanted == "png":
            _only(explanations).to_png(draft)
        else:
            with draft.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(_TEXTUAL[wanted](explanations))


def print_explanations(explanations: Iterable[Explanation], wanted: str, console: Console) -> None:
    """Print to stdout, in colours if the console has them and text is wanted."""
    # the first is made before anything is printed, so that an error comes alone
    remaining = iter(explanations)
    explanations = chain(list(islice(remaining, 1)), remaining)
    if wanted == "text":
        for explanation in explanations:
            console.print(explanation, soft_wrap=not console.is_terminal, end="")
    else:
        sys.stdout.flush()
        for part in _TEXTUAL[wanted](explanations):  # data is UTF-8 whatever the terminal is
            sys.stdout.buffer.write(part.encode("utf-8"))
        sys.stdout.buffer.flush()


def _only(explanations: Iterable[Explanation]) -> Explanation:
    found = list(islice(explanations, 2))
    if len(found) != 1:
        raise InputError("a picture shows one document; for several take html")
    return found[0]
