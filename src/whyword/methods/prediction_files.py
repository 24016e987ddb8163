"""Predictions as a file: CSV, Excel, JSON Lines or Parquet, a row for each document."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from whyword.base.csv import csv_lines
from whyword.base.excel import write_excel
from whyword.base.files import arrow_file
from whyword.base.labels import Label, Labels, label_text
from whyword.base.printable import storable
from whyword.methods.predict import Prediction

COLUMNS = ("id", "label", "predicted", "probability", "known_words")
ENDINGS: Mapping[str, str] = {
    ".csv": "csv",
    ".xlsx": "excel",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
Rows: TypeAlias = Iterator[list[object]]

_BLOCK = 10_000  # rows of a Parquet file's row group
_DIGITS = 6  # of a probability


def prediction_fields(prediction: Prediction, classes: Sequence[Label]) -> dict[str, object]:
    """Return a prediction as plain data, with the probabilities of all classes."""
    chances = (round(float(chance), _DIGITS) for chance in prediction.probabilities)
    return {
        **dict(zip(COLUMNS, _row(prediction), strict=True)),
        "probabilities": dict(zip(map(str, classes), chances, strict=True)),
    }


def prediction_rows(
    predictions: Iterable[Prediction], classes: Sequence[Label], probabilities: bool = False
) -> Rows:
    """Yield the headings, then a row for each prediction.

    Parameters
    ----------
    predictions : iterable of Prediction
    classes : sequence of C labels
    probabilities : bool
        Whether there is a column for the probability of each class, too.

    Of a model with several labels, ``label`` and ``predicted`` are lists.
    """
    more = [f"probability of {label}" for label in classes] if probabilities else []
    yield [*COLUMNS, *map(storable, more)]
    for one in predictions:
        chances = [round(float(p), _DIGITS) for p in one.probabilities] if probabilities else []
        yield _row(one) + chances


def json_lines(predictions: Iterable[Prediction], classes: Sequence[Label]) -> Iterator[str]:
    """Yield a JSON object a line."""
    for one in predictions:
        yield json.dumps(prediction_fields(one, classes), ensure_ascii=False) + "\n"


def write_predictions(
    predictions: Iterable[Prediction],
    classes: Sequence[Label],
    path: Path,
    format: str,
    probabilities: bool = False,
) -> None:
    """Write a file, few predictions held at a time.

    Parameters
    ----------
    predictions : iterable of Prediction
    classes : sequence of C labels
    path : Path
    format : {"csv", "excel", "jsonl", "parquet"}
    probabilities : bool
        Whether there is a column for the probability of each class; JSON has them all anyway.
    """
    if format == "jsonl":
        _write_text(json_lines(predictions, classes), path)
    else:
        _WRITERS[format](prediction_rows(predictions, classes, probabilities), path)


def _row(prediction: Prediction) -> list[object]:
    several = isinstance(prediction.predicted, tuple)
    return [
        storable(prediction.id),
        _label(prediction.label, several),
        _label(prediction.predicted, several),
        round(prediction.probability, _DIGITS),
        prediction.known_words,
    ]


def _label(label: Labels | None, several: bool) -> str | list[str] | None:
    """Return a label, or, of a model with several, a list of them."""
    if label is None:
        return None
    if several:
        return [storable(one) for one in ([label] if isinstance(label, str) else label)]
    return storable(label_text(label))


def as_text(rows: Rows) -> Rows:
    """Yield the rows for a table of texts and numbers: several labels with commas between."""
    for row in rows:
        yield [", ".join(cell) if isinstance(cell, list) else cell for cell in row]


def _write_text(parts: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(parts)


def _write_csv(rows: Rows, path: Path) -> None:
    _write_text(csv_lines(as_text(rows)), path)


def _write_excel(rows: Rows, path: Path) -> None:
    write_excel(path, as_text(rows))


def _write_parquet(rows: Rows, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    headings = [str(heading) for heading in next(rows)]
    block = list(islice(rows, _BLOCK))
    several = bool(block) and isinstance(block[0][COLUMNS.index("predicted")], list)
    label = pa.list_(pa.string()) if several else pa.string()
    kinds = [pa.string(), label, label, pa.float64(), pa.int64()]
    kinds += [pa.float64()] * (len(headings) - len(kinds))
    schema = pa.schema(list(zip(headings, kinds, strict=True)))
    with pq.ParquetWriter(arrow_file(path, "wb"), schema, compression="zstd") as writer:
        while block:
            columns = zip(zip(*block, strict=True), kinds, strict=True)
            arrays = [pa.array(values, kind) for values, kind in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            block = list(islice(rows, _BLOCK))


_WRITERS: Mapping[str, Callable[[Rows, Path], None]] = {
    "csv": _write_csv,
    "excel": _write_excel,
    "parquet": _write_parquet,
}
