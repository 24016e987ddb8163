import json
from pathlib import Path

import pytest
from commands import Write, run


def test_evaluate(trained: Path, topics: Path, tmp_path: Path) -> None:
    source = f"{topics / 'topics.csv'}:test"
    out = tmp_path / "report.html"
    done = run(
        *("evaluate", trained, source, "--methods", "lrp, random", "--out", out),
        *("--runs", 2, "--splits", 3, "--steps", "1,4"),
    )
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
    assert "of 18 documents" in done.stdout
    assert "word deletion 1: correct documents, most relevant first" in done.stdout
    assert "explanatory power" in done.stdout
    assert f"written: {out} and {out.with_suffix('.json')}" in done.stderr
    assert "is used; if the model was trained on it" not in done.stderr
    data = json.loads(out.with_suffix(".json").read_text())
    assert data["quality"]["documents"] == 18
    assert data["settings"]["methods"] == ["lrp", "random"]
    assert data["settings"]["steps"] == [0, 1, 4]
    assert "cnn on " in out.read_text()


def test_evaluate_as_json_on_some(trained: Path, topics: Path) -> None:
    source = topics / "topics.csv"
    arguments = ("--methods", "lrp", "--splits", 2, "--limit", 20, "--json")
    done = run("evaluate", trained, source, *arguments)
    data = json.loads(done.stdout)
    assert data["quality"]["documents"] == 20
    assert data["settings"]["source"] == f"{source}, 20 of 90 by chance (seed 0)"
    assert (
        f"all of {source} is used; if the model was trained on it, say {source}:test" in done.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "lime"], "error: there is no method 'lime'; choose from lrp"),
        (["--steps", "a"], "error: --steps takes numbers as in 50 or 0,1,2,5,10,20,50; not 'a'"),
        (["--methods", ","], "error: --methods names none; choose from lrp"),
        (["--out", "report.pdf"], "error: report.pdf: a report is a page; name it .html"),
        (["--label", "nothing"], "error: "),
    ],
)
def test_evaluate_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    path = write("texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")
    done = run("evaluate", folder, path, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_one_class_cannot_be_judged(folder: Path, write: Write) -> None:
    path = write("texts.csv", "text,label\n" + "moon orbit,space\n" * 9)
    done = run("evaluate", folder, path, "--out", path.with_suffix(".html"))
    assert done.returncode == 1
    assert f"error: all documents of {path} are of one class, 'space': how well" in done.stderr
    assert done.stdout == ""
    assert not path.with_suffix(".html").exists()


def test_evaluate_loses_nothing(folder: Path, write: Write) -> None:
    rows = "".join(f'{{"text": "moon {n}", "label": "space"}}\n' for n in range(6))
    path = write("texts.jsonl", rows + '{"text": "puck", "label": "hockey"}\n')
    source = path.rename(path.with_suffix(".json"))
    before = source.read_text()
    done = run("evaluate", folder, source, "--out", source.with_suffix(".html"))
    assert done.returncode == 1
    assert f"{source} is what is to be read; it will not be written over" in done.stderr
    assert source.read_text() == before
    inside = run("evaluate", folder, source, "--out", folder / "model.html")
    assert "would be in the model's own folder" in inside.stderr
    taken = source.with_name("taken.json")
    taken.mkdir()
    refused = run("evaluate", folder, source, "--out", taken.with_suffix(".html"))
    assert "is a folder" in refused.stderr
    assert not taken.with_suffix(".html").exists()


def test_evaluate_needs_labels_the_model_knows(folder: Path, write: Write) -> None:
    unlabelled = run("evaluate", folder, write("texts.csv", "text\nmoon\npuck\n"))
    assert unlabelled.returncode == 1
    assert "label" in unlabelled.stderr
    rows = "".join(f"moon {n},sport\n" for n in range(6))
    unknown = run("evaluate", folder, write("other.csv", f"text,label\n{rows}moon,space\n"))
    assert unknown.returncode == 1
    assert "there is no class 'sport'" in unknown.stderr
