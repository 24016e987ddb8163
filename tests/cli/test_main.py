"""The whole command line, in this process: versions, completion, lines in a pipe, threads."""

import os
import re
from pathlib import Path

import pytest
from commands import Write, run

from whyword.__main__ import let_threads_sleep, say_versions
from whyword.base.versions import version_lines


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version").stdout.splitlines() == version_lines()
    assert say_versions()  # before anything is imported
    assert capsys.readouterr().out.splitlines() == version_lines()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("whyword ex", ["explain"]),
        ("whyword s", ["search", "suspects", "strategies", "serve"]),
        ("whyword --vers", ["--version"]),
        ("whyword explain --meth", ["--method"]),
        ("whyword explain --eps", ["--epsilon"]),  # a method's, by its registration
        ("whyword train mails.csv --model tr", ["transformer"]),
        ("whyword explain mod", []),  # the shell's own files
    ],
)
def test_completion(line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_WHYWORD_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == expected


def test_long_work_in_a_pipe_is_heard_of(
    folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("a.csv", "id,text\n" + "".join(f"{n},moon orbit\n" for n in range(100)))
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


@pytest.mark.parametrize(
    ("given", "used"),
    [({}, "10000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "ACTIVE"}, None)],
)
def test_threads_that_wait_sleep_unless_the_caller_chose(
    given: dict[str, str], used: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", dict(given))
    let_threads_sleep()
    assert os.environ.get("GOMP_SPINCOUNT") == used
