"""What a study runs on."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from whyword.reports.machine import machine, peak_memory


@pytest.mark.slow(reason="starts a process")
def test_a_large_array_shows() -> None:
    """In a process of its own: beside this one's peak an array would have to be enormous.

    Its parent is a small one, for Linux counts what the parent held when the child was begun.
    """
    code = (
        "from whyword.reports.machine import peak_memory\n"
        "before = peak_memory()\n"
        "held = bytearray(b'x') * (64 << 20)\n"
        "print(peak_memory() - before)"
    )
    parent = (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
    )
    command = [sys.executable, "-c", parent, code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 32 << 20


def test_not_every_system_tells(uninstall: Callable[[str], None]) -> None:
    uninstall("resource")
    assert peak_memory() is None
    assert machine()


def test_cores_are_said() -> None:
    assert " cores" in machine()
