"""Texts as they may be shown: nothing in them can steer a page or a terminal, or hide."""

import re
import reprlib
from dataclasses import fields
from typing import Any

_PICTURES = 0x2400  # the block of pictures for control characters: ␀, ␁, …
# Control characters but tab and line feed, line and paragraph separators, bidirectional embeddings,
# overrides and isolates, invisible operators and tags, halves of surrogate pairs, non-characters.
# Joiners, soft hyphens and the marks of left and right stay: words and emoji need them.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff"
    "\ud800-\udfff\ufdd0-\ufdef\U000e0000-\U000e007f]"
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_INT = 10_000  # bits of a number that is written out, which takes the square of its length
_LONGEST_REASON = 300  # letters of what an error says
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
        text = _Beginning(most).repr(value)
    except Exception:  # noqa: BLE001 - somebody's own repr, or length, or items
        text = f"<{type(value).__name__}>"
    line = _ADDRESS.sub("", " ".join(text[: 4 * most].split()))
    return line if max(len(line), len(text) // 4) <= most else line[:most] + "…"


class _Beginning(reprlib.Repr):
    """The beginning of a repr, right in so many letters; what is beyond them is not made."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxother = 4 * most  # what is longer loses its middle
        items = most // 3 + 1  # of three letters at least: "1, "
        self.maxdict = self.maxlist = self.maxtuple = items
        self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = items

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= _LONGEST_INT else "<int>"

    def repr_bytes(self, x: bytes | bytearray, level: int) -> str:
        return repr(x[: self.maxstring])

    repr_bytearray = repr_bytes

    def repr_instance(self, x: object, level: int) -> str:
        """Return the repr of anything else; of a long kind of a list, that of the list."""
        for kind in (str, bytes, list, tuple, dict, set):
            if isinstance(x, kind) and len(x) > self.maxlist:
                short: str = getattr(self, f"repr_{kind.__name__}")(x, level)
                return short
        try:
            return repr(x)
        except Exception:  # noqa: BLE001 - somebody's own
            return f"<{type(x).__name__}>"


def reason(error: BaseException) -> str:
    """Return somebody's error as a message may show it: its kind and the first line it says."""
    try:
        said = str(error).partition("\n")[0]
    except Exception:  # noqa: BLE001 - an error of its own
        said = "…"
    return one_line(f"{type(error).__name__}: {said}"[:_LONGEST_REASON])


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


def changed_fields(one: Any, default: Any) -> str:  # noqa: ANN401 - a dataclass, and another of it
    """Return a dataclass as it is made, with the arguments that are not those of the default."""
    names = (field.name for field in fields(one))
    values = ((name, getattr(one, name), getattr(default, name)) for name in names)
    changed = (f"{name}={value!r}" for name, value, usual in values if value != usual)
    return f"{type(one).__name__}({', '.join(changed)})"
