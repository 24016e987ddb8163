"""Word vector files, read in one streaming pass: word2vec binary and text, GloVe text.

By hand, since gensim cannot leave words out while it reads (`benchmarks/vector_memory.py`).
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import existing_file, strings
from whyword.base.errors import Advice, Argument, InputError, Part
from whyword.vectors.table import unfit_numbers

_BLOCK = 1 << 22
_LONGEST_LINE = 1 << 23  # the most dimensions, written out
_LONGEST_WORD = 1 << 16
_MOST_DIMENSIONS = 100_000
_GZIP_RATIO = 1_100  # gzip compresses by a factor of 1,032 at most
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_vector_file(
    path: Path, vocabulary: Iterable[str] | None = None, duplicates: str = "error"
) -> tuple[list[str], NDArray[np.float32]]:
    """Read the words wanted and their vectors.

    The format is recognised by the content: a first line of two numbers makes it word2vec (text
    if the second line is, else binary), any other first line GloVe's. ``.gz`` is decompressed.

    Parameters
    ----------
    path : Path
    vocabulary : iterable of str, optional
        The words wanted; their lower-cased forms are wanted too, since look-up falls back on them.
    duplicates : {"error", "first"}
        What to do when the file has a word twice.

    Returns
    -------
    words : list of V str
    matrix : (V, D) float32
    """
    if duplicates not in ("error", "first"):
        raise InputError(Argument("duplicates"), f" may be 'error' or 'first', not {duplicates!r}")
    forms = None if vocabulary is None else _forms(strings("vocabulary", vocabulary))
    rows = _Rows(existing_file(path), forms, duplicates)
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with cast(IO[bytes], opener(path, "rb")) as stream:
            _read(stream, rows)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged or cut-off gzip file ({error})") from None
    except MemoryError:
        raise InputError(
            f"{path} does not fit into memory", Advice("; pass ", Argument("vocabulary", ...))
        ) from None
    return list(rows.index), rows.matrix[: len(rows.index)]


def _forms(vocabulary: list[str]) -> set[bytes]:
    forms = {*vocabulary, *(word.lower() for word in vocabulary)}
    return {word.encode("utf-8", "surrogatepass") for word in forms}


class _Rows:
    """The rows kept so far, in a matrix that never grows beyond what can be wanted."""

    def __init__(self, path: Path, forms: set[bytes] | None, duplicates: str) -> None:
        self.path = path
        self.forms = forms
        self.duplicates = duplicates
        self.index: dict[str, int] = {}
        self.matrix = np.empty((0, 0), np.float32)

    def reserve(self, count: int, dimensions: int) -> None:
        """Make room; pages of the matrix that stay unused cost nothing."""
        if self.forms is not None:
            count = min(count, len(self.forms))
        grown = np.empty((count, dimensions), np.float32)
        if self.index:
            grown[: len(self.index)] = self.matrix
        self.matrix = grown

    def wants(self, word: bytes) -> bool:
        return self.forms is None or word in self.forms

    def add(self, word: bytes, vector: NDArray[np.float32], record: int) -> None:
        try:
            name = word.decode()
        except UnicodeDecodeError:
            raise self.error(record, f"the word {_quote(word)} is not UTF-8") from None
        if name in self.index:
            if self.duplicates == "first":
                return
            raise self.error(
                record,
                f"the word {_quote(word)} for the second time",
                Advice("; ", Argument("duplicates", "first"), " keeps one"),
            )
        if reason := unfit_numbers(vector):
            raise self.error(record, f"the vector of {_quote(word)} has {reason}")
        row = len(self.index)
        if row == len(self.matrix):
            self.reserve(max(1024, 2 * row), len(vector))
        self.matrix[row] = vector
        self.index[name] = row

    def error(self, record: int, *what: Part) -> InputError:
        return InputError(f"{self.path}, record {record:,}: ", *what)


def _quote(word: bytes) -> str:
    return repr(word[:40].decode(errors="replace"))


def _read(stream: IO[bytes], rows: _Rows) -> None:
    head = stream.readline(_LONGEST_LINE).removeprefix(_BYTE_ORDER_MARK)
    if not head.strip():
        raise InputError(f"{rows.path} is empty or begins with an empty line")
    header = _header(head, rows.path)
    if header is None:
        first = head.split(None, _MOST_DIMENSIONS + 1)
        dimensions = len(first) - 1
        if not 2 <= dimensions <= _MOST_DIMENSIONS or _numbers(first[1:]) is None:
            raise InputError(
                f"{rows.path}: not a word2vec or GloVe file (these two, also .gz, are read)"
            )
        _read_text(_lines(stream, head, rows.path), rows, None, dimensions)
        return
    count, dimensions = header
    block = stream.read(_BLOCK)
    if _is_text(block.lstrip(b"\r\n").partition(b"\n")[0]):
        _read_text(_lines(stream, block, rows.path), rows, count, dimensions)
    else:
        _read_binary(stream, rows, block, count, dimensions)


def _header(line: bytes, path: Path) -> tuple[int, int] | None:
    fields = line.split(None, 2)
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 16 for field in fields):
        return None
    count, dimensions = int(fields[0]), int(fields[1])
    if count < 1 or not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise InputError(f"{path}: the header promises {count:,} words of {dimensions:,} numbers")
    return count, dimensions


def _is_text(line: bytes) -> bool:
    """Whether a record is text: binary floats hardly ever make printable UTF-8."""
    try:
        return line.decode().replace("\t", " ").strip().isprintable()
    except UnicodeDecodeError:
        return False


def _lines(stream: IO[bytes], block: bytes, path: Path) -> Iterator[bytes]:
    """Yield the lines of a block that was read already, then those of the stream."""
    *whole, rest = block.split(b"\n")
    for line in whole:
        yield line + b"\n"
    if rest:
        yield rest + stream.readline(_LONGEST_LINE)
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:  # compressed, it may be small
            raise InputError(f"{path}: a line is longer than {_LONGEST_LINE:,} bytes")
        yield line


def _read_text(lines: Iterator[bytes], rows: _Rows, count: int | None, dimensions: int) -> None:
    """Read a word and its numbers per line; a word may hold spaces (GloVe 840B has such)."""
    rows.reserve(0, dimensions)
    record = 0
    line = b"\n"
    for line in lines:
        if not line.strip():
            continue
        record += 1
        word, fields = _split_record(line.rstrip(), rows, record, dimensions)
        if rows.wants(word):
            vector = _numbers(fields.split())
            if vector is None or len(vector) != dimensions:
                raise rows.error(record, f"after {_quote(word)} not {dimensions} numbers")
            rows.add(word, vector, record)
    if count is not None and record != count:
        raise InputError(
            f"{rows.path}: the header promises {count:,} words, but the file has {record:,}"
        )
    if not line.endswith(b"\n"):
        raise rows.error(record, "the last line has no end; cut off? (if not, add a newline)")


def _split_record(line: bytes, rows: _Rows, record: int, dimensions: int) -> tuple[bytes, bytes]:
    """Return a record's word and its numbers as they are written."""
    if line.count(b" ") == dimensions and b"\t" not in line:
        word, _, fields = line.partition(b" ")
        return word, fields
    pieces = line.rsplit(None, dimensions)
    if len(pieces) <= dimensions:
        count = len(pieces) - 1
        raise rows.error(record, f"{count} numbers instead of {dimensions}; cut off?")
    word = pieces[0]
    if b" " in word and _numbers(word.split()[-1:]) is not None:
        raise rows.error(record, f"more than {dimensions} numbers after {_quote(word)}")
    return word, b" ".join(pieces[1:])


