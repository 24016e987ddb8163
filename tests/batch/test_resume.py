"""A resumed run goes on with what it began with, and trusts no file that it did not write."""

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import pyarrow.parquet as pq
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from keywords import Keywords
from networks import small_cnn
from served import model
from streams import (
    contents,
    fewer_texts,
    other_text,
    shrink_runs,
    work_here,
    write_corpus,
    written_parts,
)

from whyword import BlackBox, InputError, explain_corpus, predict_corpus
from whyword.base.progress import Progress
from whyword.batch.folder import MANIFEST, REJECTS
from whyword.batch.parts import LEDGER

Damage: TypeAlias = Callable[[Path], object]
pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished run."""
    return shutil.copytree(finished, tmp_path / "why")


@pytest.fixture
def copied_source(source: Path, tmp_path: Path) -> Path:
    return shutil.copytree(source, tmp_path / "source")


# ---- runs that were interrupted -----------------------------------------------------------------


def test_only_what_is_missing_is_written(source: Path, finished: Path, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.n_documents == 11:
            raise StopError

    out = tmp_path / "why"
    with pytest.raises(StopError):
        explain_corpus(small_cnn(), source, out, "all", on_progress=stop)
    before = written_parts(out)
    assert sorted(before) == [f"part-00000-0000{number}.parquet" for number in range(3)]
    assert len((out / LEDGER).read_text().splitlines()) == 3
    assert json.loads((out / MANIFEST).read_text())["state"] == "begun"
    assert not (out / REJECTS).exists()
    assert not list(out.glob(".*"))
    with pytest.raises(InputError, match="has the beginning of a run; say resume=True"):
        explain_corpus(small_cnn(), source, out, "all")
    events: list[Progress] = []
    outcome = explain_corpus(
        small_cnn(), source, out, "all", resume=True, on_progress=events.append
    )
    assert (outcome.n_documents, outcome.resumed, outcome.rejected, outcome.parts) == (22, 11, 2, 6)
    assert [event.n_documents for event in events] == [4, 8, 11]  # of this run
    assert {event.stage for event in events} == {"explaining"}
    assert contents(out) == contents(finished)
    assert written_parts(out).items() >= before.items()


def test_a_finished_run_is_left_as_it_is(source: Path, out: Path) -> None:
    before = {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in out.iterdir()}
    outcome = explain_corpus(small_cnn(), source, out, "all", resume=True)
    assert (outcome.n_documents, outcome.resumed, outcome.rejected, outcome.parts) == (22, 22, 2, 6)
    after = {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in out.iterdir()}
    assert after == before
    with pytest.raises(InputError, match="has a run already, complete; name another folder"):
        explain_corpus(small_cnn(), source, out, "all")


def test_a_disk_that_is_full_for_a_while(
    source: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, left = os.fsync, iter(range(5))  # the manifest, the ledger, three parts

    def fill_up(descriptor: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    out = tmp_path / "why"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_up)
        with pytest.raises(InputError, match=r"cannot be written \(no space left\).*resume=True"):
            explain_corpus(small_cnn(), source, out, "all")
    assert len(written_parts(out)) == 3
    assert not list(out.glob(".*"))
    assert explain_corpus(small_cnn(), source, out, "all", resume=True).resumed == 11
    assert contents(out) == contents(finished)


# ---- models that cannot be told apart -----------------------------------------------------------


def test_a_model_without_identity_is_not_resumed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    predict_corpus(Keywords(), source, out)
    for part in (None, out / "part-00000-00000.parquet"):
        if part is not None:
            part.unlink()
        with pytest.raises(InputError, match=r"its model has no identity.* made with name=…"):
            predict_corpus(Keywords(), source, out, resume=True)


def test_a_name_lets_a_function_be_resumed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    predict_corpus(BlackBox(Keywords(), name="keywords 1"), source, out)
    (out / "part-00000-00000.parquet").unlink()
    outcome = predict_corpus(BlackBox(Keywords(), name="keywords 1"), source, out, resume=True)
    assert (outcome.resumed, outcome.n_documents) == (18, 22)
    with pytest.raises(InputError, match="was another one: model differs"):
        predict_corpus(BlackBox(Keywords(), name="keywords 2"), source, out, resume=True)


# ---- damaged files ------------------------------------------------------------------------------


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x55
    path.write_bytes(data)


def exchange(path: Path) -> None:
    other = path.with_name("part-00000-00000.parquet")
    content = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


def in_ledger(old: bytes, new: bytes) -> Damage:
    """Change the ledger's line of a part, and damage the part."""

    def change(path: Path) -> None:
        lines = path.with_name(LEDGER).read_bytes().splitlines(keepends=True)
        changed = [line.replace(old, new) if b"00001-00001" in line else line for line in lines]
        assert changed != lines
        path.with_name(LEDGER).write_bytes(b"".join(changed))
        flip(path.with_name("part-00001-00001.parquet"))

    return change


