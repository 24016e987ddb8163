"""Tables of all dialects: a good one is read as written; a damaged one gives rows or one line."""

import gzip
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from pyarrow import parquet

from whyword.base.errors import InputError
from whyword.corpora.corpus import load_corpus
from whyword.corpora.source import Record, open_source
from whyword.corpora.tables import BadRow

LETTERS = "ab \"',;\t|\r\n=-é"
WIDE = LETTERS + "月\u2028\x85\ufeff🚀\x1a"
COLUMNS = ["id", "text", "label", "more"]
NAMES = [COLUMNS, ["uid", "Body", "CLASS", "my text"], ["ID", "première", "größe", "z"]]
VALUES: st.SearchStrategy[Any] = st.sampled_from([None, True, 7, -0.5, 1e300, []])
Case = dict[str, Any]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Make up a table, its dialect, and its accidents."""
    kind = draw(st.sampled_from(["csv", "jsonl", "parquet"]))
    encodings: dict[str, list[str | None]] = {
        "csv": ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"],
        "jsonl": ["utf-8", "utf-8-sig", "utf-16"],
        "parquet": [None],
    }
    encoding = draw(st.sampled_from(encodings[kind]))
    letters = LETTERS if encoding in ("latin-1", "cp1252") else WIDE + "\0" * (kind != "csv")
    texts = st.text(st.sampled_from(letters), max_size=12)
    labels = st.sampled_from(["x", "y", "a b", "007", "1.50", "=x"])
    row = st.fixed_dictionaries(
        {"id": texts, "text": texts, "label": labels, "more": texts if kind == "csv" else VALUES}
    )
    return {
        "kind": kind,
        "rows": draw(st.lists(row, min_size=kind == "jsonl", max_size=6)),
        "names": dict(zip(COLUMNS, draw(st.sampled_from(NAMES)), strict=True)),
        "columns": draw(st.permutations(COLUMNS)),
        "encoding": encoding,
        "delimiter": draw(st.sampled_from(",;\t|")),
        "end": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "packed": kind != "parquet" and draw(st.booleans()),
        "flags": draw(st.tuples(st.booleans(), st.booleans(), st.booleans())),
        "damage": draw(st.lists(st.integers(0, 1 << 32), max_size=2)),
    }


def csv_text(case: Case) -> str:
    """Return the table; by hand, since the module csv quotes no line ends but its own."""
    quote_all, blank, ended = case["flags"]

    def field(text: str) -> str:
        special = any(mark in text for mark in (case["delimiter"], '"', "\r", "\n"))
        return '"' + text.replace('"', '""') + '"' if special or quote_all else text

    head = [case["names"][name] for name in case["columns"]]
    lines = [head, *([row[name] for name in case["columns"]] for row in case["rows"])]
    end: str = case["end"] * (2 if blank else 1)
    text: str = end.join(case["delimiter"].join(map(field, line)) for line in lines)
    return text + (end if ended or not case["rows"] else "")


def content_of(case: Case) -> bytes:
    """Return the bytes of the table."""
    names = case["names"]
    if case["kind"] == "csv":
        return csv_text(case).encode(case["encoding"])
    if case["kind"] == "jsonl":
        objects = [{names[key]: row[key] for key in case["columns"]} for row in case["rows"]]
        lines = [json.dumps(one, ensure_ascii=case["flags"][0]) + case["end"] for one in objects]
        return "".join(lines).encode(case["encoding"])
    columns = {names[key]: [row[key] for row in case["rows"]] for key in case["columns"]}
    texts = pa.array(columns[names["text"]], pa.string())
    kind = pa.dictionary(pa.int32(), pa.string()) if case["flags"][0] else pa.large_string()
    columns |= {names["text"]: texts.cast(kind), names["more"]: list(range(len(texts)))}
    sink = pa.BufferOutputStream()
    version = "2.0" if case["flags"][1] else "1.0"
    parquet.write_table(pa.table(columns), sink, data_page_version=version, row_group_size=2)
    return bytes(sink.getvalue())


def damaged(case: Case, data: bytes) -> bytes:
    """Return a file after its accidents; half of those of Parquet happen to the footer."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    at = footer if case["kind"] == "parquet" and case["flags"][2] else 0
    for seed in case["damage"]:
        data = data[:at] + damage(data[at:], random.Random(seed))
    return data


def read_table(case: Case, folder: Path) -> None:
    """Read a table as users do; raise unless all of a good one is read."""
    names = case["names"]
    options = {"encoding": case["encoding"]}
    if names["text"] == "première":  # it cannot be guessed
        options |= {"text": names["text"], "label": names["label"]}
    path = folder / f"a.{case['kind']}{'.gz' if case['packed'] else ''}"
    data = damaged(case, content_of(case))
    data = gzip.compress(data) if case["packed"] else data
    path.write_bytes(data)
    if not case["damage"]:
        expected = [
            Record(row["id"] or str(number), row["text"], row["label"], None)
            for number, row in enumerate(case["rows"], 1)
        ]
        source = open_source(path, **options)
        assert list(source) == expected
        bad: list[BadRow] = []
        assert list(source.read(bad.append)) == expected
        assert bad == []
    with suppress(InputError):
        for record in open_source(path, **options | {"encoding": None}).read(lambda _: None):
            assert not any("\udc80" <= letter <= "\udcff" for letter in record.text)
    corpus = load_corpus(path, test=0, **options)  # or one line
    for name in (*corpus.ids, *corpus.classes):
        name.encode()


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of tables; its messages do not depend on the folder's name."""

    def run(case: Case) -> None:
        try:
            read_table(case, folder)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from error

    return Fuzzer("tables", cases(), run)


@pytest.mark.parametrize(
    "count", [120, pytest.param(5_000, marks=pytest.mark.nightly(reason="long fuzzing"))]
)
def test_tables_are_read_or_refused(count: int, tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(count)
    assert min(fuzz.accepted, fuzz.refused) > count // 10, fuzz
    assert len(fuzz.messages) > 5
