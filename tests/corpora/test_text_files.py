"""Files that are no tables: texts, mails, and what cannot be read, said in one line."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import InputError
from whyword.corpora import load_corpus, open_source
from whyword.corpora import text_files as module
from whyword.corpora.corpus import open_texts
from whyword.corpora.lines import Flaw
from whyword.corpora.text_files import file_texts, holds_mails, other_kind

Write = Callable[[str, "str | bytes"], Path]

MAIL = (
    b"Subject: =?utf-8?q?caf=C3=A9?=\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe\r\n"
)
READ = "Subject: café\n\nGrüße\n"


@pytest.mark.parametrize("name", ["a.eml", "a.EML", "a.eml.gz"])
def test_a_mail(write: Write, name: str) -> None:
    content = gzip.compress(MAIL) if name == "a.EML.gz" else MAIL
    path = write(name, content)
    for encoding in (None, "utf-16"):  # a mail says itself what it is written in
        assert list(file_texts(path, encoding)) == [(name, READ)]
    assert [(record.id, record.text) for record in open_texts(str(path))] == [(name, READ)]
    assert [record.text for record in open_source(path, labelled=False)] == [READ]
    assert holds_mails(path)


def test_pages_are_left_to_the_reader(write: Write) -> None:
    page = "<meta charset=cp1251><p>Привет &amp; пока</p>"
    path = write("a.html", page.encode("cp1251"))
    assert [record.text for record in open_texts(str(path))] == [page]
    assert not holds_mails(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.docx", b"PK\x03\x04", "a Word document, no plain text: save it as plain text"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1", "a Word document"),
        ("a.pdf", b"%PDF-1.4", "a PDF, no plain text: get its text out first, say with pdftotext"),
        ("noending", b"%PDF-1.4 text", "a PDF"),
        ("a.odt", b"PK\x03\x04", "an OpenDocument text"),
        ("a.rtf", b"{\\rtf1 x}", "a Rich Text document"),
        ("a.xlsx", b"PK\x03\x04", "an Excel sheet, no plain text: save it as CSV"),
        ("a.JPG", b"\xff\xd8\xff\xe0", "a picture, no plain text: get its text out first, by text"),
        ("a.png", b"", "a picture"),
        ("a.zip", b"PK\x03\x04", "an archive"),
    ],
)
def test_what_holds_no_plain_text(write: Write, name: str, content: bytes, said: str) -> None:
    path = write(f"f/{name}", content)
    with pytest.raises(InputError, match=said):
        list(open_texts(str(path)))
    with pytest.raises(InputError, match=said):
        list(open_source(path.parent, labelled=False))
    bad: list[str] = []
    write("f/b.txt", "text")
    source = open_source(path.parent, labelled=False)
    assert [record.id for record in source.read(lambda row: bad.append(row.reason))] == ["b.txt"]
    assert bad[0].startswith(said)
    if name != "noending" and name != "a.doc":
        with pytest.raises(InputError, match=said):
            load_corpus(path)


def test_plain_text_of_an_old_ending(write: Write) -> None:
    assert [record.text for record in open_texts(str(write("a.doc", "text")))] == ["text"]
    assert other_kind(Path("a.txt"), b"text") is None


def test_a_mail_that_is_too_long(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 20)
    path = write("a.eml", MAIL)
    with pytest.raises(InputError, match=r"a\.eml: more than"):
        list(file_texts(path))
    ((_, flaw),) = file_texts(path, lenient=True)
    assert isinstance(flaw, Flaw)
