"""Lines of text files, plain or gzip, streamed; what is wrong with them is said by byte and line.

By hand, since the errors of Python's text files name a byte of their buffer, not of the file, and
no line; nor do they let a second reader go on from what was read for a first look, or bound a line.
"""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple, cast

from whyword.base.errors import Argument, InputError
from whyword.base.printable import spelled_out
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.encoding import LONGEST_MARK, UTF_8, DetectingDecoder, Encodings

LONGEST = 1 << 26  # characters of a document; what is longer is damage, or an attack on the memory

_BLOCK = 1 << 20
_MOST_KEPT = 4  # blocks of a beginning
_ESCAPED = re.compile("[\udc80-\udcff]")  # what stands for a byte that could not be decoded
_ANY_END = re.compile("\r\n?|\n")
# Python's codecs of text that no file is written in
_FOR_OTHER_THINGS = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}


TOO_LONG = f"more than {LONGEST:,} characters"


class Flaw(NamedTuple):
    """What is wrong with a text."""

    reason: str


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
    encoding : str, optional
        What it is written in; by default UTF-8, or what its bytes look like.
    seen : Encodings, optional
        Where that is counted once all lines are read.
    """

    def __init__(
        self, path: Path, encoding: str | None = None, seen: Encodings | None = None
    ) -> None:
        self.path, self.encoding, self._seen = path, encoding, seen
        self._kept: list[_Block] = []
        self._rest: Iterator[_Block] | None = None
        self._version: tuple[int, ...] | None = None

    def look(self, lenient: bool = False, end: str | None = None) -> Iterator[str]:
        """Stream the lines from the first, to see what the file is; by default they end anyhow."""
        texts = _texts(self._look(), self.path, self.encoding, lenient, end=end or "\n")
        return _any_lines(texts) if end is None else _lines(texts, end)

    def lines(
        self, lenient: bool = False, on_progress: OnProgress | None = None, end: str = "\n"
    ) -> Iterator[str]:
        """Stream the lines with their ends; errors name the byte and the line.

        Of a line of more than :data:`LONGEST` characters only the beginning is given, which has
        more of them, too.

        Parameters
        ----------
        lenient : bool
            Let NUL pass, and U+DC80 … U+DCFF for bytes that the encoding does not have.
        on_progress : callable, optional
            Called with the share that is read, again and again.
        end : str
            How lines end.
        """
        blocks = self._take(on_progress or ignore)
        return _lines(_texts(blocks, self.path, self.encoding, lenient, self._seen, end), end)

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


def read_text(
    path: Path,
    encoding: str | None = None,
    lenient: bool = False,
    seen: Encodings | None = None,
    blocks: Iterator[bytes] | None = None,
) -> str | Flaw:
    """Return a whole file's text; if lenient, what is wrong with it.

    Parameters
    ----------
    path : Path
    encoding, seen
        As for :class:`TextFile`.
    lenient : bool
    blocks : iterator of bytes, optional
        What is in the file, if somebody has begun to read it.
    """
    pieces: list[str] = []
    length = 0
    for piece in _texts(blocks or file_blocks(path), path, encoding, lenient, seen):
        length += len(piece)
        if length > LONGEST:
            if lenient:
                return Flaw(TOO_LONG)
            raise InputError(f"{path}: {TOO_LONG}")
        pieces.append(piece)
    text = "".join(pieces)
    flaw = flaw_of(text, encoding or UTF_8) if lenient else None
    return text if flaw is None else Flaw(flaw)


def file_blocks(path: Path) -> Iterator[bytes]:
    """Stream the file's bytes, decompressed."""
    return (block.content for block in _blocks(path))


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


