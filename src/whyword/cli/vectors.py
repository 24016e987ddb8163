"""``whyword vectors``: look at word vectors and at what they know of a corpus."""

import json
import math
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from whyword.base.printable import one_line
from whyword.cli.options import AsJson, Encoding, TextColumn
from whyword.cli.outputs import stdout_console
from whyword.corpora.corpus import load_corpus
from whyword.vectors.pretrained import PRETRAINED
from whyword.vectors.vectors import Vectors


def vectors(
    source: Annotated[
        str,
        typer.Argument(
            help=f"A word2vec or GloVe file (.gz too), or one of {', '.join(PRETRAINED)}.",
        ),
    ],
    near: Annotated[
        list[str] | None,
        typer.Option("--near", metavar="WORD", help="Show this word's neighbours. Repeatable."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many neighbours.", min=1)] = 10,
    coverage: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS", help="Show the share of a corpus's words that have a vector."
        ),
    ] = None,
    text: TextColumn = None,
    encoding: Encoding = None,
    duplicates: Annotated[
        str, typer.Option(help="When a file has a word twice: 'error', or keep the 'first'.")
    ] = "error",
    as_json: AsJson = False,
) -> None:
    """Show word vectors: how many, the nearest words of a word, how much of a corpus they know."""
    loaded = Vectors.load(source, duplicates=duplicates)
    result: dict[str, object] = {"words": len(loaded), "dimensions": loaded.dimensions}
    neighbours = {word: loaded.nearest(word, top) for word in near or ()}
    result["near"] = {word: [n._asdict() for n in nearest] for word, nearest in neighbours.items()}
    if coverage:
        texts = load_corpus(coverage, text=text, labelled=False, encoding=encoding).texts
        covered = loaded.coverage(texts)
        result["coverage"] = None if math.isnan(covered) else covered
        result["missing"] = loaded.missing(texts)
    if as_json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return
    console = stdout_console()
    console.print(f"{len(loaded):,} words, {loaded.dimensions} dimensions")
    for word, nearest in neighbours.items():
        table = Table("near " + one_line(word), "cosine", box=None, header_style="bold")
        for neighbour in nearest:
            table.add_row(Text(one_line(neighbour.word)), f"{neighbour.similarity:.3f}")
        console.print("", table, sep="\n")
    if coverage:
        missing = ", ".join(f"{one_line(w)} ({n:,})" for w, n in loaded.missing(texts))
        known = f"\n{covered:.1%} of the words of {one_line(coverage)} have a vector"
        console.print(known, soft_wrap=True)
        console.print(f"most frequent without: {missing or 'none'}", soft_wrap=True)
