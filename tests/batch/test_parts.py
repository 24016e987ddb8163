"""Parts are whole or not there, and known by what they are made of."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whyword import InputError
from whyword.base.files import sha256_of
from whyword.batch.chunks import Place
from whyword.batch.parts import (
    LEDGER,
    Ledger,
    Part,
    check_no_strangers,
    part_path,
    whole_parts,
    write_part,
)

TABLE = pa.table({"id": ["a", "b"], "words": [["x"], []]})
RECORDS = "0123456789abcdef" * 4


def names(path: Path) -> set[str]:
    return {file.name for file in path.iterdir()}


def write(folder: Path, *places: Place) -> dict[Place, Part]:
    return {place: write_part(folder, place, RECORDS, TABLE) for place in places}


def test_a_part_says_what_it_is(tmp_path: Path) -> None:
    table = TABLE.replace_schema_metadata({"model": "m"})
    part = write_part(tmp_path, Place(3, 17), RECORDS, table)
    path = tmp_path / "part-00003-00017.parquet"
    assert names(tmp_path) == {path.name}
    assert part == Part(Place(3, 17), RECORDS, sha256_of(path), 2)
    file = pq.ParquetFile(path)
    assert file.read().equals(TABLE)
    columns = [file.metadata.row_group(0).column(at) for at in range(2)]
    assert [one.compression for one in columns] == ["ZSTD", "ZSTD"]
    assert ["RLE_DICTIONARY" in one.encodings for one in columns] == [False, True]
    assert [one.is_stats_set for one in columns] == [True, False]  # of ids
    said = file.schema_arrow.metadata
    assert said[b"whyword.part"] == b"00003-00017"
    assert said[b"whyword.records"] == RECORDS.encode()
    assert said[b"model"] == b"m"


def test_a_part_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"cannot be written \(.*; what is done is kept"):
        write(tmp_path / "nowhere", Place(0, 0))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(InputError, match=r"parquet cannot be written \(no space left\)"):
            write(tmp_path, Place(0, 0))

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, Place(0, 0))
    assert names(tmp_path) == set()


def test_a_ledger_keeps_what_it_is_told(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.read() == {}
    parts = write(tmp_path, Place(1, 0), Place(0, 123_456), Place(0, 1))
    for part in parts.values():
        ledger.append(part)
    assert Ledger(tmp_path).read() == parts
    ledger.rewrite(parts.values())
    lines = (tmp_path / LEDGER).read_text().splitlines()
    assert [json.loads(line)["part"] for line in lines] == [
        "00000-00001",
        "00000-123456",
        "00001-00000",
    ]
    assert Ledger(tmp_path).read() == parts
    (tmp_path / LEDGER).unlink()
    (tmp_path / LEDGER).mkdir()
    with pytest.raises(InputError, match="not a regular file"):
        ledger.read()
    with pytest.raises(InputError, match="cannot be written"):
        ledger.append(part)


@pytest.mark.parametrize(
    "line",
    [
        b'{"part": "00000-00001", "documents": 2, "records": "',
        b"\xff\xff",
        b"[" * 200_000,
        b"[]",
        b"{}",
        b'{"part": 3, "documents": 2, "records": "%(d)s", "sha256": "%(d)s"}',
        b'{"part": "0-1", "documents": 2, "records": "%(d)s", "sha256": "%(d)s"}',
        b'{"part": "00000-00001", "documents": true, "records": "%(d)s", "sha256": "%(d)s"}',
        b'{"part": "00000-00001", "documents": 0, "records": "%(d)s", "sha256": "%(d)s"}',
        b'{"part": "00000-00001", "documents": 2, "records": null, "sha256": "%(d)s"}',
        b'{"part": "00000-00001", "documents": 2, "records": "%(d)s", "sha256": "%(d)s0"}',
    ],
    ids=range(11),
)
def test_lines_that_are_damaged_say_nothing(line: bytes, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    (part,) = write(tmp_path, Place(0, 0)).values()
    ledger.append(part)
    ledger.close()
    with (tmp_path / LEDGER).open("ab") as stream:
        stream.write(line.replace(b"%(d)s", RECORDS.encode()))
    assert Ledger(tmp_path).read() == {part.place: part}


def test_whole_parts_are_those_that_the_ledger_knows(tmp_path: Path) -> None:
    places = [Place(0, number) for number in range(6)]
    ledger = write(tmp_path, *places, Place(7, 7))
    del ledger[Place(7, 7)]  # nobody vouches for it
    assert whole_parts(tmp_path, ledger) == ledger
    paths = [part_path(tmp_path, place) for place in places]
    data = bytearray(paths[1].read_bytes())
    data[10] ^= 1
    paths[1].write_bytes(data)
    shutil.copy(paths[0], paths[2])
    # whoever exchanges parts and lines, too, is told by the file itself
    ledger[places[3]] = ledger[places[3]]._replace(sha256=sha256_of(paths[4]))
    shutil.copy(paths[4], paths[3])
    paths[5].unlink()
    assert set(whole_parts(tmp_path, ledger)) == {places[0], places[4]}
    # what a file says of itself counts
    ledger[places[0]] = ledger[places[0]]._replace(records="f" * 64, n_documents=9)
    assert whole_parts(tmp_path, ledger)[places[0]][1:] == (RECORDS, sha256_of(paths[0]), 2)


def test_strangers(tmp_path: Path) -> None:
    parts = write(tmp_path, Place(0, 0), Place(0, 1))
    for name in ("_others.parquet", ".hidden.parquet", "notes.txt", LEDGER):
        (tmp_path / name).touch()
    check_no_strangers(tmp_path)
    check_no_strangers(tmp_path, parts)
    with pytest.raises(InputError, match=r"did not write, part-00000-00001.parquet; move it"):
        check_no_strangers(tmp_path, [Place(0, 0)])
    for name in ("part-00000-00001 copy.parquet", "part-", "a.parquet", "part-٠٠٠٠٠-00001.parquet"):
        (tmp_path / name).touch()
        with pytest.raises(InputError, match=r"did not write, .*resume=True"):
            check_no_strangers(tmp_path)
        (tmp_path / name).unlink()
    (tmp_path / os.fsdecode(b"part-\xff\n")).touch()
    with pytest.raises(InputError) as caught:
        check_no_strangers(tmp_path)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()
