"""Rows of CSV, TSV, JSON Lines and Parquet files, streamed, with the place of each.

Around csv, json and pyarrow, by hand: readers of whole frames (pandas, Arrow's own) guess types, so
that an id 007 becomes 7, and do not say of a row on which line it begins.
"""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from whyword.base.checks import existing_file, join_names
from whyword.base.errors import InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.lines import TextFile, flaw_of

Row: TypeAlias = tuple[str, tuple[object, ...]]  # where it stands, its values

_DELIMITERS = ",;\t|"
_ROWS = 256  # of a Parquet file at a time; rows may be large
_LONGEST_FIELD = (1 << 31) - 1  # what a C long holds everywhere


class BadRow(NamedTuple):
    """A row that cannot be read: where it stands and why."""

    place: str
    reason: str


OnBadRow: TypeAlias = Callable[[BadRow], None]  # what is done about such a row


def raise_bad_row(row: BadRow) -> None:
    """Raise the error that the row cannot be read."""
    raise InputError(f"{row.place}: {row.reason}")


class Rows(Protocol):
    """How a table's rows are read."""

    def __call__(
        self, names: Sequence[str], on_bad_row: OnBadRow = ..., on_progress: OnProgress = ...
    ) -> Iterator[Row]:
        """Stream (place, values of the named columns) from the beginning.

        Rows that cannot be read go to `on_bad_row` and are left out; `on_progress` is called with
        the share of the file that is read.
        """


@dataclass(frozen=True)
class Table:
    """A file of rows.

    What was read of the file to know its columns is not read again by the first who asks for rows.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    rows : Rows
    """

    path: Path
    columns: tuple[str, ...]
    rows: Rows


def open_table(path: Path, encoding: str = "utf-8") -> Table:
    """Open a table by its ending: .csv .tsv .jsonl .ndjson .json, each also .gz; .parquet."""
    kind = table_kind(path)
    if kind is None:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        endings = ", ".join(_READERS)
        raise InputError(f"{path}: unknown kind of file; expected {endings} (or a folder)")
    if existing_file(path).stat().st_size == 0:
        raise InputError(f"{path} is empty")
    return _READERS[kind](path, encoding)


def table_kind(path: Path) -> str | None:
    """Return the ending by which :func:`open_table` reads the file, or None."""
    name = path.name.lower().removesuffix(".gz")
    return next((ending for ending in _READERS if name.endswith(ending)), None)


def _open_csv(path: Path, encoding: str) -> Table:
    csv.field_size_limit(_LONGEST_FIELD)  # the default, 131,072 characters, refuses long documents
    file = TextFile(path, encoding)

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        places = [columns.index(name) for name in names]
        lines = file.lines(on_bad_row is not raise_bad_row, on_progress)
        records = _csv_records(path, lines, delimiter, on_bad_row)
        next(records)
        for line, fields in records:
            place = f"{path}, line {line}"
            if len(fields) != len(columns):
                reason = f"{len(fields)} fields, but the header has {len(columns)}"
                reason += f" ({join_names(columns)})"
                if len(fields) > len(columns):
                    reason += f"; quote fields that hold {delimiter!r}"
                on_bad_row(BadRow(place, reason))
                continue
            values = tuple(fields[at] for at in places)
            flaw = None if on_bad_row is raise_bad_row else flaw_of("".join(values), encoding)
            if flaw is None:
                yield place, values
            else:
                on_bad_row(BadRow(place, flaw))

    delimiter, columns = _csv_header(file)
    return Table(path, columns, rows)


def _csv_header(file: TextFile) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter that cuts the header line into most fields, and these."""
    lines = file.look(lenient=True)  # what is below it is another matter
    line = next((line for line in lines if line.strip()), None)
    if line is None or flaw_of(line, file.encoding):
        next((line for line in file.look() if line.strip()), None)  # says why
    if line is None:
        raise InputError(f"{file.path} has no header line")
    delimiters = "\t" if table_kind(file.path) == ".tsv" else _DELIMITERS
    headers = [(mark, _cut(line, mark)) for mark in delimiters]
    delimiter, columns = max(headers, key=lambda header: len(header[1]))
    return delimiter, tuple(name.strip() for name in columns)


def _cut(line: str, delimiter: str) -> list[str]:
    """Return the line's fields; none if its quotation marks do not fit the delimiter."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def _csv_records(
    path: Path, lines: Iterator[str], delimiter: str, on_bad_row: OnBadRow
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which the record begins, fields)."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begin = 1
    while True:
        fields: list[str] = []
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"{error}; is a quotation mark not closed or not doubled?"
            on_bad_row(BadRow(f"{path}, line {begin}", reason))
        if fields:
            yield begin, fields
        begin = reader.line_num + 1


