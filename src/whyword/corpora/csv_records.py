"""Records of CSV files, around the module csv: what it cannot do is done here.

Its limit of a field's length belongs to the whole process, so that it is left alone and long
records are cut by hand; and a quotation mark that is never closed lets it swallow all lines up to
the next: they are read again if they are rows by themselves.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from whyword.corpora.lines import LONGEST, TOO_LONG

_USUAL = 1 << 17  # characters of a record that the module csv is given, below its own limit
_MOST_LINES = 1 << 20  # of a record: each costs memory beside its characters
_ROWS_AMONG = 0.9  # of the records in swallowed lines must be rows
_READ_AGAIN = 8  # lines, at most, for each that is read: damage must not take for ever


CsvRecord: TypeAlias = tuple[int, list[str], str | None]  # its line, its fields or what is wrong


class QuotationError(Exception):
    """Quotation marks that do not fit; the message says how."""


def csv_records(
    lines: Iterable[str], delimiter: str, width: int, first: int = 1
) -> Iterator[CsvRecord]:
    """Yield the records that are not empty: the line on which each begins, fields, its flaw.

    Parameters
    ----------
    lines : iterable of str
        With their ends.
    delimiter : str
    width : int
        How many fields a row has: lines that a quotation mark without its fellow has swallowed are
        read again only if they are such rows.
    first : int
        The number of the first line.
    """
    source = _Lines(lines, first)
    reader = csv.reader(source.of_usual_records(), delimiter=delimiter, strict=True)
    while True:
        try:
            for fields in reader:
                if len(source.taken) > 1 and len(fields) != width:
                    flaw = f"{len(fields)} fields, but the header has {width}"
                    yield source.first, [], _after_swallowing(source, flaw, delimiter, width)
                elif fields:
                    yield source.first, fields, None
                source.begin()
            return
        except (csv.Error, _LongRecordError):
            source.repeat(source.taken)
        yield _unusual_record(source, delimiter, width)
        source.begin()
        reader = csv.reader(source.of_usual_records(), delimiter=delimiter, strict=True)


def _unusual_record(source: "_Lines", delimiter: str, width: int) -> CsvRecord:
    """Return a record that is damaged, or too long for the module csv."""
    try:
        fields, flaw = cut_record(source.of_any_record(), delimiter), None
        if len(source.taken) > 1 and len(fields) != width:
            flaw = f"{len(fields)} fields, but the header has {width}"
    except (QuotationError, _LongRecordError) as error:
        fields, flaw = [], str(error)
    if flaw is not None and len(source.taken) > 1:
        flaw = _after_swallowing(source, flaw, delimiter, width)
    return source.first, fields, flaw


def _after_swallowing(source: "_Lines", flaw: str, delimiter: str, width: int) -> str:
    """Let the lines after a bad record's first be read again if they are rows; return its flaw."""
    first, last = source.first, source.first + len(source.taken) - 1
    swallowed = source.taken[1:]
    if width > 1 and source.may_repeat and _are_rows(swallowed, delimiter, width):
        source.repeat(swallowed)
        return (
            f"{flaw} (it would reach to line {last}, but there are rows from line {first + 1} on)"
        )
    return f"{flaw}; lines {first} to {last} are left out"


def cut_record(lines: Iterable[str], delimiter: str) -> list[str]:
    """Return the fields of the first record, by the rules of a strict :func:`csv.reader`.

    Raises
    ------
    QuotationError
    """
    fields: list[str] = []
    quoted: list[str] | None = None  # the pieces of a field that has begun with a quotation mark
    for line in lines:
        end = len(line.rstrip("\r\n"))
        at = 0
        while True:
            if quoted is None and line.startswith('"', at):
                quoted, at = [], at + 1
            if quoted is None:
                stop = line.find(delimiter, at, end)
                fields.append(line[at : end if stop < 0 else stop])
                if "\r" in fields[-1] or "\n" in fields[-1]:
                    raise QuotationError("a line end within a field; quote fields that hold one")
                if stop < 0:
                    return fields if fields != [""] else []
                at = stop + 1
                continue
            stop = line.find('"', at)
            if stop < 0:  # it goes on on the next line
                quoted.append(line[at:])
                break
            quoted.append(line[at:stop])
            at = stop + 1
            if line.startswith('"', at):
                quoted.append('"')
                at += 1
                continue
            fields.append("".join(quoted))
            quoted = None
            if at >= end:
                return fields
            if line[at] != delimiter:
                raise QuotationError(
                    f"{delimiter!r} expected after a closing quotation mark; "
                    "is one not closed or not doubled?"
                )
            at += 1
    raise QuotationError("unexpected end of data; is a quotation mark not closed or not doubled?")


def _are_rows(lines: list[str], delimiter: str, width: int) -> bool:
    """Return whether lines hold rows, a few damaged ones aside, rather than a piece of text."""
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    rows = others = 0
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return rows > 0 and rows >= _ROWS_AMONG * (rows + others)
        except csv.Error:
            others += 1
        else:
            rows += len(fields) == width
            others += len(fields) not in (0, width)


class _LongRecordError(Exception):
    """The record at hand has more characters than its reader takes."""


class _Lines:
    """Lines, of which those of the record at hand are kept and can be given again.

    Attributes
    ----------
    first : int
        The number of the record's first line.
    taken : list of str
        The lines of the record.
    """

    def __init__(self, lines: Iterable[str], first: int) -> None:
        self.first, self.taken = first, list[str]()
        self._fresh, self._again = iter(lines), deque[str]()
        self._repeated = 0

    def begin(self) -> None:
        """Begin a record."""
        self.first += len(self.taken)
        self.taken.clear()

    def of_usual_records(self) -> Iterator[str]:
        """Yield the lines; raise if a record is too long for the module csv."""
        length = 0
        for line in self:
            length = len(line) if len(self.taken) == 1 else length + len(line)
            if length > _USUAL:
                raise _LongRecordError
            yield line

    def of_any_record(self) -> Iterator[str]:
        """Yield the lines; raise if a record is too long for anybody."""
        length = 0
        for line in self:
            length += len(line)
            if length > LONGEST:
                raise _LongRecordError(TOO_LONG)
            if len(self.taken) > _MOST_LINES:
                raise _LongRecordError(f"more than {_MOST_LINES:,} lines")
            yield line

    def repeat(self, lines: list[str]) -> None:
        """Give the last lines of the record once more."""
        self._again.extendleft(reversed(lines))
        self._repeated += len(lines)
        del self.taken[len(self.taken) - len(lines) :]

    @property
    def may_repeat(self) -> bool:
        """Whether enough was read by now that some of it may be read again."""
        return self._repeated <= _READ_AGAIN * (self.first + len(self.taken))

    def __iter__(self) -> Iterator[str]:
        take, again = self.taken.append, self._again
        while True:
            line = again.popleft() if again else next(self._fresh, None)
            if line is None:
                return
            take(line)
            yield line
