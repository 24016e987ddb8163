"""Processes that work on chunks, what they are sent and answer, and what is done without them."""

import gc
import io
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import chunk_work
import numpy as np
import psutil
import pytest
from chunk_work import Holding, describe, fail, never_end

from whyword import InputError, WhywordError
from whyword.base.errors import Argument
from whyword.batch import local, worker
from whyword.batch.chunks import Chunk, Place
from whyword.batch.local import Workers
from whyword.batch.worker import Raised, Returned, pack, receive, send, serve, unpack


def some(count: int, first: int = 0) -> Iterator[Chunk]:
    return (Chunk(Place(0, number)) for number in range(first, first + count))


def do(work: Callable[[Chunk], Any], count: int, workers: int = 2) -> list[Any]:
    with Workers(workers) as pool:
        return list(pool.run(work, some(count)))


# ---- with processes -----------------------------------------------------------------------------


def test_processes_share_the_work(capfd: pytest.CaptureFixture[str]) -> None:
    """Each computes in one thread; what it prints, as a model may, goes to stderr."""
    read, kept, before = list[int](), list[Any](), set(psutil.Process().children())

    def chunks() -> Iterator[Chunk]:
        for chunk in some(20):
            read.append(chunk.place.number)
            yield chunk

    results = []
    with Workers(2) as pool:
        pool.warm_up(50)
        begun = set(psutil.Process().children()) - before
        work = Holding(np.arange(5.0))
        for result in pool.run(work, chunks(), on_result=kept.append):
            results.append(result)
            assert len(read) < len(results) + 2 * (1 + 2)  # two wait for each process
    assert sorted(number for number, *_ in results) == list(range(20))
    assert sorted(kept) == sorted(results)
    assert {total for _, total, _ in results} == {10.0}
    states = [state for *_, state in results]
    assert {state["pid"] for state in states} == {process.pid for process in begun}
    assert len(begun) == 2
    assert {(one["threads"], one["OMP_NUM_THREADS"], one["stdin"]) for one in states} == {
        (1, "1", "")
    }
    assert not any(process.is_running() for process in begun)  # they ended with the block
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("printed by the model") == err.count("written by the model") == 20


def test_what_work_raises_is_raised_here() -> None:
    with Workers(1) as pool, pytest.raises(ZeroDivisionError) as zero:
        list(pool.run(fail, some(2)))
    assert "in fail" in zero.value.__notes__[0]  # where it was


@pytest.mark.slow(reason="holds hundreds of megabytes")
def test_the_model_is_in_memory_once() -> None:
    array = np.ones((200, 1 << 18), np.float32)  # 200 MB
    results = do(Holding(array), 6)
    assert {total for _, total, _ in results} == {array.sum()}
    assert max(state["memory"] for *_, state in results) < 190 << 20  # of which Python takes 60


def in_a_script(code: str, *arguments: str, **how: Any) -> "subprocess.Popen[str]":  # noqa: ANN401
    """Start a Python that finds the work."""
    tests = str(Path(chunk_work.__file__).parent)
    lines = f"import sys; sys.path.insert(0, {tests!r}); from chunk_work import *\n"
    lines += "from whyword.batch.chunks import Place\nfrom whyword.batch.local import Workers\n"
    lines += "chunks = (Chunk(Place(0, number)) for number in range(4))\n"
    return subprocess.Popen([sys.executable, "-c", lines + code, *arguments], text=True, **how)