def _open_jsonl(path: Path, encoding: str) -> Table:
    file = TextFile(path, encoding)

    def objects(
        lines: Iterator[str], on_bad_row: OnBadRow
    ) -> Iterator[tuple[str, dict[str, object]]]:
        lenient = on_bad_row is not raise_bad_row
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            value = (flaw_of(line, encoding) if lenient else None) or _json_object(line)
            if isinstance(value, str):
                on_bad_row(BadRow(place, value))
            else:
                yield place, value

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        lines = file.lines(on_bad_row is not raise_bad_row, on_progress)
        for place, value in objects(lines, on_bad_row):
            missing = [name for name in names if name not in value]
            if missing:
                on_bad_row(BadRow(place, f"no {missing[0]!r}, which the first line has"))
            else:
                yield place, tuple(value[name] for name in names)

    first = next(objects(file.look(lenient=True), lambda _: None), None)
    if first is None:
        next(objects(file.look(), raise_bad_row), None)
        raise InputError(f"{path} has no rows")
    return Table(path, tuple(first[1]), rows)


def _json_object(line: str) -> dict[str, object] | str:
    """Return the object that a line holds, or why it holds none."""
    if line.lstrip().startswith("["):
        return "a JSON array; write one object per line"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error}); one object per line"
    if not isinstance(value, dict):
        return f"a JSON {type(value).__name__}; write one object per line"
    return value


def _open_parquet(path: Path, encoding: str) -> Table:
    import pyarrow
    from pyarrow import parquet

    def damaged_file(error: Exception) -> InputError:
        return InputError(f"{path}: not a whole Parquet file ({str(error).splitlines()[0]})")

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        number = 0
        try:
            with opened.pop() if opened else open_file() as file:
                for batch in file.iter_batches(_ROWS, columns=list(names)):
                    read = number + batch.num_rows
                    on_progress(Progress(share=read / file.metadata.num_rows))
                    columns = (_python_values(batch[name]) for name in names)
                    for values in zip(*columns, strict=True):
                        number += 1
                        place = f"{path}, row {number}"
                        broken = next((v for v in values if isinstance(v, _NotText)), None)
                        if broken is None:
                            yield place, values
                        else:
                            on_bad_row(BadRow(place, broken.reason))
        except (pyarrow.ArrowException, OSError, OverflowError) as error:
            raise damaged_file(error) from None

    def open_file() -> Any:  # noqa: ANN401 - pyarrow has no types
        # what pyarrow reads ahead it keeps until the end
        return parquet.ParquetFile(path, pre_buffer=False)

    try:
        opened = [open_file()]  # for the first who reads it
        columns = tuple(opened[0].schema_arrow.names)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged_file(error) from None
    return Table(path, columns, rows)


class _NotText(NamedTuple):
    """A value of a column of texts that is none."""

    reason: str


def _python_values(column: Any) -> list[object]:  # noqa: ANN401 - pyarrow has no types
    """Return an Arrow array's values, :class:`_NotText` where text is not UTF-8."""
    import pyarrow

    try:
        values: list[object] = column.to_pylist()
    except UnicodeDecodeError:
        values = [_decode(value) for value in column.cast(pyarrow.large_binary()).to_pylist()]
    return values


def _decode(value: bytes | None) -> object:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError as error:
        return _NotText(f"text that is not UTF-8 ({error.reason}, byte {error.start})")


_READERS: dict[str, Callable[[Path, str], Table]] = {
    ".csv": _open_csv,
    ".tsv": _open_csv,
    ".jsonl": _open_jsonl,
    ".ndjson": _open_jsonl,
    ".json": _open_jsonl,
    ".parquet": _open_parquet,
}
