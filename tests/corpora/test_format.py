"""Texts that are HTML or raw mails are noticed, others are not."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from whyword.corpora import load_corpus
from whyword.corpora.format import LOOKED_AT, format_note, guess_format

Write = Callable[[str, "str | bytes"], Path]

PLAIN = "a < b, <someone@example.org>, vector<int>"
PAGE = "Bad.<br /><br />Really bad."
MAIL = "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>x</p>"
POST = "From: a@example.org\nSubject: no MIME\n\ntext"


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], None),
        ([PLAIN, POST, ""], None),
        ([PLAIN] * 4 + [PAGE], None),  # a fifth is not enough
        ([PLAIN] * 3 + [PAGE], "html"),
        ([MAIL], "mail"),
        ([MAIL, PAGE, PAGE], "mail"),
        ([PLAIN] * LOOKED_AT + [PAGE] * 10_000, None),
        ([PLAIN + " " * 1_000_000 + PAGE], None),
    ],
)
def test_formats(texts: list[str], found: str | None) -> None:
    assert guess_format(texts) == found
    assert (format_note(texts) is None) == (found is None)


def test_only_the_first_texts_are_taken() -> None:
    def texts() -> Iterator[str]:
        yield from [PAGE] * LOOKED_AT
        raise AssertionError

    assert guess_format(texts()) == "html"


def test_a_corpus_says_so(write: Write) -> None:
    rows = "".join(f'"{PAGE}",{"xy"[number % 2]}\n' for number in range(20))
    corpus = load_corpus(write("a.csv", "text,label\n" + rows))
    note = "the texts look like HTML; Reader('html'), or train --format html, decodes them"
    assert note in corpus.notes
