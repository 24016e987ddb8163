"""A corpus in files, runs over it that can be killed, and the folders they write."""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest
from networks import topical

from whyword.batch import Outcome, chunks, runs
from whyword.batch.folder import MANIFEST
from whyword.batch.tasks import ExplainTask
from whyword.corpora.source import Record

FORK = multiprocessing.get_context("fork")


def shrink_runs(patch: pytest.MonkeyPatch, rows: int = 4) -> None:
    """Let parts have so many documents, and shards a file each."""
    patch.setattr(chunks, "ROWS", rows)
    patch.setattr(chunks, "_SHARD_BYTES", 100)
    patch.setattr(runs, "LEXICON_BYTES", 4_000)  # so that there are rare words


def work_here(patch: pytest.MonkeyPatch) -> None:
    """Let runs work in this process: without a Python to start there are no others."""
    patch.setattr(sys, "executable", "")


def write_corpus(folder: Path, files: int = 3, documents: int = 120) -> Path:
    """Write tables of texts, each with a row that cannot be read; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        texts, _ = topical(documents, seed=number)
        rows: list[object] = [f"{text} r{n}x" for n, text in enumerate(texts)]
        rows[number * 7 + 1] = None
        lines = "".join(json.dumps({"text": text}) + "\n" for text in rows)
        (folder / f"{number}.jsonl").write_text(lines)
    return folder


def read_corpus(folder: Path) -> dict[str, str]:
    """Return the texts of such a corpus by their ids, in order."""
    return {
        f"{file.name}:{number}": json.loads(line)["text"]
        for file in sorted(folder.iterdir())
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if json.loads(line)["text"] is not None
    }


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a run that ended, after a check that nothing else is there."""
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["state"] == "complete"
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert not [name for name in found if name.startswith(".")]
    assert manifest["parts"] == sum(name.endswith(".parquet") for name in found)
    return found


def written_parts(folder: Path) -> dict[str, int]:
    """Return which file each part is on the disk: a part that is written again is another."""
    return {part.name: part.stat().st_ino for part in folder.glob("part-*")}


def other_text(file: Path) -> None:
    """Change a text of a table, but neither the size nor the time of the file."""
    _rewrite(file, file.read_bytes().replace(b"r7x", b"r8x"))


def fewer_texts(file: Path) -> None:
    """Blank the last three rows of a table, but change neither the size nor the time."""
    *lines, end = file.read_bytes().split(b"\n")
    blank = [b" " * len(line) for line in lines[-3:]]
    _rewrite(file, b"\n".join([*lines[:-3], *blank, end]))


def _rewrite(file: Path, content: bytes) -> None:
    before = file.stat()
    assert (len(content), content != file.read_bytes()) == (before.st_size, True)
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


class SlowTask(ExplainTask):
    """Takes a while for each part."""

    seconds: ClassVar[float] = 0.25

    def table(self, records: Sequence[Record]) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return the explanations, after a while."""
        time.sleep(self.seconds)
        return super().table(records)


class Run:
    """A run in a process of its own."""

    def __init__(self, run: Callable[..., Outcome], *given: object, **how: Any) -> None:  # noqa: ANN401
        self.process = FORK.Process(target=_silently, args=(run, given, how))
        self.process.start()
        assert self.process.pid is not None
        self.pid = self.process.pid

    def family(self) -> list[psutil.Process]:
        """Return its processes."""
        try:
            first = psutil.Process(self.pid)
            return [first, *first.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def wait_for_parts(self, folder: Path, count: int) -> None:
        """Wait until so many parts are written."""
        deadline = time.monotonic() + 300
        while len(list(folder.glob("part-*"))) < count and self.process.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def end(self) -> int | None:
        """Wait until it is over; return its exit code."""
        self.process.join(300)
        assert not self.process.is_alive()
        return self.process.exitcode


def _silently(
    run: Callable[..., Outcome], given: tuple[object, ...], how: Mapping[str, Any]
) -> None:
    """Run, and print nothing when interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as on a terminal
    try:
        run(*given, **how)
    except KeyboardInterrupt:
        os._exit(130)
