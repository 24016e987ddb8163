"""Models side by side, by the command line."""

import json
from pathlib import Path

import pytest
from commands import Write, run
from keywords import MODULE
from networks import topical

from whyword import SVMClassifier
from whyword.cli.compare import model_names


@pytest.fixture(scope="session")
def svm(topics: Path) -> Path:
    out = topics / "svm"
    SVMClassifier(C=1.0).fit(*topical(60)).save(out)
    return out


def test_compare(
    trained: Path, svm: Path, topics: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keywords_here.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    source = f"{topics / 'topics.csv'}:test"
    done = run(
        *("compare", trained, svm, "keywords_here:model", "--corpus", source),
        *("--out", "c.html", "--runs", 1, "--splits", 2),
    )
    assert done.returncode == 0, done.stderr
    assert "written: c.html and c.json" in done.stderr
    assert "cnn was not trained" not in done.stderr
    assert f"svm was not trained on {topics / 'topics.csv'}:train as it is here" in done.stderr
    head = done.stdout.splitlines()[0].split()
    assert head == ["cnn", "svm", "keywords_here:model"]
    assert "accuracy (higher is better)" in done.stdout
    assert "keywords_here:model, explanatory power: documents of kind 'Keywords'" in done.stdout
    assert "cannot be told apart in accuracy" in done.stdout or "more accurate" in done.stdout
    data = json.loads(Path("c.json").read_text())
    assert [row["name"] for row in data["models"]] == head
    assert data["documents"] == 18
    assert f"cnn, svm, keywords_here:model on {source}" in Path("c.html").read_text()


def test_compare_as_json_on_some(trained: Path, topics: Path) -> None:
    source = topics / "topics.csv"
    how = ("--corpus", source, "--limit", 20, "--json", "--runs", 1, "--splits", 2)
    done = run("compare", trained, trained, *how)
    data = json.loads(done.stdout)
    assert [row["name"] for row in data["models"]] == ["topics0/cnn", "topics0/cnn (2)"] or [
        row["name"].rpartition("/")[2] for row in data["models"]
    ] == ["cnn", "cnn (2)"]
    assert data["pairs"][0]["same_prediction"] == 1
    assert data["settings"]["source"] == f"{source}, 20 of 90 by chance (seed 0)"
    assert f"all of {source} is used" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "lime"], "error: there is no method 'lime'"),
        (["--out", "report.pdf"], "error: report.pdf: a report is a page; name it .html"),
        (["--label", "nothing"], "error: "),
    ],
)
def test_compare_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    path = write("texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")
    done = run("compare", folder, folder, "--corpus", path, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""


def test_one_model_is_too_few(folder: Path, write: Write) -> None:
    path = write("texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")
    done = run("compare", folder, "--corpus", path)
    assert done.stderr == "error: MODEL...: at least two are compared, not 1\n"
    inside = run("compare", folder, folder, "--corpus", path, "--out", folder / "x.html")
    assert "would be in the model's own folder" in inside.stderr


def test_names_of_folders() -> None:
    assert model_names(["models/cnn", "models/svm"]) == ["cnn", "svm"]
    assert model_names(["a/cnn", "b/cnn/"]) == ["a/cnn", "b/cnn"]
    assert model_names(["cnn", "cnn", "/"]) == ["cnn", "cnn (2)", "/"]
    assert model_names(["a\udc80", "my.spam:model()"]) == ["a\\x80", "my.spam:model()"]
