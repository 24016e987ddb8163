"""What texts plainly are, if they are not plain: HTML, raw mails."""

from collections.abc import Iterable
from itertools import islice

from whyword.words.html import has_markup
from whyword.words.mail import has_mime

LOOKED_AT = 300  # texts, the first ones
_CHARACTERS = 20_000  # of each
_SHARE = 0.2  # of them must be so


def guess_format(texts: Iterable[str]) -> str | None:
    """Return how a reader should take texts: "mail", "html", or None for plain text.

    It is one of these if more than a fifth of the first :data:`LOOKED_AT` texts are plainly so.

    Parameters
    ----------
    texts : iterable of str
        Only the first ones are taken.
    """
    first = [text[:_CHARACTERS] for text in islice(texts, LOOKED_AT)]
    mails = sum(map(has_mime, first))
    if mails > _SHARE * len(first):
        return "mail"
    return "html" if sum(map(has_markup, first)) > _SHARE * len(first) else None


def format_note(texts: Iterable[str]) -> str | None:
    """Return what is to be said of texts that are not plain, or None."""
    found = guess_format(texts)
    if found is None:
        return None
    what = {"mail": "raw mails", "html": "HTML"}[found]
    return f"the texts look like {what}; Reader({found!r}), or train --format {found}, decodes them"
