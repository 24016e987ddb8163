"""Mbox files: mails one after the other, each below a line that begins with "From ".

By hand: the standard library's mailbox seeks in the file, so that it reads no gzip, and holds a
table of all mails.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from whyword.corpora.lines import LONGEST, TOO_LONG, Flaw

BEGINNING = 1 << 12  # bytes that tell a mailbox from a text

# as programs write it: an address, a weekday or none, a date with its year or time
_FROM_LINE = re.compile(rb"From \S[^\r\n]{0,500}\d\d?:\d\d[^\r\n]{0,100}\r?\n?\Z")
_HEADER_BELOW = re.compile(rb"[^\n]*\n[!-9;-~]{1,100}:")
_ESCAPED_FROM = re.compile(rb"^>(?=>*From )", re.MULTILINE)


def is_mailbox(path: Path, beginning: bytes) -> bool:
    """Return whether a file is an mbox: its name says so, or its first two lines do.

    Parameters
    ----------
    path : Path
    beginning : bytes
        The first :data:`BEGINNING` bytes, or all.
    """
    if not beginning.startswith(b"From "):
        return False
    named = path.name.lower().removesuffix(".gz").endswith((".mbox", ".mbx"))
    first = beginning.partition(b"\n")[0]
    looks_so = _FROM_LINE.match(first) is not None
    return named or (looks_so and _HEADER_BELOW.match(beginning) is not None)


def mailbox_mails(blocks: Iterator[bytes]) -> Iterator[bytes | Flaw]:
    """Stream the raw mails of an mbox; one that is too long is a flaw.

    A mail begins with a line "From … 12:34:56 1998" at the beginning or below a blank line. Lines
    of a mail that are like it were escaped (``>From``), which is undone.

    Parameters
    ----------
    blocks : iterator of bytes
        What is in the file, one after the other.
    """
    lines: list[bytes] = []
    size, after_blank, is_first = 0, True, True
    for line in _lines(blocks):
        if (
            after_blank
            and line.startswith(b"From ")
            and (is_first or _FROM_LINE.match(line) is not None)
        ):
            if lines or not is_first:
                yield _mail(lines, size)
            lines, size, is_first = [], 0, False
        elif size <= LONGEST:
            size += len(line)
            lines.append(line)
        after_blank = not line.strip()
    if not is_first or lines:
        yield _mail(lines, size)


def _mail(lines: list[bytes], size: int) -> bytes | Flaw:
    if size > LONGEST:
        return Flaw(TOO_LONG)
    whole = b"".join(lines)
    return _ESCAPED_FROM.sub(b"", whole) if b">From " in whole else whole


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines with their ends; of one that is too long for a mail, only the beginning."""
    tail: list[bytes] = []
    length = 0
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for piece in whole:
            tail += (piece, b"\n")
            yield b"".join(tail)
            tail.clear()
            length = 0
        if length <= LONGEST:
            tail.append(rest)
            length += len(rest)
    if last := b"".join(tail):
        yield last
