"""``whyword predict``: classes of texts, printed, in a file, in a folder."""

import json
import re
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from commands import Write, run

CLASSES = {"crypto", "hockey", "space"}


def test_the_true_class_beside_the_predicted_one(folder: Path, write: Write) -> None:
    path = write("a.csv", "id,text,label\n1,orbit moon,space\n2,goal puck,crypto\n3,qqq,\n")
    done = run("predict", folder, path)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["id", "label", "predicted", "probability"]
    assert rows[1][:3] == ["1", "space", "space"]
    assert rows[2][:3] == ["2", "crypto", "hockey"]
    assert rows[2][-1] == "wrong"
    assert done.stdout.splitlines()[-1] == "accuracy 50.00% of 2 labelled documents"
    data = run("predict", folder, path, "--format", "csv")
    assert data.stdout.startswith("id,label,predicted,probability,known_words\n1,space,space,")
    assert data.stdout.count("\n") == 4
    assert data.stderr.splitlines()[-1] == "accuracy 50.00% of 2 labelled documents"
    first = json.loads(run("predict", folder, path, "--format", "jsonl").stdout.splitlines()[0])
    assert set(first["probabilities"]) == CLASSES
    unlabelled = run("predict", folder, write("b.csv", "id,text\n1,orbit\n"))
    assert "label" not in unlabelled.stdout
    assert "accuracy" not in unlabelled.stdout + unlabelled.stderr


@pytest.mark.parametrize("ending", ["CSV", "xlsx", "json", "parquet"])
def test_into_a_file(folder: Path, topics: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / "deep" / f"said.{ending}"
    done = run("predict", folder, topics / "topics.csv:test", "--out", out, "--probabilities")
    assert (done.returncode, done.stdout) == (0, "")
    said = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        r"written: .* \(18 documents; accuracy .*% of 18 labelled documents\)", said
    )
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    if ending == "CSV":
        table = pd.read_csv(out)
    elif ending == "xlsx":
        table = pd.DataFrame(openpyxl.load_workbook(out).active.values)
        table = table[1:].set_axis(table.iloc[0], axis=1)
    elif ending == "parquet":
        table = pd.read_parquet(out)
    else:
        table = pd.read_json(out, lines=True)
    assert len(table) == 18
    assert list(table.columns[:5]) == ["id", "label", "predicted", "probability", "known_words"]
    assert set(table["label"]) == CLASSES
    if ending == "json":
        assert set(table["probabilities"][0]) == CLASSES
    else:
        assert set(table.columns[5:]) == {f"probability of {name}" for name in CLASSES}


def test_a_format_may_be_named(folder: Path, write: Write) -> None:
    path = write("a.csv", "id,text\n1,orbit\n")
    done = run("predict", folder, path, "--out", path.parent / "said", "--format", "csv")
    assert "written: " in done.stderr
    assert (path.parent / "said").read_text().splitlines()[1].startswith("1,,")


def test_a_row_that_cannot_be_read(folder: Path, write: Write) -> None:
    path = write("a.jsonl", '{"text": "orbit"}\n{"text": 5}\n')
    done = run("predict", folder, path, "--out", path.parent / "said.csv")
    assert done.returncode == 1
    assert "line 2: 'text' is int 5, not text" in done.stderr
    assert [one.name for one in path.parent.iterdir()] == ["a.jsonl"]
    strict = run("predict", folder, path, "--out", path.parent / "strict", "--strict")
    assert (strict.returncode, strict.stdout) == (1, "")
    assert "line 2: 'text' is int 5, not text" in strict.stderr
    done = run("predict", folder, path, "--out", path.parent / "said", "--workers", 1)
    assert done.returncode == 0
    assert pq.read_table(path.parent / "said")["id"].to_pylist() == ["1"]


def test_no_cell_of_a_table_is_a_formula(folder: Path, write: Write) -> None:
    path = write("a.csv", "id,text\n=1+1,orbit\n-5,moon\n@x,goal\n")
    done = run("predict", folder, path, "--format", "csv")
    rows = [line.partition(",")[0] for line in done.stdout.splitlines()]
    assert rows == ["id", "'=1+1", "-5", "'@x"]


def test_a_text_from_stdin(folder: Path) -> None:
    done = run("predict", folder, "-", stdin="zzz qqq")
    assert done.returncode == 0
    assert "no known word" in done.stdout


def test_a_folder_of_files(folder: Path, write: Write, tmp_path: Path) -> None:
    write("texts/a.txt", "The moon: orbit, rocket, shuttle launch. Caf\xe9".encode("cp1252"))
    write("texts/b.eml", "Subject: x\nContent-Type: text/html\n\n<p>goal puck</p>")
    done = run("predict", folder, tmp_path / "texts", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert [line.partition(",")[0] for line in done.stdout.splitlines()] == ["id", "a.txt", "b.eml"]
    assert "1 of 2 files is not UTF-8 and was read as cp1252 (1): texts/a.txt" in done.stderr
    write("texts/c.pdf", b"%PDF-1.4")
    refused = run("predict", folder, tmp_path / "texts")
    assert refused.returncode == 1
    assert "c.pdf: a PDF, no plain text: get its text out first" in refused.stderr
    done = run("predict", folder, tmp_path / "texts", "--out", tmp_path / "said")
    assert done.returncode == 0, done.stderr
    assert "2 documents in 1 file" in done.stderr
    assert "1 rows could not be read" in done.stderr
    box = "From a@example.org Thu Nov  5 12:00:00 1998\nSubject: moon\n\norbit\n\n" * 3
    done = run("predict", folder, write("in.mbox", box), "--out", tmp_path / "box")
    assert "3 documents in 1 file" in done.stderr
