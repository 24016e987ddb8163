"""Rows of CSV, TSV, JSON Lines and Parquet files, streamed, with the place of each.

Around csv, json and pyarrow, by hand: readers of whole frames (pandas, Arrow's own) guess types, so
that an id 007 becomes 7, and do not say of a row on which line it begins.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from whyword.base.checks import existing_file, join_names
from whyword.base.errors import InputError
from whyword.base.files import arrow_file
from whyword.base.printable import one_line
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.csv_records import QuotationError, csv_records, cut_record
from whyword.corpora.encoding import UTF_8, Encodings
from whyword.corpora.lines import LONGEST, TOO_LONG, TextFile, flaw_of
from whyword.corpora.parquet_values import NotText, python_values
from whyword.corpora.text_files import other_kind

Row: TypeAlias = tuple[str, tuple[object, ...]]  # where it stands, its values

_DELIMITERS = ",;\t|"
_ROWS, _ROWS_OF_LARGE = 256, 64  # of a Parquet file at a time; rows may be large
_LARGE = 1 << 20  # bytes of a Parquet file's group of rows
_LINES_OF_HEADER = 100  # at most, of a header with line ends in its names


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
    """A file of rows, or a frame.

    What was read of the file to know its columns is not read again by the first who asks for rows.

    Attributes
    ----------
    path : Path or str
        Of a frame, what it is.
    columns : tuple of str
    rows : Rows
    """

    path: Path | str
    columns: tuple[str, ...]
    rows: Rows


def open_table(path: Path, encoding: str | None = None, seen: Encodings | None = None) -> Table:
    """Open a table by its ending: .csv .tsv .jsonl .ndjson .json, each also .gz; .parquet.

    Parameters
    ----------
    path : Path
    encoding, seen
        As for :class:`~whyword.corpora.lines.TextFile`.
    """
    kind = table_kind(path)
    if kind is None:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        if other := other_kind(path):
            raise InputError(f"{path}: {other}")
        endings = ", ".join(_READERS)
        raise InputError(f"{path}: unknown kind of file; expected {endings} (or a folder)")
    if existing_file(path).stat().st_size == 0:
        raise InputError(f"{path} is empty")
    return _READERS[kind](path, encoding, seen or Encodings())


def table_kind(path: Path) -> str | None:
    """Return the ending by which :func:`open_table` reads the file, or None."""
    name = path.name.lower().removesuffix(".gz")
    return next((ending for ending in _READERS if name.endswith(ending)), None)


def _open_csv(path: Path, encoding: str | None, seen: Encodings) -> Table:
    file = TextFile(path, encoding, seen)

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        places = [columns.index(name) for name in names]
        lenient = on_bad_row is not raise_bad_row
        lines = file.lines(lenient, on_progress, header.end)
        below = header.skip(lines)
        for line, fields, flaw in csv_records(lines, header.delimiter, len(columns), below):
            place = f"{path}, line {line}"
            if flaw is None and len(fields) != len(columns):
                flaw = _wrong_width(fields, header)
            if flaw is None:
                values = tuple(fields[at] for at in places)
                flaw = flaw_of("".join(values), encoding or UTF_8) if lenient else None
            if flaw is None:
                yield place, values
            else:
                on_bad_row(BadRow(place, flaw))

    header = _csv_header(file)
    columns = header.columns
    return Table(path, columns, rows)


def _wrong_width(fields: list[str], header: "_Header") -> str:
    reason = f"{len(fields)} fields, but the header has {len(header.columns)}"
    reason += f" ({join_names(header.columns)})"
    if len(fields) > len(header.columns):
        reason += f"; quote fields that hold {header.delimiter!r}"
    return reason


class _Header(NamedTuple):
    """The head of a CSV file: its text and what follows from it."""

    text: str
    delimiter: str
    columns: tuple[str, ...]

    @property
    def end(self) -> str:
        """How lines end: old Macs had carriage returns alone."""
        return "\r" if self.text.endswith("\r") else "\n"

    def skip(self, lines: Iterator[str]) -> int:
        """Take the head from the lines, and blank ones above it; return the next one's number."""
        number = next(number for number, line in enumerate(lines, 1) if line.strip())
        more = self.text.removesuffix(self.end).count(self.end)
        return number + sum(1 for _ in islice(lines, more)) + 1


