import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, "str | bytes"], Path]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whyword", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def mails(write: Write) -> Path:
    rows = [f"[bold]Buy now {i}!\x1b[31m,spam" for i in range(5)]
    rows += [f"See you {i},ham" for i in range(5)]
    return write("mails.csv", "\n".join(["body,label", *rows]))


def test_corpus(mails: Path) -> None:
    done = run("corpus", mails)
    assert done.returncode == 0
    assert "spam" in done.stdout
    assert "[bold]Buy now 0!·[31m" in done.stdout  # shown as it is, and unable to colour anything
    assert "\x1b" not in done.stdout + done.stderr
    assert "text column: 'body'" in done.stderr
    assert "text column" not in done.stdout


def test_corpus_as_json(mails: Path) -> None:
    figures = json.loads(run("corpus", mails, "--json", "--test", 0.4).stdout)
    assert figures["classes"][0] == {"name": "ham", "train": 3, "test": 2, "median_words": 2.0}
    assert figures["train"]["documents"] == 6


def test_vectors(write: Write) -> None:
    path = write("v.txt", "orbit 1 0\nmoon 0.9 0.1\npuck 0 1\n")
    corpus = write("c.csv", "text\nmoon moon pluto\n")
    done = run("vectors", path, "--near", "Orbit", "--top", 1, "--coverage", corpus)
    assert done.returncode == 0
    assert "3 words, 2 dimensions" in done.stdout
    assert "moon" in done.stdout
    assert "0.994" in done.stdout
    assert "66.7% of the words" in done.stdout
    assert "pluto (1)" in done.stdout
    result = json.loads(run("vectors", path, "--near", "orbit", "--json").stdout)
    assert result["near"]["orbit"][0][0] == "moon"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["corpus", "nowhere.csv"], 1, "error: nowhere.csv: no such file"),
        (["corpus", "nowhere"], 1, "error: nowhere: unknown kind of file"),
        (["vectors", "nowhere"], 1, "error: nowhere: no such file, nor one of the packages"),
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


@pytest.mark.parametrize("command", ["corpus", "vectors"])
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Example:  whyword {command} " in done.stdout


def test_a_closed_pipe_is_no_error(mails: Path) -> None:
    command = f"{sys.executable} -m whyword corpus {mails} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "error:" not in done.stderr
