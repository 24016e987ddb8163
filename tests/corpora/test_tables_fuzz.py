"""Tables of all dialects, good and damaged: every document, or one line that says what is wrong.

Of a good table, what comes out is what went in. Of a damaged one that is read row by row, every
line is in a document or in a row that is reported.
"""

import gzip
import json
import random
import re
from collections.abc import Callable, Sequence
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
from whyword.corpora.lines import TextFile
from whyword.corpora.source import Record, open_source
from whyword.corpora.tables import BadRow, _csv_header, _jsonl_end, open_table

CASES = 2_000
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-32")
LETTERS = "ab \"',;\t|\r\n=-é"
WIDE = LETTERS + "月\u2028\x85\ufeff🚀\x1a"

LABELS = st.sampled_from(["x", "y", "a b", "007", "1.50", "=x"])
DAMAGES = st.lists(st.integers(0, 1 << 32), max_size=2)


@st.composite
def rows(draw: st.DrawFn, letters: str) -> list[dict[str, str]]:
    """Make up documents."""
    texts = st.text(st.sampled_from(letters), max_size=12)
    one = st.fixed_dictionaries({"id": texts, "text": texts, "label": LABELS, "more": texts})
    return draw(st.lists(one, max_size=6))


NAMES = st.sampled_from(
    [
        {"id": "id", "text": "text", "label": "label", "more": "more"},
        {"id": "doc_id", "text": "Body", "label": "CLASS", "more": "n"},
        {"id": "uid", "text": "tweet", "label": "y", "more": "my text"},
        {"id": "ID", "text": "première", "label": "größe", "more": "z"},  # they must be named
    ]
)


@st.composite
def csv_cases(draw: st.DrawFn) -> dict[str, Any]:
    encoding = draw(st.sampled_from(ENCODINGS))
    letters = LETTERS if encoding in ("latin-1", "cp1252") else WIDE
    return {
        "rows": draw(rows(letters)),
        "names": draw(NAMES),
        "columns": draw(st.permutations(["id", "text", "label", "more"])),
        "encoding": encoding,
        "delimiter": draw(st.sampled_from(",;\t|")),
        "end": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "quote_all": draw(st.booleans()),
        "blank": draw(st.booleans()),
        "ended": draw(st.booleans()),
        "packed": draw(st.booleans()),
        "named": draw(st.booleans()),
        "damage": draw(DAMAGES),
    }


def fuzzer_csv(folder: Path) -> Fuzzer:
    return table_fuzz("CSV tables", csv_cases(), read_csv, folder)


def table_fuzz(name: str, cases: Any, read: Callable[[Any, Path], None], folder: Path) -> Fuzzer:  # noqa: ANN401
    """Return a fuzzer whose messages do not differ by the folder's name."""

    def run(case: dict[str, Any]) -> None:
        try:
            read(case, folder)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from error

    return Fuzzer(name, cases, run)


def read_csv(case: dict[str, Any], folder: Path) -> None:
    path = folder / ("a.csv.gz" if case["packed"] else "a.csv")
    data = csv_text(case).encode(case["encoding"])
    if not case["damage"]:
        path.write_bytes(gzip.compress(data) if case["packed"] else data)
        check_good(path, case, [row["id"] for row in case["rows"]])
        return
    write_damaged(path, data, case)
    account_for_lines(path, case["encoding"])
    read_like_a_user(path, case)


def csv_text(case: dict[str, Any]) -> str:
    """Return the table; by hand, since the module csv quotes no line ends but its own."""

    def field(text: str) -> str:
        special = any(mark in text for mark in (case["delimiter"], '"', "\r", "\n"))
        return '"' + text.replace('"', '""') + '"' if special or case["quote_all"] else text

    head = [case["names"][name] for name in case["columns"]]
    lines = [head, *([row[name] for name in case["columns"]] for row in case["rows"])]
    end: str = case["end"] * (2 if case["blank"] else 1)
    text: str = end.join(case["delimiter"].join(map(field, line)) for line in lines)
    return text + (end if case["ended"] or not case["rows"] else "")


def options(case: dict[str, Any]) -> dict[str, Any]:
    """Return how the table is read: with its columns named where they cannot be guessed."""
    names = case["names"]
    if case["named"] or names["text"] == "première":
        return {"text": names["text"], "label": names["label"], "encoding": case["encoding"]}
    return {"encoding": case["encoding"]}


def check_good(path: Path, case: dict[str, Any], ids: Sequence[str]) -> None:
    """Raise unless what comes out is what went in."""
    expected = [
        Record(name or str(number), row["text"], row["label"], None)
        for number, (name, row) in enumerate(zip(ids, case["rows"], strict=True), 1)
    ]
    source = open_source(path, **options(case))
    assert list(source) == expected
    bad: list[BadRow] = []
    assert list(source.read(bad.append)) == expected
    assert bad == []
    read_like_a_user(path, case)


