"""Names that are not UTF-8, and texts that no encoding has, in every command."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from networks import small_cnn, topical
from pyarrow import parquet
from typer.testing import CliRunner

from whyword.cli.main import command_line

MODEL = os.fsdecode(b"mod\xe9l")
TABLE = os.fsdecode(b"caf\xe9.csv")
PARQUET = os.fsdecode(b"d\xe9/caf\xe9.parquet")
FOLDER = os.fsdecode(b"t\xe9a")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the same corpus in several forms, all under names that are not UTF-8."""
    here = tmp_path_factory.mktemp("names")
    small_cnn().save(here / "cnn")
    (here / "cnn").rename(here / MODEL)
    texts, labels = topical(30)
    rows = list(zip(texts, labels, strict=True))
    (here / TABLE).write_text("text,label\n" + "".join(f"{t},{label}\n" for t, label in rows))
    parquet.write_table(pa.table({"text": texts, "label": labels}), here / "a.parquet")
    (here / PARQUET).parent.mkdir()
    (here / "a.parquet").rename(here / PARQUET)
    for number, (text, label) in enumerate(rows):
        path = here / FOLDER / label / os.fsdecode(b"%d\xff.txt" % number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    half = [
        {"id": f"\ud800{n}", "text": f"{t} \udc00", "label": f"{label}\ud800"}
        for n, (t, label) in enumerate(rows)
    ]
    (here / "half.jsonl").write_text("".join(json.dumps(row) + "\n" for row in half))
    return here


OUT = os.fsdecode(b"\xe9.")


@pytest.mark.parametrize("source", [TABLE, PARQUET, FOLDER, "half.jsonl"], ids=ascii)
@pytest.mark.parametrize(
    "call",
    [
        ("corpus", "SOURCE"),
        ("corpus", "SOURCE", "--json"),
        ("predict", "MODEL", "SOURCE"),
        ("predict", "MODEL", "SOURCE", "--format", "jsonl"),
        ("predict", "MODEL", "SOURCE", "--format", "csv"),
        ("predict", "MODEL", "SOURCE", "--out", "OUT", "--workers", "1"),
        ("explain", "MODEL", "SOURCE", "--limit", "2"),
        ("explain", "MODEL", "SOURCE", "--limit", "2", "--format", "json"),
        ("explain", "MODEL", "SOURCE", "--limit", "2", "--out", f"{OUT}html"),
        ("explain", "MODEL", "SOURCE", "--limit", "2", "--out", f"{OUT}jsonl"),
        ("explain", "MODEL", "SOURCE", "--limit", "2", "--out", f"{OUT}parquet"),
        ("explain", "MODEL", "SOURCE", "--out", "OUT", "--workers", "1"),
        ("words", "MODEL", "SOURCE", "--html", f"{OUT}html"),
        ("search", "MODEL", "SOURCE", "orbit"),
        ("search", "MODEL", "SOURCE", "orbit", "--index", f"{OUT}parquet"),
        ("map", "MODEL", "SOURCE", "--out", f"{OUT}html"),
        ("evaluate", "MODEL", "SOURCE", "--limit", "6", "--out", f"{OUT}html", "--methods", "lrp"),
        ("compare", "MODEL", "MODEL", "--corpus", "SOURCE", "--out", f"{OUT}html", "--runs", "1"),
        ("tour", "MODEL", "SOURCE", "--out", "OUT"),
    ],
    ids=lambda call: ascii(" ".join(call)),
)
def test_every_command(
    call: tuple[str, ...],
    source: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(place)
    known = {"MODEL": MODEL, "SOURCE": source, "OUT": str(tmp_path / os.fsdecode(b"\xe9"))}
    known |= {word: str(tmp_path / word) for word in call if word.startswith(OUT)}
    done = CliRunner(charset="utf-8").invoke(command_line(), [known.get(w, w) for w in call])
    if source == "half.jsonl" and call[0] in (
        "evaluate",
        "compare",
        "tour",
    ):  # other labels than the model's
        assert done.exit_code == 1
        assert "error: there is no class" in done.stderr
    else:
        assert (done.exit_code, done.exception) == (0, None), done.output


def test_errors_show_such_names(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for call in (["corpus", OUT], ["predict", OUT, "x"], ["vectors", OUT], ["explain", MODEL, OUT]):
        done = CliRunner().invoke(command_line(), call)
        assert done.exit_code == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: ·.: ")
