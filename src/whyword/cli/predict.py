"""``whyword predict``: the classes of texts, printed or into a folder."""

import csv
import itertools
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from whyword.batch.runs import RunOptions, predict_corpus
from whyword.cli.inputs import open_model
from whyword.cli.options import (
    Address,
    Documents,
    Encoding,
    Engines,
    ModelFolder,
    Resume,
    Seed,
    TestShare,
    TextColumn,
    Workers,
)
from whyword.cli.outputs import for_folders_only, stdout_console, write_corpus_results
from whyword.cli.tables import prediction_json, prediction_table
from whyword.corpora.corpus import open_texts
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
    resume: Resume = False,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Predict the class of a text or of every text of a corpus."""
    if out is not None:
        how: RunOptions = {
            "engine": engine,
            "workers": workers,
            "address": address,
            "resume": resume,
        }
        how |= {"strict": strict, "text": text, "encoding": encoding}
        write_corpus_results(predict_corpus, model, source, out, how)
        return
    if strict or resume or engine != "local" or workers or address:
        raise for_folders_only("strict", "resume", "engine", "workers", "address")
    loaded = open_model(model)
    documents = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
    predictions = predict_documents(loaded, documents)
    first = list(itertools.islice(predictions, 1))  # open before printing
    predictions = itertools.chain(first, predictions)
    if output is Format.JSONL:
        escape = "utf" not in (sys.stdout.encoding or "").lower()
        for prediction in predictions:
            print(json.dumps(prediction_json(prediction, labels_of(loaded)), ensure_ascii=escape))
    elif output is Format.CSV:
        writer = csv.writer(sys.stdout)
        writer.writerow(["id", "predicted", "probability", "known_words"])
        for p in predictions:
            writer.writerow([p.id, p.predicted, f"{p.probability:.6f}", p.known_words])
    else:
        stdout_console().print(prediction_table(predictions))
