"""``whyword train`` and ``whyword model``: settings, what is stored, what is said of a model."""

import inspect
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from commands import run
from networks import topical

from whyword import InputError, Reader, SVMClassifier
from whyword.cli.kinds import KINDS, BagOptions, Model, NetworkOptions, arguments_of
from whyword.words.tokenizer import Tokenizer


def test_an_svm_chooses_its_settings_by_cross_validation(topics: Path, tmp_path: Path) -> None:
    out = tmp_path / "svm"
    done = run("train", topics / "topics.csv", "--model", "svm", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "C, by cross-validation" in done.stdout
    assert json.loads((out / "model.json").read_text())["kind"] == "svm"
    assert run("predict", out, topics / "topics.csv:test").returncode == 0


def test_settings_of_an_svm(topics: Path, tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("the\n\nof\n")
    call = ("train", topics / "topics.csv", "--model", "svm", "--out", tmp_path / "svm")
    done = run(
        *(*call, "--ngrams", "1,3", "--min-documents", 3, "--stop-words", f"@{tmp_path}/stop.txt"),
        *("--C", 0.5, "--term-frequency", "count", "--class-weight", "balanced"),
    )
    assert done.returncode == 0, done.stderr
    assert "n-grams" in done.stdout
    assert "of 1 to 3 words" in done.stdout
    assert "by cross-validation" not in done.stdout
    stored = json.loads((tmp_path / "svm" / "model.json").read_text())
    expected = {"ngrams": [1, 3], "min_documents": 3, "stop_words": ["the", "of"], "C": 0.5}
    expected |= {"sublinear": False, "class_weight": "balanced"}
    assert stored["parameters"].items() >= expected.items()
    assert stored["features"]["stop_words"] == ["of", "the"]
    shown = run("model", tmp_path / "svm").stdout
    assert re.search(r"ngrams +1, 3 *\n", shown)
    done = run(*call, "--force", "--stop-words", "the, of", "--ngrams", "1", "--C", 1)
    assert done.returncode == 0, done.stderr
    assert "of 1 word:" in done.stdout
    stored = json.loads((tmp_path / "svm" / "model.json").read_text())
    assert stored["features"]["stop_words"] == ["of", "the"]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("lstm", ("--hidden", 4, "--vectors", "v.safetensors", "--one-way", "--pooling", "mean")),
        ("gru", ("--hidden", 4, "--vectors", "v.safetensors", "--train-vectors")),
        ("characters", ("--filters", 8, "--width", "3,4", "--length", 50)),
    ],
)
def test_a_network_is_trained_and_explained(
    model: str, options: tuple[object, ...], topics: Path, tmp_path: Path
) -> None:
    named = [topics / one if one == "v.safetensors" else one for one in options]
    call = ("train", topics / "topics.csv", "--model", model, "--out", tmp_path / "m")
    done = run(*call, "--epochs", 2, *named)
    assert done.returncode == 0, done.stderr
    assert "best epoch" in done.stdout
    stored = json.loads((tmp_path / "m" / "model.json").read_text())
    assert stored["kind"] == ("characters" if model == "characters" else "recurrent")
    assert stored["parameters"].get("cell", model) == model
    done = run("explain", tmp_path / "m", "-", stdin="moon and ice")
    assert done.returncode == 0, done.stderr
    assert "moon" in done.stdout


def test_options_become_arguments_of_a_kind() -> None:
    network = NetworkOptions(width="3,5", validation=6.0)
    expected = {"width": [3, 5], "validation": 6}
    assert arguments_of(Model.CHARACTERS, network, BagOptions()) == expected
    pooled = NetworkOptions(pooling="mean", bidirectional=False)
    assert arguments_of(Model.GRU, pooled, BagOptions()) == {
        "cell": "gru",
        "pooling": "mean",
        "bidirectional": False,
    }
    frozen = NetworkOptions(frozen="2", width=None)
    assert arguments_of(Model.TRANSFORMER, frozen, BagOptions()) == {"frozen": 2}
    for model, group in ((Model.LSTM, network), (Model.CNN, pooled), (Model.SVM, pooled)):
        with pytest.raises(InputError, match="is for another kind of classifier than"):
            arguments_of(model, group, BagOptions())
    options = {one.name for group in (NetworkOptions, BagOptions) for one in fields(group)}
    for kind in KINDS.values():
        assert {*kind.options, *kind.fixed} <= {*inspect.signature(kind.load()).parameters}
        assert {*kind.options} <= options


