"""Work that goes on beside other work."""

import subprocess
import sys
import threading

import pytest

from whyword.reports.background import Background


def test_it_goes_on_meanwhile() -> None:
    go = threading.Event()
    work = Background(lambda: go.wait(30) and "done")
    go.set()
    assert work.result() == "done"
    assert work.result() == "done"


def test_what_it_raises_is_raised() -> None:
    def fail() -> None:
        raise KeyError("lost")

    work = Background(fail)
    with pytest.raises(KeyError, match="lost"):
        work.result()


def test_it_does_not_keep_the_process() -> None:
    code = (
        "import time\n"
        "from whyword.reports.background import Background\n"
        "Background(lambda: time.sleep(3_600))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
