"""Rows of CSV, TSV, JSON Lines and Parquet files, streamed, with the place of each."""

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias, cast

from whyword.checks import existing_file, listed
from whyword.errors import InputError

Row: TypeAlias = tuple[str, tuple[object, ...]]  # where it stands, its values

_DELIMITERS = ",;\t|"
_BLOCK = 1 << 20
_ROWS = 256  # of a Parquet file at a time; rows may be large
_LONGEST_FIELD = (1 << 31) - 1  # what a C long holds everywhere


@dataclass(frozen=True)
class Table:
    """A file of rows.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    rows : callable
        ``rows(names)`` streams (place, values of the named columns) from the beginning.
    """

    path: Path
    columns: tuple[str, ...]
    rows: Callable[[Sequence[str]], Iterator[Row]]


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


def text_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Stream a text file's lines with their ends; errors name the byte and the line."""
    decoder = _decoder(path, encoding)
    wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    tail: list[str] = []  # of a line that spans blocks, joined once, so a long line stays linear
    line, read = 1, 0
    for block in _blocks(path):
        read += len(block)
        if not wide and b"\0" in block:
            at = read - len(block) + block.index(b"\0")
            raise InputError(
                f"{path}: NUL byte at byte {at} (line {line + block[: block.index(0)].count(10)}): "
                "not a text file, or not in this encoding; say encoding='utf-16' if it is that"
            )
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _decoding_error(path, encoding, error, read, line) from None
        except UnicodeError as error:  # UTF-16 without a mark of its byte order
            raise InputError(f"{path}: {error}; say encoding='utf-16-le' or '…-be'") from None
        *whole, rest = text.split("\n")
        for piece in whole:
            tail.append(piece)
            yield "".join(tail) + "\n"
            tail.clear()
        line += len(whole)
        tail.append(rest)
    if last := "".join(tail):
        yield last


def _decoding_error(
    path: Path, encoding: str, error: UnicodeDecodeError, read: int, line: int
) -> InputError:
    bad = error.object
    at = read - len(bad) + error.start
    line += bad[: error.start].count(b"\n")
    return InputError(
        f"{path}: byte {at} (line {line}) is not valid {encoding}: {bad[error.start]:#04x}; "
        "say encoding='latin-1', 'cp1252' or whatever it is"
    )


def _decoder(path: Path, encoding: str) -> codecs.IncrementalDecoder:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is no text encoding: base64
        name = codecs.lookup(encoding).name
        return codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    except (LookupError, ValueError, TypeError):
        raise InputError(f"{path}: unknown encoding {encoding!r}") from None


def _blocks(path: Path) -> Iterator[bytes]:
    """Stream the file's bytes, decompressed; the last block is empty."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with cast(IO[bytes], opener(path, "rb")) as stream:
            while block := stream.read(_BLOCK):
                yield block
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged or cut-off gzip file ({error})") from None
    yield b""


def _open_csv(path: Path, encoding: str) -> Table:
    csv.field_size_limit(_LONGEST_FIELD)  # the default, 131,072 characters, refuses long documents

    def rows(names: Sequence[str]) -> Iterator[Row]:
        wanted = [columns.index(name) for name in names]
        records = _csv_records(path, encoding, delimiter)
        next(records)
        for line, fields in records:
            place = f"{path}, line {line}"
            if len(fields) != len(columns):
                raise InputError(
                    f"{place}: {len(fields)} fields, but the header has {len(columns)} "
                    f"({listed(columns)}); quote fields that hold {delimiter!r}"
                )
            yield place, tuple(fields[at] for at in wanted)

    delimiter, columns = _csv_header(path, encoding)
    return Table(path, columns, rows)


def _csv_header(path: Path, encoding: str) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter that cuts the header line into most fields, and these."""
    line = next((line for line in text_lines(path, encoding) if line.strip()), None)
    if line is None:
        raise InputError(f"{path} has no header line")
    delimiters = "\t" if table_kind(path) == ".tsv" else _DELIMITERS
    headers = [(mark, _cut(line, mark)) for mark in delimiters]
    delimiter, columns = max(headers, key=lambda header: len(header[1]))
    return delimiter, tuple(name.strip() for name in columns)


def _cut(line: str, delimiter: str) -> list[str]:
    """Return the line's fields; none if its quotation marks do not fit the delimiter."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def _csv_records(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which the record begins, fields)."""
    reader = csv.reader(text_lines(path, encoding), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for fields in reader:
            if fields:
                yield begin, fields
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{path}, line {begin}: {error}; is a quotation mark not closed or not doubled?"
        ) from None


def _open_jsonl(path: Path, encoding: str) -> Table:
    def objects() -> Iterator[tuple[str, dict[str, object]]]:
        for number, line in enumerate(text_lines(path, encoding), 1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            if line.lstrip().startswith("["):
                raise InputError(f"{place}: a JSON array; write one object per line")
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{place}: not JSON ({error}); one object per line") from None
            if not isinstance(value, dict):
                kind = type(value).__name__
                raise InputError(f"{place}: a JSON {kind}; write one object per line")
            yield place, value

    def rows(names: Sequence[str]) -> Iterator[Row]:
        for place, value in objects():
            missing = [name for name in names if name not in value]
            if missing:
                raise InputError(f"{place}: no {missing[0]!r}, which the first line has")
            yield place, tuple(value[name] for name in names)

    first = next(objects(), None)
    if first is None:
        raise InputError(f"{path} has no rows")
    return Table(path, tuple(first[1]), rows)


def _open_parquet(path: Path, encoding: str) -> Table:
    import pyarrow
    from pyarrow import parquet

    def damaged(error: Exception) -> InputError:
        return InputError(f"{path}: not a whole Parquet file ({str(error).splitlines()[0]})")

    def rows(names: Sequence[str]) -> Iterator[Row]:
        number = 0
        try:
            for batch in parquet.ParquetFile(path).iter_batches(_ROWS, columns=list(names)):
                for values in zip(*(batch[name].to_pylist() for name in names), strict=True):
                    number += 1
                    yield f"{path}, row {number}", values
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}, after row {number}: text that is not UTF-8 ({error})"
            ) from None
        except (pyarrow.ArrowException, OSError, OverflowError) as error:
            raise damaged(error) from None

    try:
        columns = tuple(parquet.read_schema(path).names)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(error) from None
    return Table(path, columns, rows)


_READERS: dict[str, Callable[[Path, str], Table]] = {
    ".csv": _open_csv,
    ".tsv": _open_csv,
    ".jsonl": _open_jsonl,
    ".ndjson": _open_jsonl,
    ".json": _open_jsonl,
    ".parquet": _open_parquet,
}
