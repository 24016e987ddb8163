import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import run
from networks import topical
from typer.testing import CliRunner

from whyword.cli.main import command_line


def test_train_an_svm(topics: Path) -> None:
    done = run("train", topics / "topics.csv", "--model", "svm", "--out", topics / "svm")
    assert done.returncode == 0, done.stderr
    assert "C, by cross-validation" in done.stdout
    assert json.loads((topics / "svm" / "model.json").read_text())["kind"] == "svm"
    assert run("predict", topics / "svm", topics / "topics.csv:test").returncode == 0


def test_an_svms_settings(topics: Path, tmp_path: Path) -> None:
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
    done = run(*call, "--force", "--stop-words", "the, of", "--ngrams", "1")
    assert done.returncode == 0, done.stderr
    assert "C, by cross-validation" in done.stdout
    assert "of 1 word:" in done.stdout
    stored = json.loads((tmp_path / "svm" / "model.json").read_text())
    assert stored["features"]["stop_words"] == ["of", "the"]


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("svm", ("--width", "2"), "--width is for another kind of classifier than --model svm"),
        ("svm", ("--filters", "8"), "--filters is for another kind"),
        ("svm", ("--validation", ".1"), "--validation is for another kind"),
        ("cnn", ("--ngrams", "1,2"), "--ngrams is for another kind of classifier than --model cnn"),
        ("cnn", ("--C", "1"), "--C is for another kind"),
        ("cnn", ("--term-frequency", "log"), "--term-frequency is for another kind"),
        ("svm", ("--ngrams", "a"), "--ngrams takes numbers as in 1,2; not 'a'"),
        ("svm", ("--ngrams", "2,1"), "--ngrams must be two numbers of words, the lower first"),
        ("svm", ("--ngrams", "1,2,3"), "--ngrams must be two numbers of words"),
        ("svm", ("--min-documents", "0"), "--min-documents must be a whole number"),
        ("svm", ("--stop-words", "@none.txt"), "No such file or directory: 'none.txt'"),
        ("svm", ("--stop-words", "french"), "--stop-words may be 'english', words with commas"),
        ("svm", ("--stop-words", "a,not good"), "--stop-words: 'not good' is no single word"),
        ("svm", ("--class-weight", "odd"), "--class-weight may be 'balanced', not 'odd'"),
        ("svm", ("--term-frequency", "odd"), "--term-frequency may be 'log' or 'count', not 'odd'"),
        ("svm", ("--C", "0"), "--C must be above 0"),
    ],
)
def test_settings_that_make_no_sense(
    model: str, options: tuple[str, str], message: str, topics: Path, tmp_path: Path
) -> None:
    source, out = str(topics / "topics.csv"), str(tmp_path / "m")
    call = ["train", source, "--model", model, "--out", out, *options]
    done = CliRunner().invoke(command_line(), call)
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_ignored_words_that_stand_nowhere_are_named(
    topics: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    call = ("train", topics / "topics.csv", "--model", "svm", "--C", "1", "--out", tmp_path / "svm")
    words = ["zzz", "the zzz", *(f"qqq{n}" for n in range(6)), "/qqq.*/", "orbit"]
    done = CliRunner().invoke(command_line(), [*map(str, call), *_repeated("--ignore", words)])
    assert done.exit_code == 0, done.output
    named = "'qqq0', 'qqq1', 'qqq2', 'qqq3', 'qqq4' and 3 more"
    assert f"--ignore: in no training document stands {named}" in caplog.text


def test_a_folder_is_no_word_to_ignore(topics: Path, tmp_path: Path) -> None:
    call = ("train", topics / "topics.csv", "--model", "svm", "--C", "1", "--out", tmp_path / "svm")
    (tmp_path / "found").mkdir()
    done = CliRunner().invoke(
        command_line(), [*map(str, call), "--ignore", str(tmp_path / "found")]
    )
    assert done.exit_code == 1
    assert "is a folder without suspects.csv" in done.stderr
    assert not (tmp_path / "svm").exists()


def _repeated(option: str, values: list[str]) -> list[str]:
    return [part for value in values for part in (option, value)]


def test_a_folder_that_is_no_model_is_refused_before_training(topics: Path) -> None:
    done = run("train", topics / "topics.csv", "--out", topics)
    assert done.returncode == 1
    assert "exists and is no model; it will not be written over" in done.stderr
    done = run("train", topics / "topics.csv", "--out", topics / "new", "--width", "two")
    assert "--width takes numbers" in done.stderr
    assert not (topics / "new").exists()


def test_a_model_is_replaced_by_force_only(topics: Path, tmp_path: Path) -> None:
    call = ("train", topics / "topics.csv", "--model", "svm", "--out", tmp_path / "svm")
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


def test_interrupted_training_leaves_no_model(topics: Path) -> None:
    command = [sys.executable, "-m", "whyword", "train", str(topics / "topics.csv")]
    command += ["--vectors", str(topics / "v.safetensors"), "--out", str(topics / "half")]
    process = subprocess.Popen(
        [*command, "--epochs", "100000"],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )
    try:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0
    assert b"Traceback" not in errors
    assert not (topics / "half").exists()
    assert not list(topics.glob(".tmp-*"))


def test_copies_of_training_documents_are_counted(tmp_path: Path) -> None:
    texts, labels = topical(60, seed=5)
    rows = [f"{text},{label},train" for text, label in zip(texts[:40], labels, strict=False)]
    rows += [f"{text},{label},test" for text, label in zip(texts[30:], labels[30:], strict=True)]
    source = tmp_path / "a.csv"
    source.write_text("\n".join(["text,label,split", *rows]) + "\n")
    done = run("train", source, "--model", "svm", "--out", tmp_path / "svm")
    assert done.returncode == 0, done.stderr
    assert "copies of training documents" in done.stdout
    assert "10 exact" in done.stdout
    assert "41 of 31 (1.00)" in done.stdout
    assert "test without" in done.stdout
    facts = json.loads((tmp_path / "svm" / "model.json").read_text())["provenance"]
    assert facts["test_near_copies"] >= 10
    assert 0 <= facts["test_accuracy_without_copies"] <= 1
    arguments = ("--methods", "lrp", "--runs", 1, "--splits", 2)
    judged = run("evaluate", tmp_path / "svm", f"{source}:test", *arguments)
    assert judged.returncode == 0, judged.stderr
    assert "10 exact" in judged.stdout
    assert "41 of 31 (1.00)" in judged.stdout
    assert "accuracy without" in judged.stdout
    whole = run("evaluate", tmp_path / "svm", source, *arguments)
    assert "copies of training documents" not in whole.stdout
