"""Headers, quotations and signatures of newsgroup posts and mails: where they stand.

By hand, since scikit-learn has the same as private functions; a test holds ours to them.
"""

import re
from collections.abc import Collection, Iterator
from typing import TypeAlias

from whyword.base.checks import strings
from whyword.base.errors import Argument, InputError

PARTS = ("headers", "quotes", "footers")

Range: TypeAlias = tuple[int, int]  # [start, end) in code points

_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_FIELD = re.compile(r"([!-9;-~]+):|[ \t]")  # a header's line, or one that goes on with the last
# fields of which a mail or post has one at least: "Dear all:" is not the header of a letter
_FIELDS = frozenset(
    """
    from to cc bcc subject date newsgroups organization reply-to sender path lines message-id
    received return-path delivered-to references in-reply-to mime-version content-type
    """.split()
)
_LONGEST_HEADER = 1 << 20  # characters; what is longer is something else
_QUOTED = re.compile(r"^(?:>|\||In article|Quoted from)|writes in|writes:|wrote:|says:|said:")


def clean_post(text: str, remove: Collection[str] = ("headers",)) -> str:
    """Return the post without the parts named; they are those of :func:`removed_ranges`."""
    pieces, done = [], 0
    for start, end in removed_ranges(text, remove):
        pieces.append(text[done:start])
        done = end
    return "".join([*pieces, text[done:]])


def removed_ranges(text: str, remove: Collection[str]) -> list[Range]:
    """Return where the parts named stand, in order, none touching the next.

    Parameters
    ----------
    text : str
    remove : collection of {"headers", "quotes", "footers"}
        A header is what comes before the first blank line, if it is lines like ``Subject: …`` with
        a field among them that mails have. Quotes are the lines that begin with ``>`` or ``|`` or
        announce a quotation. The footer is what follows the last line that is blank or made of
        dashes, if anything but it remains.
    """
    check_parts(remove)
    start, end = (header_end(text) if "headers" in remove else 0), len(text)
    ranges = [(0, start)]
    if "footers" in remove:
        start, end = _without_footer(text, start)
        ranges += [(0, start), (end, len(text))]
    if "quotes" in remove:
        ranges += _quotes(text, start, end)
    return merge_ranges(ranges)


def merge_ranges(ranges: Collection[Range]) -> list[Range]:
    """Return ranges in order; those that touch or overlap as one, and none that is empty."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def check_parts(remove: Collection[str]) -> None:
    """Raise unless every part named can be removed."""
    unknown = [part for part in strings("remove", remove) if part not in PARTS]
    if unknown:
        raise InputError(Argument("remove"), f" takes {', '.join(PARTS)}; not {unknown[0]!r}")


def header_end(text: str) -> int:
    """Return where the body of a mail begins; 0 if the text does not begin with a header."""
    blank = _BLANK_LINE.search(text, 0, _LONGEST_HEADER)
    if blank is None:
        return 0
    lines = text[: blank.start()].split("\n")
    first = lines[0].startswith("From ")  # the line before each mail of an mbox
    fields = [_FIELD.match(line) for line in lines[first:]]
    if not all(fields):
        return 0
    names = {(field[1] or "").lower() for field in fields if field is not None}
    return blank.end() if names & _FIELDS else 0


def _without_footer(text: str, start: int) -> Range:
    """Return where the text from `start` on begins and ends without its footer."""
    body = text[start:]
    begin = start + len(body) - len(body.lstrip())
    lines = body.strip().split("\n")
    end = begin + len(body.strip())
    for line in lines[:0:-1]:
        end -= len(line) + 1
        if not line.strip().strip("-"):
            return begin, end
    return start, len(text)


def _quotes(text: str, start: int, end: int) -> Iterator[Range]:
    """Yield the lines of a text that quote, each with the line feed that goes with it."""
    at, kept = start, None  # where the last line ends that stays
    for line in text[start:end].split("\n"):
        after = at + len(line)
        if _QUOTED.search(line):
            begin = kept if after == end and kept is not None else at
            yield begin, min(after + 1, end)
        else:
            kept = after
        at = after + 1
