import json
from pathlib import Path

import pytest
from commands import Write, run
from networks import topical

pytestmark = pytest.mark.slow(reason="commands")


@pytest.fixture
def corpus(write: Write) -> Path:
    rows = [f"{n},{text},{label}" for n, (text, label) in enumerate(zip(*topical(99), strict=True))]
    return write("c.csv", "\n".join(["id,text,label", *rows]))


def test_strategies(folder: Path, corpus: Path, write: Write) -> None:
    out, suspects = corpus.parent / "ways.html", write("suspects.txt", "orbit\n moon \n\n")
    done = run(
        *("strategies", folder, corpus, "--target", "space", "--out", out, "--most", 2),
        *("--suspects", "rocket", "--suspects", f"@{suspects}"),
    )
    assert done.returncode == 0, done.stderr
    assert f"written: {out} and {out.with_suffix('.json')}" in done.stderr
    assert "documents are given space: no evidence of several ways to recognise it" in done.stdout
    assert "accuracy" in done.stdout
    assert "lives on them" in done.stdout
    assert out.read_text().startswith("<!DOCTYPE html>")
    kept = json.loads(out.with_suffix(".json").read_text())
    assert kept["target"] == "space"
    assert kept["strategies"][0]["on_suspects"] > 0.5


def test_json_without_labels(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "\n".join(["text", *topical(99)[0]]))
    done = run("strategies", folder, corpus, "--target", "space", "--most", 1, "--json")
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert plain["strategies"][0]["accuracy"] is None
    assert plain["strategies"][0]["n_documents"] == len(plain["documents"]) >= 30
