"""``whyword strategies``: the different ways in which a class is recognised."""

import logging
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from whyword.audit.strategies import DOCUMENTS, FEWEST, MOST
from whyword.audit.strategies import strategies as find_strategies
from whyword.audit.strategies_price import strategies_price
from whyword.base.checks import whole_number
from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.options import AsJson, Documents, Method, ModelFolder
from whyword.cli.outputs import check_report, stdout_console
from whyword.cli.price import is_costly, say_price
from whyword.cli.tables import strategy_tables
from whyword.cli.word_lists import ignored_words

log = logging.getLogger(__name__)


def strategies(
    model: ModelFolder,
    source: Documents,
    target: Annotated[
        str, typer.Option("--target", metavar="CLASS", help="The class that is recognised.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A page to write (.html); the figures as .json beside it."),
    ] = None,
    suspects: Annotated[
        list[str] | None,
        typer.Option(
            "--suspects",
            metavar="WORD|@FILE|TABLE.csv|FOLDER",
            help="A word, phrase or /pattern/ that should not matter, '@' and a file with one a "
            "line, or a table or folder as of --ignore: what lives on such words is marked. "
            "Repeatable.",
        ),
    ] = None,
    documents: Annotated[
        int, typer.Option(help="Look at so many documents at most, by chance.", min=FEWEST)
    ] = DOCUMENTS,
    most: Annotated[int, typer.Option(help="The most ways that are tried.", min=1)] = MOST,
    method: Method = None,
    level: Annotated[str, typer.Option(help="'word' or 'element' (networks).")] = "word",
    as_json: AsJson = False,
    chance_seed: Annotated[
        int, typer.Option(help="Of documents, halves and clusters chosen by chance.")
    ] = 0,
    *,
    reading: TextOptions,
) -> None:
    """Show the different ways in which texts are recognised as a class: words, accuracy, texts."""
    check_report(out, source, [model])
    chance_seed = whole_number("chance_seed", chance_seed, least=0)
    listed = None if suspects is None else list(chain.from_iterable(map(ignored_words, suspects)))
    loaded = open_model(model)
    records = list(reading.open(source, loaded))
    texts, labels = [one.text for one in records], [one.label for one in records]
    if is_costly(loaded, method):
        cost = strategies_price(loaded, texts, method=method, documents=documents)
        say_price("the search for strategies", cost)
    with progress_bar("preparing") as report:
        found = find_strategies(
            loaded,
            texts,
            target,
            None if None in labels else labels,
            ids=[one.id for one in records],
            suspects=listed,
            documents=documents,
            most=most,
            method=method,
            level=level,
            seed=chance_seed,
            on_progress=report,
        )
    if out is not None:
        found.to_html(out)
        beside = found.to_json(out.with_suffix(".json"))
        log.info("written: %s and %s", one_line(str(out)), one_line(beside))
    if as_json:
        print(found.to_json(), end="")
    else:
        stdout_console().print(strategy_tables(found))