@pytest.mark.slow(reason="starts processes")
def test_a_second_interrupt_does_not_wait_for_a_model_that_hangs(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "with Workers(2) as pool:\n    list(pool.run(hang, chunks))"
    process = in_a_script(code, cwd=tmp_path, stderr=subprocess.PIPE)
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


@pytest.mark.slow(reason="starts processes")
def test_processes_that_do_not_end_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_PATIENCE", 0.2)
    before = set(psutil.Process().children())
    with Workers(2) as pool:
        assert sorted(pool.run(never_end, some(4))) == [0, 1, 2, 3]
        begun = set(psutil.Process().children()) - before
    assert begun
    assert not any(process.is_running() for process in begun)


# ---- without processes --------------------------------------------------------------------------


def test_a_single_chunk_is_worked_on_here() -> None:
    assert do(describe, 1) == [(0, os.getpid(), 1)]
    assert do(describe, 0) == []


@pytest.mark.parametrize("python", ["", None, "/nowhere/python"])
def test_where_no_process_can_be_begun_all_work_is_done_here(
    python: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    kept: list[Any] = []
    with Workers(2) as pool:
        pool.warm_up(3)
        results = list(pool.run(describe, some(3), on_result=kept.append))
    assert results == kept == [(number, os.getpid(), 1) for number in range(3)]
    messages = [record.getMessage() for record in caplog.records]
    assert messages == (
        [
            "no process can be begun (No such file or directory), so this one does all the work",
        ]
        if python
        else []
    )


def test_work_that_cannot_be_sent_is_done_here(caplog: pytest.LogCaptureFixture) -> None:
    assert do(lambda chunk: (chunk.place.number, os.getpid()), 3) == [
        (number, os.getpid()) for number in range(3)
    ]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith(
        "the model cannot be sent to other processes, so this one does all the work: its class, or "
        "function, must stand in a module that they can import ("
    )
    assert len(record.getMessage().splitlines()) == 1


def test_a_process_that_ends_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    message = r"a process ended .* what is done is kept: say resume=True, with fewer workers"
    with pytest.raises(WhywordError, match=message):
        do(describe, 2)


def test_no_place_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(WhywordError, match="there is no place for temporary files"):
        Workers(2)


def test_python_is_begun_as_this_one_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "warnoptions", ["error::UserWarning"])
    monkeypatch.setattr(sys, "_xoptions", {"dev": True, "importtime": "0"})
    with pytest.raises(WhywordError, match="a process ended"):
        do(describe, 2)
    arguments = (tmp_path / "arguments").read_text().split()
    assert arguments[0] == "-P"  # the current folder is searched only if it is searched here
    assert {"-Werror::UserWarning", "-Xdev", "-Ximporttime=0"} <= set(arguments)


# ---- what a process is sent, and what it answers ------------------------------------------------


class Work:
    """Holds arrays of several kinds."""

    def __init__(self) -> None:
        self.written = np.arange(1_000, dtype=np.float32)
        self.fixed = np.arange(7)
        self.fixed.flags.writeable = False
        self.column_wise = np.asfortranarray(np.arange(12.0).reshape(3, 4))
        self.part = np.arange(20)[::3]
        self.none = np.empty((0, 5))

    def __call__(self, number: int) -> int:
        """Write to an array."""
        self.written[0] += number
        return int(self.written[0])


def test_arrays_are_those_that_were_sent_and_the_file_stays_as_it_is() -> None:
    work = Work()
    with tempfile.TemporaryFile() as file:
        sent = pack(work, file)
        assert len(sent.pickled) < 2_000
        assert all(start % 64 == 0 for start, _ in sent.spans)
        one, other = unpack(sent), unpack(sent)
        assert (one(3), one(4), other(1)) == (3, 7, 1)
    assert isinstance(one, Work)  # and the file is closed
    for name, array in vars(work).items():
        if name != "written":
            np.testing.assert_array_equal(getattr(one, name), array)
    assert not one.fixed.flags.writeable
    assert work.written[0] == 0


def test_work_without_arrays() -> None:
    with tempfile.TemporaryFile() as file:
        assert unpack(pack(len, file)) is len


def test_no_room_for_the_model() -> None:
    with (
        open("/dev/full", "wb", buffering=0) as file,
        pytest.raises(WhywordError, match=r"cannot be handed over in .* set TMPDIR"),
    ):
        pack(Work(), file)


def test_messages() -> None:
    stream = io.BytesIO()
    for message in ("two" * 100_000, 1, None):
        send(stream, message)
    whole = stream.getvalue()
    stream.seek(0)
    assert [receive(stream) for _ in range(3)] == ["two" * 100_000, 1, None]
    for end in (0, 3, 8, 9, 100):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole[:end]))


def test_answers() -> None:
    assert Returned(3).unwrap() == 3
    error = InputError("say ", Argument("top", 3))
    assert Raised.of(error).error is error
    assert not hasattr(error, "__notes__")
    with pytest.raises(InputError):
        Raised.of(error).unwrap()


class Broken:
    """Raises where it is loaded."""

    def __reduce__(self) -> Any:  # noqa: ANN401 - as pickle wants it
        return divmod, (1, 0)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Any]]]:
    """Do in this process what a worker does: return its answers to work and some chunks."""
    limited = list[bool]()
    monkeypatch.setattr(worker, "use_one_thread", lambda: limited.append(True))
    handler = signal.getsignal(signal.SIGINT)

    def answer(*messages: object, parent: int | None = None) -> list[Any]:
        limited.clear()
        found = []
        mine, its = socket.socketpair()
        with mine, mine.makefile("rwb") as stream, tempfile.TemporaryFile() as file:
            for at, message in enumerate(messages):
                send(stream, message if at or message is None else pack(message, file))  # type: ignore[arg-type]
            mine.shutdown(socket.SHUT_WR)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # as its parent begins it
            serve(os.getppid() if parent is None else parent, its.detach())
            assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
            written = io.BytesIO()
            with suppress(BlockingIOError):
                while part := mine.recv(1 << 16, socket.MSG_DONTWAIT):
                    written.write(part)
        written.seek(0)
        with suppress(EOFError):
            while True:
                found.append(receive(written))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # its parent decides
        assert len(limited) == (len(found) > 0 and isinstance(found[0], Returned))
        return found

    yield answer
    signal.signal(signal.SIGINT, handler)


@pytest.mark.filterwarnings("ignore:unclosed <socket")
def test_a_worker_answers_each_message(answers: Callable[..., list[Any]]) -> None:
    assert answers(abs, -3, 4, None, -5) == [Returned(), Returned(3), Returned(4)]
    assert answers(abs, -3) == [Returned(), Returned(3)]  # nobody sends any more
    assert answers(None) == answers() == []
    loaded, returned, raised = answers(abs, -3, "three")
    assert (loaded, returned) == (Returned(), Returned(3))
    with pytest.raises(TypeError, match="bad operand"):
        raised.unwrap()
    (raised,) = answers(Broken(), 1)
    with pytest.raises(ZeroDivisionError):
        raised.unwrap()
    gc.collect()  # the connections, which a worker leaves to its end


@pytest.mark.filterwarnings("ignore:unclosed <socket")
def test_a_worker_ends_with_its_parent(
    answers: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    answers(abs, -1)
    assert codes == []
    answers(abs, -1, parent=os.getpid())
    deadline = time.monotonic() + 10
    while not codes:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    assert codes == [1]
