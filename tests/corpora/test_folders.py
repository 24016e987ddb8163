import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import InputError
from whyword.batch.chunks import SourceReader
from whyword.corpora import load_corpus, open_source
from whyword.corpora.corpus import open_texts
from whyword.corpora.folders import folder_tables
from whyword.corpora.source import Record

Write = Callable[[str, "str | bytes"], Path]


def test_a_folder_with_one_sub_folder_per_class(write: Write, tmp_path: Path) -> None:
    write("mails/spam/2.txt", "buy")
    write("mails/spam/10.txt.gz", "now")
    write("mails/ham/deep/1", "hello\r\nthere")
    write("mails/ham/.hidden", "no")
    write("mails/README", "not in a class folder")
    assert list(open_source(tmp_path / "mails")) == [
        Record("ham/deep/1", "hello\r\nthere", "ham", None),
        Record("spam/10.txt.gz", "now", "spam", None),
        Record("spam/2.txt", "buy", "spam", None),
    ]


@pytest.mark.parametrize("prefix", ["", "news-bydate-"])
def test_a_folder_with_its_own_split(write: Write, tmp_path: Path, prefix: str) -> None:
    write(f"f/{prefix}train/a/1", "x")
    write(f"f/{prefix}test/a/1", "y")
    assert list(open_source(tmp_path / "f")) == [
        Record("a/1", "x", "a", "train"),
        Record("a/1", "y", "a", "test"),
    ]


@pytest.mark.parametrize(
    "files",
    [
        ["train/a/1", "test/a/1", "val/a/1"],
        ["Train/a/1", "Test/a/1", "Validation/a/1"],
        ["train/a/1", "train/b/1"],
    ],
)
def test_a_split_that_is_none_is_refused(write: Write, tmp_path: Path, files: list[str]) -> None:
    for file in files:
        write(f"f/{file}", "x")
    with pytest.raises(InputError, match="expected one per class, or train and test"):
        open_source(tmp_path / "f")


def test_classes_may_end_like_splits(write: Write, tmp_path: Path) -> None:
    for name in ("pos-train", "neg-train", "pos-test"):
        write(f"f/{name}/1", "x")
    classes = [record.label for record in open_source(tmp_path / "f")]
    assert classes == ["neg-train", "pos-test", "pos-train"]


def test_folders_that_are_no_corpus(tmp_path: Path, write: Write) -> None:
    write("flat/1.txt", "a")
    with pytest.raises(InputError, match="has no sub-folders; expected one per class"):
        open_source(tmp_path / "flat")
    write("bad/x/1.txt", b"caf\xe9")
    with pytest.raises(InputError, match=r"1\.txt: byte 3 \(line 1\) is not valid utf-8"):
        list(open_source(tmp_path / "bad"))


@pytest.mark.parametrize("table", ["a.csv", "spam/a.csv", "ham/deep/a.jsonl.gz"])
def test_class_folders_beside_a_table_are_a_corpus(
    write: Write, tmp_path: Path, table: str
) -> None:
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


def test_a_folder_of_tables_and_what_does_not_count(write: Write, tmp_path: Path) -> None:
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


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    for name in (b"caf\xe9/1\xe8.txt", b"caf\xe9/1\xe9.txt", b"tea/\xff.txt"):
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("a text")
    records = list(open_source(tmp_path))
    assert [(record.id, record.label) for record in records] == [
        (r"caf\xe9/1\xe8.txt", r"caf\xe9"),
        (r"caf\xe9/1\xe9.txt", r"caf\xe9"),
        (r"tea/\xff.txt", "tea"),
    ]
    assert load_corpus(tmp_path / os.fsdecode(b"caf\xe9") / "..").name.endswith(r"caf\xe9/..")
    (text,) = open_texts(str(tmp_path / os.fsdecode(b"tea/\xff.txt")))
    assert text.id == r"\xff.txt"
