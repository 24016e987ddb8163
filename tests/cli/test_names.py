"""Names that are not UTF-8, and texts that no encoding has, in every command."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from commands import run
from networks import small_cnn, topical
from pyarrow import parquet

MODEL = os.fsdecode(b"mod\xe9l")
TEXTS = os.fsdecode(b"caf\xe9.jsonl")
OTHERS = [os.fsdecode(name) for name in (b"caf\xe9.csv", b"d\xe9/caf\xe9.parquet", b"t\xe9a")]
OUT = os.fsdecode(b"\xe9.")


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the same corpus in several forms, all under names that are not UTF-8."""
    here = tmp_path_factory.mktemp("names")
    small_cnn().save(here / "cnn")
    (here / "cnn").rename(here / MODEL)
    texts, labels = topical(30)
    rows = list(zip(texts, labels, strict=True))
    half = [
        {"id": f"\ud800{n}", "text": f"{text} \udc00", "label": label}
        for n, (text, label) in enumerate(rows)
    ]
    (here / TEXTS).write_text("".join(json.dumps(row) + "\n" for row in half))
    table, file, folder = (here / name for name in OTHERS)
    table.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    parquet.write_table(pa.table({"text": texts, "label": labels}), here / "a.parquet")
    file.parent.mkdir()
    (here / "a.parquet").rename(file)
    for number, (text, label) in enumerate(rows):
        path = folder / label / os.fsdecode(b"%d\xff.txt" % number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return here


@pytest.mark.parametrize(
    "call",
    [
        *(f"predict MODEL {name}" for name in OTHERS),
        "corpus TEXTS",
        "corpus TEXTS --json",
        "predict MODEL TEXTS",
        "predict MODEL TEXTS --format jsonl",
        "predict MODEL TEXTS --format csv",
        "predict MODEL TEXTS --out OUT --workers 1",
        "explain MODEL TEXTS --limit 2",
        "explain MODEL TEXTS --limit 2 --format json",
        "explain MODEL TEXTS --limit 2 --out OUT.html",
        "explain MODEL TEXTS --limit 2 --out OUT.jsonl",
        "explain MODEL TEXTS --limit 2 --out OUT.parquet",
        "explain MODEL TEXTS --out OUT --workers 1",
        "words MODEL TEXTS --html OUT.html",
        "search MODEL TEXTS orbit",
        "search MODEL TEXTS orbit --index OUT.parquet",
        "map MODEL TEXTS --out OUT.html",
        "evaluate MODEL TEXTS --limit 6 --out OUT.html --methods lrp --runs 1 --splits 1",
        "compare MODEL MODEL --corpus TEXTS --out OUT.html --runs 1 --splits 1",
        "tour MODEL TEXTS --out OUT",
    ],
    ids=ascii,
)
def test_every_command(
    call: str, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(place)
    out = str(tmp_path / os.fsdecode(b"\xe9"))
    known = {"MODEL": MODEL, "TEXTS": TEXTS}
    done = run(*(known.get(word, word.replace("OUT", out)) for word in call.split()))
    assert done.returncode == 0, done.stderr
    done.stdout.encode()


def test_errors_show_such_names(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for call in (["corpus", OUT], ["predict", OUT, "x"], ["vectors", OUT], ["explain", MODEL, OUT]):
        done = run(*call)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: ·.: ")
