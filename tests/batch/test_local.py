"""The local engine's processes."""

import os
import pickle
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from served import TEXTS, model

from whyword.base.threads import in_threads
from whyword.batch import local
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.batch.tasks import PredictTask


def which(chunk: Chunk) -> tuple[int, int, int]:
    """Return which chunk it is, which process has it, and in how many threads that computes."""
    parts: list[tuple[int, int]] = []
    in_threads(lambda first, last: parts.append((first, last)), 10)
    return chunk.place.number, os.getpid(), len(parts)


def source_reader(tmp_path: Path) -> SourceReader:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "\n".join(TEXTS[:30]) + "\n")
    return SourceReader.of(path)


def test_each_process_computes_in_one_thread() -> None:
    chunks = (Chunk(Place(0, number)) for number in range(15))
    results = list(local.run(which, chunks, 3))
    assert sorted(number for number, _, _ in results) == list(range(15))
    assert {threads for _, _, threads in results} == {1}
    assert os.getpid() not in {pid for _, pid, _ in results}
    assert local._work is None


def test_few_chunks_are_read_ahead() -> None:
    read: list[int] = []

    def chunks() -> Iterator[Chunk]:
        for number in range(100):
            read.append(number)
            yield Chunk(Place(0, number))

    for done, _ in enumerate(local.run(which, chunks(), 2)):
        assert len(read) <= done + 8


def test_an_error_of_the_reader_or_a_worker_ends_it() -> None:
    def chunks() -> Iterator[Chunk]:
        yield Chunk(Place(0, 0))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(local.run(which, chunks(), 2))
    with pytest.raises(ZeroDivisionError):
        list(local.run(lambda chunk: 1 / chunk.place.number, [Chunk(Place(0, 0))], 2))
    assert local._work is None


def test_elsewhere_processes_begin_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are sent the work: it can be."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert local._context().get_start_method() == "spawn"
    work = partial(PredictTask(model("cnn")).write, folder=tmp_path)
    assert local._work_to_send(work) is work
    sent = pickle.loads(pickle.dumps((work, source_reader(tmp_path))))
    (chunk,) = sent[1].chunks(0)
    assert sent[0](chunk).n_documents == 30


def test_a_process_that_was_not_prepared() -> None:
    with pytest.raises(RuntimeError, match="not prepared"):
        local._do_work(Chunk(Place(0, 0)))
