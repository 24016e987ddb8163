"""A source is the same chunks, whoever reads it."""

import gzip
import json
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whyword import InputError
from whyword.batch import chunks
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.corpora.source import Record
from whyword.corpora.tables import BadRow


def lines(path: Path, texts: list[object], **others: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"text": t} | others) + "\n" for t in texts))
    return path


def read(reader: SourceReader, strict: bool = False) -> list[Chunk]:
    return [c for shard in range(len(reader.shards)) for c in reader.chunks(shard, strict)]


def ids(pieces: list[Chunk]) -> list[list[str]]:
    return [[record.id for record in chunk.records] for chunk in pieces]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 3)


def test_a_table_is_cut_by_rows(tmp_path: Path) -> None:
    pieces = read(SourceReader.of(lines(tmp_path / "a.jsonl", [f"t{n}" for n in range(7)])))
    assert ids(pieces) == [["1", "2", "3"], ["4", "5", "6"], ["7"]]
    assert [chunk.place for chunk in pieces] == [Place(0, 0), Place(0, 1), Place(0, 2)]
    assert [str(chunk.place) for chunk in pieces][:2] == ["00000-00000", "00000-00001"]
    assert pieces[-1].read == 1.0


def test_a_table_is_cut_by_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHARACTERS", 10)
    pieces = read(
        SourceReader.of(lines(tmp_path / "a.jsonl", ["x" * n for n in (4, 6, 1, 99, 10)]))
    )
    assert ids(pieces) == [["1", "2"], ["3"], ["4"], ["5"]]


def test_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines(tmp_path / "b" / "x.jsonl", ["one", "two"])
    lines(tmp_path / "a.ndjson", ["three"])
    (tmp_path / "c.csv").write_text("text,id\nfour,IV\n")
    (tmp_path / "empty.csv").write_text("")
    for hidden in (".hidden.jsonl", "_success.jsonl", "_no/x.jsonl", "notes.txt"):
        lines(tmp_path / hidden, ["no"])
    whole = read(SourceReader.of(tmp_path))
    assert ids(whole) == [["a.ndjson:1", "b/x.jsonl:1", "b/x.jsonl:2"], ["c.csv:IV"]]
    monkeypatch.setattr(chunks, "_SHARD_BYTES", 1)
    pieces = read(SourceReader.of(tmp_path))
    assert ids(pieces) == [["a.ndjson:1"], ["b/x.jsonl:1", "b/x.jsonl:2"], ["c.csv:IV"]]
    assert [chunk.place for chunk in pieces] == [Place(0, 0), Place(1, 0), Place(2, 0)]
    assert ids(read(SourceReader.of(str(tmp_path / "*.csv")))) == [["IV"]]  # another one is empty


def test_patterns(tmp_path: Path) -> None:
    lines(tmp_path / "2024-01.jsonl", ["a"])
    lines(tmp_path / "2024-02.jsonl", ["b"])
    lines(tmp_path / "2025-01.jsonl", ["c"])
    assert len(SourceReader.of(str(tmp_path / "2024-*.jsonl")).files) == 2
    assert len(SourceReader.of(str(tmp_path / "**" / "*.jsonl")).files) == 3
    with pytest.raises(InputError, match="no file fits this pattern"):
        SourceReader.of(str(tmp_path / "1999-*.jsonl"))
    strange = lines(tmp_path / "a[1].jsonl", ["its name is a pattern"])
    assert SourceReader.of(strange).files == [strange]


