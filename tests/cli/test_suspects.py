import csv
import json
from pathlib import Path

import pytest
from commands import run
from planted import TOKEN, planted_corpus, planted_svm

pytestmark = pytest.mark.slow(reason="commands")


def test_suspects_as_page_table_and_json(tmp_path: Path) -> None:
    model, table, out = tmp_path / "svm", tmp_path / "c.csv", tmp_path / "out"
    planted_svm().save(model)
    part = planted_corpus().train
    with table.open("w", encoding="utf-8", newline="") as stream:
        rows = zip(part.texts, part.labels or [], part.groups["author"], strict=True)
        csv.writer(stream).writerows([("text", "label", "author"), *rows])
    done = run("suspects", model, table, "--groups", "author", "--out", out, "--top", 1)
    assert done.returncode == 0, done.stderr
    assert f"written: {out / 'index.html'}, suspects.csv and suspects.json" in done.stderr
    kept = json.loads((out / "suspects.json").read_text(encoding="utf-8"))
    names = ["; ".join(row["entries"]) for row in kept["rows"]]
    assert "drinking with a biker" in names[0]
    assert TOKEN not in names  # which is wrong in other documents only
    with (out / "suspects.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["words"] for row in csv.DictReader(stream)] == names
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count('class="tick"') == len(names)
    assert page.count("<article") > 0
