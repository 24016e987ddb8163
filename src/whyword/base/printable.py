"""Texts as they may be shown: nothing in them can steer a page or a terminal, or hide."""

import re

_PICTURES = 0x2400  # the block of pictures for control characters: ␀, ␁, …
# Control characters but tab and line feed, line and paragraph separators, bidirectional embeddings,
# overrides and isolates, invisible operators and tags, halves of surrogate pairs, non-characters.
# Joiners, soft hyphens and the marks of left and right stay: words and emoji need them.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff"
    "\ud800-\udfff\ufdd0-\ufdef\U000e0000-\U000e007f]"
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object without a name: it says nothing


def visible(text: str) -> str:
    """Return the text with line ends as line feeds and each unfit character as a visible one."""
    return _UNFIT.sub(_stand_in, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return the text without anything that is not printable, line ends included."""
    shown = visible(text)
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else "·" for c in shown)


def shown(value: object, most: int = 60) -> str:
    """Return a value of any kind as a message may show it: in one line, and not a long one."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - somebody's own repr, or a number of thousands of digits
        text = f"<{type(value).__name__}>"
    text = _ADDRESS.sub("", " ".join(text.split()))
    return text if len(text) <= most else text[:most] + "…"


def storable(text: str) -> str:
    """Return the text with halves of surrogate pairs, which no encoding has, replaced."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def spelled_out(name: str) -> str:
    """Return a file's name with bytes that are not UTF-8 spelled out; names stay different."""
    return name if name.isascii() else _SURROGATE.sub(_escape, name)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return "␡" if code == 0x7F else "·"
