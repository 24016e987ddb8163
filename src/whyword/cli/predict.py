"""``whyword predict``: the classes of texts, printed, into a file or into a folder."""

import itertools
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from whyword.base.checks import expand_path
from whyword.base.csv import write_csv
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write
from whyword.base.labels import Label
from whyword.base.printable import one_line
from whyword.base.progress import counted
from whyword.batch.runs import predict_corpus
from whyword.cli.inputs import TextOptions, label_column, open_model
from whyword.cli.options import Documents, ModelFolder
from whyword.cli.outputs import (
    FolderOptions,
    check_apart,
    counted_if_unseen,
    is_folder,
    stdout_console,
    write_corpus_results,
)
from whyword.cli.tables import prediction_table
from whyword.methods.predict import Prediction, Tally, predict_documents
from whyword.methods.prediction_files import (
    ENDINGS,
    as_text,
    prediction_fields,
    prediction_rows,
    write_predictions,
)
from whyword.models.blackbox import labels_of

log = logging.getLogger(__name__)


class Format(StrEnum):
    """How predictions are printed or written."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"
    EXCEL = "excel"
    PARQUET = "parquet"


def predict(
    model: ModelFolder,
    source: Documents,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="Of what is printed: table, jsonl or csv; of a file all but table. "
            "(default: by the ending of --out, else table)",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help=f"The file to write ({', '.join(ENDINGS)}); without an ending a folder of "
            "Parquet files, for corpora of any size.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="A column for each class (CSV, Excel, Parquet)."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="For a folder: stop at a row that cannot be read.")
    ] = False,
    *,
    how: FolderOptions,
    reading: TextOptions,
) -> None:
    """Predict the class of a text or of every text of a corpus."""
    if out is not None and format is None and is_folder(out, ENDINGS):
        options = how.with_reading(strict, reading)
        options["label"] = label_column(reading.label)
        options["label_separator"] = reading.label_separator
        write_corpus_results(predict_corpus, model, source, out, options)
        return
    how.check_unused(strict=strict)
    chosen = _format_of(out, format)
    if probabilities and chosen is Format.TABLE:
        raise InputError(Argument("probabilities"), " is for ", Argument("format", "csv"))
    check_apart(out, source)
    loaded = open_model(model)
    classes = labels_of(loaded)
    tally = Tally(classes)
    predictions = tally.count(predict_documents(loaded, reading.open(source, loaded)))
    first = list(itertools.islice(predictions, 1))  # open before printing
    if not first:
        raise InputError(f"{source} has no documents")
    predictions = itertools.chain(first, predictions)
    if out is None:
        _print(predictions, classes, chosen, probabilities, tally)
        return
    with atomic_write(expand_path(out)) as draft:
        progress = counted(predictions, "predicting")
        write_predictions(progress, classes, draft, chosen, probabilities)
    count = f"{tally.n_documents:,} document{'s' * (tally.n_documents != 1)}"
    said = "; ".join(filter(None, (count, tally.accuracy_line())))
    log.info("written: %s (%s)", one_line(str(out)), said)


def _format_of(out: Path | None, format: Format | None) -> Format:
    if out is None:
        chosen = format or Format.TABLE
        if chosen in (Format.EXCEL, Format.PARQUET):
            ending = next(end for end, name in ENDINGS.items() if name == chosen)
            example = Argument("out", f"said{ending}")
            raise InputError(f"{chosen} is written to a file: say ", example)
        return chosen
    if format is Format.TABLE:
        raise InputError("a table is printed, not written; leave ", Argument("format"), " out")
    if format is not None:
        return format
    if out.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{out}: the ending says nothing of the format; it may be {', '.join(ENDINGS)}, or "
            "none for a folder"
        )
    return Format(ENDINGS[out.suffix.lower()])


def _print(
    predictions: Iterator[Prediction],
    classes: Sequence[Label],
    format: Format,
    probabilities: bool,
    tally: Tally,
) -> None:
    if format is Format.JSONL:
        escape = "utf" not in (sys.stdout.encoding or "").lower()
        for prediction in counted_if_unseen(predictions, "predicting"):
            print(json.dumps(prediction_fields(prediction, classes), ensure_ascii=escape))
    elif format is Format.CSV:
        printed = counted_if_unseen(predictions, "predicting")
        write_csv(sys.stdout, as_text(prediction_rows(printed, classes, probabilities)))
    else:
        console = stdout_console()
        console.print(prediction_table(list(counted(predictions, "predicting"))))
        if tally.labelled:
            console.print(tally.accuracy_line())
        return
    if tally.labelled:
        log.info("%s", tally.accuracy_line())