def read_like_a_user(path: Path, case: dict[str, Any]) -> None:
    with suppress(InputError):  # whatever it is written in
        for record in open_source(path, **options(case) | {"encoding": None}).read(lambda _: None):
            assert not any("\udc80" <= letter <= "\udcff" for letter in record.text)
    corpus = load_corpus(path, test=0, **options(case))  # or one line
    for name in (*corpus.ids, *corpus.classes):
        name.encode()


def write_damaged(path: Path, data: bytes, case: dict[str, Any]) -> None:
    """Write what is left of a file after its accidents, before it was packed or after."""
    how = [random.Random(seed) for seed in case["damage"]]
    packed_before = case.get("packed") and how[0].random() < 0.3
    data = gzip.compress(data) if packed_before else data
    for each in how:
        data = damage(data, each)
    path.write_bytes(gzip.compress(data) if case.get("packed") and not packed_before else data)


def account_for_lines(path: Path, encoding: str) -> None:
    """Raise unless every line of a table is in a row or in one that is reported."""
    table = open_table(path, encoding)
    header = _csv_header(TextFile(path, encoding))
    repeated = len(set(table.columns)) < len(table.columns)  # then not every field is read
    found: list[tuple[int, int | None]] = []  # first line of each, and the last, if it is known

    def set_aside(row: BadRow) -> None:
        lost = re.search(r"lines \d+ to (\d+) are left out$", row.reason)
        a_record = re.search("NUL byte|is not valid", row.reason)  # it may have several lines
        first = line_of(row.place)
        found.append((first, int(lost[1]) if lost else None if a_record else first))

    for place, values in table.rows(table.columns, set_aside):
        more = sum(str(value).count(header.end) for value in values)
        found.append((line_of(place), None if repeated else line_of(place) + more))
    lines = list(TextFile(path, encoding).lines(lenient=True, end=header.end))
    at = header.skip(iter(lines))
    for first, last in [*found, (len(lines) + 1, None)]:
        assert first >= at
        assert not "".join(lines[at - 1 : first - 1]).strip("\r\n"), (at, first, found)
        at = first + 1 if last is None else last + 1
        while last is None and at <= len(lines) and at not in {one for one, _ in found}:
            at += 1


def line_of(place: str) -> int:
    return int(place.rpartition(" ")[2])


# ---- JSON Lines ---------------------------------------------------------------------------------

VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.just([])
)


@st.composite
def json_cases(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "rows": draw(rows(WIDE + "\0")),
        "names": draw(NAMES),
        "columns": draw(st.permutations(["id", "text", "label", "more"])),
        "values": draw(st.lists(VALUES, min_size=6, max_size=6)),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])),
        "ascii": draw(st.booleans()),
        "end": draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"])),
        "ending": draw(st.sampled_from([".jsonl", ".ndjson", ".json", ".jsonl.gz"])),
        "named": draw(st.booleans()),
        "damage": draw(DAMAGES),
    }


def fuzzer_jsonl(folder: Path) -> Fuzzer:
    return table_fuzz("JSON Lines", json_cases(), read_jsonl, folder)


def read_jsonl(case: dict[str, Any], folder: Path) -> None:
    path = folder / f"a{case['ending']}"
    case["packed"] = case["ending"].endswith(".gz")
    objects = []
    for row, value in zip(case["rows"], case["values"], strict=False):
        whole = row | {"more": value}
        objects.append({case["names"][name]: whole[name] for name in case["columns"]})
    lines = [json.dumps(one, ensure_ascii=case["ascii"]) + case["end"] for one in objects]
    data = "".join(lines).encode(case["encoding"])
    if not case["damage"] and data:
        path.write_bytes(gzip.compress(data) if case["packed"] else data)
        check_good(path, case, [row["id"] for row in case["rows"]])
        return
    write_damaged(path, data, case | {"damage": case["damage"] or [0]})
    table = open_table(path, case["encoding"])
    bad: list[BadRow] = []
    places = [place for place, _ in table.rows(table.columns[:1], bad.append)]
    found = sorted(line_of(place) for place in (*places, *(row.place for row in bad)))
    end = _jsonl_end(TextFile(path, case["encoding"]))
    there = enumerate(TextFile(path, case["encoding"]).lines(lenient=True, end=end), 1)
    assert found == [number for number, line in there if line.strip()]
    read_like_a_user(path, case)


# ---- Parquet ------------------------------------------------------------------------------------

