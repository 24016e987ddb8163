"""A folder belongs to one run; its manifest and rejects say how far the run is."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from whyword import InputError
from whyword.batch import folder as module
from whyword.batch.chunks import Place, SourceReader
from whyword.batch.folder import MANIFEST, REJECTS, Rejects, open_run_folder, plan_of
from whyword.batch.parts import LEDGER, write_part
from whyword.corpora.tables import BadRow

PARTS = ("part-00000-00000.parquet", "part-00000-00001.parquet")
PLAN: dict[str, Any] = {"task": "explain", "top": None}
RECORDS = "0123456789abcdef" * 4
TABLE = pa.table({"id": ["a", "b"], "words": [["x"], []]})


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.02)


def names(path: Path) -> set[str]:
    return {file.name for file in path.iterdir()}


def begin(path: Path, complete: bool = False) -> None:
    """Write two parts."""
    with open_run_folder(path, PLAN, resume=False) as folder:
        for number in range(2):
            folder.record(write_part(folder.path, Place(0, number), RECORDS, TABLE))
        if complete:
            folder.complete(rejected=0)


def test_a_run_that_was_interrupted(tmp_path: Path) -> None:
    begin(tmp_path / "why")
    (tmp_path / "why" / ".draft-part-00000-00002.parquet-1").write_bytes(b"PAR1")
    (tmp_path / "why" / "part-00000-00001.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="has the beginning of a run; say resume=True"):
        begin(tmp_path / "why")
    with open_run_folder(tmp_path / "why", PLAN, resume=True) as folder:
        assert folder.rejected is None
        assert set(folder.done) == {Place(0, 0)}  # the other one is damaged, and made again
        assert set(folder.earlier.records) == {Place(0, 0), Place(0, 1)}  # of the same documents
    assert names(tmp_path / "why") == {*PARTS, MANIFEST, LEDGER}


def test_a_run_that_was_killed_at_once(tmp_path: Path) -> None:
    """It can be begun anew, or resumed, though it has not said what it is."""
    for resume in (True, False):
        path = tmp_path / str(resume)
        path.mkdir()
        (path / ".draft-manifest").write_text("{")
        with open_run_folder(path, PLAN, resume) as folder:
            assert folder.done == {}
        assert names(path) == {MANIFEST, LEDGER}


def test_another_run(tmp_path: Path) -> None:
    begin(tmp_path / "why")
    for other, said in (
        ({"top": 3}, "top differs"),
        ({"whyword": "9"}, "whyword's version differs"),
        ({"source": 1}, "the source differs"),
    ):
        with (
            pytest.raises(InputError, match=f"was another one: {said}"),
            open_run_folder(tmp_path / "why", PLAN | other, resume=True),
        ):
            raise AssertionError
    assert len(names(tmp_path / "why")) == 4


def test_a_run_that_failed_before_it_wrote_anything(tmp_path: Path) -> None:
    with pytest.raises(InterruptedError), open_run_folder(tmp_path / "why", PLAN, resume=False):
        raise InterruptedError
    assert names(tmp_path / "why") == set()  # so that it can be begun anew
    begin(tmp_path / "why")
    with pytest.raises(InterruptedError), open_run_folder(tmp_path / "why", PLAN, resume=True):
        raise InterruptedError
    assert MANIFEST in names(tmp_path / "why")


def test_two_at_a_time(tmp_path: Path) -> None:
    with open_run_folder(tmp_path / "why", PLAN, resume=False):
        for resume in (True, False):
            with (
                pytest.raises(InputError, match="another run is at work"),
                open_run_folder(tmp_path / "why", PLAN, resume),
            ):
                raise AssertionError


def test_folders_that_are_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for resume in (True, False):
        with pytest.raises(InputError, match="is a file; name a folder"):
            open_run_folder(tmp_path / "file", PLAN, resume).__enter__()
        with pytest.raises(InputError, match="is not empty; name another folder"):
            open_run_folder(tmp_path, PLAN, resume).__enter__()
        with pytest.raises(InputError, match="cannot be made"):
            open_run_folder(tmp_path / "file" / "below", PLAN, resume).__enter__()
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize(
    "manifest",
    [
        b"{",
        b"[]",
        b"null",
        b"",
        b"\xff\xfe",
        b"[" * 200_000,
        b"9" * 10_000,
        b'{"state": NaN}',
        b'{"state": ["begun"]}',
        b'{"state": "complete", "documents": 3, "rejected": 0}',
        b'{"state": "complete", "parts": "7", "documents": 3, "rejected": 0}',
        b'{"state": "complete", "parts": 7, "documents": true, "rejected": 0}',
    ],
    ids=lambda content: content[:12].decode("latin-1"),
)
def test_manifests_that_no_run_wrote(manifest: bytes, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(manifest)
    for resume in (True, False):
        with pytest.raises(InputError, match=MANIFEST) as caught:
            open_run_folder(tmp_path, PLAN, resume).__enter__()
        assert len(str(caught.value)) < 1_000
    assert (tmp_path / MANIFEST).read_bytes() == manifest


def test_the_lock_of_a_run_that_ended_is_nobodys(tmp_path: Path) -> None:
    """Not even of a process that was forked while it ran."""
    with open_run_folder(tmp_path, PLAN, resume=False) as folder:
        assert folder.lock is not None
        inherited = os.dup(folder.lock)
        folder.complete(rejected=0)
    with open_run_folder(tmp_path, PLAN, resume=True):
        os.close(inherited)


def test_rows_that_could_not_be_read(tmp_path: Path) -> None:
    with Rejects(tmp_path) as rejects:
        rejects.add([])
    assert names(tmp_path) == set()
    row = BadRow("\udcff.csv, line 3", "byte 0xff is not valid ✓")
    with Rejects(tmp_path) as rejects:
        rejects.add([row])
        rejects.add([row, row])
    assert rejects.count == 3
    lines = (tmp_path / REJECTS).read_text(encoding="utf-8").splitlines()
    assert [BadRow(**json.loads(line)) for line in lines] == [row] * 3
    with pytest.raises(AttributeError), Rejects(tmp_path) as rejects:
        rejects.add([row, None])  # type: ignore[list-item]
    assert len((tmp_path / REJECTS).read_text().splitlines()) == 3  # those of the run that ended
    with Rejects(tmp_path):
        pass
    assert REJECTS not in names(tmp_path)  # a run that has none does not keep another's


@pytest.mark.parametrize("name", [MANIFEST, LEDGER])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=f"{name}: not a regular file"):
        open_run_folder(tmp_path, PLAN, resume=True).__enter__()
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/proc/self/mem")  # whose first bytes nobody can read
    with pytest.raises(InputError, match=f"{name} cannot be read .Input/output error"):
        open_run_folder(tmp_path, PLAN, resume=True).__enter__()


def test_a_folder_named_as_a_draft(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / ".draft-x").mkdir()
    with pytest.raises(InputError, match=r"draft-x cannot be taken away .* move it elsewhere"):
        open_run_folder(tmp_path, PLAN, resume=True).__enter__()


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be made \(File name too long\)"):
        open_run_folder(tmp_path / ("x" * 300), PLAN, resume=False).__enter__()


def test_a_corpus_known_by_its_name_has_no_files() -> None:
    plan = plan_of({"task": "predict"}, SourceReader((("20newsgroups",),)), 3)
    assert (plan["task"], plan["source"]["names"]) == ("predict", [["20newsgroups"]])
    assert (plan["source"]["files"], plan["source"]["shards"]) == ([], [1])
    assert plan["at_most"] == {"documents": 2_048, "characters": 8 << 20, "lexicon": 3}
