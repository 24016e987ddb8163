"""What is heard of a long computation, and what a terminal of the test's own shows of it."""

import os
import pty
import re
import subprocess
import sys

import pytest

from whyword.base.errors import InputError
from whyword.base.progress import OnProgress, Progress, progress_bar, reporting

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
