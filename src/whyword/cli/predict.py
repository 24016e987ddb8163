"""``whyword predict``: the classes of texts, printed or into a folder."""

import itertools
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from whyword.base.csv import write_csv
from whyword.base.errors import InputError
from whyword.batch.runs import predict_corpus
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.options import Documents, ModelFolder
from whyword.cli.outputs import FolderOptions, stdout_console, write_corpus_results
from whyword.cli.tables import prediction_json, prediction_table
from whyword.methods.predict import predict_documents
from whyword.models.blackbox import labels_of


class Format(StrEnum):
    """How predictions are printed."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"


def predict(
    model: ModelFolder,
    source: Documents,
    output: Annotated[
        Format, typer.Option("--format", help="How to print the predictions.")
    ] = Format.TABLE,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A folder of Parquet files to write, for corpora of any size."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="For a folder: stop at a row that cannot be read.")
    ] = False,
    *,
    how: FolderOptions,
    reading: TextOptions,
) -> None:
    """Predict the class of a text or of every text of a corpus."""
    if out is not None:
        options = how.with_reading(strict, reading)
        write_corpus_results(predict_corpus, model, source, out, options)
        return
    how.check_unused(strict=strict)
    loaded = open_model(model)
    documents = reading.open(source, loaded)
    predictions = predict_documents(loaded, documents)
    first = list(itertools.islice(predictions, 1))  # open before printing
    if not first:
        raise InputError(f"{source} has no documents")
    predictions = itertools.chain(first, predictions)
    if output is Format.JSONL:
        escape = "utf" not in (sys.stdout.encoding or "").lower()
        for prediction in predictions:
            print(json.dumps(prediction_json(prediction, labels_of(loaded)), ensure_ascii=escape))
    elif output is Format.CSV:
        heads = [("id", "predicted", "probability", "known_words")]
        rows = ((p.id, p.predicted, f"{p.probability:.6f}", p.known_words) for p in predictions)
        write_csv(sys.stdout, itertools.chain(heads, rows))
    else:
        stdout_console().print(prediction_table(predictions))
