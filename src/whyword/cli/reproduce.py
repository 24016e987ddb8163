"""``whyword reproduce``: the paper's tables, figures and statements."""

import logging
from dataclasses import replace
from typing import Annotated

import typer

from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.options import OutFolder
from whyword.cli.outputs import checked_folder, stdout_console
from whyword.cli.tables import claim_table
from whyword.reports.files import write_reproduction
from whyword.reports.plan import QUICK, Plan
from whyword.reports.reproduction import reproduce as reproduction_of

log = logging.getLogger(__name__)


def reproduce(
    out: OutFolder,
    vectors: Annotated[
        str | None,
        typer.Option(help="A file of word vectors, such as GoogleNews' (default: GloVe and CBOW)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version, in a minute or two.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of everything that is left to chance.")] = 0,
) -> None:
    """Compute every table and figure of the paper, and which of its statements hold."""
    folder = checked_folder(out)
    plan = replace(QUICK if quick else Plan(), seed=seed)
    with progress_bar("getting the posts") as report:
        reproduction = reproduction_of(plan, vectors, report)
    page, *_ = write_reproduction(reproduction, folder)
    stdout_console().print(claim_table(reproduction.claims))
    held = sum(claim.holds for claim in reproduction.claims)
    small = " (the quick version: few posts, small networks)" if quick else ""
    print(f"{held} of {len(reproduction.claims)} statements hold{small}")
    log.info("written: %s", one_line(str(page)))
