"""A run's folder that somebody damaged, resumed: what a run writes, or one clear line."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias
from unittest import mock

import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from served import model
from streams import write_corpus

from whyword import predict_corpus
from whyword.batch import chunks, local
from whyword.batch.folder import MANIFEST, REJECTS
from whyword.batch.parts import LEDGER

ROWS, DOCUMENTS = 12, 30  # three parts of each of two files
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
Case: TypeAlias = tuple[str, list[Step]]  # the run's state, and what is done to its folder


def _bytes(path: Path, seed: int) -> None:
    path.write_bytes(damage(path.read_bytes(), random.Random(seed)))


def _lines(path: Path, seed: int) -> None:
    """Take lines away, or put them elsewhere."""
    chance = random.Random(seed)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(chance.choices(lines, k=chance.randrange(1, len(lines) + 3))))


def _value(path: Path, seed: int) -> None:
    """Put something else in the place of a value of a JSON object."""
    chance = random.Random(seed)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    said = chance.choice(lines)
    name = chance.choice(list(said))
    values: list[object] = [
        None,
        True,
        -1,
        0,
        3,
        1e300,
        "",
        "00000-00001",
        [],
        {},
        "f" * 64,
        "\ud800",
    ]
    said[name] = chance.choice(values)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _apply(folder: Path, step: Step) -> None:
    """Do what a step says, if there is still something to do it to."""
    action, at, other, seed = step
    files = sorted(file for file in folder.iterdir() if file.stat().st_size)
    if not files:
        return
    path, second = files[at % len(files)], files[other % len(files)]
    if action == "bytes":
        _bytes(path, seed)
    elif action == "cut":
        path.write_bytes(path.read_bytes()[: seed % path.stat().st_size])
    elif action == "delete":
        path.unlink()
    elif action == "overwrite":
        path.write_bytes(second.read_bytes())
    elif action == "exchange":
        content = path.read_bytes()
        path.write_bytes(second.read_bytes())
        second.write_bytes(content)
    elif action in ("rename", "copy"):
        new = folder / OTHER_NAMES[other % len(OTHER_NAMES)]
        content = path.read_bytes()
        if action == "rename":
            path.unlink()
        new.write_bytes(content)
    elif action == "lines" and (folder / LEDGER).is_file():
        _lines(folder / LEDGER, seed)
    elif action == "value" and path.name in (LEDGER, REJECTS):
        _value_or_bytes(path, seed)


def _value_or_bytes(path: Path, seed: int) -> None:
    try:
        _value(path, seed)
    except (ValueError, TypeError, AttributeError):  # an earlier step has damaged it
        _bytes(path, seed)


ACTIONS = ["bytes", "cut", "delete", "overwrite", "exchange", "rename", "copy", "lines", "value"]
STEPS = st.tuples(
    st.sampled_from(ACTIONS), st.integers(0, 20), st.integers(0, 20), st.integers(0, 1 << 30)
)


@contextmanager
def _in_this_process() -> Iterator[None]:
    """Let runs be small, and begin no process: there are hundreds of them."""
    with (
        mock.patch.object(chunks, "ROWS", ROWS),
        mock.patch.object(chunks, "_SHARD_BYTES", 100),
        mock.patch.object(local, "_can_begin", return_value=False),
    ):
        yield


def fuzzer(folder: Path) -> Fuzzer:
    """Return what damages folders of a run over a small corpus, and resumes it."""
    svm, whole, out = model("svm"), folder / "whole", folder / "out"
    source = write_corpus(folder / "source", files=2, documents=DOCUMENTS)
    with _in_this_process():
        predict_corpus(svm, source, whole)
    expected = {file.name: file.read_bytes() for file in whole.iterdir()}
    assert len(expected) == 6 + 3

    def resume(case: Case) -> None:
        state, steps = case
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole, out)
        if state == "begun":
            said = json.loads(expected[MANIFEST])
            ended = ("parts", "documents", "rejected", "rejects_sha256")
            said = {name: value for name, value in said.items() if name not in ended}
            (out / MANIFEST).write_text(json.dumps(said | {"state": state}))
            (out / REJECTS).unlink()
        for step in steps:
            _apply(out, step)
        with _in_this_process():
            predict_corpus(svm, source, out, resume=True)
        found = {file.name: file.read_bytes() for file in out.iterdir()}
        others = found.keys() - expected.keys()
        assert others <= {"notes.txt"}, others  # what nobody would take for a part
        assert {name: found.get(name) for name in expected} == expected

    cases = st.tuples(
        st.sampled_from(["complete", "begun"]), st.lists(STEPS, min_size=1, max_size=3)
    )
    return Fuzzer("run folders", cases, resume)


@pytest.mark.slow(reason="resumes hundreds of runs")
def test_damaged_folders_are_mended_or_refused(tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(300)
    assert fuzz.accepted > 100
    assert fuzz.refused > 50
