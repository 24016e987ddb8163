"""Files that are no tables: texts, mails, mbox files, and kinds of files that hold no text."""

import mailbox
import re
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError
from whyword.corpora import load_corpus, open_source
from whyword.corpora import mailbox as mailbox_module
from whyword.corpora import text_files as module
from whyword.corpora.corpus import open_texts
from whyword.corpora.encoding import Encodings
from whyword.corpora.lines import Flaw
from whyword.corpora.mailbox import is_mailbox, mailbox_mails
from whyword.corpora.tables import BadRow
from whyword.corpora.text_files import file_texts, holds_mails, other_kind

Write = Callable[[str, "str | bytes"], Path]

MAIL = (
    b"Subject: =?utf-8?q?caf=C3=A9?=\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe\r\n"
)
READ = "Subject: café\n\nGrüße\n"
FROM = b"From someone@example.org Thu Nov  5 12:00:00 1998\n"


@pytest.mark.parametrize("name", ["a.eml", "a.EML", "a.eml.gz"])
def test_a_mail(write: Write, name: str) -> None:
    path, seen = write(name, MAIL), Encodings()
    for encoding in (None, "utf-16"):  # a mail names its encoding itself
        assert list(file_texts(path, encoding, seen=seen)) == [(name, READ)]
    assert (seen.files, seen.notes()) == (2, [])
    assert [(record.id, record.text) for record in open_texts(str(path))] == [(name, READ)]
    assert [record.text for record in open_source(path, labelled=False)] == [READ]
    assert holds_mails(path)


def test_pages_are_decoded_but_not_changed(write: Write) -> None:
    page = "<meta charset=cp1251><p>Привет &amp; пока</p>"
    path = write("a.html", page.encode("cp1251"))
    assert [record.text for record in open_texts(str(path))] == [page]
    assert not holds_mails(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.docx", b"PK\x03\x04", r"a Word document, no plain text: save it as plain text \(.txt"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1", "a Word document"),
        ("a.pdf", b"%PDF-1.4", "a PDF, no plain text: get its text out first, say with pdftotext"),
        ("noending", b"%PDF-1.4 text", "a PDF"),
        ("a.xlsx", b"PK\x03\x04", "an Excel sheet, no plain text: save it as CSV"),
        ("a.zip", b"PK\x03\x04", "an archive, no plain text: unpack it and name the folder"),
    ],
)
def test_files_that_hold_no_plain_text(write: Write, name: str, content: bytes, said: str) -> None:
    path = write(f"f/{name}", content)
    calls: list[Callable[[], object]] = [
        lambda: list(open_texts(str(path))),
        lambda: list(open_source(path.parent, labelled=False)),
    ]
    if name not in ("noending", "a.doc"):
        calls.append(lambda: load_corpus(path))
    for call in calls:
        with pytest.raises(InputError, match=said):
            call()
    bad: list[str] = []
    write("f/b.txt", "text")
    source = open_source(path.parent, labelled=False)
    assert [record.id for record in source.read(lambda row: bad.append(row.reason))] == ["b.txt"]
    assert len(bad) == 1


