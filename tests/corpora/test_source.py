import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import InputError
from whyword.corpora import open_source
from whyword.corpora.newsgroups import GROUPS
from whyword.corpora.source import Record

Write = Callable[[str, "str | bytes"], Path]


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


def _table(folder: Path, ending: str, rows: list[tuple[str | None, str | None]]) -> Path:
    """Write rows of texts and labels in one of the formats."""
    path = folder / f"a{ending}"
    if ending == ".parquet":
        texts, labels = zip(*rows, strict=True)
        columns = {"text": pa.array(texts, pa.string()), "label": pa.array(labels, pa.string())}
        parquet.write_table(pa.table(columns), path)
    elif ending == ".jsonl":
        lines = (json.dumps({"text": text, "label": label}) for text, label in rows)
        path.write_text("".join(f"{line}\n" for line in lines))
    else:
        mark = "," if ending == ".csv" else "\t"
        lines = (mark.join(cell or "" for cell in row) for row in [("text", "label"), *rows])
        path.write_text("".join(f"{line}\n" for line in lines))
    return path


FORMATS = pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])


@FORMATS
def test_empty_rows_are_left_out_with_a_note(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, ending: str
) -> None:
    path = _table(tmp_path, ending, [("a", "x"), (None, None), ("b", "y"), (" ", ""), ("c", "x")])
    with caplog.at_level("INFO", "whyword"):
        records = list(open_source(path))
    assert [(one.id, one.text, one.label) for one in records] == [
        *(("1", "a", "x"), ("3", "b", "y"), ("5", "c", "x"))
    ]
    assert f"{path}: 2 empty rows were left out" in caplog.text
    assert [one.text for one in open_source(path, labelled=False)] == ["a", "b", "c"]


@FORMATS
def test_which_rows_have_no_label(tmp_path: Path, ending: str) -> None:
    rows = [("a", "x"), ("b", None), ("c", "x"), (None, None), *[("d", None)] * 7]
    with pytest.raises(InputError) as caught:
        list(open_source(_table(tmp_path, ending, rows)))
    said = str(caught.value)
    assert "every document needs a label: fill it in, or delete the row; the same in " in said
    first = 6 if ending in (".csv", ".tsv") else 5
    what = "row" if ending == ".parquet" else "line"
    listed = ", ".join(f"{what} {first + n}" for n in range(5))
    assert said.endswith(f"; the same in {listed} and 2 more")


def test_a_text_by_itself_may_be_empty(write: Write) -> None:
    path = write("a.jsonl", '{"text": "a"}\n{"text": ""}\n')
    assert [one.text for one in open_source(path, labelled=False)] == ["a", ""]


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


def test_halves_of_surrogate_pairs(write: Write) -> None:
    path = write("a.jsonl", r'{"id": "\ud800", "text": "a\udc00", "label": "x\ud800"}')
    assert list(open_source(path)) == [Record("\ufffd", "a\udc00", "x\ufffd", None)]
