"""Files that are no tables: a text each, a mail, a box of mails, or nothing that can be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from whyword.base.errors import InputError
from whyword.base.printable import spelled_out
from whyword.corpora.encoding import Encodings
from whyword.corpora.lines import LONGEST, TOO_LONG, Flaw, begin, file_blocks, read_text
from whyword.corpora.mailbox import BEGINNING, is_mailbox, mailbox_mails
from whyword.words.mail import decode_mail

_WORD = "save it as plain text (.txt) or as HTML"
_SHEET = "save it as CSV"
_OTHERS = {  # what they are, how to get text out of them
    ".docx": ("a Word document", _WORD),
    ".doc": ("a Word document", _WORD),
    ".odt": ("an OpenDocument text", _WORD),
    ".rtf": ("a Rich Text document", _WORD),
    ".pages": ("a Pages document", _WORD),
    ".pdf": ("a PDF", "get its text out first, say with pdftotext"),
    ".xlsx": ("an Excel sheet", _SHEET),
    ".xls": ("an Excel sheet", _SHEET),
    ".ods": ("an OpenDocument sheet", _SHEET),
    ".pptx": ("a PowerPoint presentation", _WORD),
    ".msg": ("an Outlook message", "save it as .eml"),
    ".zip": ("an archive", "unpack it and name the folder"),
}
_PICTURE = ("a picture", "get its text out first, by text recognition (OCR)")
_OTHERS |= dict.fromkeys(".png .jpg .jpeg .gif .tif .tiff .bmp .webp .heic".split(), _PICTURE)
# these may be the endings of plain text, too: their bytes decide
_OLD_ENDINGS = (".doc", ".xls", ".msg", ".pages")
_BEGINNINGS = {
    b"%PDF-": ".pdf",
    b"{\\rtf": ".rtf",
    b"\x89PNG\r\n": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF87a": ".gif",
    b"GIF89a": ".gif",
    b"II*\0": ".tif",
    b"MM\0*": ".tif",
    b"\xd0\xcf\x11\xe0": ".doc",
    b"PK\x03\x04": ".zip",
}


class FileText(NamedTuple):
    """A text of a file, or what is wrong with it; the `id` of a box's mail is name:number."""

    id: str
    text: str | Flaw


def file_texts(
    path: Path, encoding: str | None = None, lenient: bool = False, seen: Encodings | None = None
) -> Iterator[FileText]:
    """Stream the texts of a file: one, or those of a box of mails.

    Mails (``.eml``, or in an mbox) are decoded, with their headers; what they are written in, they
    say themselves.

    Parameters
    ----------
    path : Path
    encoding, seen
        As for :class:`~whyword.corpora.lines.TextFile`.
    lenient : bool
        Yield what is wrong with a text, instead of raising it.
    """
    beginning, blocks = begin(file_blocks(path), BEGINNING)
    name = spelled_out(path.name)
    if other := other_kind(path, beginning):
        yield FileText(name, _flaw(path, other, lenient))
        return
    in_box = is_mailbox(path, beginning)
    if not in_box and not is_mail(path):
        yield FileText(name, read_text(path, encoding, lenient, seen, blocks))
        return
    if seen is not None:
        seen.files += 1  # a file like others, though it is not up to us how it is read
    if in_box:
        for number, raw in enumerate(mailbox_mails(blocks), 1):
            yield FileText(f"{name}:{number}", _mail(path, raw, lenient))
    else:
        yield FileText(name, _mail(path, _whole(blocks), lenient))


def is_mail(path: Path) -> bool:
    """Return whether a file is one mail, by its name."""
    return path.name.lower().removesuffix(".gz").endswith(".eml")


def holds_mails(path: Path) -> bool:
    """Return whether a file is a mail, or a box of them."""
    if is_mail(path) or not path.is_file():
        return is_mail(path)
    return is_mailbox(path, begin(file_blocks(path), BEGINNING)[0])


def other_kind(path: Path, beginning: bytes = b"") -> str | None:
    """Return what is said of a file that holds no plain text; None if it may hold some."""
    by_bytes = None
    if beginning.startswith(tuple(_BEGINNINGS)):
        by_bytes = next(end for mark, end in _BEGINNINGS.items() if beginning.startswith(mark))
    ending = path.suffix.lower()
    if ending not in _OTHERS or (ending in _OLD_ENDINGS and by_bytes is None):
        if by_bytes is None:
            return None
        ending = by_bytes
    what, how = _OTHERS[ending]
    return f"{what}, no plain text: {how}"


def _mail(path: Path, raw: bytes | Flaw, lenient: bool) -> str | Flaw:
    if isinstance(raw, Flaw):
        return _flaw(path, raw.reason, lenient)
    return decode_mail(raw)


def _whole(blocks: Iterator[bytes]) -> bytes | Flaw:
    pieces: list[bytes] = []
    length = 0
    for block in blocks:
        pieces.append(block)
        length += len(block)
        if length > LONGEST:
            return Flaw(TOO_LONG)
    return b"".join(pieces)


def _flaw(path: Path, reason: str, lenient: bool) -> Flaw:
    if not lenient:
        raise InputError(f"{path}: {reason}")
    return Flaw(reason)
