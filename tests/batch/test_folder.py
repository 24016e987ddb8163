"""A folder belongs to one run; its parts are whole or not there."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest
from streams import FORK

from whyword import InputError
from whyword.batch import folder as module
from whyword.batch.chunks import Place, SourceReader
from whyword.batch.folder import (
    MANIFEST,
    REJECTS,
    Rejects,
    open_run_folder,
    plan_of,
)
from whyword.batch.parts import LEDGER, write_part
from whyword.corpora.tables import BadRow

PARTS = ("part-00000-00000.parquet", "part-00000-00001.parquet")
PLAN: dict[str, Any] = {"task": "explain", "top": None}
RECORDS = "0123456789abcdef" * 4
TABLE = pa.table({"id": ["a", "b"], "words": [["x"], []]})


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.3)


def names(path: Path) -> set[str]:
    return {file.name for file in path.iterdir()}


def begin(path: Path, complete: bool = False) -> None:
    """Write two parts."""
    with open_run_folder(path, PLAN, resume=False) as folder:
        for number in range(2):
            folder.record(write_part(folder.path, Place(0, number), RECORDS, TABLE))
        if complete:
            folder.complete(rejected=0)


def test_a_run_that_ended(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "why"
    begin(path, complete=True)
    assert names(path) == {*PARTS, MANIFEST, LEDGER}
    manifest = json.loads((path / MANIFEST).read_text())
    ended = {"parts": 2, "documents": 4, "rejected": 0, "rejects_sha256": None}
    assert manifest == PLAN | {"state": "complete"} | ended
    with pytest.raises(InputError, match="has a run already, complete; name another folder"):
        begin(path)
    with open_run_folder(path, PLAN, resume=True) as folder:
        assert folder.rejected == 0
        assert folder.n_documents == 4


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


def test_a_complete_run_that_lost_a_part(tmp_path: Path) -> None:
    begin(tmp_path / "why", complete=True)
    (tmp_path / "why" / "part-00000-00000.parquet").unlink()
    with open_run_folder(tmp_path / "why", PLAN, resume=True) as folder:
        assert folder.rejected is None
    assert json.loads((tmp_path / "why" / MANIFEST).read_text())["state"] == "begun"


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
    for content in ("{", "[]", "{}", "\xff"):
        (tmp_path / MANIFEST).write_text(content, encoding="latin-1")
        with pytest.raises(InputError, match=MANIFEST):
            open_run_folder(tmp_path, PLAN, resume=True).__enter__()
    assert (tmp_path / "file").read_text() == "x"


def test_a_file_that_comes_in_between(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, PLAN, resume=False) as folder:
        write_part(folder.path, Place(0, 0), RECORDS, TABLE)  # by nobody that is known
        with pytest.raises(InputError, match=r"did not write, part-00000-00000\.parquet"):
            folder.complete(rejected=0)


def test_a_model_that_cannot_be_told_from_others(tmp_path: Path) -> None:
    plan = PLAN | {"model": None}
    with open_run_folder(tmp_path, plan, resume=False) as folder:
        folder.complete(rejected=0)
    with pytest.raises(InputError, match="model differs"):
        open_run_folder(tmp_path, PLAN | {"model": "m"}, resume=True).__enter__()
    with pytest.raises(InputError, match="its model has no identity"):
        open_run_folder(tmp_path, plan, resume=True).__enter__()


def test_a_manifest_that_was_changed_is_written_again(tmp_path: Path) -> None:
    begin(tmp_path, complete=True)
    whole = (tmp_path / MANIFEST).read_bytes()
    for old, new in ((b'"documents": 4', b'"documents": 5'), (b"null", b"null "), (b"\n}", b"}")):
        assert old in whole
        (tmp_path / MANIFEST).write_bytes(whole.replace(old, new))
        with open_run_folder(tmp_path, PLAN, resume=True) as folder:
            assert folder.rejected is None
            assert len(folder.done) == 2
            folder.complete(rejected=0)
        assert (tmp_path / MANIFEST).read_bytes() == whole


def hand_on_and_die(path: Path) -> None:
    """Let another process inherit the lock, and leave it alone."""
    with open_run_folder(path, PLAN, resume=False) as folder:
        assert folder.lock is not None
        folder.complete(rejected=0)
        heir = subprocess.Popen(["sleep", "600"], pass_fds=[folder.lock])
        (path / "heir").write_text(str(heir.pid))
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow(reason="starts processes")
def test_the_lock_of_a_run_that_was_killed_is_its_processes(tmp_path: Path) -> None:
    run = FORK.Process(target=hand_on_and_die, args=(tmp_path,))
    run.start()
    run.join()
    heir = psutil.Process(int((tmp_path / "heir").read_text()))
    try:
        with pytest.raises(InputError, match="another run is at work"):
            open_run_folder(tmp_path, PLAN, resume=True).__enter__()
    finally:
        heir.kill()
        psutil.wait_procs([heir])
    with open_run_folder(tmp_path, PLAN, resume=True):
        pass


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


def test_what_is_replaced_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = [], os.fsync

    def record_fsync(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record_fsync)
    with open_run_folder(tmp_path, PLAN, resume=False) as folder:
        folder.record(write_part(folder.path, Place(0, 0), RECORDS, TABLE))
        with Rejects(tmp_path) as rejects:
            rejects.add([BadRow("a", "b")])
        begun = len(synced)
        folder.complete(rejected=1)
    (part,) = (name for name in synced if "part-" in name)
    drafts = {f".draft-{name}" for name in ("manifest", "parts", "rejects")}
    assert set(synced) == {part, *drafts}
    assert synced[begun:] == [".draft-manifest"]  # the ledger says already what it is to say


@pytest.mark.parametrize("name", [MANIFEST, LEDGER])
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=f"{name}: not a regular file"):
        open_run_folder(tmp_path, PLAN, resume=True).__enter__()


def test_a_folder_named_as_a_draft(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / ".draft-x").mkdir()
    with pytest.raises(InputError, match=r"draft-x cannot be taken away .* move it elsewhere"):
        open_run_folder(tmp_path, PLAN, resume=True).__enter__()


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be made \(File name too long\)"):
        open_run_folder(tmp_path / ("x" * 300), PLAN, resume=False).__enter__()


def test_plans(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "x"}\n')
    plan = plan_of({"task": "predict"}, SourceReader.of(file), 3)
    assert json.loads(json.dumps(plan)) == plan
    assert plan["source"]["files"][0]["bytes"] == file.stat().st_size
    file.write_text('{"text": "xy"}\n')
    assert plan_of({"task": "predict"}, SourceReader.of(file), 3) != plan
    named = plan_of({}, SourceReader((("20newsgroups",),)), 3)
    assert named["source"]["names"] == [["20newsgroups"]]
