"""``whyword corpus``: look at a corpus before anything is made of it."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from whyword.cli.inputs import parts_to_remove
from whyword.cli.options import (
    AsJson,
    Encoding,
    LabelColumn,
    Remove,
    Seed,
    Source,
    TestShare,
    TextColumn,
)
from whyword.cli.outputs import stdout_console
from whyword.cli.tables import class_table, one_per_class, part_table, sample
from whyword.corpora.corpus import load_corpus
from whyword.corpora.overview import describe


def corpus(
    source: Source,
    text: TextColumn = None,
    label: LabelColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    remove: Remove = None,
    encoding: Encoding = None,
    labelled: Annotated[
        bool,
        typer.Option(" /--unlabelled", help="Texts may have no labels.", show_default=False),
    ] = True,
    samples: Annotated[int, typer.Option(help="How many texts to show.", min=0)] = 3,
    as_json: AsJson = False,
) -> None:
    """Show a corpus: its classes, how many documents, how long, a few samples."""
    loaded = load_corpus(
        source,
        text=text,
        label=label,
        labelled=labelled,
        test=test,
        seed=seed,
        remove=parts_to_remove(remove),
        encoding=encoding,
    )
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
