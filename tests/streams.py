"""A corpus in files, runs over it that can be killed, and what they leave behind."""

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil
from networks import topical

from whyword.batch import Outcome
from whyword.batch.folder import MANIFEST
from whyword.batch.tasks import ExplainTask
from whyword.corpora.source import Record

FORK = multiprocessing.get_context("fork")


def write_corpus(folder: Path, files: int = 3, documents: int = 120) -> Path:
    """Write tables of texts, some of whose rows cannot be read; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        texts, _ = topical(documents, seed=number)
        rows: list[object] = [f"{text} r{n}x" for n, text in enumerate(texts)]
        rows[number * 7 + 1] = None
        lines = "".join(json.dumps({"text": text}) + "\n" for text in rows)
        (folder / f"{number}.jsonl").write_text(lines)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a run that ended, and that nothing else is there."""
    told = json.loads((folder / MANIFEST).read_text())
    assert told["state"] == "complete"
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert not [name for name in found if name.startswith(".")]
    assert told["parts"] == sum(name.endswith(".parquet") for name in found)
    return found


class SlowTask(ExplainTask):
    """Takes a while for each part."""

    seconds: ClassVar[float] = 0.04

    def table(self, records: Sequence[Record]) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return the explanations, after a while."""
        time.sleep(self.seconds)
        return super().table(records)


class VerySlowTask(SlowTask):
    """Takes so long that the run is there however slow the machine is."""

    seconds = 0.25


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
    """Run, and say nothing of being interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as on a terminal, whoever began it
    try:
        run(*given, **how)
    except KeyboardInterrupt:
        os._exit(130)
