"""What a model should not have learned, by the command line."""

import csv
import json
from pathlib import Path

import pytest
from commands import run
from planted import planted_corpus, planted_svm

from whyword.cli.word_lists import ignored_words


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table of texts, labels, authors and their part, and a model."""
    folder = tmp_path_factory.mktemp("planted")
    corpus = planted_corpus()
    with (folder / "mails.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("text", "label", "author", "split"))
        for name, part in (("train", corpus.train), ("test", corpus.test)):
            rows = zip(part.texts, part.labels or [], part.groups["author"], strict=True)
            writer.writerows((*row, name) for row in rows)
    planted_svm().save(folder / "svm")
    return folder


def test_suspects(mails: Path, tmp_path: Path) -> None:
    out = tmp_path / "found"
    call = ("suspects", mails / "svm", mails / "mails.csv", "--groups", "author", "--top", 1)
    done = run(*call, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "zorvex" in done.stdout or "a habit of few" in done.stdout
    assert "more: --top, or --out for all of them" in done.stdout
    assert "was not trained on" not in done.stderr
    data = json.loads((out / "suspects.json").read_text(encoding="utf-8"))
    assert data["settings"]["groups"] == "author"
    assert f"written: {out / 'index.html'}, suspects.csv and suspects.json" in done.stderr
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count('class="tick"') == len(data["rows"])
    table = (out / "suspects.csv").read_text(encoding="utf-8")
    ticked = table.replace("zorvex,,", "zorvex,yes,", 1)
    assert ticked != table
    (out / "ticked.csv").write_text(ticked, encoding="utf-8")
    assert ignored_words(str(out / "ticked.csv")) == ["zorvex"]


@pytest.mark.slow("a process of its own")
def test_without_labels_and_as_json(mails: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("text\n" + "\n".join(f"moon{n} orbit the" for n in range(9)))
    done = run("suspects", mails / "svm", texts, "--json", "--test", 0)
    assert done.returncode == 0, done.stderr
    remarks = " ".join(json.loads(done.stdout)["remarks"])
    assert "have no labels" in remarks