def without_ledger(path: Path) -> None:
    path.with_name(LEDGER).unlink()


def longer_ledger(path: Path) -> None:
    with path.with_name(LEDGER).open("a") as stream:
        stream.write("{}\n")


def in_manifest(path: Path) -> None:
    manifest = path.with_name(MANIFEST)
    manifest.write_bytes(manifest.read_bytes().replace(b'"documents": 22', b'"documents": 23'))


def in_rejects(path: Path) -> None:
    path.with_name(REJECTS).write_text("nothing\n" * 2)


@pytest.mark.parametrize("state", ["complete", "begun"])
@pytest.mark.parametrize(
    "damage",
    [
        flip,
        exchange,
        Path.unlink,
        without_ledger,
        longer_ledger,
        in_manifest,
        in_rejects,
        in_ledger(b"00001-00001", b"00001-00000"),
        in_ledger(b"00001-00001", b"00001-00017"),
        in_ledger(b'"documents": 4', b'"documents": 3'),
    ],
)
def test_what_is_damaged_is_made_again(
    state: str, damage: Damage, source: Path, finished: Path, out: Path
) -> None:
    if state == "begun":
        manifest = json.loads((out / MANIFEST).read_text())
        (out / MANIFEST).write_text(json.dumps(manifest | {"state": state}))
    damage(out / "part-00001-00000.parquet")
    explain_corpus(small_cnn(), source, out, "all", resume=True)
    assert contents(out) == contents(finished)


@pytest.mark.parametrize("name", ["part-00000-00001 copy.parquet", "part-00007-00000.parquet"])
def test_files_of_others_are_neither_taken_nor_deleted(
    name: str, source: Path, finished: Path, out: Path
) -> None:
    (out / name).write_bytes(b"somebody's")
    (out / "part-00000-00001.parquet").unlink()
    with pytest.raises(InputError, match=f"has a file that this run did not write, {name}"):
        explain_corpus(small_cnn(), source, out, "all", resume=True)
    assert (out / name).read_bytes() == b"somebody's"
    (out / name).unlink()
    explain_corpus(small_cnn(), source, out, "all", resume=True)
    assert contents(out) == contents(finished)


# ---- a source that changed ----------------------------------------------------------------------


def test_a_file_that_has_changed(copied_source: Path, tmp_path: Path) -> None:
    explain_corpus(small_cnn(), copied_source, tmp_path / "why")
    with (copied_source / "0.jsonl").open("a") as stream:
        stream.write('{"text": "one more"}\n')
    with pytest.raises(InputError, match="was another one: the source differs"):
        explain_corpus(small_cnn(), copied_source, tmp_path / "why", resume=True)


