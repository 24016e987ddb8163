"""The local engine's processes, and what is done without them."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import psutil
import pytest
from streams import FORK

from whyword import InputError, WhywordError
from whyword.base.errors import Argument
from whyword.base.threads import in_threads
from whyword.batch import local
from whyword.batch.chunks import Chunk, Place
from whyword.batch.local import Workers


def which(chunk: Chunk) -> tuple[int, int, int]:
    """Return which chunk it is, which process has it, and in how many threads that computes."""
    parts: list[tuple[int, int]] = []
    in_threads(lambda first, last: parts.append((first, last)), 10)
    return chunk.place.number, os.getpid(), len(parts)


def some(count: int) -> Iterator[Chunk]:
    return (Chunk(Place(0, number)) for number in range(count))


def do(work: Callable[[Chunk], Any], count: int, workers: int = 2) -> list[Any]:
    with Workers(workers) as pool:
        return list(pool.run(work, some(count)))


def test_each_process_computes_in_one_thread() -> None:
    results = do(which, 15, 3)
    assert sorted(number for number, _, _ in results) == list(range(15))
    assert {threads for _, _, threads in results} == {1}
    assert os.getpid() not in {pid for _, pid, _ in results}


def test_a_single_chunk_is_worked_on_here_as_it_would_be_there() -> None:
    assert do(which, 1) == [(0, os.getpid(), 1)]
    assert do(which, 0) == []


def test_few_chunks_are_read_ahead() -> None:
    read: list[int] = []

    def chunks() -> Iterator[Chunk]:
        for number in range(60):
            read.append(number)
            yield Chunk(Place(0, number))

    with Workers(2) as pool:
        for done, _ in enumerate(pool.run(which, chunks())):
            assert len(read) <= done + 8


def test_no_more_processes_than_chunks() -> None:
    with Workers(50) as pool:
        pool.warm_up(2)
        assert len(pool._all) == 2
        list(pool.run(which, some(3)))
        assert len(pool._all) <= 3
    assert all(process._process.returncode == 0 for process in pool._all)


def test_results_that_nobody_waits_for_are_kept() -> None:
    """As those are that processes still work on when a run is interrupted."""
    kept: list[tuple[int, int, int]] = []
    with Workers(2) as pool:
        running = pool.run(which, some(100), on_result=kept.append)
        taken = [next(running) for _ in range(3)]
        running.close()  # type: ignore[attr-defined]
    assert set(taken) < set(kept)
    assert len(kept) < 12


def divide(chunk: Chunk) -> float:
    """Divide by the chunk's number."""
    return 1 / chunk.place.number


def refuse(chunk: Chunk) -> None:
    """Refuse a chunk, in words that depend on who reads them."""
    raise InputError("say ", Argument("resume", True))


class OddError(Exception):
    """Cannot be put together again."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"odd {one} {other}")


def be_odd(chunk: Chunk) -> None:
    """Raise what cannot be sent."""
    raise OddError(1, 2)


def test_errors_of_the_reader_and_of_workers_are_raised() -> None:
    def chunks() -> Iterator[Chunk]:
        yield from some(2)
        raise InterruptedError

    with Workers(2) as pool, pytest.raises(InterruptedError):
        list(pool.run(which, chunks()))
    with pytest.raises(ZeroDivisionError) as zero:
        do(divide, 2)
    assert "in divide" in zero.value.__notes__[0]  # where it was
    with pytest.raises(InputError, match="say resume=True") as refused:
        do(refuse, 2)
    assert refused.value.arguments == ["resume"]
    with pytest.raises(WhywordError, match=r"the work failed \(OddError: odd 1 2\)"):
        do(be_odd, 2)


def noisy(chunk: Chunk) -> tuple[int, str]:
    """Print, and read what there is to read."""
    print("a line of the model")
    os.write(1, b"and one more\n")
    return chunk.place.number, sys.stdin.read()


def test_what_the_work_prints_breaks_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert sorted(do(noisy, 4)) == [(number, "") for number in range(4)]
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("a line of the model") == err.count("and one more") == 4


def test_what_a_python_prints_at_its_start_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('a line of the site')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    results = do(which, 4)
    assert os.getpid() not in {pid for _, pid, _ in results}
    out, err = capfd.readouterr()
    assert out == ""
    assert "a line of the site" in err


PRINTS = """
import os, sys, time
from pathlib import Path
from whyword.batch.chunks import Chunk, Place
from whyword.batch.local import Workers

def work(chunk):
    print("a line of the model", flush=True)
    print("another", file=sys.stderr, flush=True)
    return os.getpid()

def hang(chunk):
    Path(f"{chunk.place.number}.begun").touch()
    time.sleep(600)

def run(work):
    with Workers(2) as pool:
        return list(pool.run(work, (Chunk(Place(0, number)) for number in range(4))))
