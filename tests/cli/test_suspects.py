"""What a model should not have learned, by the command line."""

import csv
import json
from pathlib import Path

import pytest
from commands import run
from planted import form_letters, planted_corpus, planted_svm
from rich.console import Console
from suspected import one_suspect, some_suspects

from whyword import SVMClassifier
from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.audit.suspicion.stored import read_suspects
from whyword.cli.tables import suspect_table
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


def test_one_suspect_is_no_suspects() -> None:
    console = Console(width=120)
    for count, said in ((1, "1 suspect and 0 that"), (2, "2 suspects and 0 that")):
        with console.capture() as shown:
            rows = [one_suspect(f"w{n}") for n in range(count)]
            console.print(suspect_table(some_suspects(rows), 9))
        assert said in shown.get()


def test_marks_are_not_written_over(mails: Path, tmp_path: Path) -> None:
    out = tmp_path / "found"
    call = ("suspects", mails / "svm", mails / "mails.csv", "--groups", "author", "--out", out)
    assert run(*call).returncode == 0
    table = (out / "suspects.csv").read_text(encoding="utf-8")
    ticked = table.replace("zorvex,,", "zorvex,yes,", 1) + "gone; for ever,no" + "," * 20 + "\n"
    (out / "suspects.csv").write_text(ticked, encoding="utf-8")
    done = run(*call)
    assert done.returncode == 1
    assert "filled in the column 'artefact' of 2 rows; name another folder" in done.stderr
    assert "--force" in done.stderr
    assert "preparing" not in done.stderr
    assert (out / "suspects.csv").read_text(encoding="utf-8") == ticked
    done = run(*call, "--force")
    assert done.returncode == 0, done.stderr
    assert "marks kept in the column 'artefact': 1 of 2" in done.stderr
    assert "marked before, and not found any more: for ever; gone" in done.stderr
    assert ignored_words(str(out)) == ["zorvex"]


def test_near_copies_where_nobody_says_who_wrote_what(tmp_path: Path) -> None:
    corpus = form_letters()
    labels = corpus.train.labels or []
    SVMClassifier(C=1.0, ngrams=(1, 1)).fit(corpus.train.texts, labels).save(tmp_path / "svm")
    with (tmp_path / "letters.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("text", "label", "split"))
        for name, part in (("train", corpus.train), ("test", corpus.test)):
            rows = zip(part.texts, part.labels or [], strict=True)
            writer.writerows((*row, name) for row in rows)
    done = run("suspects", tmp_path / "svm", tmp_path / "letters.csv", "--out", tmp_path / "found")
    assert done.returncode == 0, done.stderr
    assert "copies of 1" in " ".join(done.stdout.split())
    found = read_suspects(tmp_path / "found")
    assert found.groups == NEAR_COPIES
    assert any("15 training documents are copies of 1 text" in said for said in found.remarks)


@pytest.mark.slow("a process of its own")
def test_without_labels_and_as_json(mails: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("text\n" + "\n".join(f"moon{n} orbit the" for n in range(9)))
    done = run("suspects", mails / "svm", texts, "--json", "--test", 0)
    assert done.returncode == 0, done.stderr
    remarks = " ".join(json.loads(done.stdout)["remarks"])
    assert "have no labels" in remarks
