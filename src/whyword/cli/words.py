"""``whyword words``: the words that speak for each class."""

import itertools
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from whyword.analysis.class_words import ClassWordsRequest, class_words_choices
from whyword.analysis.class_words_page import explain_documents, word_page
from whyword.base.checks import expand_path
from whyword.base.errors import InputError
from whyword.base.files import atomic_write
from whyword.base.printable import one_line
from whyword.base.progress import counted
from whyword.cli.inputs import TextOptions, chosen_target, open_model, with_distinct_ids
from whyword.cli.options import AsJson, Documents, Method, ModelFolder
from whyword.cli.outputs import check_apart, stdout_console
from whyword.cli.price import with_price
from whyword.cli.tables import word_tables
from whyword.corpora.source import Record
from whyword.methods.request import has_phrases

log = logging.getLogger(__name__)


def words(
    model: ModelFolder,
    source: Documents,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="CLASS", help="Repeatable. (default: all classes)"),
    ] = None,
    top: Annotated[int, typer.Option(help="How many words for each class.", min=1)] = 30,
    per: Annotated[str, typer.Option(help="Each 'word' once, or every 'occurrence'.")] = "word",
    rank: Annotated[
        str | None,
        typer.Option(
            help="Order by what is 'typical', the 'strongest' occurrence, their 'mean' or 'sum'. "
            "(default: typical)"
        ),
    ] = None,
    least: Annotated[int, typer.Option(help="Leave out words that occur less often.", min=1)] = 1,
    units: Annotated[
        str, typer.Option(help="'words', or the 'phrases' that the model used as a unit.")
    ] = "words",
    symbols: Annotated[
        bool,
        typer.Option(
            "--symbols", help="List what has neither a letter nor a digit, too: '!!!', emoji."
        ),
    ] = False,
    method: Method = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page, each word linked to its text; all ranks on it."),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: TextOptions,
) -> None:
    """Show the words that speak most for each class, over all texts of a corpus."""
    check_apart(html, source)
    loaded = open_model(model)

    def records() -> Iterator[Record]:
        read = reading.open(source, loaded)
        return with_distinct_ids(read)

    if html is not None and source == "-":
        raise InputError("a page reads the texts twice, and stdin can be read once; give a file")
    request = ClassWordsRequest.of(
        *(chosen_target(target) if target else "all", top, per, rank, least, units, method, {}),
        symbols=symbols,
    )
    request.check(loaded)
    priced = with_price(records(), loaded, method, twice=html is not None)
    texts, ids = itertools.tee(counted(priced, "reading"))
    given = (record.text for record in texts), (record.id for record in ids)
    if html is not None:
        lists = class_words_choices(loaded, request, *given)
        pairs = ((record.id, record.text) for record in records())
        title = f"Class words: {source}"
        page = word_page(lists, explain_documents(loaded, pairs, lists[0], method), title)
        with atomic_write(expand_path(html)) as draft, draft.open("w", encoding="utf-8") as stream:
            stream.writelines(page)
        log.info("written: %s", one_line(str(html)))
        return
    by_class = request.words(loaded, request.collect(loaded, *given))
    if as_json:
        listed = {str(label): [e._asdict() for e in entries] for label, entries in by_class.items()}
        print(json.dumps(listed, ensure_ascii=False, indent=2))
    else:
        stdout_console().print(word_tables(by_class))
    if units == "words" and not loaded.trace_kind.equal_shares and has_phrases(method, loaded):
        log.info("this model uses phrases as units: --units phrases lists them")
