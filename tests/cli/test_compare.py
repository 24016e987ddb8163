"""Models side by side, by the command line."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from commands import Write, run
from counting import Counting
from keywords import MODULE
from networks import topical
from typer.testing import CliRunner

from whyword import BlackBox, Corpus, Reader, SVMClassifier
from whyword.base.errors import ModelError
from whyword.cli.compare import compare, model_names
from whyword.cli.inputs import CorpusOptions
from whyword.cli.main import command_line
from whyword.corpora.corpus import Part


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
        *("--out", "c.html", "--runs", 1, "--splits", 2, "--steps", "1,4"),
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
    assert data["settings"]["steps"] == [0, 1, 4]
    assert f"cnn, svm, keywords_here:model on {source}" in Path("c.html").read_text()


def test_compare_as_json_on_some(trained: Path, topics: Path) -> None:
    source = topics / "topics.csv"
    how = ("--corpus", source, "--limit", 20, "--json", "--runs", 1, "--splits", 2)
    done = run("compare", trained, trained, *how)
    data = json.loads(done.stdout)
    names = [row["name"].rpartition("/")[2] for row in data["models"]]
    assert names == ["cnn", "cnn (2)"]
    assert data["pairs"][0]["same_prediction"] == 1
    assert data["settings"]["source"] == f"{source}, 20 of 90 by chance (seed 0)"
    assert f"all of {source} is used" in done.stderr


def test_one_model_is_too_few(folder: Path, write: Write) -> None:
    path = write("texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")

    def error(*arguments: object) -> str:
        done = CliRunner().invoke(command_line(), ["compare", *map(str, arguments)])
        assert (done.exit_code, done.stdout) == (1, "")
        return done.stderr

    few = error(folder, "--corpus", path)
    assert few == "error: MODEL...: at least two are compared, not 1\n"
    inside = error(folder, folder, "--corpus", path, "--out", folder / "x.html")
    assert "would be in the model's own folder" in inside
    page = error(folder, folder, "--corpus", path, "--out", "report.pdf")
    assert page == "error: report.pdf: a report is a page; name it .html\n"
    over = error(
        folder,
        folder,
        "--corpus",
        path.rename(path.with_suffix(".html")),
        "--out",
        path.with_suffix(".html"),
    )
    assert "is what is to be read; it will not be written over" in over


def test_names_of_folders() -> None:
    assert model_names(["models/cnn", "models/svm"]) == ["cnn", "svm"]
    assert model_names(["a/cnn", "b/cnn/"]) == ["a/cnn", "b/cnn"]
    assert model_names(["cnn", "cnn", "/"]) == ["cnn", "cnn (2)", "/"]
    assert model_names(["a\udc80", "my.spam:model()"]) == ["a\\x80", "my.spam:model()"]


def test_the_price_is_said_first(
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Models that break once they are measured: what is said was said before, of each."""
    caplog.set_level(logging.INFO, "whyword")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    monkeypatch.setattr("whyword.methods.price._SHARE", 10**9)  # two are asked to measure
    write("texts.csv", "text,label\n" + "a text here,a\nsome word there,b\n" * 2 + "a,c\nb,c\n")
    model = Counting()
    model.most = 4
    monkeypatch.setattr("whyword.cli.inputs.load_model", lambda source: model.box())
    with pytest.raises(ModelError, match=r"Counting failed .*enough"):
        compare(["x", "y"], "texts.csv", reading=CorpusOptions())
    first, second = caplog.messages[-2:]
    assert first.startswith("comparing x asks the model up to ")
    assert second.startswith("comparing y asks the model up to ")


def test_models_that_remove_headers_beside_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Any] = []

    def load(source: str, remove: object = None, **_: object) -> Corpus:
        asked.append((source, remove))
        part = Part(["orbit"], ["space"], ["1"])
        return Corpus(source, part, part, rule=("headers",))

    monkeypatch.setattr("whyword.cli.inputs.load_corpus", load)
    told = SVMClassifier(C=1.0, reader=Reader(remove=["headers"])).fit(*topical(30))
    other = BlackBox(Counting(), ["a", "b", "c"])
    CorpusOptions().load_to_compare("posts:test", {"svm": told, "box": other})
    assert asked.pop() == ("posts", None)
    assert caplog.messages == [
        "some of the models remove parts of texts themselves, others do not: all read them without "
        "headers"
    ]
    caplog.clear()
    CorpusOptions().load_to_compare("posts:test", {"svm": told, "again": told})
    assert asked.pop() == ("posts", ())
    assert [message.partition(" on ")[0] for message in caplog.messages] == [
        *("svm was not trained", "again was not trained"),
    ]
    caplog.clear()
    CorpusOptions().load_to_compare("posts:train", {"box": other, "svm": other})
    assert caplog.messages == [
        *("box was trained on these very documents", "svm was trained on these very documents"),
    ]
