"""What ``whyword model`` says of a model."""

import json
from pathlib import Path

import pytest
from commands import run
from networks import topical

from whyword import Reader, SVMClassifier
from whyword.words.tokenizer import Tokenizer


def test_a_model_that_was_trained_here(topics: Path) -> None:
    how = ("--model", "svm", "--remove", "headers", "--ignore", "the", "--max-words", 50)
    trained = run("train", topics / "topics.csv", *how, "--out", topics / "reads")
    assert trained.returncode == 0, trained.stderr
    done = run("model", topics / "reads")
    assert done.returncode == 0, done.stderr
    shown = dict(line.strip().split("  ", 1) for line in done.stdout.splitlines() if line.strip())
    shown = {title: said.strip() for title, said in shown.items()}
    identity = json.loads((topics / "reads" / "model.json").read_text())["identity"]
    assert shown["identity"] == identity
    assert shown["kind"] == "svm"
    assert shown["removed"] == "headers"
    assert shown["ignored"] == "the"
    assert shown["words read"] == "the first 50"
    assert shown["trained on"].endswith(f"documents of {topics / 'topics.csv'}")
    assert shown["test accuracy"].endswith("%")


def test_json(tmp_path: Path) -> None:
    reader = Reader("mail", [], ["spam"], Tokenizer(rule="unicode"))
    model = SVMClassifier(C=1, reader=reader).fit(*topical(20))
    model.save(tmp_path / "m")
    done = run("model", tmp_path / "m", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["reader"]["reader"] == {"format": "mail", "remove": [], "ignore": ["spam"]}
    assert said["reader"]["tokenizer"]["rule"] == "unicode"
    assert said["identity"] == model.identity
    assert said["classes"] == model.classes_.tolist()
    assert said["methods"][0] == "lrp"
    assert said["provenance"]["documents"] == 20


def test_somebodys_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class M:\n    classes_ = ['a', 'b']\n    def predict_proba(self, texts):\n"
    (tmp_path / "own.py").write_text(code + "        return [[0.5, 0.5]] * len(texts)\nm = M()\n")
    monkeypatch.chdir(tmp_path)
    done = run("model", "py:own:m")
    assert done.returncode == 0, done.stderr
    assert "none: it is no folder" in done.stdout
    assert "occlusion" in done.stdout
