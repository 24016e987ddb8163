"""``whyword search``: the documents nearest to a text."""

import json
import logging
from pathlib import Path
from typing import Annotated

import typer

from whyword.analysis.search import SearchIndex
from whyword.base.checks import expand_path
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line
from whyword.cli.inputs import TextOptions, open_model, with_distinct_ids
from whyword.cli.options import AsJson, Documents, ModelFolder
from whyword.cli.outputs import stdout_console
from whyword.cli.tables import hit_json, hit_list

log = logging.getLogger(__name__)


def search(
    model: ModelFolder,
    source: Documents,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for: any text.")],
    top: Annotated[int, typer.Option(help="How many documents.", min=1)] = 5,
    index: Annotated[
        Path | None,
        typer.Option(
            "--index",
            help="A file that keeps the corpus's vectors: made once, then read. It is refused "
            "if the corpus has other documents since.",
        ),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: TextOptions,
) -> None:
    """Find the documents of a corpus that are nearest to a text, and say which words make it so."""
    loaded = open_model(model)
    records = list(with_distinct_ids(reading.open(source, loaded)))
    ids, texts = [record.id for record in records], [record.text for record in records]
    if index is not None and expand_path(index).exists():
        documents = SearchIndex.load(index, loaded)
        if not documents.is_of(ids, texts):
            raise InputError(
                f"{one_line(str(index))} was made of other documents than those of "
                f"{one_line(source)}; remove it, or name another file: ",
                Argument("index", ...),
            )
        log.info("searched: the %s documents of %s", f"{len(documents):,}", one_line(str(index)))
    else:
        documents = SearchIndex(loaded, texts, ids=ids)
        if index is not None:
            documents.save(index)
            log.info("written: %s", one_line(str(index)))
    hits = documents.search(query, top)
    if as_json:
        print(json.dumps([hit_json(hit) for hit in hits], ensure_ascii=False, indent=2))
    else:
        stdout_console().print(hit_list(hits))
