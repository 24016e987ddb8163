"""Folders of texts: a sub-folder for each class, a split of their own, mails, tables."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import InputError
from whyword.batch.chunks import SourceReader
from whyword.corpora import load_corpus, open_source
from whyword.corpora.corpus import open_texts
from whyword.corpora.folders import folder_tables
from whyword.corpora.newsgroups import GROUPS
from whyword.corpora.source import Record

Write = Callable[[str, "str | bytes"], Path]


def test_a_folder_with_one_sub_folder_per_class(write: Write, tmp_path: Path) -> None:
    write("mails/spam/2.txt", "buy")
    write("mails/spam/10.txt.gz", "now")
    write("mails/ham/deep/1", "hello\r\nthere")
    for name in ("ham/.hidden", ".git/1", "README"):
        write(f"mails/{name}", "not in a class folder, or hidden")
    expected = [
        Record("ham/deep/1", "hello\r\nthere", "ham", None),
        Record("spam/10.txt.gz", "now", "spam", None),
        Record("spam/2.txt", "buy", "spam", None),
    ]
    for labelled in (True, False):
        assert list(open_source(tmp_path / "mails", labelled=labelled)) == expected


@pytest.mark.parametrize("prefix", ["", "news-bydate-"])
def test_a_folder_with_its_own_split(write: Write, tmp_path: Path, prefix: str) -> None:
    write(f"f/{prefix}train/a/1", "x")
    write(f"f/{prefix}test/a/1", "y")
    opened = open_source(tmp_path / "f")
    assert list(opened) == [Record("a/1", "x", "a", "train"), Record("a/1", "y", "a", "test")]
    assert opened.notes == ("train and test as the folders say",)


@pytest.mark.parametrize(
    "files",
    [
        ["train/a/1", "test/a/1", "val/a/1"],
        ["Train/a/1", "Test/a/1", "Validation/a/1"],
        ["train/a/1", "train/b/1"],
    ],
)
def test_other_splits_are_refused(write: Write, tmp_path: Path, files: list[str]) -> None:
    for file in files:
        write(f"f/{file}", "x")
    with pytest.raises(InputError, match="expected one per class, or train and test with"):
        open_source(tmp_path / "f")


def test_classes_may_end_like_splits(write: Write, tmp_path: Path) -> None:
    for name in ("pos-train", "neg-train", "pos-test"):
        write(f"f/{name}/1", "x")
    classes = [record.label for record in open_source(tmp_path / "f")]
    assert classes == ["neg-train", "pos-test", "pos-train"]
    write("g/train/1", "x")  # a class of that name
    assert [record.label for record in open_source(tmp_path / "g")] == ["train"]


def test_folders_of_newsgroups_lose_their_headers(write: Write, tmp_path: Path) -> None:
    for group in GROUPS:
        write(f"news/{group}/1", b"From: a\n\nb\xe9\n")
    opened = open_source(tmp_path / "news")
    assert {record.text for record in opened} == {"bé\n"}
    assert (opened.notes, opened.rule) == (("newsgroup posts, without headers",), ("headers",))
    kept = open_source(tmp_path / "news", remove=[], encoding="cp1252")
    assert next(iter(kept)).text == "From: a\n\nbé\n"
    assert kept.notes == ("newsgroup posts, whole, as a model may cut them itself",)


@pytest.mark.parametrize("table", ["a.csv", "spam/a.csv", "ham/deep/a.jsonl.gz"])
def test_class_folders_with_a_table_are_a_corpus(write: Write, tmp_path: Path, table: str) -> None:
    for name in ("spam/1", "spam/2", "ham/1"):
        write(f"mails/{name}", "a text")
    write(f"mails/{table}", "text,label\none,x\n")
    folder = tmp_path / "mails"
    assert folder_tables(folder) == []
    everywhere = [
        [record.id for record in open_source(folder)],
        [record.id for record in open_texts(str(folder))],
        load_corpus(folder, test=0).ids,
        [record.id for chunk in SourceReader.of(folder).all_chunks() for record in chunk.records],
    ]
    assert everywhere == [everywhere[0]] * 4
    assert {"spam/1", "spam/2", "ham/1"} <= set(everywhere[0])


def test_a_folder_of_tables(write: Write, tmp_path: Path) -> None:
    for name in ("2024/b.csv", "2024/a.csv", "c.jsonl", "_old/x.csv", ".git/y.csv"):
        write(f"data/{name}", "text\na\n")
    write("data/README.md", "what this is")
    write("data/2024/_SUCCESS", "")
    write("data/2024/empty.csv", "")
    folder = tmp_path / "data"
    tables = [folder / name for name in ("2024/a.csv", "2024/b.csv", "c.jsonl")]
    assert folder_tables(folder) == tables
    with pytest.raises(InputError, match="is a folder of tables: name one"):
        open_source(folder)
    assert SourceReader.of(folder, encoding="utf-8").files == tables


def test_names_that_are_not_utf_8(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    for name in (b"caf\xe9/1\xe8.txt", b"caf\xe9/1\xe9.txt", b"tea/\xff.txt"):
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("a text")
    assert [(record.id, record.label) for record in open_source(tmp_path)] == [
        (r"caf\xe9/1\xe8.txt", r"caf\xe9"),
        (r"caf\xe9/1\xe9.txt", r"caf\xe9"),
        (r"tea/\xff.txt", "tea"),
    ]
    assert load_corpus(tmp_path / os.fsdecode(b"caf\xe9") / "..").name.endswith(r"caf\xe9/..")
    (text,) = open_texts(str(tmp_path / os.fsdecode(b"tea/\xff.txt")))
    assert text.id == r"\xff.txt"
    assert caplog.text.encode()  # it can be shown


def test_files_of_several_encodings(
    write: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = "Grüße aus Köln: zwei Tees für uns"
    for number, encoding in enumerate(["utf-8", "latin-1", "cp1252", "utf-16", "utf-8-sig"]):
        write(f"mixed/de/{number}.txt", text.encode(encoding))
    write("mixed/en/5.txt", b"caf\xc3\xa9 \xff")
    corpus = load_corpus(tmp_path / "mixed", test=0)
    assert corpus.texts == [*[text] * 5, "café \ufffd"]
    notes = (
        "3 of 6 files are not UTF-8 and were read as cp1252 (2), utf-16-le (1): "
        "de/1.txt, de/2.txt, de/3.txt",
        "1 byte was no letter of its encoding and replaced by U+FFFD in en/5.txt",
    )
    assert corpus.notes[:2] == notes
    caplog.set_level("INFO")
    source = open_source(tmp_path / "mixed")
    for _ in range(2):  # each time anew
        caplog.clear()
        assert len(list(source)) == 6
        assert [record.message.partition(": ")[2] for record in caplog.records] == list(notes)
    with pytest.raises(InputError, match=r"1\.txt: byte 2 \(line 1\) is not valid utf-8: 0xfc"):
        load_corpus(tmp_path / "mixed", encoding="utf-8")


def test_mails_in_class_folders(write: Write, tmp_path: Path) -> None:
    line = "From a@example.org Thu Nov  5 12:00:00 1998\n"
    write("mails/ham/1.eml", "Subject: =?utf-8?q?caf=C3=A9?=\nContent-Type: text/html\n\n<p>a")
    write("mails/spam/old/box", f"{line}Subject: x\n\nb\n\n{line}Subject: y\n\nc\n")
    assert list(open_source(tmp_path / "mails")) == [
        Record("ham/1.eml", "Subject: café\n\na", "ham", None),
        Record("spam/old/box:1", "Subject: x\n\nb\n\n", "spam", None),
        Record("spam/old/box:2", "Subject: y\n\nc\n", "spam", None),
    ]


def test_a_plain_folder(write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    for name, content in (("b.txt", b"caf\xe9"), ("a.eml", b"To: x\n\ny"), (".hidden", b"no")):
        write(f"texts/{name}", content)
    expected = [Record("a.eml", "To: x\n\ny", None, None), Record("b.txt", "café", None, None)]
    assert list(open_source(folder, labelled=False)) == expected
    assert list(open_texts(str(folder))) == expected
    assert load_corpus(folder, labelled=False, test=0).ids == ["a.eml", "b.txt"]
    (chunk,) = SourceReader.of(folder).all_chunks()
    assert chunk.records == expected
    with pytest.raises(InputError, match="texts has no sub-folders; expected one per class"):
        open_source(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no files and no sub-folders"):
        open_source(tmp_path / "empty", labelled=False)
