"""A source of documents: its columns are guessed or named, its rows checked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import InputError
from whyword.corpora import open_source
from whyword.corpora.columns import Columns, choose_columns
from whyword.corpora.frames import open_frame
from whyword.corpora.source import Record

Write = Callable[[str, "str | bytes"], Path]


def test_columns_are_guessed_and_noted(write: Write) -> None:
    opened = open_source(write("a.csv", "Id,Body,Category,date\n7,hello,x,1993\n"))
    assert list(opened) == [Record("7", "hello", "x", None)]
    assert opened.notes == ("text column: 'Body'", "label column: 'Category'")
    named = open_source(write("d.csv", "a,b,c\n1,2,3\n"), text="b", label="c")
    assert list(named) == [Record("1", "2", "3", None)]
    assert named.notes == ()
    unlabelled = open_source(write("e.csv", "text\nhello\n"), labelled=False)
    assert list(unlabelled) == [Record("1", "hello", None, None)]


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
    ("header", "options", "expected"),
    [
        ("body,class,id,split", {}, Columns("body", "class", "id", "split")),
        ("a,label", {}, Columns("a", "label", None, None)),  # the only one left
        ("text,b", {}, Columns("text", "b", None, None)),
        ("text,b", {"labelled": False}, Columns("text", None, None, None)),
        ("text,b,c", {"groups": ("c",)}, Columns("text", "b", None, None, ("c",))),
        ("text,b", {"labelled": False, "split": True}, Columns("text", "b", None, None)),
        ("a,b,c", {"text": "b", "label": "c"}, Columns("b", "c", None, None)),
        ("a,b,c", {"label": ("c", "b")}, Columns("a", None, None, None, (), ("c", "b"))),
        ("text,body,label", {}, "both 'text' and 'body' could be the text; say which: text=…"),
        ("a,b,c", {}, "no text column among a, b, c; say which one it is: text=…"),
        ("text,b,c", {}, "no label column .*: label=…, or labelled=False if there is none$"),
        ("text,label", {"groups": ("c",)}, "list: no column 'c'; there are text, label"),
        ("text,label", {"text": "txt"}, "list: no column 'txt'; there are text, label"),
    ],
)
def test_columns(header: str, options: dict[str, Any], expected: Columns | str) -> None:
    table, _ = open_frame([dict.fromkeys(header.split(","), "a")])
    settings = {"text": None, "label": None, "labelled": True} | options
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            choose_columns(table, **settings)
    else:
        assert choose_columns(table, **settings) == expected


def test_choices_of_columns() -> None:
    assert Columns("a", None, "id", None, ("b", "a"), ("c",)).names == ["a", "id", "b", "c"]
    columns = Columns("body", "class", "id", "split")
    split = "train and test as column 'split' says"
    assert list(columns.choices(None, "class")) == ["text column: 'body'", split]
    assert list(columns.choices("body", None)) == ["label column: 'class'", split]
    assert list(Columns("a", None, None, None).choices("a", None)) == []


def test_columns_of_files(write: Write) -> None:
    with pytest.raises(InputError, match=r"a\.csv: two columns are called 'text'"):
        open_source(write("a.csv", "text,text,label\n1,2,3\n"))
    for remove in ("headers", ["header"], 5):
        with pytest.raises(InputError, match=r"^remove "):
            open_source(write("a.csv", "text,label\n"), remove=remove)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"text=… \(is the header line missing\?\)$"):
        open_source(write("a.csv", "a,b,c\n1,2,3\n"))


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


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"text": 3, "label": "x"}', "line 2: 'text' is int 3, not text"),
        ('{"text": null, "label": "x"}', "line 2: 'text' is null, not text"),
        ('{"text": "a", "label": null}', "line 2: 'label' is null; every document needs a label"),
        ('{"text": "a", "label": ""}', "line 2: 'label' is empty; every document needs a label"),
    ],
)
def test_bad_values(write: Write, row: str, said: str) -> None:
    path = write("a.jsonl", '{"text": "a", "label": "x"}\n' + row)
    with pytest.raises(InputError, match=said):
        list(open_source(path))


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
        ("20newsgroups:Test", "folder; a part is ':train' or ':test'"),
        ("a.csv:tarin", "folder; a part is ':train' or ':test'"),
        ("quite-another", "folder"),
    ],
)
def test_names_that_are_nearly_right(name: str, hint: str) -> None:
    with pytest.raises(InputError, match="no such file or folder") as caught:
        open_source(name)
    assert str(caught.value).endswith(hint)


def test_halves_of_surrogate_pairs(write: Write) -> None:
    path = write("a.jsonl", r'{"id": "\ud800", "text": "a\udc00", "label": "x\ud800"}')
    assert list(open_source(path)) == [Record("\ufffd", "a\udc00", "x\ufffd", None)]
