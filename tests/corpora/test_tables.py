"""Tables: CSV, TSV, JSON Lines and Parquet, their encodings, and one line for what is wrong."""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from fuzzing import Fuzzer
from hypothesis import strategies as st
from opens import count_opens
from pyarrow import parquet

from whyword import InputError
from whyword.corpora.encoding import Encodings
from whyword.corpora.source import open_source
from whyword.corpora.tables import BadRow, open_table, raise_bad_row

Write = Callable[[str, "str | bytes"], Path]


def rows(path: Path, *names: str, encoding: str | None = "utf-8") -> list[tuple[object, ...]]:
    return [values for _, values in open_table(path, encoding).rows(names)]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "A.CSV"])
def test_csv(write: Write, name: str) -> None:
    path = write(name, 'text,label\n"a, ""b""\nc",x\r\n\nd,y\n')
    table = open_table(path)
    assert table.columns == ("text", "label")
    assert list(table.rows(["label", "text"])) == [
        (f"{path}, line 2", ("x", 'a, "b"\nc')),
        (f"{path}, line 5", ("y", "d")),
    ]
    assert rows(path, "label") == [("x",), ("y",)]  # a table can be read again


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "text\tlabel\na, b\tx\n"),
        ("a.csv", "text;label\na, b;x\n"),
        ("a.csv", "text|label\na, b|x\n"),
        ("a.csv", '"label";"a, b, c";"text"\nx;y;"a, b"\n'),
        ("a.csv", ' text , label \n"a, b",x\n'),
        ("a.csv", b'\xef\xbb\xbftext,label\n"a, b",x\n'),
    ],
)
def test_other_delimiters_and_headers(write: Write, name: str, content: str | bytes) -> None:
    assert rows(write(name, content), "text", "label") == [("a, b", "x")]


def test_headers_in_several_lines_and_below_blank_ones(write: Write) -> None:
    path = write("a.csv", ' \n\r\n"te\nxt","la\rbel"\na,x\n')
    table = open_table(path)
    assert table.columns == ("te\nxt", "la\rbel")
    assert list(table.rows(["la\rbel"])) == [(f"{path}, line 5", ("x",))]
    with pytest.raises(InputError, match="the quotation marks of the header line do not fit"):
        open_table(write("b.csv", '"text"x,label"\na,b\n'))


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json"])
def test_json_lines(write: Write, name: str) -> None:
    path = write(name, '{"text": "a\\u0000b", "label": 1}\n\n{"label": 2, "text": "c"}')
    assert list(open_table(path).rows(["text", "label"])) == [
        (f"{path}, line 1", ("a\0b", 1)),
        (f"{path}, line 3", ("c", 2)),
    ]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.parquet")
    parquet.write_table(pa.table({"text": ["a", "b"], "n": [1, None]}), tmp_path / "a.parquet")
    (tmp_path / "a.parquet").rename(path)
    table = open_table(path)
    assert table.columns == ("text", "n")
    shares: list[float | None] = []
    read = list(table.rows(["n", "text"], on_progress=lambda event: shares.append(event.share)))
    assert read == [(f"{path}, row 1", (1, "a")), (f"{path}, row 2", (None, "b"))]
    assert shares == [1]
    texts = pa.array([b"a", b"\xff"]).view(pa.string())
    parquet.write_table(pa.table({"text": texts}), tmp_path / "b.parquet")
    bad: list[BadRow] = []
    rows = open_table(tmp_path / "b.parquet").rows(["text"], bad.append)
    assert [values for _, values in rows] == [("a",)]
    assert bad[0].place == f"{tmp_path / 'b.parquet'}, row 2"