def test_a_corpus_by_folders_and_what_is_none(tmp_path: Path) -> None:
    for label in ("space", "hockey"):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1.txt").write_text(f"about {label}")
    pieces = read(SourceReader.of(tmp_path))
    assert [(r.id, r.label) for r in pieces[0].records] == [
        ("hockey/1.txt", "hockey"),
        ("space/1.txt", "space"),
    ]
    with pytest.raises(InputError, match="no such file or folder"):
        SourceReader.of(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no column 'body'"):
        SourceReader.of(lines(tmp_path / "a.jsonl", ["x"]), text="body")


def test_rows_that_cannot_be_read_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = b'{"text": "good"}\n'
    bad = [
        (b'{"text": null}', "'text' is null, not text"),
        (b'{"text": 5}', "'text' is int 5, not text"),
        (b'{"text": "\xff"}', "byte 0xff is not valid utf-8"),
        (b'{"other": "x"}', "no 'text', which the first line has"),
        (b"not json", "not JSON"),
        (b"[1]", "a JSON array"),
        (b'"text"', "a JSON str"),
        (b'{"text": "a\x00b"}', "NUL byte"),
        (b'{"text": "cut off', "not JSON"),
    ]
    path.write_bytes(b"".join(good + line + b"\n" for line, _ in bad) + good)
    pieces = read(SourceReader.of(path, encoding="utf-8"))
    assert sum(len(chunk.records) for chunk in pieces) == len(bad) + 1
    # ids are those of the rows, whatever became of the others
    assert [r.id for c in pieces for r in c.records] == [str(n) for n in range(1, 20, 2)]
    bad_rows = [row for chunk in pieces for row in chunk.bad_rows]
    assert [row.place for row in bad_rows] == [f"{path}, line {2 * n + 2}" for n in range(len(bad))]
    for row, (_, reason) in zip(bad_rows, bad, strict=True):
        assert reason in row.reason
    path.write_bytes(good + bad[0][0])
    with pytest.raises(InputError, match=r"line 2: 'text' is null, not text"):
        read(SourceReader.of(path), strict=True)


def test_a_first_row_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'broken\n{"text": "good"}\n')
    (chunk,) = read(SourceReader.of(path))
    assert ids([chunk]) == [["2"]]
    assert len(chunk.bad_rows) == 1
    path.write_bytes(b"broken\n")
    with pytest.raises(InputError, match="line 1: not JSON"):
        SourceReader.of(path)


def test_rows_that_cannot_be_read_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(
        b'text,n\none,1\ntwo\n"th"ree,3\nfo\xe9r,4\nfi\x00ve,5\n"six\nlines",6\nseven,\xff\n"open,8\n'
    )
    (chunk,) = read(SourceReader.of(path, encoding="utf-8"))
    assert [r.text for r in chunk.records] == ["one", "six\nlines", "seven"]
    assert [(row.place.rpartition(" ")[2], row.reason[:12]) for row in chunk.bad_rows] == [
        ("3", "1 fields, bu"),
        ("4", "',' expected"),
        ("5", "byte 0xe9 is"),
        ("6", "NUL byte"),
        ("10", "unexpected e"),
    ]


def test_rows_that_cannot_be_read_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    values = [b"good", b"\xff\xfe", None, "gut ✓".encode()]
    column = pa.array(values, pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": column, "n": [1, 2, 3, 4]}), path)
    (chunk,) = read(SourceReader.of(path))
    assert [(r.id, r.text) for r in chunk.records] == [("1", "good"), ("4", "gut ✓")]
    assert chunk.bad_rows == [
        BadRow(f"{path}, row 2", "text that is not UTF-8 (invalid start byte, byte 0)"),
        BadRow(f"{path}, row 3", "'text' is null, not text"),
    ]
    assert chunk.read == 1.0


def test_a_folder_of_classes_with_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "1.txt").write_bytes(b"good")
    (tmp_path / "space" / "2.txt").write_bytes(b"a\0b")
    (chunk,) = read(SourceReader.of(tmp_path))
    assert ids([chunk]) == [["space/1.txt"]]
    assert chunk.bad_rows[0].place.endswith("2.txt")


