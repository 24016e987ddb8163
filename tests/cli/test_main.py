import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Write, run

from whyword.base.versions import version_lines


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["corpus", "nowhere.csv"], 1, "error: nowhere.csv: no such file"),
        (["corpus", "nowhere"], 1, "error: nowhere: no such file or folder"),
        (["vectors", "nowhere"], 1, "error: nowhere: no such file, nor one of the packages"),
        (["corpus", "~nobody/x.csv"], 1, "error: ~nobody/x.csv: no such file"),
        (["corpus", "nowhere.csv", "--seed", "-1"], 1, "error: --seed must be a whole number"),
        (["corpus", "new\nline\x1b[31m.csv"], 1, "error: new·line␛[31m.csv: no such file"),
        (["corpus"], 2, "Missing argument"),
        (["corpus", "x.csv", "--test", "much"], 2, "Invalid value"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], code: int, message: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    if code == 1:
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "nowhere", "-"], "error: nowhere: no such model folder"),
        (["train", "x.csv", "--out", "m"], "error: x.csv: no such file"),
        (
            ["train", "x.csv", "--out", "m", "--width", "two"],
            "error: --width takes numbers as in 2 or 2,3,4",
        ),
    ],
)
def test_mistakes_with_models(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_messages_name_options_not_arguments(write: Write) -> None:
    path = write("a.csv", "a,b,c\n1,2,3\n")
    assert "say which one it is: --text …" in run("corpus", path).stderr
    latin = write("b.csv", b"text,label\n\xe9,x\n")
    said = run("corpus", latin, "--encoding", "utf-8").stderr
    assert "say --encoding latin-1, cp1252 or" in said
    assert run("vectors", write("v.txt", "a 1 2\n"), "--coverage", latin, "--encoding", "cp1252")
    twice = write("w.txt", "a 1 2\na 1 2\n")
    assert "--duplicates first keeps one" in run("vectors", twice).stderr
    assert run("vectors", twice, "--duplicates", "first").returncode == 0


@pytest.mark.parametrize(
    "command", ["corpus", "vectors", "evaluate", "compare", "reproduce", "tour", "serve"]
)
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Example:  whyword {command} " in done.stdout


@pytest.mark.parametrize("command", [(), ("train",), ("serve",)])
def test_help_shows_flags_as_flags(command: tuple[str, ...]) -> None:
    said = run(*command, "--help").stdout
    assert "--help" in said
    assert "<bool>" not in said


def test_long_work_in_a_pipe_is_heard_of(
    folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("a.csv", "id,text\n" + "".join(f"{n},moon orbit\n" for n in range(500)))
    monkeypatch.setenv("WHYWORD_PROGRESS", "0.001")
    done = run("predict", folder, path, "--out", path.parent / "said.csv")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.endswith(" so far")]
    assert re.fullmatch(r"predict: at work, \d:\d\d so far", lines[0])
    monkeypatch.setenv("WHYWORD_PROGRESS", "0")
    assert "so far" not in run("predict", folder, path).stderr
    monkeypatch.setenv("WHYWORD_PROGRESS", "often")
    wrong = run("predict", folder, path)
    assert (wrong.returncode, wrong.stderr) == (
        1,
        "error: WHYWORD_PROGRESS takes seconds, as in 60, or 0; not 'often'\n",
    )


def test_version() -> None:
    assert run("--version").stdout.splitlines() == version_lines()
    command = [sys.executable, "-X", "importtime", "-m", "whyword", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "whyword.base.versions" in done.stderr
    assert "typer" not in done.stderr  # no command is: it is there at once


def test_version_by_the_whole_command_line() -> None:
    assert run("--version", "--version").stdout.splitlines() == version_lines()


def test_a_closed_pipe_is_no_error(mails: Path) -> None:
    command = f"{sys.executable} -m whyword corpus {mails} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "error:" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_that_lack_characters(write: Write, encoding: str) -> None:
    path = write("a.csv", "text,label\nnaïve 月,x\n")
    command = [sys.executable, "-m", "whyword", "corpus", str(path)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert b"\\u6708" in done.stdout