def test_lines_of_old_macs(write: Write) -> None:
    path = write("a.csv", 'text,label\r"a\nb",x\r\rc,y\r')
    assert list(open_table(path).rows(["text", "label"])) == [
        (f"{path}, line 2", ("a\nb", "x")),
        (f"{path}, line 4", ("c", "y")),
    ]
    path = write("a.jsonl", '{"text": "a"}\r{"text": "b"}\r')
    assert list(open_table(path).rows(["text"])) == [
        (f"{path}, line 1", ("a",)),
        (f"{path}, line 2", ("b",)),
    ]
    path = write("b.jsonl", '{"text":\r"a"}\n{"text": "b"}\n')  # JSON may hold such
    assert rows(path, "text") == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n\n", "has no header line"),
        ("a.csv.gz", b"", "has no header line"),
        ("a.csv", b"text,label\na,b\nc\n", r"line 3: 1 fields, but the header has 2 \(text, label"),
        ("a.csv", b"text,label\na,b,c\n", r"line 2: 3 fields.*; quote fields that hold ','"),
        ("a.csv", b'text,label\n"a,b\nc,d\n', r"line 2: unexpected end of data"),
        ("a.csv", b"text,label\na,b\nc\xff,d\n", r"byte 16 \(line 3\) is not valid utf-8: 0xff"),
        ("a.csv", b"text,label\na\0,b\n", r"NUL byte at byte 12 \(line 2\): not a text file"),
        ("a.csv", b"text,label\n\xe2\x82", r"byte 11 \(line 2\) is not valid utf-8"),
        ("a.jsonl", b'{"text": 1}\n{"text": \n', "line 2: not JSON"),
        ("a.jsonl", b"[1, 2]\n", "line 1: a JSON array; write one object per line"),
        ("a.jsonl", b'{"text": 1}\n{"body": 1}\n', "line 2: no 'text', which the first line has"),
        ("a.jsonl", b"\n\n", "has no rows"),
        ("a.jsonl", b'{"text": ' + b"1" * 5000 + b"}", "line 1: not JSON"),
        ("a.json", b'[\n{"text": "a"}\n]\n', "line 1: a JSON array; write one object per line"),
        ("a.jsonl", b'{"a":' * 100_000, "line 1: not JSON"),
        ("a.jsonl", b"5", "line 1: a JSON int; write one object per line"),
        ("a.parquet", b"PAR1 but not really", "not a whole Parquet file"),
        ("a.pickle", b"x", r"unknown kind of file; expected \.csv, \.tsv, .*parquet \(or a folder"),
    ],
)
def test_bad_input_is_one_clear_line(write: Write, name: str, content: bytes, message: str) -> None:
    path = write(name, content)
    with pytest.raises(InputError, match=message) as caught:
        rows(path, "text")
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_are_damaged_or_missing(tmp_path: Path, write: Write) -> None:
    whole = write("a.csv.gz", "text,label\n" + "a,b\n" * 1000).read_bytes()
    (tmp_path / "cut.csv.gz").write_bytes(whole[:-10])
    (tmp_path / "no.csv.gz").write_bytes(b"text,label\na,b\n")
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": ["a"] * 1000}), path)
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / "folder.csv").mkdir()
    for name, said in (
        ("cut.csv.gz", "damaged or cut-off gzip file"),
        ("no.csv.gz", "damaged or cut-off gzip file"),
        ("a.parquet", "not a whole Parquet file"),
        ("folder.csv", "not a regular file"),
        ("none.csv", "no such file"),
        ("none", "no such file or folder"),
    ):
        with pytest.raises(InputError, match=said):
            rows(tmp_path / name, "text")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl.gz", "a.parquet"])
def test_the_beginning_is_read_once(
    write: Write, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = '{"text": "a"}\n{"text": "b"}\n' if "jsonl" in name else "text\na\nb\n"
    if name == "a.parquet":
        parquet.write_table(pa.table({"text": ["a", "b"]}), tmp_path / name)
    else:
        write(name, content)
    opens = count_opens(monkeypatch)
    table = open_table(tmp_path / name)
    read = [[values for _, values in table.rows(["text"], skip)] for skip in (print, print)]
    assert read == [[("a",), ("b",)]] * 2
    assert opens == {name: 2}  # once to know the columns and read, once to read it again
    gone = open_table(tmp_path / name)
    (tmp_path / name).unlink()
    assert len(list(gone.rows(["text"]))) == 2


@pytest.mark.parametrize(
    ("content", "texts", "place", "reason"),
    [
        ('a,x\n"b,x\nc,y\nd,y\n"e",x\nf,x\n', "acdef", "line 3", "there are rows from line 4 on)"),
        ('a,x\n"b\nc\nd\n"e",x\nf,x\n', "af", "line 3", "lines 3 to 6 are left out"),  # a text
        ("a,x\nb\nc,y\n", "ac", "line 3", "1 fields, but the header has 2 (text, label)"),
        ("a,x\nb\0,y\nc,y\n", "ac", "line 3", "NUL byte"),
    ],
)
def test_no_more_rows_are_lost_than_reported(
    write: Write, content: str, texts: str, place: str, reason: str
) -> None:
    path = write("a.csv", "text,label\n" + content)
    bad: list[BadRow] = []
    read = [values[0] for _, values in open_table(path).rows(["text"], bad.append)]
    assert read == list(texts)
    assert [row.place for row in bad] == [f"{path}, {place}"]
    assert bad[0].reason.endswith(reason)


# ---- large tables -----------------------------------------------------------------------------


@pytest.mark.slow(reason="long tables")
def test_a_million_columns_or_empty_lines(write: Write) -> None:
    names = ",".join(f"c{number}" for number in range(1_000_000))
    values = "," * 999_999
    path = write("a.csv", f"{names}\n{values}\n")
    assert rows(path, "c7", "c999999") == [("", "")]
    with pytest.raises(InputError, match="no text column") as caught:
        open_source(path)
    assert len(str(caught.value)) < 1_000
    assert rows(write("b.csv", "text,label\n" + "\n" * 1_000_000 + "a,b\n"), "text") == [("a",)]


def test_long_fields_do_not_change_the_limit_of_the_process(write: Write) -> None:
    before = csv.field_size_limit()
    assert len(rows(write("a.csv", f'text,label\n"{"a " * 200_000}",x\n'), "text")) == 1
    assert csv.field_size_limit() == before


@pytest.mark.slow(reason="a gigabyte of text")
def test_a_dictionary_is_not_multiplied(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"  # half a megabyte on disk; a gigabyte as Python's texts
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), ["x" * (1 << 20)])
    parquet.write_table(pa.table({"text": texts}), path, compression="zstd")
    assert path.stat().st_size < 1 << 20

    def read(_: None) -> None:
        lengths = [len(str(text)) for _, (text,) in open_table(path).rows(["text"])]
        assert lengths == [1 << 20] * 1000

    Fuzzer("a dictionary", st.none(), read).try_one(None)  # measures the memory


