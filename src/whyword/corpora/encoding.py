"""What a text file is written in, if nobody says so: UTF-8, or what its bytes look like."""

import codecs
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

UTF_8 = "utf-8"
REPLACEMENT = "\ufffd"

_MARKS = (  # of the byte order; that of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LONGEST_MARK = 4
_FIRST_OF_MARKS = {mark[:1] for mark, _ in _MARKS}

_BEFORE = 1 << 10  # bytes before the first bad one that are looked at, too
_SAMPLE = 1 << 16  # bytes from there on
_NAMED = 3  # files in a note
# what corpora are written in, wider ones for narrower: all have ASCII in its place
_CANDIDATES = (
    "cp1252 cp1250 cp1251 koi8_r cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp874 cp866 cp437 cp850 "
    "iso8859_2 iso8859_5 iso8859_7 mac_roman gb18030 big5hkscs cp932 euc_jp cp949".split()
)
_WESTERN = "cp1252"
_WESTERN_LETTERS = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüÿœßÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ")
_WESTERN_SIGNS = frozenset("‘’‚“”„–—…•€£¥¢©®°§«»·ºª™¡¿†‡‹›±×÷¼½¾²³µ¶\xa0\xad")
_WESTERN_RUN = re.compile("[À-ÿ]{3,}")
_FEW = 8  # characters: nobody can tell from them which of several alike it is
_ALIKE = 0.1  # of charset-normalizer's measure of chaos
_ESCAPED = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_DECLARED = re.compile(rb"(?:charset|encoding)\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9_-]{2,30})", re.I)


class DetectingDecoder:
    """Decodes blocks of bytes as UTF-8 or, from the first that is none on, as what they look like.

    A mark of the byte order decides. Without one it is UTF-8 up to the first byte that is not. If
    that byte and what stands near it is nearly all UTF-8, or anything before it was UTF-8 beyond
    ASCII, the file is UTF-8, and such bytes are replaced by U+FFFD. If all was ASCII so far, the
    bytes around decide what the file is written in; what is not even that is replaced. So nothing
    is read twice, and one block at a time is held.

    Parameters
    ----------
    beginning : bytes
        Of the file, :data:`LONGEST_MARK` of them or all; they are to be decoded as well.

    Attributes
    ----------
    encoding : str
        What the bytes so far are written in.
    replaced : int
        How many bytes were replaced.
    """

    def __init__(self, beginning: bytes) -> None:
        mark, self.encoding = b"", UTF_8
        if beginning[:1] in _FIRST_OF_MARKS:
            found = (one for one in _MARKS if beginning.startswith(one[0]))
            mark, self.encoding = next(found, (mark, self.encoding))
        self.replaced = 0
        self._mark = len(mark)  # bytes that are no text
        self._is_settled = self.is_wide
        self._decoder = codecs.getincrementaldecoder(self.encoding)(
            "replace" if self.is_wide else "strict"
        )
        self._is_utf_8 = bool(mark)  # or anything was UTF-8 beyond ASCII
        self._head, self._before = beginning[:_BEFORE], b""
        self._held = b""  # from the first bad byte on, until there are enough of them

    @property
    def is_wide(self) -> bool:
        """Whether letters have two or four bytes, of which some are zero."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    @property
    def is_usual(self) -> bool:
        """Whether all is UTF-8, and nothing was replaced."""
        return self.encoding == UTF_8 and not self.replaced

    def decode(self, data: bytes, final: bool = False) -> str:
        """Return the text of the next bytes; some may be held back until it is final."""
        if self._mark:
            data, self._mark = data[self._mark :], max(0, self._mark - len(data))
        if self._is_settled:
            return self._settled(data, final)
        text = ""
        if not self._held:
            try:
                text = self._decoder.decode(data, final)
            except UnicodeDecodeError as error:
                text = error.object[: error.start].decode()
                self._held = bytes(error.object[error.start :])
            self._is_utf_8 = self._is_utf_8 or not text.isascii()
            self._before = (self._before + text[-_BEFORE:].encode())[-_BEFORE:]
        else:
            self._held += data
        if not self._held or (len(self._held) < _SAMPLE and not final):
            return text
        held, self._held, self._is_settled = self._held, b"", True
        if not self._is_utf_8:
            self.encoding = detect(self._before, held[:_SAMPLE], len(held) > _SAMPLE, self._head)
        self._decoder = codecs.getincrementaldecoder(self.encoding)("surrogateescape")
        return text + self._settled(held, final)

    def _settled(self, data: bytes, final: bool) -> str:
        text = self._decoder.decode(data, final)
        if text.isascii():
            return text
        if self.is_wide:
            self.replaced += text.count(REPLACEMENT)
            return text
        text, count = _ESCAPED.subn(REPLACEMENT, text)
        self.replaced += count
        return text


def decode_whole(data: bytes) -> tuple[str, DetectingDecoder]:
    """Return the text of bytes that are all there are, and what decoded them."""
    decoder = DetectingDecoder(data)
    return decoder.decode(data, final=True), decoder


def detect(before: bytes, sample: bytes, is_cut: bool = False, head: bytes = b"") -> str:
    """Return what bytes that are not UTF-8 are written in; UTF-8 if most of them are, after all.

    Parameters
    ----------
    before : bytes
        ASCII that stands before the sample.
    sample : bytes
        It begins with a byte that is not UTF-8.
    is_cut : bool
        Whether more follows, so that the sample may end within a letter.
    head : bytes
        The beginning of the file, which may say what it is: a page's ``charset=``.
    """
    bad = len(_ESCAPED.findall(sample.decode(UTF_8, "surrogateescape")))
    if len(_BEYOND_ASCII.findall(sample)) - bad > 2 * bad:  # letters of two bytes at least
        return UTF_8
    if is_cut:
        last = max(sample.rfind(b"\n"), sample.rfind(b" "))
        sample = sample[:last] if last > 0 else sample
    whole = before.rpartition(b"\n")[2] + sample
    whole = b"\n".join(line for line in whole.split(b"\n") if not line.isascii())
    return _declared(head, whole) or _alike(whole)


def _declared(head: bytes, sample: bytes) -> str | None:
    """Return the encoding that a page says it is written in, if that is one of ours and fits."""
    said = _DECLARED.search(head)
    try:
        name = codecs.lookup(said[1].decode()).name if said else ""
        known = {codecs.lookup(one).name for one in _CANDIDATES}
        wider = {"iso8859-1": _WESTERN, "gb2312": "gb18030", "gbk": "gb18030"}.get(name, name)
        if wider not in known:
            return None
        sample.decode(wider)
    except (LookupError, UnicodeError):
        return None
    return wider


def _alike(sample: bytes) -> str:
    """Return what charset-normalizer finds; the western encoding where others are no likelier."""
    from charset_normalizer import from_bytes

    try:
        western = sample.decode(_WESTERN)
    except UnicodeError:
        western = ""
    looks_western = bool(western) and _looks_western(western)
    if looks_western and sum(not letter.isascii() for letter in western) <= _FEW:
        return _WESTERN
    matches = list(from_bytes(sample, cp_isolation=list(_CANDIDATES)))
    for match in matches if looks_western else ():
        # of encodings that give the same text, only one is among the matches
        near = match.chaos <= matches[0].chaos + _ALIKE
        if near and (match.encoding == _WESTERN or str(match) == western):
            return _WESTERN
    others = [match for match in matches if looks_western or match.encoding != _WESTERN]
    if others:
        return codecs.lookup(others[0].encoding).name
    return _WESTERN if looks_western else UTF_8


def _looks_western(text: str) -> bool:
    """Return whether letters beyond ASCII are such as Western languages have, here and there."""
    beyond = [letter for letter in text if not letter.isascii()]
    usual = sum(letter in _WESTERN_LETTERS or letter in _WESTERN_SIGNS for letter in beyond)
    others = sum(letter.isascii() and letter.isalpha() for letter in text)
    accented = sum(letter.isalpha() for letter in beyond)
    runs = len(_WESTERN_RUN.findall(text))
    return usual >= 0.9 * len(beyond) and accented <= others + 1 and runs * 20 <= len(beyond)


class _Found(NamedTuple):
    """What a file is written in, and how many of its bytes were replaced."""

    encoding: str
    replaced: int


@dataclass
class Encodings:
    """What the files of a source are written in, counted as they are read.

    Attributes
    ----------
    files : int
        How many were read to their end.
    """

    files: int = 0
    _unusual: dict[str, _Found] = field(default_factory=dict)

    def clear(self) -> None:
        """Begin anew: the source is read from the first file."""
        self.files = 0
        self._unusual.clear()

    def add(self, name: str, decoder: DetectingDecoder) -> None:
        """Count a file that was read to its end."""
        self.files += 1
        if not decoder.is_usual:
            self._unusual[name] = _Found(decoder.encoding, decoder.replaced)

    def notes(self) -> list[str]:
        """Return what there is to say: which files were not UTF-8, and what was replaced."""
        notes = []
        others = {name: one for name, one in self._unusual.items() if one.encoding != UTF_8}
        if others:
            counts = Counter(one.encoding for one in others.values()).most_common()
            if self.files == 1:
                notes.append(f"not UTF-8: read as {counts[0][0]}")
            else:
                said = ", ".join(f"{encoding} ({count:,})" for encoding, count in counts)
                verb = "is not UTF-8 and was" if len(others) == 1 else "are not UTF-8 and were"
                notes.append(
                    f"{len(others):,} of {self.files:,} files {verb} read as {said}: "
                    f"{_some_names(list(others))}"
                )
        damaged = [name for name, one in self._unusual.items() if one.replaced]
        if damaged:
            count = sum(one.replaced for one in self._unusual.values())
            many = (
                "1 byte was no letter of its"
                if count == 1
                else f"{count:,} bytes were no letters of their"
            )
            where = "" if self.files == 1 else f" in {_some_names(damaged)}"
            notes.append(f"{many} encoding and replaced by U+FFFD{where}")
        return notes


def _some_names(names: list[str]) -> str:
    """Return the first few files, each with the folder it is in."""
    shown = ("/".join(PurePath(name).parts[-2:]) for name in names[:_NAMED])
    return ", ".join(shown) + (", …" if len(names) > _NAMED else "")
