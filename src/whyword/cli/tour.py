"""``whyword tour``: a model at a glance, a folder of pages."""

import logging
from pathlib import Path, PurePath
from typing import Annotated

import typer

from whyword.base.checks import expand_path
from whyword.base.errors import InputError
from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.inputs import CorpusOptions, open_model
from whyword.cli.options import ModelFolder, OutFolder, Source
from whyword.cli.outputs import checked_folder
from whyword.cli.price import asks_anew, say_price
from whyword.corpora.corpus import Part
from whyword.corpora.source import name_and_part
from whyword.reports.tour import write_tour
from whyword.reports.tour_price import tour_price

log = logging.getLogger(__name__)


def tour(
    model: ModelFolder,
    source: Source,
    out: OutFolder,
    limit: Annotated[
        int, typer.Option(help="Documents that explanations are measured on.", min=10)
    ] = 1000,
    *,
    reading: CorpusOptions,
) -> None:
    """Show a model on labelled texts at a glance: heatmaps, mistakes, words, map, evaluation."""
    folder = checked_folder(out)
    for taken in (model, Path(name_and_part(source)[0])):
        if expand_path(taken).resolve() == folder.resolve():
            raise InputError(f"{out} is what the tour is made of; name another folder")
    loaded = open_model(model)
    corpus, train = reading.load_with_training(source, loaded)
    part = Part(corpus.texts, corpus.labels, corpus.ids)
    if asks_anew(loaded):
        say_price("the tour", tour_price(loaded, part, limit))
    with progress_bar("preparing") as report:
        title = f"{PurePath(model).name} on {source}"
        made = write_tour(loaded, part, folder, title, train=train, few=limit, on_progress=report)
    log.info("%s: %s", "kept" if made.kept else "written", one_line(str(made.page)))