def _texts(
    blocks: Iterator[bytes],
    path: Path,
    encoding: str | None,
    lenient: bool,
    seen: Encodings | None = None,
    end: str = "\n",
) -> Iterator[str]:
    """Decode a file block by block; lines are counted for errors."""
    beginning, blocks = begin(blocks, LONGEST_MARK)
    decoder: codecs.IncrementalDecoder | DetectingDecoder
    if encoding is None:
        decoder = DetectingDecoder(beginning)
        wide = decoder.is_wide
    else:
        decoder = text_decoder(str(path), encoding, "surrogateescape" if lenient else "strict")
        wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    line, read, mark = 1, 0, end.encode()
    for block in blocks:
        read += len(block)
        if not wide and not lenient and b"\0" in block:
            raise _nul_error(path, block, read, line, mark)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _decoding_error(path, encoding or UTF_8, error, read, line, mark) from None
        except UnicodeError as error:  # UTF-16 without a mark of its byte order
            said = Argument("encoding", "utf-16-le")
            raise InputError(f"{path}: {error}; say ", said, " or …-be") from None
        line += text.count(end)
        yield text
    if seen is not None and isinstance(decoder, DetectingDecoder):
        seen.add(spelled_out(str(path)), decoder)


def begin(blocks: Iterator[bytes], count: int) -> tuple[bytes, Iterator[bytes]]:
    """Return the first so many bytes, or all, or more; and all blocks once more."""
    first, taken = b"", list[bytes]()
    for block in blocks:
        taken.append(block)
        first = first + block if first else block  # no copy of a large one
        if len(first) >= count:
            break
    return first, chain(taken, blocks)


def _lines(texts: Iterator[str], end: str) -> Iterator[str]:
    tail: list[str] = []  # of a line that spans blocks, joined once, so a long line stays linear
    length = 0
    for text in texts:
        *whole, rest = text.split(end)
        for piece in whole:
            if length <= LONGEST:
                tail.append(piece)
            tail.append(end)
            yield "".join(tail)
            tail.clear()
            length = 0
        if length <= LONGEST:
            tail.append(rest)
            length += len(rest)
    if last := "".join(tail):
        yield last


def _any_lines(texts: Iterator[str]) -> Iterator[str]:
    """Yield lines that end each in its own way: line feed, carriage return, or both."""
    tail: list[str] = []
    length, after_return = 0, False
    for text in texts:
        at = 0
        if after_return:  # was it all of the line's end?
            at = int(text.startswith("\n"))
            yield "".join(tail) + text[:at]
            tail.clear()
            length, after_return = 0, False
        for match in _ANY_END.finditer(text, at):
            if match[0] == "\r" and match.end() == len(text):
                tail.append(text[at:])
                at, after_return = len(text), True
                break
            yield "".join(tail) + text[at : match.end()]
            tail.clear()
            at, length = match.end(), 0
        if length <= LONGEST:
            tail.append(text[at:])
            length += len(text) - at
    if last := "".join(tail):
        yield last


def text_decoder(place: str, encoding: str, errors: str = "strict") -> codecs.IncrementalDecoder:
    """Return what decodes a text file; raise unless there is such an encoding.

    Parameters
    ----------
    place : str
        What is read, for the message.
    encoding, errors : str
    """
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is no text encoding: base64
        name = codecs.lookup(encoding).name
        decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)(errors)
    except (LookupError, ValueError, TypeError, AssertionError):
        raise InputError(f"{place}: unknown ", Argument("encoding"), f" {encoding!r:.60}") from None
    if name.replace("_", "-") in _FOR_OTHER_THINGS:
        raise InputError(
            f"{place}: {name} is not what text files are written in; say ",
            Argument("encoding", "utf-8"),
            ", latin-1, cp1252 or whatever it is",
        )
    return decoder


def _nul_error(path: Path, block: bytes, read: int, line: int, mark: bytes) -> InputError:
    at = block.index(b"\0")
    line += block[:at].count(mark)
    return InputError(
        f"{path}: NUL byte at byte {read - len(block) + at} (line {line}): "
        "not a text file, or not in this encoding; say ",
        Argument("encoding", "utf-16"),
        " if it is that",
    )


def _decoding_error(
    path: Path, encoding: str, error: UnicodeDecodeError, read: int, line: int, mark: bytes
) -> InputError:
    bad = error.object
    at = read - len(bad) + error.start
    line += bad[: error.start].count(mark)
    return InputError(
        f"{path}: byte {at} (line {line}) is not valid {encoding}: {bad[error.start]:#04x}; say ",
        Argument("encoding", "latin-1"),
        ", cp1252 or whatever it is",
    )
