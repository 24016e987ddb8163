"""What is heard of a long computation, and what a terminal of the test's own shows of it."""

import io
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from whyword.base.errors import InputError
from whyword.base.progress import (
    Lines,
    OnProgress,
    Progress,
    counted,
    lines_in_a_pipe,
    progress_bar,
    reporting,
)

Patch = pytest.MonkeyPatch

CODE = """
import time
from whyword.base.progress import Progress, counted, progress_bar
with progress_bar("getting the posts") as report:
    time.sleep(0.2)
    report(Progress("training CNN2", share=0.05, number=3, total=40, seconds_left=125.0))
    time.sleep(0.3)
with progress_bar("preparing") as report:
    report(Progress("word deletion"))
    time.sleep(0.3)
with progress_bar("preparing") as report:
    report(Progress("explaining", n_documents=1_000, share=0.25))
    time.sleep(1.0)
    report(Progress("explaining", n_documents=3_000, share=0.5))
    time.sleep(0.3)
with progress_bar("training") as report:
    report(Progress("training", share=0.2, number=1, total=5, metrics={"loss": 0.5}))
    time.sleep(0.3)

def slow():
    for number in range(120):
        time.sleep(0.005)
        yield number

assert list(counted(slow(), "reading")) == list(range(120))
"""


@pytest.mark.slow(reason="waits for bars")
def test_a_pipe_sees_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.slow(reason="waits for bars")
def test_a_terminal_sees_the_stage_and_the_time_left() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stderr=theirs, env=os.environ | {"COLUMNS": "120"}
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        shown += read
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"getting the posts" in shown
    assert b"3/40  training CNN2" in shown
    assert b"about 2:05 left" in shown
    assert b"word deletion" in shown
    assert b" 25%  explaining  1,000 documents" in shown
    assert b" 50%  explaining  3,000 documents  " in shown  # and how many in a second
    assert re.search(rb"3,000 documents .*about 0:0\d left", shown)
    assert b"1/5  training  loss 0.500" in shown
    assert b"reading  100 documents" in shown


@pytest.mark.parametrize(
    ("on_progress", "terminal", "shown"),
    [
        (None, False, False),
        (None, True, True),
        (True, False, True),
        (False, True, False),
    ],
)
def test_who_sees_a_bar(
    on_progress: bool | None,
    terminal: bool,
    shown: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with reporting(on_progress, "preparing") as report:
        report(Progress("training", share=0.5))
    assert ("50%  training" in capsys.readouterr().err) == shown


def test_a_function_is_called_instead_of_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Progress] = []
    listener: OnProgress = events.append
    with reporting(listener, "preparing") as report:
        report(Progress("training", number=1, total=2))
    assert events == [Progress("training", number=1, total=2)]
    assert capsys.readouterr().err == ""


def test_what_cannot_listen_is_refused() -> None:
    wrong: object = "yes"
    with (
        pytest.raises(InputError, match="on_progress takes a function, True, False or None"),
        reporting(wrong, "preparing"),  # type: ignore[arg-type]
    ):
        pass


def test_markup_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("preparing", shown=True) as report:
        report(Progress("explanatory power: [/red] mine"))
    assert "[/red] mine" in capsys.readouterr().err


