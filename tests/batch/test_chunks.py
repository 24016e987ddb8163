"""A source is cut into the same chunks by every reader."""

import gzip
import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from whyword import InputError
from whyword.base.labels import Labels
from whyword.batch import chunks
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.corpora.source import Record

MAIL = "From a@example.org Thu Nov  5 12:00:00 1998\nSubject: x\n\nb\n\n"


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 3)


def lines(path: Path, texts: Sequence[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def read(source: str | Path, strict: bool = False) -> list[Chunk]:
    return list(SourceReader.of(source).all_chunks(strict))


def ids(pieces: list[Chunk]) -> list[list[str]]:
    return [[record.id for record in chunk.records] for chunk in pieces]


def test_a_table_is_cut_by_rows(tmp_path: Path) -> None:
    pieces = read(lines(tmp_path / "a.jsonl", [f"t{n}" for n in range(7)]))
    assert ids(pieces) == [["1", "2", "3"], ["4", "5", "6"], ["7"]]
    assert [chunk.place for chunk in pieces] == [Place(0, 0), Place(0, 1), Place(0, 2)]
    assert [str(chunk.place) for chunk in pieces][:2] == ["00000-00000", "00000-00001"]
    assert [chunk.characters for chunk in pieces] == [6, 6, 2]
    assert pieces[-1].read == 1.0


def test_a_table_is_cut_by_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHARACTERS", 10)
    pieces = read(lines(tmp_path / "a.jsonl", ["x" * n for n in (4, 6, 1, 99, 10)]))
    assert ids(pieces) == [["1", "2"], ["3"], ["4"], ["5"]]


def test_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines(tmp_path / "b" / "x.jsonl", ["one", "two"])
    lines(tmp_path / "a.ndjson", ["three"])
    (tmp_path / "c.csv").write_text("text,id\nfour,IV\n")
    (tmp_path / "empty.csv").write_text("")
    for hidden in (".hidden.jsonl", "_success.jsonl", "_no/x.jsonl", "notes.txt"):
        lines(tmp_path / hidden, ["no"])
    whole = read(tmp_path)
    assert ids(whole) == [["a.ndjson:1", "b/x.jsonl:1", "b/x.jsonl:2"], ["c.csv:IV"]]
    monkeypatch.setattr(chunks, "_SHARD_BYTES", 1)
    pieces = read(tmp_path)
    assert ids(pieces) == [["a.ndjson:1"], ["b/x.jsonl:1", "b/x.jsonl:2"], ["c.csv:IV"]]
    assert [chunk.place for chunk in pieces] == [Place(0, 0), Place(1, 0), Place(2, 0)]
    assert ids(read(str(tmp_path / "*.csv"))) == [["IV"]]  # the other one is empty


def test_small_files_are_a_shard_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [lines(tmp_path / f"{number}.jsonl", ["x"]) for number in range(5)]
    size = files[0].stat().st_size
    for most, expected in ((2 * size, [2, 2, 1]), (2 * size + 1, [3, 2]), (99 * size, [5])):
        monkeypatch.setattr(chunks, "_SHARD_BYTES", most)
        reader = SourceReader.of(tmp_path)
        assert [len(shard) for shard in reader.shards] == expected
        assert reader.files == files


def test_patterns(tmp_path: Path) -> None:
    for name in ("2024-01", "2024-02", "2025-01"):
        lines(tmp_path / f"{name}.jsonl", ["a"])
    assert len(SourceReader.of(str(tmp_path / "2024-*.jsonl")).files) == 2
    assert len(SourceReader.of(str(tmp_path / "**" / "*.jsonl")).files) == 3
    with pytest.raises(InputError, match="no file fits this pattern"):
        SourceReader.of(str(tmp_path / "1999-*.jsonl"))
    strange = lines(tmp_path / "a[1].jsonl", ["its name is a pattern"])
    assert SourceReader.of(strange).files == [strange]


def test_a_path_stays_the_same_file_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = lines(tmp_path / "a.jsonl", ["one"])
    monkeypatch.chdir(tmp_path)
    reader = SourceReader.of("a.jsonl")
    monkeypatch.chdir("/")
    assert reader.files == [file]
    assert ids(list(reader.all_chunks())) == [["1"]]


def test_a_folder_for_each_class(tmp_path: Path) -> None:
    for label, content in (("space", b"moon"), ("hockey", b"puck"), ("crypto", b"a\0b")):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1.txt").write_bytes(content)
    (chunk,) = read(tmp_path)
    assert [(record.id, record.label) for record in chunk.records] == [
        ("hockey/1.txt", "hockey"),
        ("space/1.txt", "space"),
    ]
    (bad,) = chunk.bad_rows
    assert bad.place == f"{tmp_path}/crypto/1.txt"


def test_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,topics,other\none,a;b,c\n")
    for label, separator, expected in (
        ("topics", ";", ("a", "b")),
        ("topics", None, "a;b"),
        ("other", None, "c"),
    ):
        reader = SourceReader.of(path, label=label, label_separator=separator)
        (chunk,) = reader.all_chunks()
        assert chunk.records[0].label == expected


def test_a_source_that_is_none(tmp_path: Path) -> None:
    for source, text, message in (
        (["a text"], None, "the source is the path of files or a corpus's name, not a list"),
        (tmp_path / "nowhere", None, "no such file or folder"),
        (lines(tmp_path / "a.jsonl", ["x"]), "body", "no column 'body'"),
        ("x" * 300, None, "File name too long"),
        ("x" * 300 + "*", None, "File name too long|no file fits"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            SourceReader.of(source, text=text)  # type: ignore[arg-type]
        assert len(str(caught.value).splitlines()) == 1


# ---- rows that cannot be read -------------------------------------------------------------------


def test_bad_rows_belong_to_a_chunk_and_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good, null = b'{"text": "good"}\n', b'{"text": null}\n'
    path.write_bytes(b"not json\n" + good * 3 + null + good + null)
    pieces = read(path)
    assert ids(pieces) == [["2", "3", "4"], ["6"]]
    assert [[(row.place, row.reason[:8]) for row in chunk.bad_rows] for chunk in pieces] == [
        [(f"{path}, line 1", "not JSON"), (f"{path}, line 5", "'text' i")],
        [(f"{path}, line 7", "'text' i")],
    ]
    path.write_bytes(good + null)
    with pytest.raises(InputError, match=r"line 2: 'text' is null, not text"):
        read(path, strict=True)
    path.write_bytes(b"broken\n")
    with pytest.raises(InputError, match="line 1: not JSON"):
        SourceReader.of(path)


def test_bad_rows_alone_are_a_chunk(tmp_path: Path) -> None:
    for texts, expected in (([None, None], [(0, 2)]), (["good", None, None], [(1, 2)])):
        pieces = read(lines(tmp_path / "b.jsonl", texts))
        assert [(len(chunk.records), len(chunk.bad_rows)) for chunk in pieces] == expected


def test_mails(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mbox").write_text(MAIL * 4)
    (tmp_path / "in" / "b.eml").write_text("Subject: =?utf-8?q?caf=C3=A9?=\n\nc")
    box = [f"a.mbox:{number}" for number in range(1, 5)]
    pieces = read(tmp_path / "in" / "a.mbox")
    assert ids(pieces) == [box[:3], box[3:]]
    assert pieces[0].records[0] == Record("a.mbox:1", "Subject: x\n\nb\n\n", None, None)
    for source in (tmp_path / "in", f"{tmp_path}/in/*"):
        assert list(chain(*ids(read(source)))) == [*box, "b.eml"]
    (tmp_path / "c.eml").write_text("Subject: y\n\nd")
    every = list(chain(*ids(read(f"{tmp_path}/**/*.*"))))
    assert every == ["c.eml", *(f"in/{name}" for name in [*box, "b.eml"])]


# ---- how far a reader is ------------------------------------------------------------------------


def test_the_share_that_is_read(tmp_path: Path) -> None:
    plain = lines(tmp_path / "a" / "a.jsonl", ["a long text " * 20_000] * 9)
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), 0))
    for path in (plain, packed):
        shares = [chunk.read for chunk in read(path)]
        assert shares == sorted(shares)
        assert 0.1 < shares[0] < 0.9
        assert shares[-1] == 1.0
    lines(tmp_path / "a" / "b.jsonl", ["short"])
    shares = [chunk.read for chunk in read(tmp_path / "a")]
    assert 0.1 < shares[0] < 0.45  # half is the first of both files
    assert (shares[-2] >= 0.4, shares[-1]) == (True, 1.0)
    packed.write_bytes(packed.read_bytes()[:-1000])
    with pytest.raises(InputError, match="damaged or cut-off gzip"):
        read(packed)


def test_a_look_ahead_changes_nothing(tmp_path: Path) -> None:
    for name in "ab":
        lines(tmp_path / f"{name}.jsonl", [*"xyzxyz", None])
    for strict in (False, True):
        reader = SourceReader.of(tmp_path / "a.jsonl") if strict else SourceReader.of(tmp_path)
        ahead, every = reader.look_ahead(1, strict)
        first = [record.text for record in ahead[0].records]
        assert (len(ahead), first) == (1, ["x", "y", "z"])
        if strict:
            assert next(every).records == ahead[0].records
            with pytest.raises(InputError, match="line 7"):
                list(every)
        else:
            assert ids(list(every)) == ids(read(tmp_path))


@pytest.mark.real
def test_newsgroups_by_name() -> None:
    reader = SourceReader.of("20newsgroups:test")
    assert reader.files == []
    assert reader.notes
    first = next(reader.chunks(0))
    assert len(first.records) == 3
    assert all(record.split == "test" for record in first.records)


# ---- digests ------------------------------------------------------------------------------------


def test_a_digest_depends_on_all_that_the_documents_are() -> None:
    def digest(*records: tuple[str, str, Labels | None]) -> str:
        return Chunk(Place(0, 0), [Record(*one, None) for one in records]).digest()

    documents: list[list[tuple[str, str, Labels | None]]] = [
        [("a", "bc", None)],
        [("ab", "c", None)],
        [("a", "bc", "")],
        [("a", "b", "c")],
        [("a", "b", ("c",))],
        [("a", "b", '["c"]')],
        [("a", "b", ("c", "d"))],
        [("a", "bc", None), ("", "", None)],
        [("a", "b\ud800", None)],
        [("a", "b\ufffd", None)],
        [("1", "x", "l"), ("2", "y", "m")],
        [("2", "y", "m"), ("1", "x", "l")],
    ]
    digests = [digest(*one) for one in documents]
    assert len(set(digests)) == len(documents)
    lengths = np.array([1, 3, -1, 0, 1, 1], "<i8").tobytes()
    literal = sha256(lengths + "aé1xl".encode()).hexdigest()
    assert digest(("a", "é1", None), ("", "x", "l")) == literal