def _csv_header(file: TextFile) -> _Header:
    """Return the header, with the delimiter that cuts it into most fields."""
    lines = file.look(lenient=True)  # what is below it is another matter
    text = next((line for line in lines if line.strip()), "")
    for line in islice(lines, _LINES_OF_HEADER):
        if text.count('"') % 2 == 0:
            break
        text += line
    if not text or flaw_of(text, file.encoding or UTF_8):
        next((line for line in file.look() if line.strip()), None)  # says why
        raise InputError(f"{file.path} has no header line")
    delimiters = "\t" if table_kind(file.path) == ".tsv" else _DELIMITERS
    headers = [(mark, _cut(text, mark)) for mark in delimiters]
    delimiter, columns = max(headers, key=lambda header: len(header[1]))
    if not columns:
        raise InputError(f"{file.path}: the quotation marks of the header line do not fit")
    return _Header(text, delimiter, tuple(name.strip() for name in columns))


def _cut(text: str, delimiter: str) -> list[str]:
    """Return the header's fields; none if its quotation marks do not fit the delimiter."""
    try:
        return cut_record([text], delimiter)
    except QuotationError:
        return []


def _open_jsonl(path: Path, encoding: str | None, seen: Encodings) -> Table:
    file = TextFile(path, encoding, seen)

    def objects(
        lines: Iterator[str], on_bad_row: OnBadRow
    ) -> Iterator[tuple[str, dict[str, object]]]:
        lenient = on_bad_row is not raise_bad_row
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            value = (flaw_of(line, encoding or UTF_8) if lenient else None) or _json_object(line)
            if isinstance(value, str):
                on_bad_row(BadRow(place, value))
            else:
                yield place, value

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        lines = file.lines(on_bad_row is not raise_bad_row, on_progress, end)
        for place, value in objects(lines, on_bad_row):
            missing = [name for name in names if name not in value]
            if missing:
                on_bad_row(BadRow(place, f"no {missing[0]!r}, which the first line has"))
            else:
                yield place, tuple(value[name] for name in names)

    end = _jsonl_end(file)
    first = next(objects(file.look(lenient=True, end=end), lambda _: None), None)
    if first is None:
        next(objects(file.look(end=end), raise_bad_row), None)
        raise InputError(f"{path} has no rows")
    return Table(path, tuple(first[1]), rows)


def _jsonl_end(file: TextFile) -> str:
    """Return how lines end: old Macs had returns alone, which JSON itself may hold."""
    first = next((line for line in file.look(lenient=True) if line.strip()), "")
    is_whole = first.endswith("\r") and not isinstance(_json_object(first), str)
    return "\r" if is_whole else "\n"


def _json_object(line: str) -> dict[str, object] | str:
    """Return the object that a line holds, or why it holds none."""
    if len(line) > LONGEST:
        return TOO_LONG
    if line.lstrip().startswith("["):
        return "a JSON array; write one object per line"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error}); one object per line"
    if not isinstance(value, dict):
        return f"a JSON {type(value).__name__}; write one object per line"
    return value


def _open_parquet(path: Path, encoding: str | None, seen: Encodings) -> Table:
    import pyarrow
    from pyarrow import parquet

    def damaged_file(error: Exception) -> InputError:
        said = one_line(str(error).partition("\n")[0])
        return InputError(f"{path}: not a whole Parquet file ({said:.200})")

    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        number = 0
        try:
            with opened.pop() if opened else open_file() as file:
                for batch in file.iter_batches(_batch_rows(file.metadata), columns=list(names)):
                    read = number + batch.num_rows
                    on_progress(Progress(share=read / file.metadata.num_rows))
                    columns = (python_values(batch[name]) for name in names)
                    for values in zip(*columns, strict=True):
                        number += 1
                        place = f"{path}, row {number}"
                        broken = next((v for v in values if isinstance(v, NotText)), None)
                        if broken is None:
                            yield place, values
                        else:
                            on_bad_row(BadRow(place, broken.reason))
        except damage as error:
            raise damaged_file(error) from None

    def open_file() -> Any:  # noqa: ANN401 - pyarrow has no types
        # what pyarrow reads ahead it keeps until the end
        return parquet.ParquetFile(arrow_file(path), pre_buffer=False)

    damage = (pyarrow.ArrowException, OSError, OverflowError, ValueError, LookupError)
    try:
        opened = [open_file()]  # for the first who reads it
        columns = tuple(opened[0].schema_arrow.names)
    except damage as error:
        raise damaged_file(error) from None
    return Table(path, columns, rows)


def _batch_rows(metadata: Any) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return how many rows of a Parquet file are read at a time.

    A text that a dictionary holds once may stand in every row, and each is a copy.
    """
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return _ROWS if largest < _LARGE else _ROWS_OF_LARGE


_READERS: dict[str, Callable[[Path, str | None, Encodings], Table]] = {
    ".csv": _open_csv,
    ".tsv": _open_csv,
    ".jsonl": _open_jsonl,
    ".ndjson": _open_jsonl,
    ".json": _open_jsonl,
    ".parquet": _open_parquet,
}
