import json
import subprocess
import sys
from pathlib import Path

from commands import Write, run


def test_predict(trained: Path, topics: Path, write: Write) -> None:
    path = write("mail.txt", "The moon: orbit, rocket, shuttle launch [bold]")
    done = run("predict", trained, path)
    assert done.returncode == 0, done.stderr
    assert "mail.txt" in done.stdout
    assert "space" in done.stdout
    lines = run("predict", trained, topics / "topics.csv:test", "--format", "jsonl").stdout
    first = json.loads(lines.splitlines()[0])
    assert set(first["probabilities"]) == {"space", "hockey", "crypto"}
    assert first["label"] in first["probabilities"]
    table = run("predict", trained, topics / "topics.csv", "--format", "csv").stdout
    assert len(table.splitlines()) == 91
    assert table.startswith("id,predicted,probability,known_words")


def test_no_cell_of_a_table_is_a_formula(folder: Path, write: Write) -> None:
    path = write("a.csv", "id,text\n=1+1,orbit\n-5,moon\n@x,goal\n")
    done = run("predict", folder, path, "--format", "csv")
    rows = [line.partition(",")[0] for line in done.stdout.splitlines()]
    assert rows == ["id", "'=1+1", "-5", "'@x"]


def test_predict_from_stdin(trained: Path) -> None:
    command = [sys.executable, "-m", "whyword", "predict", str(trained), "-"]
    done = subprocess.run(command, input="zzz qqq", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "no known word" in done.stdout


def test_predict_a_folder_of_files(trained: Path, write: Write, tmp_path: Path) -> None:
    write("texts/a.txt", "The moon: orbit, rocket, shuttle launch. Caf\xe9".encode("cp1252"))
    write("texts/b.eml", "Subject: x\nContent-Type: text/html\n\n<p>goal puck</p>")
    done = run("predict", trained, tmp_path / "texts", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert [line.partition(",")[0] for line in done.stdout.splitlines()] == ["id", "a.txt", "b.eml"]
    assert "1 of 2 files is not UTF-8 and was read as cp1252 (1): a.txt" in done.stderr
    write("texts/c.pdf", b"%PDF-1.4")
    refused = run("predict", trained, tmp_path / "texts")
    assert refused.returncode == 1
    assert "c.pdf: a PDF, no plain text: get its text out first" in refused.stderr
    done = run("predict", trained, tmp_path / "texts", "--out", tmp_path / "said")
    assert done.returncode == 0, done.stderr
    assert "2 documents in 1 file" in done.stderr
    assert "1 rows could not be read" in done.stderr
    box = "From a@example.org Thu Nov  5 12:00:00 1998\nSubject: moon\n\norbit\n\n" * 3
    done = run("predict", trained, write("in.mbox", box), "--out", tmp_path / "box")
    assert "3 documents in 1 file" in done.stderr
