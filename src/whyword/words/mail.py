"""Raw mails to text that can be read: MIME parts decoded, HTML to text.

Parameters and encoded words are read by the standard library's email. The parts are cut by hand:
its parser goes into parts within parts until the stack ends, and takes the square of their number.
"""

import binascii
import codecs
import quopri
import re
from dataclasses import dataclass
from encodings import normalize_encoding
from encodings.aliases import aliases
from itertools import islice
from typing import TYPE_CHECKING

from whyword.base.errors import InputError
from whyword.words.html import html_to_text

if TYPE_CHECKING:
    from email.message import Message

_DEEPEST = 16  # parts within parts; what is deeper is left out
_MOST_PARTS = 1_000  # of a mail
_LONGEST_FIELD = 4_096  # characters that are read of what a header says about the content
_LONGEST_CHARSET = 40
_BEGINNING = 1 << 16  # characters of a text that are looked at for headers

_FIELD = re.compile(r"([!-9;-~]{1,100}):[ \t]*(.*)")
_FROM_LINE = re.compile(r">?From [^\n]*\n")
_OF_MIME = re.compile(r"(?:mime-version|content-)", re.IGNORECASE)
_OF_MAILS = frozenset(
    "bcc cc content-transfer-encoding content-type date delivered-to from in-reply-to message-id "
    "mime-version newsgroups received references reply-to return-path sender subject to".split()
)
_MIME_FIELD = re.compile(
    r"^(?:MIME-Version:|Content-Transfer-Encoding:|Content-Type:[ \t]*(?:multipart|text)/)",
    re.IGNORECASE | re.MULTILINE,
)
_ENCODED_WORD = re.compile(r"=\?[^\s?]{1,80}\?[bqBQ]\?[^\s?]*\?=")
_BETWEEN_ENCODED = re.compile(r"(\?=)[ \t]+(?==\?[^\s?]{1,80}\?[bqBQ]\?)")
_LINE_ENDS = re.compile("[\0\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_BOUNDARY_LINE = re.compile(r"^--(\S{1,200})[ \t]*\n(?=Content-)", re.IGNORECASE | re.MULTILINE)
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]*={0,2}[ \t]*")
_ESCAPED_BYTES = re.compile(r"(?:=[0-9A-Fa-f]{2})+")
_SOFT_END = re.compile(r"=[ \t]*\n")
_NO_TEXT = frozenset("calendar css directory javascript rfc822-headers rtf vcard x-vcard".split())
# what is called by the first name is often written in the second
_WIDER = {"iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
_WIDER |= {"euc_kr": "cp949"}
_NO_CHARSETS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape utf_7".split())
# Python keeps the names that it has looked up in vain for ever: only these are
_CHARSETS = frozenset(aliases) | frozenset(aliases.values())


def decode_mail(raw: str | bytes) -> str:
    r"""Return a raw mail as text: the lines of its header, a blank line, what it says.

    Encoded words of the header are decoded, lines that were folded are one, and what MIME says of
    the content (MIME-Version, Content-…) is left out. Of alternatives the plain text is taken, else
    the HTML as text; of other parts all that are text, one after the other, those of mails within
    the mail without their headers. Attachments are left out. Charsets that are unknown or wrong
    are made up for. A text without a mail's header is returned as it is, so that what is decoded
    is not changed by decoding it again.

    Parameters
    ----------
    raw : str or bytes
        A text as in a table's column, or the bytes of a file.

    Examples
    --------
    >>> decode_mail("Subject: =?utf-8?q?caf=C3=A9?=\nContent-Type: text/html\n\n<b>Two</b> teas")
    'Subject: café\n\nTwo teas'
    """
    if isinstance(raw, bytes):
        text, is_bytes = raw.decode("latin-1"), True
    elif isinstance(raw, str):
        text, is_bytes = raw, False
    else:
        raise InputError(f"a mail is a str or bytes, not {type(raw).__name__}")
    head = text[:_BEGINNING]
    if not _begins_like_a_mail(head):
        return decode_bytes(raw) if isinstance(raw, bytes) else text
    text = _with_line_feeds(text)
    text = text[_from_line_end(text) :]
    fields, body = _cut_header(text)
    lines = [
        f"{name}: {_decode_field(value, is_bytes)}".rstrip()
        for name, value in fields
        if not _OF_MIME.match(name)
    ]
    said = _Decoder(is_bytes).text(fields, body, depth=0)
    return "\n".join(lines) + "\n\n" + _with_line_feeds(said)


def has_mime(text: str) -> bool:
    """Return whether a text is plainly a raw mail: its header speaks of MIME."""
    head = text[:_BEGINNING]
    if not _begins_like_a_mail(head):
        return False
    end = re.search(r"\r?\n\r?\n", head)
    return _MIME_FIELD.search(head, 0, end.start() if end else len(head)) is not None


def decode_bytes(data: bytes, charset: str | None = None) -> str:
    """Return bytes as text, in the charset that is said, or whatever fits; this never fails."""
    name = _codec(charset)
    for one in (_WIDER.get(name, name), name, "utf-8"):
        try:
            return data.decode(one)
        except UnicodeError:
            continue
    if name != "ascii":
        return data.decode(name, "replace")
    try:
        return data.decode("cp1252")
    except UnicodeError:
        return data.decode("latin-1")


def _codec(charset: str | None) -> str:
    """Return Python's name of a charset; "ascii" for one that is unknown, or no text's."""
    said = normalize_encoding((charset or "ascii")[:_LONGEST_CHARSET]).lower()
    if said not in _CHARSETS:
        return "ascii"
    try:
        name = codecs.lookup(said).name
        if name.replace("-", "_") in _NO_CHARSETS:
            return "ascii"
        b"a".decode(name, "replace")  # refuses base64 and the like
    except (LookupError, ValueError):
        return "ascii"
    return name


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


# ---- headers ------------------------------------------------------------------------------


def _from_line_end(text: str) -> int:
    line = _FROM_LINE.match(text)
    return line.end() if line else 0


def _begins_like_a_mail(head: str) -> bool:
    """Return whether the lines up to the first blank one are a header that only mails have."""
    head = _with_line_feeds(head)
    for number, line in enumerate(head[_from_line_end(head) :].split("\n")):
        field = _FIELD.match(line)
        if field is not None and field[1].lower() in _OF_MAILS:
            return True
        folded = number > 0 and line[:1] in (" ", "\t") and line.strip()
        if field is None and not folded:
            return False
    return False


def _cut_header(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the fields of a header, folded lines joined, and what follows it."""
    fields: list[tuple[str, list[str]]] = []
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if not line.strip():
            at = end + 1
            break
        field = _FIELD.match(line)
        if field is not None and line[0] not in " \t":
            fields.append((field[1], [field[2].strip()]))
        elif line[0] in " \t" and fields:
            fields[-1][1].append(line.strip())
        else:  # the blank line is missing
            break
        at = end + 1
    return [(name, " ".join(filter(None, values))) for name, values in fields], text[at:]


def _decode_field(value: str, is_bytes: bool) -> str:
    """Return what a field of a header says, in one line."""
    if is_bytes and not value.isascii():
        value = decode_bytes(value.encode("latin-1"))
    for _ in range(3):  # some are encoded twice
        if "=?" not in value:
            break
        value = _ENCODED_WORD.sub(_decode_word, _BETWEEN_ENCODED.sub(r"\1", value))
    return _ENCODED_WORD.sub(" ", _LINE_ENDS.sub(" ", value)).strip()


def _decode_word(match: re.Match[str]) -> str:
    _, charset, kind, content, _ = match[0].split("?")
    if not content.isascii():
        return content
    if kind in "qQ":
        data = quopri.decodestring(content.replace("_", " ").encode(), header=False)
    else:
        data = _base64(content)
    return decode_bytes(data, charset.partition("*")[0])


# ---- contents -----------------------------------------------------------------------------


@dataclass
class _Decoder:
    """Goes through the parts of a mail."""

    is_bytes: bool
    parts: int = 0

    def text(self, fields: list[tuple[str, str]], body: str, depth: int) -> str:
        """Return the text of a part, "" if it is none."""
        self.parts += 1
        if depth > _DEEPEST or self.parts > _MOST_PARTS:
            return ""
        about = _about(fields)
        main, kind = about.get_content_maintype(), about.get_content_subtype()
        if main == "multipart":
            children = _children(about, body)
            if children is not None:
                return self._children_text(kind, children, depth)
        if main == "message" and kind in ("rfc822", "global"):
            return self.text(*_cut_header(body), depth=depth + 1)
        if main == "text" and kind not in _NO_TEXT:
            text = self._plain(about, body)
            return html_to_text(text) if kind in ("html", "enriched", "richtext") else text
        if kind == "xhtml+xml":
            return html_to_text(self._plain(about, body))
        return self._plain(about, body) if main == "multipart" else ""

    def _children_text(
        self, kind: str, children: list[tuple[list[tuple[str, str]], str]], depth: int
    ) -> str:
        if kind == "digest":
            mail = [("Content-Type", "message/rfc822")]
            children = [(fields or mail, body) for fields, body in children]
        if kind != "alternative":
            texts = (self.text(fields, body, depth + 1) for fields, body in children)
            return "\n\n".join(text.strip("\n") for text in texts if text.strip())
        plain = [child for child in children if _about(child[0]).get_content_type() == "text/plain"]
        for fields, body in [*plain, *children]:
            text = self.text(fields, body, depth + 1)
            if text.strip():
                return text.strip("\n")
        return ""

    def _plain(self, about: "Message", body: str) -> str:
        """Return a part's text, its transfer encoding and charset undone."""
        how = str(about.get("Content-Transfer-Encoding", "")).strip().lower()
        charset = _parameter(about, "charset")
        if how == "base64":
            data, rest = _base64_lines(body)
            return decode_bytes(data, charset) + rest
        if how == "quoted-printable" and not self.is_bytes and not body.isascii():
            return _ESCAPED_BYTES.sub(  # a table's text, of which the rest is decoded
                lambda found: decode_bytes(quopri.decodestring(found[0]), charset),
                _SOFT_END.sub("", body),
            )
        if how == "quoted-printable":
            return decode_bytes(quopri.decodestring(body.encode("latin-1")), charset)
        return decode_bytes(body.encode("latin-1"), charset) if self.is_bytes else body


def _about(fields: list[tuple[str, str]]) -> "Message":
    """Return what a header says of the content."""
    from email.message import Message

    about: Message = Message()
    for name, value in fields:
        if name.lower() in ("content-type", "content-transfer-encoding") and name not in about:
            about[name] = value[:_LONGEST_FIELD].encode("ascii", "replace").decode()
    return about


def _parameter(about: "Message", name: str) -> str | None:
    """Return a parameter of the content's type, if it can be read."""
    from email.utils import collapse_rfc2231_value

    try:
        value = about.get_param(name)
        return None if value is None else str(collapse_rfc2231_value(value)).strip()
    except (ValueError, LookupError, TypeError):
        return None


def _children(about: "Message", body: str) -> list[tuple[list[tuple[str, str]], str]] | None:
    """Return the header and the body of each part; None if there is no boundary."""
    boundary = _parameter(about, "boundary")
    if not boundary or f"--{boundary}" not in body:  # said wrongly: look for it
        found = _BOUNDARY_LINE.search(body)
        if found is None:
            return None
        boundary = found[1]
    line = re.compile(rf"^--{re.escape(boundary)}(--)?[ \t]*(?:\n|\Z)", re.MULTILINE)
    children, start = [], -1
    for found in islice(line.finditer(body), _MOST_PARTS):
        if start >= 0:
            children.append(_cut_header(body[start : found.start()].removesuffix("\n")))
        start = -1 if found[1] else found.end()
    if start >= 0:  # cut off, or too many
        found = line.search(body, start)
        rest = body[start : found.start()] if found else _whole_lines(body[start:], boundary)
        children.append(_cut_header(rest))
    return children


def _whole_lines(body: str, boundary: str) -> str:
    """Return a mail's last part without the boundary within which the mail was cut off."""
    before, _, last = body.rpartition("\n")
    return before if last.startswith("--") and f"--{boundary}--".startswith(last) else body


def _base64_lines(body: str) -> tuple[bytes, str]:
    """Return what lines of base64 say, and the text that follows them, if any."""
    at = len(body) - len(body.lstrip())
    start = at
    while at < len(body):
        end = body.find("\n", at)
        end = len(body) if end < 0 else end
        line = _BASE64_LINE.fullmatch(body, at, end)
        if line is None:
            break
        at = end + 1
    return _base64(body[start:at]), body[at:]


def _base64(content: str) -> bytes:
    """Return what base64 says, as far as it goes."""
    letters = "".join(content.split()).rstrip("=")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return binascii.a2b_base64(letters + "=" * (-len(letters) % 4))
    except ValueError:
        return b""
