"""``whyword corpus``: look at a corpus before anything is made of it."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from whyword.cli.inputs import MailOptions
from whyword.cli.options import AsJson, Source
from whyword.cli.outputs import stdout_console
from whyword.cli.tables import class_table, one_per_class, part_table, sample
from whyword.corpora.overview import describe


def corpus(
    source: Source,
    *,
    reading: MailOptions,
    labelled: Annotated[
        bool,
        typer.Option(" /--unlabelled", help="Texts may have no labels.", show_default=False),
    ] = True,
    samples: Annotated[int, typer.Option(help="How many texts to show.", min=0)] = 3,
    as_json: AsJson = False,
) -> None:
    """Show a corpus: its classes, how many documents, how long, a few samples."""
    loaded = reading.load(source, labelled)
    figures = describe(loaded)
    if as_json:
        print(json.dumps(asdict(figures), ensure_ascii=False, indent=2))
        return
    console = stdout_console()
    if figures.classes:
        console.print(class_table(figures), end="\n\n")
    console.print(part_table(figures))
    for number in one_per_class(loaded, samples):
        console.print(sample(loaded, number))