def test_mails(tmp_path: Path) -> None:
    mail = "From a@example.org Thu Nov  5 12:00:00 1998\nSubject: x\n\nb\n\n"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mbox").write_text(mail * 4)
    (tmp_path / "in" / "b.eml").write_text("Subject: =?utf-8?q?caf=C3=A9?=\n\nc")
    box = [f"a.mbox:{number}" for number in range(1, 5)]
    pieces = read(SourceReader.of(tmp_path / "in" / "a.mbox"))
    assert ids(pieces) == [box[:3], box[3:]]
    assert pieces[0].records[0] == Record("a.mbox:1", "Subject: x\n\nb\n\n", None, None)
    for source in (tmp_path / "in", f"{tmp_path}/in/*"):
        assert list(chain(*ids(read(SourceReader.of(source))))) == [*box, "b.eml"]
    (tmp_path / "c.eml").write_text("Subject: y\n\nd")
    every = list(chain(*ids(read(SourceReader.of(f"{tmp_path}/**/*.*")))))
    assert every == ["c.eml", *(f"in/{name}" for name in [*box, "b.eml"])]


def test_a_table_that_is_not_utf_8(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.csv").write_bytes("text\nGrüße\nfür alle\n".encode("cp1252"))
    caplog.set_level("INFO")
    (chunk,) = read(SourceReader.of(tmp_path / "a.csv"))
    assert [record.text for record in chunk.records] == ["Grüße", "für alle"]
    assert chunk.bad_rows == []
    assert "a.csv: not UTF-8: read as cp1252" in caplog.text


def test_nothing_but_rows_that_cannot_be_read_after_the_first(tmp_path: Path) -> None:
    pieces = read(SourceReader.of(lines(tmp_path / "a.jsonl", ["good", None, None])))
    assert [(len(c.records), len(c.bad_rows)) for c in pieces] == [(1, 2)]
    lines(tmp_path / "b.jsonl", [None, None])
    pieces = read(SourceReader.of(tmp_path / "b.jsonl"))
    assert [(len(c.records), len(c.bad_rows)) for c in pieces] == [(0, 2)]


def test_how_much_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[object] = ["a long text " * 20_000] * 9
    plain = lines(tmp_path / "a.jsonl", texts)
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), 0))
    for path in (plain, packed):
        shares = [chunk.read for chunk in read(SourceReader.of(path))]
        assert shares == sorted(shares)
        assert 0.1 < shares[0] < 0.9
        assert shares[-1] == 1.0
    packed.write_bytes(packed.read_bytes()[:-1000])
    with pytest.raises(InputError, match="damaged or cut-off gzip"):
        read(SourceReader.of(packed))


@pytest.mark.real
def test_newsgroups_by_name() -> None:
    reader = SourceReader.of("20newsgroups:test")
    assert reader.files == []
    assert reader.notes
    first = next(reader.chunks(0))
    assert len(first.records) == 3
    assert all(record.split == "test" for record in first.records)


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + "*", "x" * 300 + ".csv"])
def test_a_name_that_is_too_long(name: str) -> None:
    with pytest.raises(InputError) as caught:
        SourceReader.of(name)
    assert len(str(caught.value).splitlines()) == 1


def test_a_digest_says_what_the_documents_are() -> None:
    def digest(*records: tuple[str, str, str | None]) -> str:
        return Chunk(Place(0, 0), [Record(*one, None) for one in records]).digest()

    documents: list[list[tuple[str, str, str | None]]] = [
        [("a", "bc", None)],
        [("ab", "c", None)],
        [("a", "bc", "")],
        [("a", "b", "c")],
        [("a", "bc", None), ("", "", None)],
        [("a", "b\ud800", None)],
        [("a", "b\ufffd", None)],
        [("1", "x", "l"), ("2", "y", "m")],
        [("2", "y", "m"), ("1", "x", "l")],
    ]
    digests = [digest(*one) for one in documents]
    assert len(set(digests)) == len(documents)
    assert digests == [digest(*one) for one in documents]
