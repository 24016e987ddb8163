"""What only a process of its own shows: every command once, Ctrl-C, closed and broken streams."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import Write, run_process

pytestmark = pytest.mark.slow(reason="starts processes")
ROOT = Path(__file__).parents[2]
MODULE = [sys.executable, "-m", "whyword"]
IMPORTED = re.compile(r"^import time: .*\|\s*whyword\.(?!__main__)")  # the first by the command


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("corpus TEXTS", 0, "hockey"),
        ("vectors VECTORS --near orbit", 0, "near orbit"),
        ("base minilm-l6 --out TEXTS", 1, "exists and will not be written over"),
        ("train TEXTS --model svm --C 1 --out OUT", 0, "saved in"),
        ("model MODEL", 0, "identity"),
        ("predict MODEL -", 0, "space"),
        ("explain MODEL -", 0, "space (predicted)"),
        ("words MODEL TEXTS --top 3", 0, "relevance"),
        ("search MODEL TEXTS orbit", 0, "query"),
        ("map MODEL TEXTS --out OUT.html", 0, "written: "),
        ("evaluate MODEL TEXTS --methods lrp --steps 2 --runs 1 --splits 1", 0, "accuracy"),
        ("compare MODEL MODEL --corpus TEXTS --steps 2 --runs 1 --splits 1", 0, "accuracy"),
        ("suspects MODEL TEXTS", 0, "noise among"),
        ("what-if MODEL TEXTS --without orbit", 0, "predictions change"),
        ("strategies MODEL TEXTS --target space --most 1", 0, "documents are given space"),
        ("tour MODEL TEXTS --out OUT --limit 10", 0, "index.html"),
        ("reproduce --out TEXTS", 1, "is no folder"),
    ],
)
def test_every_command(
    call: str, code: int, said: str, folder: Path, topics: Path, tmp_path: Path
) -> None:
    known = {"TEXTS": f"{topics}/topics.csv", "VECTORS": f"{topics}/v.safetensors"}
    known |= {"MODEL": str(folder), "OUT": f"{tmp_path}/out", "OUT.html": f"{tmp_path}/out.html"}
    done = run_process(*(known.get(word, word) for word in call.split()), input="the moon orbit")
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_version_is_there_at_once() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "whyword", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("whyword ")
    assert "whyword.base.versions" in done.stderr
    assert "typer" not in done.stderr


# ---- signals ------------------------------------------------------------------------------------


def script() -> list[str]:
    """Return what the script does that pip writes."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["whyword"].partition(":")
    return [sys.executable, "-c", f"import sys; from {module} import {name}; sys.exit({name}())"]


