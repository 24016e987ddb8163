"""``whyword suspects``: what a model depends on and perhaps should not have learned."""

import logging
from pathlib import Path
from typing import Annotated

import typer

from whyword.audit.suspicion.candidates import LEAST
from whyword.audit.suspicion.marks import check_unmarked, marks_of
from whyword.audit.suspicion.price import suspects_price
from whyword.audit.suspicion.search import suspects as find_suspects
from whyword.audit.suspicion.stored import FILE, TABLE_FILE
from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.inputs import CorpusOptions, open_model
from whyword.cli.options import AsJson, Method, ModelFolder, Source
from whyword.cli.outputs import checked_folder, stdout_console
from whyword.cli.price import asks_anew, say_price
from whyword.cli.tables import suspect_table

log = logging.getLogger(__name__)


def suspects(
    model: ModelFolder,
    source: Source,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A folder for index.html, suspects.csv and suspects.json."),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            help="The column that says who wrote a document: an author, a thread, a source. "
            "(default: the author of newsgroup posts; where nobody knows, near copies go together)"
        ),
    ] = None,
    method: Method = None,
    least_documents: Annotated[
        int, typer.Option(help="In how many documents a thing must stand.", min=1)
    ] = LEAST,
    top: Annotated[int, typer.Option(help="How many suspects to print.", min=1)] = 20,
    as_json: AsJson = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Write --out anew though somebody filled in its suspects.csv: what is found again "
            "keeps its mark.",
        ),
    ] = False,
    *,
    reading: CorpusOptions,
) -> None:
    """Find what a model depends on and perhaps should not have learned: names, hosts, signatures.

    The corpus's training part is what the model was trained on; the test part was held out.
    """
    folder = None if out is None else checked_folder(out)
    marks = {} if folder is None else check_unmarked(folder / TABLE_FILE, force)
    loaded = open_model(model)
    corpus = reading.load_both(source, loaded, groups)
    if asks_anew(loaded):
        cost = suspects_price(loaded, corpus, method=method, least_documents=least_documents)
        say_price("the search for suspects", cost)
    with progress_bar("preparing") as report:
        found = find_suspects(
            loaded,
            corpus,
            groups=groups,
            method=method,
            least_documents=least_documents,
            on_progress=report,
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        kept, gone = marks_of(found.rows, marks)
        found.to_csv(folder / TABLE_FILE, artefacts=kept)
        found.to_json(folder / FILE)
        page = found.to_html(folder / "index.html")
        log.info("written: %s, suspects.csv and suspects.json beside it", one_line(page))
        if marks:
            log.info("marks kept in the column 'artefact': %d of %d", len(kept), len(marks))
        if gone:
            log.warning("marked before, and not found any more: %s", one_line(", ".join(gone)))
    if as_json:
        print(found.to_json(), end="")
    else:
        stdout_console().print(suspect_table(found, top))
