"""Progress: a bar on a terminal, lines in a pipe if a command asks for them, else nothing."""

import io
import os
import pty
import subprocess
import sys
import threading
import time

import pytest

from whyword.base.errors import InputError
from whyword.base.progress import (
    Lines,
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
for number in counted(range(120), "reading"):
    time.sleep(0.005)
"""


@pytest.mark.slow(reason="waits for bars")
def test_a_pipe_gets_nothing_and_a_terminal_the_stage_and_the_time_left() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
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
    assert b"reading  100 documents" in shown


def test_when_a_bar_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: Patch) -> None:
    cases = [(None, False, False), (None, True, True), (True, False, True), (False, True, False)]
    for on_progress, terminal, shown in cases:
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with reporting(on_progress, "preparing") as report:
            report(Progress("training [/red]", share=0.5))  # markup is shown as it is
        assert ("50%  training [/red]" in capsys.readouterr().err) == shown


def test_a_function_is_called_instead_of_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Progress] = []
    with reporting(events.append, "preparing") as report:
        report(Progress("training", number=1, total=2))
    assert events == [Progress("training", number=1, total=2)]
    assert list(counted(range(3), "reading")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    wrong: object = "yes"
    with (
        pytest.raises(InputError, match="on_progress takes a function, True, False or None"),
        reporting(wrong, "preparing"),  # type: ignore[arg-type]
    ):
        pass


# ---- lines in a pipe -------------------------------------------------------------------------


def test_lines_report_the_innermost_stage() -> None:
    now = 100.0
    lines = Lines(clock=lambda: now)
    assert lines.line() == ""
    first, second = (Progress("reading", n_documents=n, share=n / 5_000) for n in (1_000, 2_500))
    with lines.during("train: at work"), lines.during("preparing") as report:
        for event, expected in (
            (None, "preparing, 0:15 so far"),
            (first, "20%  reading  1,000 documents, 0:30 so far"),
            (second, "50%  reading  2,500 documents  100/s, 0:45 so far, about 0:25 left"),
            (None, "50%  reading  2,500 documents  100/s, 1:00 so far, about 0:10 left"),
            (
                Progress("training", number=3, total=40, seconds_left=4_000.0),
                "3/40  training, 1:15 so far, about 1:06:40 left",
            ),
            (Progress("epochs", share=0.1), "10%  epochs, 1:30 so far"),  # a pace of its own
            (Progress("epochs", share=0.2), "20%  epochs, 1:45 so far, about 2:00 left"),
            (Progress("\x1b[31m\nb", metrics={"loss": 0.5}), "␛[31m·b  loss 0.500, 2:00 so far"),
        ):
            now += 15
            if event is not None:
                report(event)
            assert lines.line() == expected
    with lines.during("train"):
        assert lines.line() == "train, 2:00 so far"


class Stream(io.StringIO):
    """A stderr that signals each line, and which is not a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Event()

    def flush(self) -> None:
        if self.getvalue().endswith("\n"):
            self.line.set()


def replace_stderr(monkeypatch: Patch) -> Stream:
    stream = Stream()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.01")
    return stream


def test_a_command_in_a_pipe_writes_lines(monkeypatch: Patch) -> None:
    stream = replace_stderr(monkeypatch)
    with lines_in_a_pipe("train: at work"):
        assert stream.line.wait(60)
        stream.line.clear()
        with reporting(None, "preparing") as report:
            report(Progress("training", share=0.5))
            while "50%  training, 0:0" not in stream.getvalue():
                assert stream.line.wait(60)
                stream.line.clear()
    assert stream.getvalue().startswith("train: at work, 0:00 so far\n")
    with lines_in_a_pipe(None), progress_bar("preparing"):
        stream.line.clear()
        assert stream.line.wait(60)
    assert "preparing, 0:00 so far" in stream.getvalue()


def test_nothing_else_writes_lines(monkeypatch: Patch) -> None:
    stream = replace_stderr(monkeypatch)
    with reporting(None, "a library call") as report, progress_bar("more"):
        report(Progress("training", share=0.5))
        assert not stream.line.wait(0.05)
    with lines_in_a_pipe(None), reporting(False, "preparing"):
        assert not stream.line.wait(0.05)
    monkeypatch.setenv("WHYWORD_PROGRESS", "0")
    with lines_in_a_pipe("train"):
        assert not stream.line.wait(0.05)
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.01")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    with lines_in_a_pipe("train"):
        assert not stream.line.wait(0.05)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("wrong", ["x", "-1", "nan", "inf", "1e9", "\x1b[31m"])
def test_wrong_numbers_of_seconds(wrong: str, monkeypatch: Patch) -> None:
    monkeypatch.setenv("WHYWORD_PROGRESS", wrong)
    with pytest.raises(InputError, match="WHYWORD_PROGRESS takes seconds"), lines_in_a_pipe("x"):
        pass


def test_a_stderr_that_takes_nothing(monkeypatch: Patch) -> None:
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.001")
    stream = io.StringIO()
    for stderr in (stream, None):
        monkeypatch.setattr("sys.stderr", stderr)
        with lines_in_a_pipe("work"):
            stream.close()
            time.sleep(0.01)  # an error in the thread that writes would fail the test
    with progress_bar("working", shown=True) as report:
        report(Progress(share=0.5))