KINDS = {
    ".docx .doc": "a Word document",
    ".odt": "an OpenDocument text",
    ".rtf": "a Rich Text document",
    ".pages": "a Pages document",
    ".pdf": "a PDF",
    ".xlsx .xls": "an Excel sheet",
    ".ods": "an OpenDocument sheet",
    ".pptx": "a PowerPoint presentation",
    ".msg": "an Outlook message",
    ".zip": "an archive",
    ".png .jpg .jpeg .gif .tif .tiff .bmp .webp .heic": "a picture",
}
BEGINNINGS = {
    b"text": "None",
    b"%PDF-": "a PDF",
    b"{\\rtf": "a Rich Text document",
    b"\xd0\xcf\x11\xe0": "a Word document",
    b"PK\x03\x04": "an archive",
    **dict.fromkeys([b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*"], "a picture"),
    **dict.fromkeys([b"\x89PNG\r\n", b"\xff\xd8\xff"], "a picture"),
}


def test_kinds_by_ending_and_first_bytes() -> None:
    for endings, kind in KINDS.items():
        for ending in endings.split():
            said = other_kind(Path(f"a{ending.upper()}"), b"PK\x03\x04") or ""
            assert said.partition(",")[0] == kind
            may_be_text = ending in (".doc", ".xls", ".msg", ".pages")
            assert (other_kind(Path(f"a{ending}"), b"text") is None) == may_be_text
    for beginning, kind in BEGINNINGS.items():
        assert str(other_kind(Path("a.txt"), beginning)).partition(",")[0] == kind


# ---- mbox files -------------------------------------------------------------------------------


def mails(*blocks: bytes) -> list[bytes | Flaw]:
    return list(mailbox_mails(iter(blocks)))


def test_mails_are_cut() -> None:
    data = (
        FROM + b"Subject: a\n\none\n>From here\n>>From there\n\n" + FROM + b"To: b\n\ntwo\nFrom x\n"
    )
    expected = [b"Subject: a\n\none\nFrom here\n>From there\n\n", b"To: b\n\ntwo\nFrom x\n"]
    assert mails(data) == expected
    assert mails(*(data[at : at + 1] for at in range(len(data)))) == expected
    assert mails(data.replace(b"\n", b"\r\n")) == [one.replace(b"\n", b"\r\n") for one in expected]
    assert mails(FROM + FROM + b"\n" + FROM) == [FROM + b"\n", b""]
    assert mails() == []


def test_a_box_of_the_standard_library(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "in.mbox")
    bodies = ["Grüße\n", "From the beginning\nto the end\n", "\n\nFrom me to you 12:00 1998\n\n"]
    for number, body in enumerate(bodies):
        message = EmailMessage()
        message["Subject"] = f"mail {number}"
        message.set_content(body, cte="8bit")
        box.add(message)
    box.close()
    records = list(open_texts(str(tmp_path / "in.mbox")))
    assert [record.id for record in records] == [f"in.mbox:{number}" for number in (1, 2, 3)]
    for number, (record, body) in enumerate(zip(records, bodies, strict=True)):
        head, _, text = record.text.partition("\n\n")
        assert (head, text.strip()) == (f"Subject: mail {number}", body.strip())


@pytest.mark.parametrize(
    ("name", "beginning", "is_one"),
    [
        ("a.mbox", FROM, True),
        ("a.MBX.gz", b"From x", True),
        ("Inbox", FROM + b"Subject: x\n", True),
        ("Inbox", FROM + b"Subject of the day\n", False),
        ("a.txt", b"From here on 12:00 it is\nonly text\n", False),
        ("a.txt", b"From here on it is\nSubject: x\n", False),
        ("a.txt", b"From: x\n\ny", False),
        ("a.mbox", b"no mail", False),
    ],
)
def test_mbox_files_are_recognized(name: str, beginning: bytes, is_one: bool, write: Write) -> None:
    assert is_mailbox(Path(name), beginning) == is_one
    assert holds_mails(write(name.replace("MBX.gz", "mbx"), beginning)) == is_one


def test_mails_that_are_too_long(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox_module, "LONGEST", 1_000)
    monkeypatch.setattr(module, "LONGEST", len(MAIL))
    data = FROM + b"To: a\n\n" + b"x" * 5_000 + b"\n\n" + FROM + b"To: b\n\n" + b"y" * 992 + b"\n"
    first, second = mails(*(data[at : at + 100] for at in range(0, len(data), 100)))
    assert isinstance(first, Flaw)
    assert second == b"To: b\n\n" + b"y" * 992 + b"\n"
    with pytest.raises(InputError, match=r"a\.mbox: more than .* characters"):
        list(open_texts(str(write("a.mbox", data))))
    assert [text for _, text in file_texts(write("a.eml", MAIL))] == [READ]
    path = write("a.eml", MAIL + b"\n")
    with pytest.raises(InputError, match=r"a\.eml: more than"):
        list(file_texts(path))
    bad: list[BadRow] = []
    assert list(open_source(path, labelled=False).read(bad.append)) == []
    assert bad == [BadRow(f"{path}, a.eml", "more than 67,108,864 characters")]


LINES = [FROM, b"From x\n", b">From x\n", b"\n", b"\r\n", b"Subject: a\n", b"word", b"\xff\0\n"]


@given(lines=st.lists(st.sampled_from(LINES), max_size=20), block=st.integers(1, 40))
def test_mails_are_those_of_the_literal_rule(lines: list[bytes], block: int) -> None:
    data = FROM + b"".join(lines)
    expected, after_blank = list[bytes](), True
    for line in re.findall(b"[^\n]*\n|[^\n]+", data):
        if after_blank and line.strip() == FROM.strip():
            expected.append(b"")
        else:
            expected[-1] += line[line.startswith(b">") and line.lstrip(b">").startswith(b"From ") :]
        after_blank = not line.strip()
    assert mails(data) == expected
    assert mails(*(data[at : at + block] for at in range(0, len(data), block))) == expected
