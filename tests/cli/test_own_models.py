"""Models that the command line did not train: ``module:name``, and Hugging Face folders."""

import json
from pathlib import Path

import pandas as pd
import pytest
from commands import Write, printed, run
from hub_folders import CLASSES, write_folder
from keywords import MODULE, Keywords
from networks import TOPICS, topical

import whyword as ww
from whyword.methods.registry import METHODS

MODEL = "py:spotting:model"
FUNCTIONS = """
import whyword as ww
from spotting import Keywords

keywords = Keywords()


def ask(texts):
    return keywords.predict_proba(texts)


def make():
    return ww.BlackBox(ask, keywords.classes_, name="keywords 1")


named = make()
"""


@pytest.fixture(autouse=True)
def here(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the modules, a mail and a corpus."""
    monkeypatch.chdir(tmp_path)
    write("spotting.py", MODULE)
    write("spotted.py", FUNCTIONS)
    write("mail.txt", "To the moon, orbit goal")
    texts, labels = topical(40, seed=6)
    labels[0], labels[1] = "hockey", "crypto"
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    write("topics.csv", "\n".join(["text,label", *rows]) + "\n")


def test_a_function_with_classes_and_a_name() -> None:
    explanation = json.loads(printed("explain", "spotted:named", "mail.txt", "--format", "json"))
    assert (explanation["target"], explanation["method"]) == ("space", "occlusion")
    shown = json.loads(printed("model", "spotted:make()", "--json"))
    assert shown["identity"] == explanation["model"] is not None
    assert (shown["kind"], shown["provenance"]) == ("ask", {"name": "keywords 1"})


def test_a_plain_function_has_numbers_for_classes() -> None:
    done = run("evaluate", "spotted:ask", "topics.csv")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: there is no class 'hockey'; there are 0, 1, 2"


def test_a_corpus_is_no_model(write: Write) -> None:
    """A part of a corpus is named as a model is: its name is not imported."""
    write("mails.py", "raise SystemExit('imported')")
    done = run("corpus", "mails:test")
    assert "imported" not in done.stderr
    assert done.returncode == 1


def test_an_object_with_predict_proba() -> None:
    shown = printed("model", MODEL)
    assert "none: it is no folder" in shown
    assert "occlusion" in shown
    assert "space" in printed("predict", MODEL, "mail.txt")
    lines = printed("predict", MODEL, "topics.csv", "--format", "jsonl").splitlines()
    assert len(lines) == 40
    text = topical(40, seed=6)[0][0]
    chances = dict(zip(TOPICS, Keywords().predict_proba([text])[0].tolist(), strict=True))
    assert json.loads(lines[0])["probabilities"] == pytest.approx(chances, abs=1e-4)
    explanation = json.loads(printed("explain", MODEL, "mail.txt", "--format", "json"))
    assert (explanation["method"], explanation["target"]) == ("occlusion", "space")
    assert explanation["model"] is None
    strongest = explanation["relevance"].index(max(explanation["relevance"]))
    assert explanation["words"][strongest] in ("moon", "orbit")
    assert "space" in printed("explain", MODEL, "mail.txt", "--target", "all")


@pytest.mark.slow(reason="starts processes")
@pytest.mark.parametrize("command", ["explain", "predict"])
def test_into_a_folder(command: str) -> None:
    printed(command, MODEL, "topics.csv", "--out", "folder", "--workers", 2)
    assert len(pd.read_parquet("folder")) == 40


def test_words_of_an_object() -> None:
    for label, entries in json.loads(
        printed("words", MODEL, "topics.csv", "--json", "--top", 3)
    ).items():
        assert {entry["word"] for entry in entries} <= set(TOPICS[label])
        assert {entry["seen"] for entry in entries} == {None}
    assert "unseen" not in printed("words", MODEL, "topics.csv", "--target", "space")
    printed("words", MODEL, "topics.csv", "--html", "words.html")
    assert "rocket" in Path("words.html").read_text(encoding="utf-8")


def test_evaluation_of_an_object() -> None:
    printed("evaluate", MODEL, "topics.csv", "--out", "report.html", "--runs", 2)
    assert "Keywords" in Path("report.html").read_text(encoding="utf-8")
    data = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert list(data["deletion"]["1"]["curves"]) == ["occlusion", "random", "random_known"]
    assert "Sanity checks need weights to shuffle: they were left out." in data["remarks"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("py:spotting", "say py:module:name"),
        ("py:nowhere:model", "there is no module 'nowhere' here or installed"),
        ("py:spotting:other", "spotting has no 'other'"),
        ("py:spotting:TOPICS", "dict is no model"),
        ("py:spotting:Keywords", "Keywords is no model"),
        ("py:down:model", "ValueError: service is down"),
        ("py:wrong:model", "SyntaxError"),
    ],
)
def test_a_model_that_fails_is_one_line(model: str, message: str, write: Write) -> None:
    write(
        "down.py",
        "class Model:\n    classes_ = ['a', 'b']\n\n    def predict_proba(self, texts):\n"
        "        raise ValueError('service is down')\n\n\nmodel = Model()\n",
    )
    write("wrong.py", "def (\n")
    done = run("predict", model, "mail.txt")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr


def test_a_method_that_the_module_registers_has_its_options(write: Write) -> None:
    write(
        "measuring.py",
        f"{MODULE}from toys import LENGTH\nfrom whyword.methods.registry import register\n"
        "register(LENGTH)\n",
    )
    write("one.txt", "the moon")
    call = ("explain", "py:measuring:model", "one.txt", "--method", "length", "--power", 2)
    try:
        assert json.loads(printed(*call, "--format", "json"))["relevance"] == [9.0, 16.0]
    finally:
        METHODS.pop("length", None)


# ---- Hugging Face folders -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("hub") / "bert")


@pytest.mark.slow(reason="imports transformers")
def test_a_hugging_face_folder_in_commands(bert: Path) -> None:
    shown = json.loads(printed("model", bert, "--json"))
    assert shown["classes"] == CLASSES
    assert shown["identity"] == ww.load_model(bert).identity
    assert any(label in printed("predict", bert, "mail.txt") for label in CLASSES)
    row = json.loads(printed("explain", bert, "mail.txt", "--format", "json"))
    assert row["method"] == "lrp"
    assert abs(row["residual"]) < 1e-5
    printed("explain", bert, "topics.csv", "--out", "why", "--workers", 1)
    assert len(pd.read_parquet("why")) == 40
    assert printed("words", bert, "topics.csv")
    printed("map", bert, "topics.csv", "--out", "map.html")
    assert printed("search", bert, "topics.csv", "rocket")
    few = ("--limit", 4, "--steps", 2, "--runs", 1)
    assert "accuracy" in printed("evaluate", bert, "topics.csv", *few)


@pytest.mark.slow(reason="imports transformers")
def test_a_name_is_a_path_unless_it_says_otherwise(
    bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return bert

    monkeypatch.setattr("whyword.models.pytorch.hub.hub_folder", fetch)
    for name in ("owner/name", "./hf:owner/name"):
        done = run("predict", name, "mail.txt")
        assert (done.returncode, asked) == (1, [])
        assert done.stderr.count("\n") == 1
    printed("predict", "hf:owner/name", "mail.txt")
    assert asked == ["hf:owner/name"]