@pytest.mark.parametrize("shown", [None, True])
def test_a_process_without_stderr(shown: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    with progress_bar("working", shown) as report:
        report(Progress(share=0.5))


# ---- lines in a pipe -------------------------------------------------------------------------


class Clock:
    """A clock that goes on by what is waited for; something is done before each wait ends."""

    def __init__(self) -> None:
        self.now = 100.0
        self.then: list[Callable[[], object]] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        if not self.then:
            return True
        self.now += seconds
        self.then.pop(0)()
        return False


def nothing() -> None:
    pass


def test_a_line_every_fifteen_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = Lines(clock=clock)
    with lines.during("train: at work"), lines.during("preparing") as report:
        clock.then = [
            nothing,
            lambda: report(Progress("explaining", n_documents=1_000, share=0.25)),
            lambda: report(Progress("explaining", n_documents=2_500, share=0.5)),
            nothing,
            lambda: report(Progress("training", number=3, total=40, seconds_left=4_000.0)),
            lambda: report(Progress("a\x1b[31m\nb", metrics={"loss": 0.5})),
        ]
        lines.write(clock.wait)
    assert capsys.readouterr().err.splitlines() == [
        "preparing, 0:15 so far",
        "25%  explaining  1,000 documents, 0:30 so far",
        "50%  explaining  2,500 documents  100/s, 0:45 so far, about 0:30 left",
        "50%  explaining  2,500 documents  100/s, 1:00 so far, about 0:15 left",
        "3/40  training, 1:15 so far, about 1:06:40 left",
        "a␛[31m·b  loss 0.500, 1:30 so far",
    ]


def test_a_second_stage_has_a_pace_of_its_own() -> None:
    clock = Clock()
    lines = Lines(clock=clock)
    with lines.during("training") as report:
        for share in (0.0, 0.5, 1.0):  # of the vectors, slow
            report(Progress("vectors", share=share))
            clock.now += 500
        report(Progress("epochs", share=0.1))
        clock.now += 10
        report(Progress("epochs", share=0.2))
        assert lines.line() == "20%  epochs, 25:10 so far, about 1:20 left"


def test_the_innermost_stage_is_spoken_of() -> None:
    lines = Lines(clock=Clock())
    assert lines.line() == ""
    with lines.during("outer"):
        with lines.during("inner"):
            assert lines.line() == "inner, 0:00 so far"
        assert lines.line() == "outer, 0:00 so far"
    assert lines.line() == ""


class Heard(io.StringIO):
    """A stderr that says when there is a line, and which is not a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Event()

    def flush(self) -> None:
        if self.getvalue().endswith("\n"):
            self.line.set()


def listen(monkeypatch: Patch) -> Heard:
    stream = Heard()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.01")
    return stream


def writers() -> int:
    return sum("Lines" in repr(getattr(one, "_target", "")) for one in threading.enumerate())


def test_a_command_in_a_pipe_is_heard_of(monkeypatch: Patch) -> None:
    heard = listen(monkeypatch)
    with lines_in_a_pipe("train: at work"):
        assert heard.line.wait(60)
        heard.line.clear()
        with reporting(None, "preparing") as report:
            report(Progress("training", share=0.5))
            while "50%  training, 0:0" not in heard.getvalue():
                assert heard.line.wait(60)
                heard.line.clear()
    assert heard.getvalue().startswith("train: at work, 0:00 so far\n")


def test_a_command_without_an_end_is_heard_of_while_it_prepares(monkeypatch: Patch) -> None:
    heard = listen(monkeypatch)
    with lines_in_a_pipe(None):
        before = writers()
        assert list(counted(range(3), "reading")) == [0, 1, 2]
        with progress_bar("preparing"):
            assert writers() == before + 1
            assert heard.line.wait(60)
    assert set(line.partition(",")[0] for line in heard.getvalue().splitlines()) <= {
        "reading",
        "preparing",
    }
    assert "preparing" in heard.getvalue()


def test_library_calls_are_silent_in_a_pipe(monkeypatch: Patch) -> None:
    heard = listen(monkeypatch)
    with lines_in_a_pipe("before"):
        pass
    before = writers()
    with reporting(None, "preparing") as report, progress_bar("more"):
        report(Progress("training", share=0.5))
        assert writers() == before
    with lines_in_a_pipe("x"), reporting(False, "preparing"):  # who wants none has none
        pass
    assert "preparing" not in heard.getvalue()


@pytest.mark.parametrize(("seconds", "terminal"), [("0", False), ("15", True)])
def test_no_lines(seconds: str, terminal: bool, monkeypatch: Patch) -> None:
    heard = listen(monkeypatch)
    monkeypatch.setenv("WHYWORD_PROGRESS", seconds)
    monkeypatch.setattr(heard, "isatty", lambda: terminal)
    before = writers()
    with lines_in_a_pipe("train"):
        assert writers() == before


@pytest.mark.parametrize("wrong", ["x", "-1", "nan", "inf", "1e9", "\x1b[31m"])
def test_seconds_that_are_none(wrong: str, monkeypatch: Patch) -> None:
    monkeypatch.setenv("WHYWORD_PROGRESS", wrong)
    with pytest.raises(InputError, match="WHYWORD_PROGRESS takes seconds"), lines_in_a_pipe("x"):
        pass


def test_a_stderr_that_takes_nothing(monkeypatch: Patch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr("sys.stderr", stream)
        clock = Clock()
        lines = Lines(clock=clock)
        clock.then = [nothing, nothing]
        with lines.during("work"):
            lines.write(clock.wait)
        assert clock.now == 130