def _numbers(fields: list[bytes]) -> NDArray[np.float32] | None:
    """Return the fields as numbers, or None if one is none."""
    try:
        with np.errstate(over="ignore"):  # becomes infinite, which is refused with its record
            return np.array(fields, dtype=np.float32)
    except ValueError:
        return None


def _read_binary(
    stream: IO[bytes], rows: _Rows, buffer: bytes, count: int, dimensions: int
) -> None:
    """Read ``word SPACE float32…`` records; a newline between them is optional."""
    size = 4 * dimensions
    most = rows.path.stat().st_size
    if rows.path.suffix.lower() == ".gz":
        most *= _GZIP_RATIO
    if count * (size + 2) > most:
        raise InputError(
            f"{rows.path}: the header promises {count:,} words of {dimensions:,} numbers, "
            f"at least {count * (size + 2):,} bytes, but the file has at most {most:,}"
        )
    rows.reserve(count, dimensions)
    at = 0
    for record in range(1, count + 1):
        space = buffer.find(b" ", at)
        while space < 0 or len(buffer) < space + 1 + size:
            more = stream.read(_BLOCK)
            if not more or (space < 0 and len(buffer) - at > _LONGEST_WORD):
                raise rows.error(
                    record, f"the file is cut off, or its header ({count:,} {dimensions}) is wrong"
                )
            buffer, at = buffer[at:] + more, 0
            space = buffer.find(b" ", at)
        word = buffer[at:space].lstrip(b"\n")
        if rows.wants(word):
            vector = np.frombuffer(buffer, "<f4", dimensions, space + 1).astype(np.float32)
            rows.add(word, vector, record)
        at = space + 1 + size
    if (buffer[at:] + stream.read(_LONGEST_WORD)).strip(b"\n"):
        raise InputError(
            f"{rows.path}: more data than the header promises ({count:,} words of {dimensions})"
        )
