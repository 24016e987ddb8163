"""``whyword map``: documents as points, on a page or in a picture."""

import itertools
import logging
from pathlib import Path
from typing import Annotated

import typer

from whyword.analysis.document_map import document_map, draw_maps, map_group
from whyword.analysis.weighting import WEIGHTINGS
from whyword.base.errors import InputError
from whyword.base.printable import one_line
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.options import Documents, ModelFolder
from whyword.cli.outputs import check_apart
from whyword.methods.registry import METHODS

log = logging.getLogger(__name__)


def map_documents(
    model: ModelFolder,
    source: Documents,
    out: Annotated[
        Path, typer.Option("--out", help="An interactive page (.html) or a picture (.png, .svg).")
    ],
    method: Annotated[
        str | None, typer.Option(help=f"One of {', '.join((*METHODS, *WEIGHTINGS))}.")
    ] = None,
    level: Annotated[str, typer.Option(help="'word' or 'element' (networks).")] = "word",
    projection: Annotated[str, typer.Option(help="'pca' or 'umap'.")] = "pca",
    group: Annotated[
        int | None,
        typer.Option(
            help="Colour by the first so many parts of dotted labels: 1 makes sci.space sci.",
            min=1,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Show the first so many documents only.", min=3)
    ] = None,
    *,
    reading: TextOptions,
) -> None:
    """Draw the documents of a corpus as points, near if what serves their class is alike."""
    endings = (".html", ".htm", ".png", ".svg")
    if out.suffix.lower() not in endings:
        raise InputError(f"{out}: a map is written as one of {', '.join(endings)}")
    check_apart(out, source)
    loaded = open_model(model)
    records = reading.open(source, loaded)
    documents = list(itertools.islice(records, limit))
    labels = [record.label for record in documents]
    known = None if None in labels else [map_group(name) for name in labels]
    if known is not None and group is not None:
        known = [".".join(name.split(".")[:group]) for name in known]
    drawing = document_map(
        loaded,
        (record.text for record in documents),
        known,
        ids=(record.id for record in documents),
        method=method,
        level=level,
        projection=projection,
    )
    if out.suffix.lower() in (".html", ".htm"):
        drawing.to_html(out)
    else:
        draw_maps([drawing], out)
    log.info("written: %s", one_line(str(out)))
