import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import InputError
from whyword.batch.chunks import SourceReader
from whyword.corpora import load_corpus, open_source
from whyword.corpora.corpus import open_texts
from whyword.corpora.newsgroups import GROUPS
from whyword.corpora.source import Record, folder_tables

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


def test_a_folder_of_newsgroups_loses_its_headers(write: Write, tmp_path: Path) -> None:
    for group in GROUPS:
        write(f"news/{group}/1", b"From: a\n\nb\xe9\n")
    opened = open_source(tmp_path / "news")
    assert {record.text for record in opened} == {"bé\n"}
    assert opened.notes == ("newsgroup posts, without headers",)
    kept = open_source(tmp_path / "news", remove=[], encoding="cp1252")
    assert next(iter(kept)).text == "From: a\n\nbé\n"


def test_columns_are_guessed_and_said(write: Write) -> None:
    opened = open_source(write("a.csv", "Id,Body,Category,date\n7,hello,x,1993\n"))
    assert list(opened) == [Record("7", "hello", "x", None)]
    assert opened.notes == ("text column: 'Body'", "label column: 'Category'")
    opened = open_source(write("b.csv", "text,folder\nhello,x\n"))
    assert opened.notes == ("text column: 'text'", "label column: 'folder'")
    opened = open_source(write("c.csv", "words,label\nhello,x\n"))
    assert list(opened) == [Record("1", "hello", "x", None)]
    named = open_source(write("d.csv", "a,b,c\n1,2,3\n"), text="b", label="c")
    assert list(named) == [Record("1", "2", "3", None)]
    assert named.notes == ()


def test_a_split_column(write: Write) -> None:
    path = write("a.csv", "text,label,split\na,x,train\nb,y,test\n")
    assert [record.split for record in open_source(path)] == ["train", "test"]
    path = write("b.csv", "text,label,split\na,x,dev\n")
    with pytest.raises(InputError, match="line 2: 'split' is 'dev'"):
        list(open_source(path))


def test_labels_become_strings(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {"text": pa.array(["a", "b"]).dictionary_encode(), "label": [0, 1]}
    parquet.write_table(pa.table(columns), path)
    assert [record.label for record in open_source(path)] == ["0", "1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b,c\n1,2,3\n", "no text column among a, b, c; say which one it is: text="),
        ("text,a,b\n1,2,3\n", "no label column among text, a, b; say which one it is: label="),
        ("text\nhello\n", "no label column among text"),
        ("text,body,label\n1,2,3\n", "both 'text' and 'body' could be the text"),
        ("text,text,label\n1,2,3\n", "two columns are called 'text'"),
        ("text,label\nhello,\n", "line 2: 'label' is empty; every document needs a label"),
    ],
)
def test_columns_that_cannot_be_guessed(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(open_source(write("a.csv", content)))


def test_bad_values(write: Write) -> None:
    path = write("a.jsonl", '{"text": "a", "label": "x"}\n{"text": 3, "label": "x"}\n')
    with pytest.raises(InputError, match="line 2: 'text' is int 3, not text"):
        list(open_source(path))
    path = write("b.jsonl", '{"text": "a", "label": null}\n')
    with pytest.raises(InputError, match="line 1: 'label' is null"):
        list(open_source(path))
    path = write("c.jsonl", '{"text": null, "label": "x"}\n')
    with pytest.raises(InputError, match="line 1: 'text' is null, not text"):
        list(open_source(path))


def test_wrong_column_names(write: Write) -> None:
    path = write("a.csv", "text,label\na,b\n")
    with pytest.raises(InputError, match="no column 'txt'; there are text, label"):
        open_source(path, text="txt")


def test_without_labels(write: Write) -> None:
    path = write("a.csv", "text\nhello\n")
    assert list(open_source(path, labelled=False)) == [Record("1", "hello", None, None)]


def test_folders_that_are_no_corpus(tmp_path: Path, write: Write) -> None:
    write("flat/1.txt", "a")
    with pytest.raises(InputError, match="has no sub-folders; expected one per class"):
        open_source(tmp_path / "flat")
    write("bad/x/1.txt", b"caf\xe9")
    with pytest.raises(InputError, match=r"1\.txt: byte 3 \(line 1\) is not valid utf-8"):
        list(open_source(tmp_path / "bad"))


def test_a_colon_in_a_file_name_is_no_part(write: Write) -> None:
    path = write("odd.txt:test", "x")
    with pytest.raises(InputError, match="unknown kind of file"):
        open_source(path)


def test_a_part_of_a_source(write: Write) -> None:
    split = write("a.csv", "text,label,split\na,x,train\nb,y,test\n")
    assert [record.text for record in open_source(f"{split}:test")] == ["b"]
    plain = write("b.csv", "text,label\na,x\n")
    with pytest.raises(InputError, match="no split of its own, which ':test' asks for; leave"):
        list(open_source(f"{plain}:test"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("20newsgroup", "did you mean 20newsgroups?"),
        ("20Newsgroups:test", "did you mean 20newsgroups?"),
        ("20newsgroups:Test", "a part is ':train' or ':test'"),
    ],
)
def test_names_that_are_nearly_right(name: str, hint: str) -> None:
    with pytest.raises(InputError, match="no such file or folder") as caught:
        open_source(name)
    assert hint in str(caught.value)


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


def test_halves_of_surrogate_pairs(write: Write) -> None:
    path = write("a.jsonl", r'{"id": "\ud800", "text": "a\udc00", "label": "x\ud800"}')
    assert list(open_source(path)) == [Record("\ufffd", "a\udc00", "x\ufffd", None)]
