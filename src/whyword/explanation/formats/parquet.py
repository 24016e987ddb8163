"""Parquet: one row an explanation."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.files import arrow_file
from whyword.base.printable import one_line, storable
from whyword.base.versions import VERSION
from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.formats.json import plain_value
from whyword.explanation.row import BY_NAME, FIELDS, LEFT_OUT, OPTIONAL, Row

_BLOCK = 256  # rows of a Parquet file's row group


def write(rows: Iterable[Row], path: Path) -> int:
    """Write a Parquet file, one row an explanation, a block at a time; return how many."""
    import pyarrow.parquet as pq

    remaining = iter(rows)
    first = list(islice(remaining, 1))
    if not first:
        raise InputError("there are no explanations to write")
    schema = _schema_of(first[0])
    remaining, count = chain(first, remaining), 0
    with pq.ParquetWriter(arrow_file(path, "wb"), schema, compression="zstd") as writer:
        while block := list(islice(remaining, _BLOCK)):
            columns = {name: [row[name] for row in block] for name in schema.names}
            writer.write_table(encode(columns, schema))
            count += len(block)
    return count


def read(path: Path) -> Iterator[Row]:
    """Yield the explanations of a Parquet file, a block at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(arrow_file(path), pre_buffer=False) as file:
            for batch in file.iter_batches(_BLOCK):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = one_line(str(error).partition("\n")[0])[:200]
        raise InputError(f"{path} is damaged or no Parquet file ({reason})") from None


def encode(columns: Mapping[str, Any], schema: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return rows of explanations as an Arrow table.

    Parameters
    ----------
    columns : mapping from the name of a field to
        its values, one for each row; or an array of as many rows; or an Arrow array of them. A
        value that all rows have is best the same object in all.
    schema : Arrow schema
        As :func:`arrow_schema` makes it.
    """
    import pyarrow as pa

    arrays = [_column(columns[field.name], field) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(values: Any, field: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the values of one column as an Arrow array."""
    import pyarrow as pa

    if isinstance(values, pa.Array):
        return values.cast(field.type)
    if isinstance(values, np.ndarray):
        return (arrow_rows(values) if values.ndim > 1 else pa.array(values)).cast(field.type)
    if len(values) > 1 and all(value is values[0] for value in values):
        return arrow_repeat(_column(values[:1], field), len(values))
    element, shape = BY_NAME[field.name].element, BY_NAME[field.name].shape
    if element == "json":
        values = [parameters_text(value) for value in values]
    elif element == "string" and shape:
        values = [[storable(word) for word in words] for words in values]
    elif element == "string":
        return arrow_strings(values)
    elif all(isinstance(value, np.ndarray) for value in values):
        return _lists(values, field.type)
    elif element == "label":
        values = [_storable_label(value) for value in values]
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"Parquet cannot hold the column {field.name!r}: {error}") from None


def _storable_label(label: Any) -> Any:  # noqa: ANN401 - a label, or several
    """Return a label, or a list of them, without halves of surrogate pairs."""
    if isinstance(label, list | tuple):
        return [_storable_label(one) for one in label]
    return storable(label) if isinstance(label, str) else label


def _lists(values: list[Any], kind: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return arrays as an Arrow array of lists."""
    firsts = np.cumsum([0, *map(len, values)])
    filled = [one for one in values if len(one)] or values[:1]  # a text without words has no D
    return arrow_lists(np.concatenate(filled), firsts).cast(kind)


def arrow_strings(texts: Sequence[str | None]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return strings as an Arrow array; halves of surrogate pairs are replaced."""
    import pyarrow as pa

    return pa.array([text and storable(text) for text in texts], pa.string())


def arrow_repeat(one: Any, count: int) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an Arrow array of one value so many times, without a Python object for each."""
    import pyarrow as pa

    return one.take(pa.array(np.zeros(count, np.int32)))


def arrow_rows(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array's rows as an Arrow array of lists."""
    return arrow_lists(rows.reshape(-1), np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1])


def arrow_lists(values: Any, firsts: NDArray[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an Arrow array of lists, without a Python object for each number.

    Parameters
    ----------
    values : Arrow array, or array of any number of dimensions
        The rows of one of several dimensions are lists themselves.
    firsts : (lists + 1,) int
        List d is ``values[firsts[d]:firsts[d + 1]]``.
    """
    import pyarrow as pa

    if isinstance(values, np.ndarray) and values.ndim > 1:
        count, width = values.shape[:2]
        values = arrow_lists(values.reshape(-1, *values.shape[2:]), np.arange(count + 1) * width)
    elif isinstance(values, np.ndarray):
        values = pa.array(np.ascontiguousarray(values))
    return pa.ListArray.from_arrays(pa.array(firsts.astype(np.int32)), values)


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Return a method's parameters as Parquet has them: JSON."""
    return json.dumps(plain_value(parameters, short=False), ensure_ascii=False)


def _schema_of(row: Row) -> Any:  # noqa: ANN401 - pyarrow has no types
    return arrow_schema(
        row["classes"],
        target=row["target"],
        several=isinstance(row["residual"], np.ndarray),
        method=row["method"],
        parameters=row["parameters"],
        model=row["model"],
        extra=[field.name for field in OPTIONAL if field.name in row],
    )


def arrow_schema(
    classes: Sequence[Any],
    *,
    target: object,
    several: bool,
    method: str,
    parameters: Mapping[str, Any],
    model: str | None,
    extra: Collection[str] = (),
    top: int | None = None,
) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the columns' types; they depend on the labels and on the number of targets.

    Parameters
    ----------
    classes : sequence of labels
    target : label or several
    several : bool
        Whether relevance is (T, K).
    method, parameters, model
        What the file says of itself.
    extra : collection of str
        The fields that were asked for besides.
    top : int, optional
        How many words there are of each document; what the others have is a column, too.
    """
    import pyarrow as pa

    try:
        label = pa.infer_type([_storable_label(one) for one in classes])
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"Parquet cannot hold these classes: {error}") from None
    added = {*extra, *([LEFT_OUT.name] if top is not None else [])}
    fields = (*FIELDS, *(field for field in OPTIONAL if field.name in added))
    types = {field.name: field.arrow_type(label, several) for field in fields}
    if not isinstance(target, list | tuple):
        types["target"] = pa.infer_type(
            [_storable_label(target)]
        )  # "all" beside classes that are numbers
    about = {
        "whyword": VERSION,
        "method": method,
        "parameters": parameters_text(parameters),
        "model": model or "",
    }
    if top is not None:
        about["top"] = str(top)
    metadata = {name: storable(said) for name, said in about.items()}
    return pa.schema(list(types.items()), metadata=metadata)


def _write(explanations: Iterable[ExplanationLike], path: Path) -> None:
    write((explanation.fields() for explanation in explanations), path)


FORMAT = Format("parquet", (".parquet",), _write)
