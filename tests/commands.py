"""The command line as a user runs it: a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Write = Callable[[str, "str | bytes"], Path]  # the fixture `write`


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run ``whyword ARGUMENTS`` and return its exit code and what it printed."""
    command = [sys.executable, "-m", "whyword", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