def test_ignored_words_that_stand_nowhere_are_named(topics: Path, tmp_path: Path) -> None:
    call = ("train", topics / "topics.csv", "--model", "svm", "--C", "1", "--out", tmp_path / "svm")
    words = ["zzz", "the zzz", *(f"qqq{n}" for n in range(6)), "/qqq.*/", "orbit"]
    done = run(*call, *(part for word in words for part in ("--ignore", word)))
    assert done.returncode == 0
    named = "'qqq0', 'qqq1', 'qqq2', 'qqq3', 'qqq4' and 3 more"
    assert f"--ignore: in no training document stands {named}" in done.stderr


def test_a_model_is_replaced_by_force_only(topics: Path, tmp_path: Path) -> None:
    call = ("train", topics / "topics.csv", "--model", "svm", "--C", 1, "--out", tmp_path / "svm")
    assert run(*call).returncode == 0
    before = (tmp_path / "svm" / "model.json").read_bytes()
    assert json.loads(before)["provenance"]["corpus"] == str(topics / "topics.csv")
    refused = run(*call)
    assert (refused.returncode, refused.stdout) == (1, "")
    line = refused.stderr.splitlines()[-1]
    assert "svm holds a model already (svm, trained on 72 documents of " in line
    assert line.endswith("name another folder, or say --force to replace it")
    assert (tmp_path / "svm" / "model.json").read_bytes() == before
    replaced = run(*call, "--force", "--max-words", 3)
    assert replaced.returncode == 0, replaced.stderr
    identity = json.loads(before)["identity"][:12]
    assert re.search(rf"replaced: svm, trained on 72 .*, identity {identity}\n", replaced.stderr)
    assert identity not in replaced.stdout


def test_copies_of_training_documents_are_counted(tmp_path: Path) -> None:
    texts, labels = topical(60, seed=5)
    rows = [f"{text},{label},train" for text, label in zip(texts[:40], labels, strict=False)]
    rows += [f"{text},{label},test" for text, label in zip(texts[30:], labels[30:], strict=True)]
    source = tmp_path / "a.csv"
    source.write_text("\n".join(["text,label,split", *rows]) + "\n")
    done = run("train", source, "--model", "svm", "--C", 1, "--out", tmp_path / "svm")
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "svm" / "model.json").read_text())["provenance"]
    assert facts["test_near_copies"] >= 10
    assert 0 <= facts["test_accuracy_without_copies"] <= 1
    arguments = ("--methods", "lrp", "--runs", 1, "--splits", 2)
    judged = run("evaluate", tmp_path / "svm", f"{source}:test", *arguments)
    for said, without in ((done, "test without"), (judged, "accuracy without")):
        assert "copies of training documents" in said.stdout
        assert "10 exact" in said.stdout
        assert "41 of 31 (1.00)" in said.stdout
        assert without in said.stdout
    whole = run("evaluate", tmp_path / "svm", source, *arguments)
    assert "copies of training documents" not in whole.stdout


def test_a_trained_model_is_described(topics: Path, tmp_path: Path) -> None:
    how = ("--model", "svm", "--C", 1, "--remove", "headers", "--ignore", "the", "--max-words", 50)
    trained = run("train", topics / "topics.csv", *how, "--out", tmp_path / "reads")
    assert trained.returncode == 0, trained.stderr
    done = run("model", tmp_path / "reads")
    assert done.returncode == 0, done.stderr
    shown = dict(line.strip().split("  ", 1) for line in done.stdout.splitlines() if line.strip())
    shown = {title: said.strip() for title, said in shown.items()}
    identity = json.loads((tmp_path / "reads" / "model.json").read_text())["identity"]
    assert shown["identity"] == identity
    assert shown["kind"] == "svm"
    assert shown["removed"] == "headers"
    assert shown["ignored"] == "the"
    assert shown["words read"] == "the first 50"
    assert shown["trained on"].endswith(f"documents of {topics / 'topics.csv'}")
    assert shown["test accuracy"].endswith("%")


def test_a_model_is_described_as_json(tmp_path: Path) -> None:
    reader = Reader("mail", [], ["spam"], Tokenizer(rule="unicode"))
    model = SVMClassifier(C=1, reader=reader).fit(*topical(20))
    model.save(tmp_path / "m")
    said = json.loads(run("model", tmp_path / "m", "--json").stdout)
    assert said["reader"]["reader"] == {"format": "mail", "remove": [], "ignore": ["spam"]}
    assert said["reader"]["tokenizer"]["rule"] == "unicode"
    assert said["identity"] == model.identity
    assert said["classes"] == model.classes_.tolist()
    assert said["methods"][0] == "lrp"
    assert said["provenance"]["documents"] == 20
