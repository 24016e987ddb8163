"""The local engine's processes."""

import os
import pickle
import sys
from pathlib import Path

import pytest
from served import TEXTS, model

from whyword.batch import local
from whyword.batch.chunks import Chunk, Place, Reading
from whyword.batch.folder import Folder, Rejects
from whyword.batch.tasks import Done, Predicting
from whyword.kernels import in_threads
from whyword.source import Record


class Which(Predicting):
    """Says which process did it, and in how many threads."""

    def write(self, chunk: Chunk, path: Path) -> Done:
        """Write that into the part's file."""
        parts: list[tuple[int, int]] = []
        in_threads(lambda first, last: parts.append((first, last)), 10)
        path.write_text(f"{os.getpid()} {len(parts)}")
        return Done(chunk.place, len(chunk.records), chunk.read)


def reading(tmp_path: Path) -> Reading:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "\n".join(TEXTS[:30]) + "\n,\n")
    return Reading.of(path)


def test_each_process_computes_in_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyword.batch.chunks.ROWS", 2)
    folder, task = Folder(tmp_path, {}, {Place(0, 3): 2}), Which(model("svm"))
    with Rejects(tmp_path) as rejects:
        found = list(local.run(task, reading(tmp_path), folder, rejects, False, 3))
    assert sorted(done.place.number for done in found) == [*range(3), *range(4, 15)]
    assert rejects.count == 1
    told = [path.read_text().split() for path in tmp_path.glob("part-*")]
    assert {threads for _, threads in told} == {"1"}
    assert os.getpid() not in {int(pid) for pid, _ in told}
    assert local._task is None


def test_elsewhere_processes_begin_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are sent the task: it can be."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert local._context().get_start_method() == "spawn"
    task = Predicting(model("cnn"))
    assert local._sent(task) is task
    sent = pickle.loads(pickle.dumps((task, reading(tmp_path))))
    (chunk,) = sent[1].chunks(0)
    assert sent[0].write(chunk, tmp_path / "part.parquet").documents == 30


def test_a_process_that_was_not_prepared() -> None:
    with pytest.raises(RuntimeError, match="not prepared"):
        local._work(Chunk(Place(0, 0), [Record("1", "x", None, None)]), Path("nowhere"))