@pytest.mark.parametrize(
    ("damage", "name", "change"),
    [
        (Path.unlink, "part-00000-00001.parquet", other_text),
        (Path.unlink, "part-00000-00001.parquet", fewer_texts),
        (flip, "part-00001-00001.parquet", other_text),  # of the documents of the part itself
    ],
)
def test_a_file_that_has_changed_and_does_not_look_it(
    damage: Damage, name: str, change: Damage, copied_source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "why"
    explain_corpus(small_cnn(), copied_source, out)
    damage(out / name)
    change(copied_source / "1.jsonl")
    with pytest.raises(InputError, match=r"the source has changed since the run in .*why began"):
        explain_corpus(small_cnn(), copied_source, out, resume=True)


# ---- names and labels ---------------------------------------------------------------------------


def test_names_that_are_not_utf8(copied_source: Path, tmp_path: Path) -> None:
    mine = copied_source.rename(tmp_path / os.fsdecode(b"t\xe4glich"))
    (mine / "0.jsonl").rename(mine / os.fsdecode(b"\xff.jsonl"))
    out = tmp_path / os.fsdecode(b"erkl\xe4rt")
    outcome = predict_corpus(model("svm"), mine, out)
    assert (outcome.n_documents, outcome.rejected) == (22, 2)
    found = contents(out)
    assert predict_corpus(model("svm"), mine, out, resume=True).resumed == 22
    (out / "part-00000-00000.parquet").unlink()
    assert predict_corpus(model("svm"), mine, out, resume=True).resumed == 18
    assert contents(out) == found
    places = [json.loads(line)["place"] for line in found[REJECTS].splitlines()]
    assert any("\udcff" in place for place in places)  # it can be found by this name
    with (out / "part-00001-00000.parquet").open("rb") as stream:  # pyarrow opens no such names
        assert pq.read_table(stream)["id"][0].as_py() == "\ufffd.jsonl:1"


def test_labels_with_half_a_surrogate_pair(tmp_path: Path) -> None:
    rows = [{"text": f"moon {n}", "label": "a\ud83d"} for n in range(5)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ours = Keywords()
    ours.classes_ = ["b\ude00", "c", "ü"]
    predict_corpus(ours, path, tmp_path / "predicted", label="label")
    frame = pd.read_parquet(tmp_path / "predicted")
    assert set(frame["label"]) == {"a\ufffd"}
    for number, (target, against, expected) in enumerate(
        [
            ("predicted", None, "b\ufffd"),
            ("all", None, "all"),
            (["b\ude00", "c"], None, ["b\ufffd", "c"]),
            ("b\ude00", "c", "b\ufffd"),
            ("c", "b\ude00", "c"),
        ]
    ):
        out = tmp_path / str(number)
        explain_corpus(ours, path, out, target, against=against)
        frame = pd.read_parquet(out)
        assert list(frame["classes"][0]) == ["b\ufffd", "c", "ü"]
        found = frame["target"][0]
        assert (found if isinstance(found, str) else list(found)) == expected


# ---- damaged at random --------------------------------------------------------------------------

OTHER_NAMES = (
    "part-00000-00000 copy.parquet",
    "part-00000-00000.parquet",
    "part-00001-00002.parquet",
    "part-00000-00009.parquet",
    "part-0-0.parquet",
    "all.parquet",
    "notes.txt",
    ".draft-part-00000-00001.parquet-0123",
    MANIFEST,
    LEDGER,
    REJECTS,
)

Step: TypeAlias = tuple[str, int, int, int]  # what is done, to which file, with which one, a seed


def apply(folder: Path, step: Step) -> None:
    """Do what a step says, if there is still something to do it to."""
    action, at, other, seed = step
    files = sorted(file for file in folder.iterdir() if file.stat().st_size)
    if not files:
        return
    chance, path, second = random.Random(seed), files[at % len(files)], files[other % len(files)]
    content = path.read_bytes()
    if action == "bytes":
        path.write_bytes(damage(content, chance))
    elif action == "cut":
        path.write_bytes(content[: seed % len(content)])
    elif action == "delete":
        path.unlink()
    elif action in ("overwrite", "exchange"):
        path.write_bytes(second.read_bytes())
        if action == "exchange":
            second.write_bytes(content)
    elif action in ("rename", "copy"):
        if action == "rename":
            path.unlink()
        (folder / OTHER_NAMES[other % len(OTHER_NAMES)]).write_bytes(content)
    elif path.suffix == ".jsonl":  # lines are lost, repeated or moved
        lines = content.splitlines(keepends=True)
        path.write_bytes(b"".join(chance.choices(lines, k=chance.randrange(1, len(lines) + 3))))


ACTIONS = ["bytes", "cut", "delete", "overwrite", "exchange", "rename", "copy", "lines"]
STEPS = st.tuples(
    st.sampled_from(ACTIONS), st.integers(0, 20), st.integers(0, 20), st.integers(0, 1 << 30)
)


def fuzzer(folder: Path) -> Fuzzer:
    """Return what damages folders of a run over a small corpus, and resumes it."""
    svm, whole, out = model("svm"), folder / "whole", folder / "out"
    source = write_corpus(folder / "source", files=2, documents=12)

    def predict(out: Path, resume: bool) -> None:
        with pytest.MonkeyPatch.context() as patch:
            shrink_runs(patch)
            work_here(patch)
            predict_corpus(svm, source, out, resume=resume)

    predict(whole, resume=False)
    expected = {file.name: file.read_bytes() for file in whole.iterdir()}
    assert len(expected) == 6 + 3

    def resume(case: tuple[str, list[Step]]) -> None:
        state, steps = case
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole, out)
        if state == "begun":
            said = json.loads(expected[MANIFEST])
            for name in ("parts", "documents", "rejected", "rejects_sha256"):
                del said[name]
            (out / MANIFEST).write_text(json.dumps(said | {"state": state}))
            (out / REJECTS).unlink()
        for step in steps:
            apply(out, step)
        predict(out, resume=True)
        found = {file.name: file.read_bytes() for file in out.iterdir()}
        assert found.keys() - expected.keys() <= {"notes.txt"}  # what nobody takes for a part
        assert {name: found.get(name) for name in expected} == expected

    cases = st.tuples(
        st.sampled_from(["complete", "begun"]), st.lists(STEPS, min_size=1, max_size=3)
    )
    return Fuzzer("run folders", cases, resume)


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(60, marks=pytest.mark.slow(reason="resumes many runs")),
        pytest.param(600, marks=pytest.mark.nightly(reason="resumes hundreds of runs")),
    ],
)
def test_folders_damaged_at_random_are_mended_or_refused(count: int, tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(count)
    assert fuzz.accepted > count / 3
    assert fuzz.refused > 0