# ---- encodings --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.jsonl"])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "utf-32", "gb18030"])
def test_an_encoding_is_found(write: Write, name: str, encoding: str) -> None:
    text = "今天天气很好,我们去公园散步" if encoding == "gb18030" else "Grüße aus Köln, für alle"
    if ".jsonl" in name:
        lines = [json.dumps({"text": one}, ensure_ascii=False) for one in ("plain", text)]
    else:
        head = "n" if encoding == "gb18030" else "größe"
        mark = "\t" if ".tsv" in name else ";"
        lines = [f"{head}{mark}text", f"1{mark}plain", f"2{mark}{text}"]
    path, seen = write(name, "\n".join(lines).encode(encoding)), Encodings()
    table = open_table(path, seen=seen)
    found = {"utf-8-sig": None, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
    expected = found.get(encoding, encoding)
    bad: list[BadRow] = []
    for on_bad_row in (bad.append, raise_bad_row):  # the same with both
        seen.clear()
        values = [values for _, values in table.rows(["text"], on_bad_row)]
        assert values == [("plain",), (text,)]
        assert seen.notes() == ([f"not UTF-8: read as {expected}"] if expected else [])
    assert bad == []
    if encoding != "utf-8-sig":
        assert rows(path, "text", encoding=encoding) == values


def test_an_encoding_is_found_far_into_a_table(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyword.corpora.lines._BLOCK", 1 << 12)
    plain = "".join(f"{number},plain\n" for number in range(9_000))
    data = f"id,text\n{plain}x,Grüße für alle\n{plain}".encode("cp1252")
    rows = list(open_table(write("a.csv", data)).rows(["text"]))
    assert len(rows) == 18_001
    assert rows[9_000][1] == ("Grüße für alle",)
    assert rows[9_000][0].endswith("line 9002")


def test_a_byte_that_is_no_letter_costs_no_row(write: Write) -> None:
    path = write("a.csv", "id,text\n1,café\n2,\n3,b\n".encode().replace(b"2,", b"2,a\xffb"))
    seen, bad = Encodings(), list[BadRow]()
    table = open_table(path, seen=seen)
    texts = [values for _, values in table.rows(["text"], bad.append)]
    assert texts == [("café",), ("a\ufffdb",), ("b",)]
    assert bad == []
    assert seen.notes() == ["1 byte was no letter of its encoding and replaced by U+FFFD"]
    with pytest.raises(InputError, match=r"NUL byte at byte 8 \(line 2\): not a text file"):
        list(open_table(write("b.csv", b"id,text\n\0,\xe9\n")).rows(["text"]))
    with pytest.raises(InputError, match=r"byte 19 \(line 3\) is not valid utf-8: 0xff"):
        rows(path, "text")
    rejected = list[BadRow]()
    assert len(list(open_table(path, "utf-8").rows(["text"], rejected.append))) == 2
    assert rejected == [BadRow(f"{path}, line 3", "byte 0xff is not valid utf-8")]