def interrupted_after(command: list[str], count: int | None) -> tuple[int, list[str], int]:
    """Run, with Ctrl-C after so many imports; return the code, what was said, and the imports.

    Imports are the clock, so that the moment does not depend on how fast the machine is. It starts
    when the command imports its first: before that there is only Python, which nobody can help.
    """
    with begun([*command], stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        said, imports, started = [], 0, False
        for line in process.stderr:
            if not line.startswith("import time: "):
                said.append(line)
            started = started or IMPORTED.match(line) is not None
            imports += started
            if imports == count and started:
                process.send_signal(signal.SIGINT)
                count = None
        return process.wait(), said, imports


@contextmanager
def begun(command: list[str], stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Start a command that heeds Ctrl-C, whether the tests do or not."""
    with subprocess.Popen(
        command,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("way", [MODULE, script()], ids=["module", "script"])
def test_ctrl_c_at_any_moment_is_one_line(way: list[str], write: Write) -> None:
    path = write("a.csv", "text,label\na,b\nc,d\n")
    command = [way[0], "-X", "importtime", *way[1:], "corpus", str(path)]
    code, said, imports = interrupted_after(command, None)
    assert code == 0
    assert imports > 300
    for moment in (1, imports // 2):
        code, said, _ = interrupted_after(command, moment)
        assert (code, said[-1:]) == (130, ["interrupted\n"])
        assert "Traceback" not in "".join(said)


def test_ctrl_c_is_left_to_those_who_ignore_it(write: Write) -> None:
    path = write("a.csv", "text,label\na,b\n")
    command = [sys.executable, "-X", "importtime", "-m", "whyword", "corpus", str(path)]
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    code, said, _ = interrupted_after(command, 20)
    assert (code, "".join(said).count("interrupted")) == (0, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_says_how_to_go_on(
    number: signal.Signals, folder: Path, write: Write
) -> None:
    rows = (json.dumps({"text": f"moon orbit {n} " * 20}) for n in range(14_000))
    corpus = write("c.jsonl", "\n".join(rows))
    out = corpus.parent / "why"
    with begun([*MODULE, "explain", str(folder), str(corpus), "--out", str(out)]) as process:
        deadline = time.monotonic() + 60
        while not list(out.glob("part-*")):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "interrupted; what is done is kept in" in errors
    assert "--resume goes on" in errors
    assert "Traceback" not in errors


def test_training_that_is_stopped_leaves_no_model(
    topics: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.05")
    call = ("train", topics / "topics.csv", "--vectors", topics / "v.safetensors")
    how = ("--out", tmp_path / "half", "--epochs", 100_000, "--filters", 4)
    with begun([*MODULE, *map(str, (*call, *how))]) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "/100000" in line)
        assert line
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not list(tmp_path.iterdir())


# ---- streams ------------------------------------------------------------------------------------


def shell(line: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which ``whyword`` is the command."""
    function = f'whyword() {{ {shlex.join(MODULE)} "$@"; }}; {line}'
    command = ["bash", "-c", function, "bash", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


FULL = "error: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ('whyword corpus "$1" <&- >&- 2>&-', 0, ""),
        ("whyword corpus nowhere.csv 2>&-", 1, ""),
        ("whyword corpus nowhere.csv >&-", 1, "error: nowhere.csv: no such file or folder\n"),
        ('whyword corpus "$1" >/dev/full', 1, FULL),
        ("whyword --version >/dev/full", 1, FULL),
        ('whyword corpus "$1" 2>/dev/full >/dev/null', 0, ""),
        ("whyword nonsense 2>/dev/full", 1, ""),
        ('whyword corpus "$1" >/dev/full 2>/dev/full', 1, ""),
        ('whyword corpus "$1" | true; exit ${PIPESTATUS[1]}', 0, ""),
        ("whyword --help | head -1 >/dev/null; exit ${PIPESTATUS[1]}", 0, ""),
    ],
)
def test_streams_that_are_closed_full_or_broken(
    line: str, code: int, said: str, write: Write
) -> None:
    path = write("a.csv", "text,label\na,b\n")
    done = shell(line, path)
    assert "Exception ignored" not in done.stderr
    errors = [line for line in done.stderr.splitlines(True) if not line.startswith(str(path))]
    assert (done.returncode, "".join(errors)) == (code, said)
    assert path.read_text() == "text,label\na,b\n"


def test_a_file_is_not_given_the_number_of_a_closed_stream(
    folder: Path, write: Write, tmp_path: Path
) -> None:
    path = write("a.csv", "text\norbit\n")
    done = shell('whyword explain "$1" "$2" --out "$3" >&- 2>&-', folder, path, tmp_path / "a.html")
    assert done.returncode == 0
    assert (tmp_path / "a.html").read_text().startswith("<!")


def test_a_terminal_that_lacks_characters(folder: Path, write: Write) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    path = write("a.csv", "text,label\nnaïve 月,x\n")
    done = run_process("corpus", path, env=environment)
    assert done.returncode == 0
    assert "\\u6708" in done.stdout
    data = run_process("explain", folder, path, "--format", "json", env=environment)
    assert "naïve 月" in data.stdout  # data are UTF-8, whatever the terminal is


def test_completion_is_installed_for_bash(tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{scripts}:{os.environ['PATH']}"}

    def bash(line: str) -> str:
        command = ["bash", "--norc", "-c", f"{line}\nexit $?"]  # with more to do, it stays
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    shown = bash(f"{shlex.join(MODULE)} --show-completion")
    assert "complete -o default -F _whyword_completion whyword" in shown
    assert "bash completion installed" in bash("whyword --install-completion")
    asked = "COMP_WORDS=(whyword ex); COMP_CWORD=1; _whyword_completion whyword; echo $COMPREPLY"
    assert bash(f"source ~/.bashrc; {asked}") == "explain\n"
