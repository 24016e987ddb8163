"""Newsgroup posts and mails without their headers, quotations and signatures.

By hand, since scikit-learn has the same as private functions; a test holds ours to them.
"""

import re
from collections.abc import Collection

from whyword.base.checks import strings
from whyword.base.errors import Argument, InputError

PARTS = ("headers", "quotes", "footers")

_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_QUOTED = re.compile(r"^(?:>|\||In article|Quoted from)|writes in|writes:|wrote:|says:|said:")


def clean_post(text: str, remove: Collection[str] = ("headers",)) -> str:
    """Return the post without the parts named.

    Parameters
    ----------
    text : str
    remove : collection of {"headers", "quotes", "footers"}
        The header ends with the first blank line. Quotes are the lines that begin with ``>`` or
        ``|`` or announce a quotation. The footer is what follows the last line that is blank or
        made of dashes, if anything but it remains.
    """
    check_parts(remove)
    if "headers" in remove:
        text = _without_header(text)
    if "footers" in remove:
        text = _without_footer(text)
    if "quotes" in remove:
        text = "\n".join(line for line in text.split("\n") if not _QUOTED.search(line))
    return text


def check_parts(remove: Collection[str]) -> None:
    """Raise unless every part named can be removed."""
    unknown = [part for part in strings("remove", remove) if part not in PARTS]
    if unknown:
        raise InputError(Argument("remove"), f" takes {', '.join(PARTS)}; not {unknown[0]!r}")


def _without_header(text: str) -> str:
    blank = _BLANK_LINE.search(text)
    return text[blank.end() :] if blank else text


def _without_footer(text: str) -> str:
    lines = text.strip().split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if not lines[number].strip().strip("-"):
            return "\n".join(lines[:number])
    return text
