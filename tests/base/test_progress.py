"""What a terminal shows while one waits, seen through a terminal of the test's own."""

import os
import pty
import subprocess
import sys

CODE = """
import time
from whyword.base.progress import counted, stages, steps
from whyword.base.progress import Step
with steps() as tell:
    tell(Step("training CNN2", 3, 40, False, 125.0))
    time.sleep(0.3)
with stages() as tell:
    tell("word deletion")
    time.sleep(0.3)
assert list(counted(range(120), "documents")) == list(range(120))
"""


def test_a_pipe_sees_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_terminal_sees_the_step_and_the_time_left() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", CODE], stderr=theirs)
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
    assert b"training CNN2" in shown
    assert b"2/40" in shown
    assert b"about 2:05 left" in shown
    assert b"word deletion" in shown