KINDS: dict[str, pa.DataType] = {
    str(kind): kind
    for kind in (
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.binary(),
        pa.int64(),
        pa.float64(),
        pa.bool_(),
        pa.timestamp("ns"),
        pa.timestamp("us", "Mars/Phobos"),
        pa.timestamp("ms", "Europe/Berlin"),
        pa.date32(),
        pa.time64("ns"),
        pa.duration("ns"),
        pa.decimal128(25, 3),
        pa.list_(pa.string()),
        pa.struct([("a", pa.int64())]),
        pa.null(),
    )
}


@st.composite
def parquet_cases(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "rows": draw(rows(WIDE + "\0")),
        "names": draw(NAMES),
        "columns": draw(st.permutations(["id", "text", "label", "more"])),
        "ids": draw(st.sampled_from(sorted(KINDS))),
        "texts": draw(st.sampled_from(["string", "large_string", "dictionary"])),
        "compression": draw(st.sampled_from(["none", "snappy", "zstd", "gzip"])),
        "pages": draw(st.sampled_from(["1.0", "2.0"])),
        "group": draw(st.integers(1, 4)),
        "named": draw(st.booleans()),
        "encoding": None,
        "footer": draw(st.booleans()),
        "damage": draw(DAMAGES),
    }


def fuzzer_parquet(folder: Path) -> Fuzzer:
    return table_fuzz("Parquet tables", parquet_cases(), read_parquet, folder)


def read_parquet(case: dict[str, Any], folder: Path) -> None:
    path = folder / "a.parquet"
    numbers = pa.array(range(10**9, 10**9 + len(case["rows"])), pa.int64())
    ids = column_of(KINDS[case["ids"]], numbers, [row["id"] for row in case["rows"]])
    kinds = {"dictionary": pa.dictionary(pa.int32(), pa.string())}
    texts = pa.array([row["text"] for row in case["rows"]], pa.string())
    texts = texts.cast(kinds.get(case["texts"]) or pa.type_for_alias(case["texts"]))
    columns = {
        "id": ids,
        "text": texts,
        "label": pa.array([row["label"] for row in case["rows"]], pa.string()),
        "more": numbers,
    }
    parquet.write_table(
        pa.table({case["names"][name]: columns[name] for name in case["columns"]}),
        path,
        compression=case["compression"],
        data_page_version=case["pages"],
        row_group_size=case["group"],
    )
    if not case["damage"]:
        found = list(open_source(path, **options(case)))
        assert [(one.text, one.label) for one in found] == [
            (row["text"], row["label"]) for row in case["rows"]
        ]
        if case["ids"] in ("string", "large_string", "int64"):
            names = [row["id"] for row in case["rows"]]
            check_good(
                path, case, list(map(str, ids.to_pylist())) if case["ids"] == "int64" else names
            )
        read_like_a_user(path, case)
        return
    data = path.read_bytes()
    at = len(data) - 8 - int.from_bytes(data[-8:-4], "little") if case["footer"] else 0
    how = [random.Random(seed) for seed in case["damage"]]
    tail = data[at:]
    for each in how:
        tail = damage(tail, each)
    path.write_bytes(data[:at] + tail)
    source = open_source(path, **options(case))
    list(source.read(lambda _: None))
    read_like_a_user(path, case)


def column_of(kind: pa.DataType, numbers: pa.Array, texts: list[str]) -> pa.Array:
    """Return a column of any type, of numbers or texts."""
    if pa.types.is_null(kind):
        return pa.nulls(len(texts))
    if pa.types.is_list(kind):
        return pa.array([[text] for text in texts], kind)
    if pa.types.is_struct(kind):
        return pa.array([{"a": 1} for _ in texts], kind)
    if str(kind) in ("string", "large_string") or pa.types.is_dictionary(kind):
        return pa.array(texts, pa.string()).cast(kind)
    if pa.types.is_binary(kind):
        return pa.array([text.encode("utf-16") for text in texts], kind)
    if pa.types.is_date(kind):
        return pa.array([1] * len(texts), pa.int32()).cast(kind)
    if str(kind).startswith(("timestamp", "time", "duration")):
        return numbers.view(kind)
    return numbers.cast(kind)


# ---- the tests ----------------------------------------------------------------------------------


@pytest.mark.slow(reason="thousands of tables")
@pytest.mark.parametrize("make", [fuzzer_csv, fuzzer_jsonl, fuzzer_parquet])
def test_tables_are_read_or_refused(make: Callable[[Path], Fuzzer], tmp_path: Path) -> None:
    fuzzer = make(tmp_path)
    fuzzer.check(CASES)
    assert min(fuzzer.accepted, fuzzer.refused) > CASES // 10, fuzzer
    assert len(fuzzer.messages) > 10
