"""``whyword explain``: the words behind predictions, printed, into a file or into a folder."""

import itertools
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from whyword.base.checks import expand_path
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line
from whyword.base.progress import counted
from whyword.batch.runs import explain_corpus
from whyword.cli.inputs import TextOptions, chosen_target, open_model
from whyword.cli.options import Documents, Method, ModelFolder
from whyword.cli.outputs import (
    FolderOptions,
    check_apart,
    counted_if_unseen,
    is_folder,
    stdout_console,
    write_corpus_results,
)
from whyword.cli.price import say_price_of_corpus, with_price
from whyword.explanation.explanation import Explanation
from whyword.explanation.formats.registry import ENDINGS, FORMATS
from whyword.explanation.output import format_of, print_explanations, write_explanations
from whyword.methods.explain import iter_answers
from whyword.methods.request import PHRASE, WORD, Request, has_phrases
from whyword.models.protocol import TextClassifier

log = logging.getLogger(__name__)

_DETAILED = ("text", "html", "json", "jsonl", "parquet")  # formats that have more than words


def explain(
    model: ModelFolder,
    source: Documents,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="CLASS",
            help="The class to explain, or 'all'. Repeatable. (default: the predicted class)",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Explain why the target rather than this class."),
    ] = None,
    top_classes: Annotated[
        int | None,
        typer.Option(
            help="Explain each document's so many classes with the highest scores.", min=1
        ),
    ] = None,
    method: Method = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="word|phrase|element",
            help="What has a relevance besides each word: what the model used as units ('phrase': "
            "windows, n-grams), each input dimension ('element'). (default: phrases in text and "
            "HTML)",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"One of {', '.join(FORMATS)}. (default: by the ending of --out, else text)",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The file to write; without an ending a folder of Parquet files, for corpora "
            "of any size.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="For a file: the first so many documents only.", min=1)
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop if relevance does not add up to the score, and, for a folder, at a row "
            "that cannot be read.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(help="For a folder: keep so many words of each document.", min=1),
    ] = None,
    *,
    how: FolderOptions,
    reading: TextOptions,
    parameters: dict[str, Any] | None = None,
) -> None:
    """Show which words made the classifier say that, in a text or in every text of a corpus."""
    parameters = parameters or {}
    if out is not None and format is None and is_folder(out, ENDINGS):
        if limit is not None:
            raise InputError(Argument("limit"), " is for a file; a folder has all documents")
        if level not in (None, WORD):
            raise InputError(Argument("level"), " is for a file; a folder has words")
        asked: dict[str, Any] = {"target": chosen_target(target), "against": against, "top": top}
        run = partial(explain_corpus, method=method, top_classes=top_classes, **asked, **parameters)
        options = how.with_reading(strict, reading)

        def prepare(loaded: TextClassifier) -> None:
            say_price_of_corpus(loaded, source, options, method, parameters)

        write_corpus_results(run, model, source, out, options, prepare)
        return
    how.check_unused(top=top)
    file_format = format_of(out, format)
    if level not in (None, WORD) and file_format not in _DETAILED:
        listed = ", ".join(name for name in FORMATS if name in _DETAILED)
        raise InputError(Argument("level", level), f" is for {listed}; {file_format} has words")
    loaded = open_model(model)
    records = reading.open(source, loaded)
    records = with_price(itertools.islice(records, limit), loaded, method, parameters)
    texts, ids = itertools.tee(records)
    request = Request.of(
        loaded,
        chosen_target(target),
        method,
        against=against,
        top_classes=top_classes,
        level=_level(loaded, method, file_format) if level is None else level,
        parameters=parameters,
    )
    explanations = iter_answers(
        request,
        (record.text for record in texts),
        strict=strict,
        ids=(record.id for record in ids),
    )
    explanations = _at_least_one(explanations, source)
    if out is None:
        printed = counted_if_unseen(explanations, "explaining")
        print_explanations(printed, file_format, stdout_console())
        return
    check_apart(out, source)
    write_explanations(counted(explanations, "explaining"), file_format, expand_path(out))
    log.info("written: %s", one_line(str(out)))


def _at_least_one(explanations: Iterator[Explanation], source: str) -> Iterator[Explanation]:
    first = list(itertools.islice(explanations, 1))
    if not first:
        raise InputError(f"{source} has no documents")
    return itertools.chain(first, explanations)


def _level(model: TextClassifier, method: str | None, file_format: str) -> str:
    """Return the level for people, or for programs: phrases are listed where they can be seen."""
    read_by_people = file_format in ("text", "html")
    return PHRASE if read_by_people and has_phrases(method, model) else WORD