"""


def test_a_model_may_print_where_stderr_is_closed(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(PRINTS)
    code = "import os; os.close(2); import prints; print(os.getpid(), *prints.run(prints.work))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    own, *others = done.stdout.split()
    assert len(others) == 4
    assert own not in others


def test_a_second_interrupt_does_not_wait_for_a_model_that_hangs(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(PRINTS)
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "import prints; prints.run(prints.hang)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        while len(list(tmp_path.glob("*.begun"))) < 2:
            assert process.poll() is None
            time.sleep(0.05)
        children = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGINT)
        assert "what is begun is being finished" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == -signal.SIGINT
        assert "KeyboardInterrupt" in process.stderr.read()
        assert not any(child.is_running() for child in children)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def die(chunk: Chunk) -> None:
    """End the process as the system does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies() -> None:
    with pytest.raises(WhywordError, match=r"a process ended .* say resume=True, with fewer work"):
        do(die, 5)


class Holding:
    """Work with an array, a class that some other process may be able to load."""

    def __init__(self, array: Any) -> None:  # noqa: ANN401 - whatever is to be held
        self.array = array

    def __call__(self, chunk: Chunk) -> tuple[float, int]:
        """Return the array's sum, and how many bytes of memory are no file's."""
        total = float(self.array.sum())
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
        (own,) = (line.split()[1] for line in lines if line.startswith("Anonymous"))
        return total, 1024 * int(own)


def test_the_model_is_in_memory_once() -> None:
    array = np.ones((200, 1 << 18), np.float32)  # 200 MB
    results = do(Holding(array), 6)
    assert {total for total, _ in results} == {array.sum()}
    assert max(own for _, own in results) < 190 << 20  # of which Python and numba take 60


class Unloadable(Holding):
    """Cannot be loaded elsewhere."""

    def __reduce__(self) -> Any:  # noqa: ANN401 - as pickle wants it
        return _only_here, (os.getpid(), self.array)


def _only_here(pid: int, array: Any) -> Unloadable:  # noqa: ANN401 - as above
    if pid != os.getpid():
        raise LookupError("nothing of\nthat name")
    return Unloadable(array)


def test_work_that_no_process_can_have_is_done_here(caplog: pytest.LogCaptureFixture) -> None:
    assert do(lambda chunk: which(chunk)[1:], 3) == [(os.getpid(), 1)] * 3
    assert [total for total, _ in do(Unloadable(np.ones(3)), 3)] == [3.0] * 3
    for record in caplog.records:
        assert record.levelno == logging.WARNING
        assert "so this one does all the work" in record.getMessage()
        assert len(record.getMessage().splitlines()) == 1
    assert len(caplog.records) == 2


def test_a_python_that_cannot_begin_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("executable", None), ("frozen", True)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, name, value, raising=False)
            assert [pid for _, pid, _ in do(which, 3)] == [os.getpid()] * 3


def test_no_process_can_be_begun(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Workers(2) as pool:
        pool.warm_up(3)
        assert [pid for _, pid, _ in pool.run(which, some(3))] == [os.getpid()] * 3
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.startswith("no process can be begun (No such file or directory), so this one")


def test_no_more_processes_can_be_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workers(3) as pool:
        pool.warm_up(2)
        pool._idle.get().dismiss()
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        results = list(pool.run(which, some(6)))
    assert len(results) == 6
    assert len({pid for _, pid, _ in results}) == 1


def test_no_room_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(WhywordError, match="there is no place for temporary files"):
        Workers(2)


def test_processes_end_with_the_block() -> None:
    before = set(psutil.Process().children())
    with Workers(3) as pool:
        pool.warm_up(3)
        begun = set(psutil.Process().children()) - before
        assert len(begun) == 3
    assert not any(process.is_running() for process in begun)

    def interrupted() -> None:
        with Workers(2) as pool:
            pool.warm_up(2)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        interrupted()
    assert set(psutil.Process().children()) <= before


def test_a_copy_of_this_process_keeps_nobody_waiting() -> None:
    """It has the connections that the processes read from, so that these see no end."""
    with Workers(2) as pool:
        pool.warm_up(2)
        copy = FORK.Process(target=time.sleep, args=(100,))
        copy.start()
        assert len(list(pool.run(which, some(4)))) == 4
    try:
        assert copy.is_alive()
        assert all(process._process.returncode == 0 for process in pool._all)
    finally:
        copy.kill()
        copy.join()


class Unending(Holding):
    """Leaves a thread behind, without which no Python ends."""

    def __call__(self, chunk: Chunk) -> tuple[float, int]:
        """Begin a thread."""
        Thread(target=time.sleep, args=(600,)).start()
        return 0.0, chunk.place.number


def test_processes_that_do_not_end_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_PATIENCE", 0.2)
    with Workers(2) as pool:
        assert len(list(pool.run(Unending(None), some(4)))) == 4
    assert -signal.SIGKILL in {process._process.returncode for process in pool._all}


def test_python_is_begun_as_this_one_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "warnoptions", ["error::UserWarning"])
    monkeypatch.setattr(sys, "_xoptions", {"dev": True, "importtime": "0"})
    flags = local._python_flags()
    assert flags[0] == "-P"
    assert {"-Werror::UserWarning", "-Xdev", "-Ximporttime=0"} <= set(flags)
