"""Lines of text files, plain or gzip, streamed; what is wrong with them is said by byte and line.

By hand, since the errors of Python's text files name a byte of their buffer, not of the file, and
no line; nor do they let a second reader go on from what was read for a first look.
"""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress, Progress, ignore

_BLOCK = 1 << 20
_MOST_KEPT = 4  # blocks of a beginning
_ESCAPED = re.compile("[\udc80-\udcff]")  # what stands for a byte that could not be decoded


class _Block(NamedTuple):
    """Bytes of a file, and the share of it that is read with them."""

    content: bytes
    share: float


class TextFile:
    """A text file that may be looked at before it is read, without reading its beginning twice.

    What :meth:`look` has read is kept, and the file stays open, for the next who reads the
    :meth:`lines`; whoever comes after that begins anew.

    Parameters
    ----------
    path : Path
    encoding : str
    """

    def __init__(self, path: Path, encoding: str = "utf-8") -> None:
        self.path, self.encoding = path, encoding
        self._kept: list[_Block] = []
        self._rest: Iterator[_Block] | None = None
        self._version: tuple[int, ...] | None = None

    def look(self, lenient: bool = False) -> Iterator[str]:
        """Stream the lines from the first, to see what the file is."""
        return _lines(self._look(), self.path, self.encoding, lenient)

    def lines(self, lenient: bool = False, on_progress: OnProgress | None = None) -> Iterator[str]:
        """Stream the lines with their ends; errors name the byte and the line.

        Parameters
        ----------
        lenient : bool
            Let NUL pass, and U+DC80 … U+DCFF for bytes that cannot be decoded.
        on_progress : callable, optional
            Called with the share that is read, again and again.
        """
        blocks = self._take(on_progress or ignore)
        return _lines(blocks, self.path, self.encoding, lenient)

    def _look(self) -> Iterator[bytes]:
        if self._rest is None:
            self._rest, self._version = _blocks(self.path), _version(self.path)
        kept, rest = self._kept, self._rest
        yield from [block.content for block in kept]
        try:
            for block in rest:
                if self._rest is rest:
                    kept.append(block)
                    if len(kept) > _MOST_KEPT:  # memory comes first
                        self._forget()
                yield block.content
        except (InputError, OSError):
            self._forget()
            raise

    def _take(self, report: OnProgress) -> Iterator[bytes]:
        if self._rest is not None and _version(self.path) not in (self._version, None):
            self._forget()  # it was written since
        kept, rest = self._kept, self._rest or _blocks(self.path)
        self._forget()
        while kept:
            yield _report(kept.pop(0), report)
        for block in rest:
            yield _report(block, report)

    def _forget(self) -> None:
        self._kept, self._rest = [], None


def _version(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is written; None for one that is gone."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def text_lines(path: Path, encoding: str = "utf-8", lenient: bool = False) -> Iterator[str]:
    """Stream a text file's lines, as :meth:`TextFile.lines` does."""
    return TextFile(path, encoding).lines(lenient)


def flaw_of(text: str, encoding: str) -> str | None:
    """Return what is wrong with text that was read leniently, or None."""
    if not text.isascii() and (match := _ESCAPED.search(text)):
        return f"byte {ord(match[0]) - 0xDC00:#04x} is not valid {encoding}"
    return "NUL byte" if "\0" in text else None


def _report(block: _Block, report: OnProgress) -> bytes:
    if block.content:
        report(Progress(share=block.share))
    return block.content


def _blocks(path: Path) -> Iterator[_Block]:
    """Stream the file's bytes, decompressed; the last block is empty."""
    size = path.stat().st_size or 1
    try:
        with path.open("rb") as file:
            packed = path.suffix.lower() == ".gz"
            stream = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if packed else file
            while block := stream.read(_BLOCK):
                yield _Block(block, file.tell() / size)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged or cut-off gzip file ({error})") from None
    yield _Block(b"", 1.0)


def _lines(blocks: Iterator[bytes], path: Path, encoding: str, lenient: bool) -> Iterator[str]:
    decoder = _decoder(path, encoding, "surrogateescape" if lenient else "strict")
    wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    tail: list[str] = []  # of a line that spans blocks, joined once, so a long line stays linear
    line, read = 1, 0
    for block in blocks:
        read += len(block)
        if not wide and not lenient and b"\0" in block:
            raise _nul_error(path, block, read, line)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _decoding_error(path, encoding, error, read, line) from None
        except UnicodeError as error:  # UTF-16 without a mark of its byte order
            said = Argument("encoding", "utf-16-le")
            raise InputError(f"{path}: {error}; say ", said, " or …-be") from None
        *whole, rest = text.split("\n")
        for piece in whole:
            tail.append(piece)
            yield "".join(tail) + "\n"
            tail.clear()
        line += len(whole)
        tail.append(rest)
    if last := "".join(tail):
        yield last


def _decoder(path: Path, encoding: str, errors: str = "strict") -> codecs.IncrementalDecoder:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is no text encoding: base64
        name = codecs.lookup(encoding).name
        return codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)(errors)
    except (LookupError, ValueError, TypeError):
        raise InputError(f"{path}: unknown ", Argument("encoding"), f" {encoding!r}") from None


def _nul_error(path: Path, block: bytes, read: int, line: int) -> InputError:
    at = block.index(b"\0")
    return InputError(
        f"{path}: NUL byte at byte {read - len(block) + at} (line {line + block[:at].count(10)}): "
        "not a text file, or not in this encoding; say ",
        Argument("encoding", "utf-16"),
        " if it is that",
    )


def _decoding_error(
    path: Path, encoding: str, error: UnicodeDecodeError, read: int, line: int
) -> InputError:
    bad = error.object
    at = read - len(bad) + error.start
    line += bad[: error.start].count(b"\n")
    return InputError(
        f"{path}: byte {at} (line {line}) is not valid {encoding}: {bad[error.start]:#04x}; say ",
        Argument("encoding", "latin-1"),
        ", cp1252 or whatever it is",
    )
