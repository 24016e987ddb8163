"""How a command begins and ends: Ctrl-C at any moment, streams that are closed, full or broken."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import Write

ROOT = Path(__file__).parents[2]
IMPORTED = re.compile(
    r"^import time: .*\|\s*whyword\.(?!__main__)"
)  # the first that the command imports


def script() -> list[str]:
    """Return what the script does that pip writes."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["whyword"].partition(":")
    return ["-c", f"import sys; from {module} import {name}; sys.exit({name}())"]


def interrupted_after(command: list[str], count: int | None) -> tuple[int, list[str], int]:
    """Run, with Ctrl-C after so many imports; return the code, what was said, and the imports.

    Imports are the clock, so that the moment does not depend on how fast the machine is. It starts
    when the command imports its first: before that there is only Python, which nobody can help.
    """
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests may ignore it
    )
    assert process.stderr is not None
    assert process.stdout is not None
    said, imports, started = [], 0, False
    for line in process.stderr:
        if not line.startswith("import time: "):
            said.append(line)
        started = started or IMPORTED.match(line) is not None
        imports += started
        if imports == count and started:
            process.send_signal(signal.SIGINT)
            count = None
    process.stdout.read()
    with process:
        return process.wait(), said, imports


@pytest.mark.slow(reason="thirty processes that import everything")
@pytest.mark.parametrize("way", [["-m", "whyword"], script()], ids=["module", "script"])
def test_ctrl_c_at_any_moment_is_one_line(way: list[str], write: Write) -> None:
    path = write("a.csv", "text,label\na,b\nc,d\n")
    command = [sys.executable, "-X", "importtime", *way, "corpus", str(path)]
    code, said, imports = interrupted_after(command, None)
    assert code == 0
    assert imports > 300
    codes = []
    for moment in range(1, imports, imports // 14):
        code, said, _ = interrupted_after(command, moment)
        assert code in (0, 130), said
        assert "Traceback" not in "".join(said)
        assert code == 0 or said[-1:] == ["interrupted\n"], (moment, said)
        codes.append(code)
    assert len(codes) >= 12
    assert codes.count(130) >= 9  # the last ones may be too late


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({}, "10000"),
        ({"GOMP_SPINCOUNT": "7"}, "7"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "None"),
    ],
)
def test_threads_that_wait_leave_the_cores_to_others(given: dict[str, str], used: str) -> None:
    code = (
        "import os, sys; from whyword.__main__ import main; sys.argv = ['whyword', '--version'];"
        "main(); print(os.environ.get('GOMP_SPINCOUNT'), 'torch' in sys.modules)"
    )
    names = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
    environment = {name: one for name, one in os.environ.items() if name not in names} | given
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines()[-1] == f"{used} False"


def test_ctrl_c_is_left_to_those_who_ignore_it(write: Write) -> None:
    path = write("a.csv", "text,label\na,b\n")
    command = [sys.executable, "-X", "importtime", "-m", "whyword", "corpus", str(path)]
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    code, said, _ = interrupted_after(command, 20)
    assert (code, "".join(said).count("interrupted")) == (0, 0)


SHELL = [sys.executable, "-m", "whyword"]


def shell(line: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which ``whyword`` is the command."""
    function = f'whyword() {{ {" ".join(SHELL)} "$@"; }}; {line}'
    command = ["bash", "-c", function, "bash", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-"])
@pytest.mark.parametrize("good", [True, False])
def test_streams_that_are_closed(write: Write, closed: str, good: bool, tmp_path: Path) -> None:
    path = write("a.csv", "text,label\na,b\n" if good else "text,label\na\n")
    done = shell(f'whyword corpus "$1" {closed}', path)
    assert done.returncode == (0 if good else 1)
    assert "Traceback" not in done.stderr + done.stdout
    assert ("error: " in done.stderr) == (not good and "2>" not in closed)
    assert path.read_text().startswith("text,label\na")


def test_a_file_is_not_given_the_number_of_a_closed_stream(
    folder: Path, write: Write, tmp_path: Path
) -> None:
    path = write("a.csv", "text\norbit\n")
    done = shell('whyword explain "$1" "$2" --out "$3" >&- 2>&-', folder, path, tmp_path / "a.html")
    assert done.returncode == 0
    assert (tmp_path / "a.html").read_text().startswith("<!")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ('whyword corpus "$1" >/dev/full', 1, "error: [Errno 28] No space left on device\n"),
        ("whyword --help >/dev/full", 1, "error: [Errno 28] No space left on device\n"),
        ("whyword --version >/dev/full", 1, "error: [Errno 28] No space left on device\n"),
        ('whyword corpus "$1" 2>/dev/full >/dev/null', 0, ""),
        ("whyword corpus nowhere.csv 2>/dev/full", 1, ""),
        ("whyword nonsense 2>/dev/full", 1, ""),
        ('whyword corpus "$1" >/dev/full 2>/dev/full', 1, ""),
        ('whyword corpus "$1" | true; exit ${PIPESTATUS[1]}', 0, ""),
        ("whyword --help | head -1 >/dev/null; exit ${PIPESTATUS[1]}", 0, ""),
    ],
)
def test_streams_that_are_full_or_broken(line: str, code: int, said: str, write: Write) -> None:
    path = write("a.csv", "text,label\na,b\n")
    done = shell(line, path)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    errors = [line for line in done.stderr.splitlines(True) if not line.startswith(str(path))]
    assert (done.returncode, "".join(errors)) == (code, said)
