from pathlib import Path

import pytest
from commands import Write, run
from networks import topical


@pytest.mark.parametrize("ending", ["html", "png", "svg"])
def test_map(folder: Path, write: Write, ending: str) -> None:
    rows = [f"{n},{text},{label}" for n, (text, label) in enumerate(zip(*topical(12), strict=True))]
    corpus = write("c.csv", "\n".join(["id,text,label", *rows]))
    out = corpus.parent / f"map.{ending}"
    done = run("map", folder, corpus, "--out", out, "--limit", 10)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written: " in done.stderr
    start = {"html": b"<!DOCTYPE html>", "png": b"\x89PNG", "svg": b"<svg"}[ending]
    assert out.read_bytes().startswith(start)
    assert out.stat().st_size > 2000


def test_map_says_what_is_wrong(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\norbit\n")
    for arguments, message in (
        (["--out", "map.pdf"], "error: map.pdf: a map is written as one of .html"),
        (["--out", "map.html"], "error: a map needs at least 3 documents, not 2"),
        (["--out", "map.html", "--method", "lime"], "error: a map needs at least 3"),
    ):
        done = run("map", folder, corpus, *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
