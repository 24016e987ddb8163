"""What a shell offers after Tab, asked for as the shell does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run

SCRIPTS = Path(sys.executable).parent


def offered(monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """Return what the command line, whose last word is not finished, may go on with."""
    monkeypatch.setenv("_WHYWORD_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


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
def test_names(line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(monkeypatch, line) == expected


def test_installed_for_bash(tmp_path: Path) -> None:
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{SCRIPTS}:{os.environ['PATH']}"}

    def bash(script: str) -> str:
        command = ["bash", "--norc", "-c", f"{script}\nexit $?"]  # with more to do, it stays
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    shown = bash(f"{sys.executable} -m whyword --show-completion")
    assert "complete -o default -F _whyword_completion whyword" in shown
    assert "bash completion installed" in bash("whyword --install-completion")
    asked = "COMP_WORDS=(whyword ex); COMP_CWORD=1; _whyword_completion whyword; echo $COMPREPLY"
    assert bash(f"source ~/.bashrc; {asked}") == "explain\n"
