"""Word vector files, read in one streaming pass: word2vec binary and text, GloVe text."""

import gzip
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from whyword.errors import InputError

_BLOCK = 1 << 22
_LONGEST_WORD = 1 << 16
_DUPLICATES = ("error", "first")


def read_vector_file(
    path: Path, vocabulary: Collection[str] | None = None, duplicates: str = "error"
) -> tuple[list[str], NDArray[np.float32]]:
    """Read the words wanted and their vectors.

    The format is recognised by the content: a first line of two numbers makes it word2vec (text
    if the second line is, else binary), any other first line GloVe's. ``.gz`` is decompressed.

    Parameters
    ----------
    path : Path
    vocabulary : collection of str, optional
        The words wanted; their lower-cased forms are wanted too, since look-up falls back on them.
    duplicates : {"error", "first"}
        What to do when the file has a word twice.

    Returns
    -------
    words : list of V str
    matrix : (V, D) float32
    """
    if duplicates not in _DUPLICATES:
        raise InputError(f"duplicates may be 'error' or 'first', not {duplicates!r}")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with cast(IO[bytes], opener(path, "rb")) as stream:
            return _read(stream, _Rows(path, vocabulary, duplicates))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged or cut-off gzip file ({error})") from None
    except MemoryError:
        raise InputError(f"{path} does not fit into memory; pass vocabulary=…") from None


class _Rows:
    """The rows kept so far, in a matrix that never grows beyond what can be wanted."""

    def __init__(self, path: Path, vocabulary: Collection[str] | None, duplicates: str) -> None:
        self.path = path
        self.wanted = None if vocabulary is None else _forms(vocabulary)
        self.duplicates = duplicates
        self.index: dict[bytes, int] = {}
        self.matrix = np.empty((0, 0), np.float32)

    def reserve(self, count: int, dimensions: int) -> None:
        """Make room; pages of the matrix that stay unused cost nothing."""
        if self.wanted is not None:
            count = min(count, len(self.wanted))
        grown = np.empty((count, dimensions), np.float32)
        if self.index:
            grown[: len(self.index)] = self.matrix
        self.matrix = grown

    def wants(self, word: bytes, record: int) -> bool:
        if self.wanted is not None and word not in self.wanted:
            return False
        if word not in self.index:
            return True
        if self.duplicates == "first":
            return False
        raise self.error(
            record, f"the word {_shown(word)} for the second time; duplicates='first' keeps one"
        )

    def add(self, word: bytes, vector: NDArray[np.float32], record: int) -> None:
        if not np.isfinite(vector).all():
            raise self.error(record, f"the vector of {_shown(word)} has NaN or infinite numbers")
        row = len(self.index)
        if row == len(self.matrix):
            self.reserve(max(1024, 2 * row), len(vector))
        self.matrix[row] = vector
        self.index[word] = row

    def result(self) -> tuple[list[str], NDArray[np.float32]]:
        words = []
        for record, word in enumerate(self.index, 1):
            try:
                words.append(word.decode())
            except UnicodeDecodeError:
                raise self.error(record, f"the word {_shown(word)} is not UTF-8") from None
        return words, self.matrix[: len(words)]

    def error(self, record: int, what: str) -> InputError:
        return InputError(f"{self.path}, record {record:,}: {what}")


def _forms(vocabulary: Collection[str]) -> set[bytes]:
    if isinstance(vocabulary, str):
        raise InputError("vocabulary must be a collection of words, not one string")
    forms = {word.encode() for word in vocabulary}
    return forms | {word.lower().encode() for word in vocabulary}


def _shown(word: bytes) -> str:
    return repr(word[:40].decode(errors="replace"))


def _read(stream: IO[bytes], rows: _Rows) -> tuple[list[str], NDArray[np.float32]]:
    head = stream.readline(_LONGEST_WORD)
    if not head.strip():
        raise InputError(f"{rows.path} is empty or begins with an empty line")
    header = _header(head)
    if header is None:
        dimensions = len(head.split()) - 1
        if dimensions < 1 or not _is_text_record(head, dimensions):
            raise InputError(
                f"{rows.path}: not a word2vec or GloVe file (pickled formats are not read)"
            )
        _read_text(stream, rows, head, None, dimensions)
        return rows.result()
    count, dimensions = header
    if count < 1 or dimensions < 1:
        raise InputError(f"{rows.path}: the header promises {count} words of {dimensions} numbers")
    rest = stream.read(_BLOCK)
    if _is_text_record(rest.partition(b"\n")[0], dimensions):
        lines = _Prefixed(rest, stream)
        _read_text(lines, rows, lines.readline(), count, dimensions)
    else:
        _read_binary(stream, rows, rest, count, dimensions)
    return rows.result()


class _Prefixed:
    """A stream's lines, with a block already read put in front of them."""

    def __init__(self, block: bytes, stream: IO[bytes]) -> None:
        self.block, self.at, self.stream = block, 0, stream

    def readline(self) -> bytes:
        end = self.block.find(b"\n", self.at) + 1
        if end:
            line, self.at = self.block[self.at : end], end
            return line
        line, self.block, self.at = self.block[self.at :], b"", 0
        return line + self.stream.readline()


def _header(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) == 2 and fields[0].isdigit() and fields[1].isdigit():
        return int(fields[0]), int(fields[1])
    return None


def _is_text_record(line: bytes, dimensions: int) -> bool:
    fields = line.split()
    try:
        np.array(fields[-dimensions:], dtype=np.float32)
    except ValueError:
        return False
    return len(fields) > dimensions


def _read_text(
    stream: "_Prefixed | IO[bytes]", rows: _Rows, line: bytes, count: int | None, dimensions: int
) -> None:
    """Read a word and its numbers per line; a word may hold spaces (GloVe 840B has such)."""
    record = 0
    while line:
        line = line.rstrip()
        if line:
            record += 1
            found = line.count(b" ")
            if found < dimensions:
                raise rows.error(record, f"{found} numbers instead of {dimensions}; cut off?")
            extra = found - dimensions
            word = line.split(b" ", 1)[0] if not extra else line.rsplit(b" ", dimensions)[0]
            if rows.wants(word, record):
                rows.add(word, _numbers(line[len(word) :], rows, record), record)
        line = stream.readline()
    if count is not None and record != count:
        raise InputError(
            f"{rows.path}: the header promises {count:,} words, but the file has {record:,}"
        )


def _numbers(fields: bytes, rows: _Rows, record: int) -> NDArray[np.float32]:
    try:
        return np.array(fields.split(), dtype=np.float32)
    except ValueError as error:
        raise rows.error(record, str(error)) from None


def _read_binary(
    stream: IO[bytes], rows: _Rows, buffer: bytes, count: int, dimensions: int
) -> None:
    """Read ``word SPACE float32…`` records; a newline between them is optional."""
    size = 4 * dimensions
    plain_size = 0 if rows.path.suffix.lower() == ".gz" else rows.path.stat().st_size
    if plain_size and count * (size + 2) > plain_size:
        raise InputError(
            f"{rows.path}: the header promises {count:,} words of {dimensions} numbers, "
            f"at least {count * (size + 2):,} bytes, but the file has {plain_size:,}"
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
        if rows.wants(word, record):
            vector = np.frombuffer(buffer, "<f4", dimensions, space + 1).astype(np.float32)
            rows.add(word, vector, record)
        at = space + 1 + size
    if (buffer[at:] + stream.read(_LONGEST_WORD)).strip(b"\n"):
        raise InputError(
            f"{rows.path}: more data than the header promises ({count:,} words of {dimensions})"
        )
