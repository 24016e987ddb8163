"""A model of one's own on the command line: ``module:name``."""

import json
from pathlib import Path

import pandas as pd
import pytest
from commands import Write, run
from keywords import MODULE, Keywords
from networks import TOPICS, topical

MODEL = "py:spotting:model"


@pytest.fixture(autouse=True)
def here(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the module, a mail and a corpus."""
    monkeypatch.chdir(tmp_path)
    write("spotting.py", MODULE)
    write("mail.txt", "To the moon, orbit goal")
    texts, labels = topical(40, seed=6)
    labels[0], labels[1] = "hockey", "crypto"
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    write("topics.csv", "\n".join(["text,label", *rows]) + "\n")


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


def test_a_function_with_classes_and_a_name(write: Write) -> None:
    write("spotted.py", FUNCTIONS)
    explanation = json.loads(run("explain", "spotted:named", "mail.txt", "--format", "json").stdout)
    assert (explanation["target"], explanation["method"]) == ("space", "occlusion")
    shown = json.loads(run("model", "spotted:make()", "--json").stdout)
    assert shown["identity"] == explanation["model"] is not None
    assert (shown["kind"], shown["provenance"]) == ("ask", {"name": "keywords 1"})


def test_a_plain_function_has_numbers_for_classes(write: Write) -> None:
    write("spotted.py", FUNCTIONS)
    done = run("evaluate", "spotted:ask", "topics.csv")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: there is no class 'hockey'; there are 0, 1, 2"


def test_a_corpus_is_no_model(tmp_path: Path) -> None:
    """A folder's part is named as a model is; what is no model is not imported."""
    (tmp_path / "mails.py").write_text("raise SystemExit('imported')")
    done = run("corpus", "mails:test")
    assert "imported" not in done.stderr
    assert done.returncode == 1


def test_predict() -> None:
    done = run("predict", MODEL, "mail.txt")
    assert done.returncode == 0, done.stderr
    assert "space" in done.stdout
    lines = run("predict", MODEL, "topics.csv", "--format", "jsonl").stdout.splitlines()
    assert len(lines) == 40
    text = topical(40, seed=6)[0][0]
    chances = dict(zip(TOPICS, Keywords().predict_proba([text])[0].tolist(), strict=True))
    assert json.loads(lines[0])["probabilities"] == pytest.approx(chances, abs=1e-4)
    assert run("predict", MODEL, "topics.csv", "--format", "csv").stdout.count("\n") == 41


def test_explain() -> None:
    done = run("explain", MODEL, "mail.txt", "--format", "json")
    assert done.returncode == 0, done.stderr
    explanation = json.loads(done.stdout)
    assert (explanation["method"], explanation["target"], explanation["model"]) == (
        "occlusion",
        "space",
        None,
    )
    strongest = explanation["relevance"].index(max(explanation["relevance"]))
    assert explanation["words"][strongest] in ("moon", "orbit")
    assert "space" in run("explain", MODEL, "mail.txt", "--target", "all").stdout
    unable = run("explain", MODEL, "mail.txt", "--method", "lrp")
    assert (unable.returncode, unable.stdout, unable.stderr.count("\n")) == (1, "", 1)
    assert "needs a model that is decomposable" in unable.stderr


@pytest.mark.parametrize("command", ["explain", "predict"])
def test_into_a_folder(command: str) -> None:
    done = run(command, MODEL, "topics.csv", "--out", "folder", "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_parquet("folder")) == 40


def test_words() -> None:
    done = run("words", MODEL, "topics.csv", "--json", "--top", 3)
    assert done.returncode == 0, done.stderr
    for label, entries in json.loads(done.stdout).items():
        assert {entry["word"] for entry in entries} <= set(TOPICS[label])
        assert {entry["seen"] for entry in entries} == {None}
    shown = run("words", MODEL, "topics.csv", "--target", "space").stdout
    assert "unseen" not in shown
    assert run("words", MODEL, "topics.csv", "--html", "words.html").returncode == 0
    assert "rocket" in Path("words.html").read_text(encoding="utf-8")


def test_evaluate() -> None:
    done = run("evaluate", MODEL, "topics.csv", "--out", "report.html", "--runs", 2)
    assert done.returncode == 0, done.stderr
    assert "Keywords" in Path("report.html").read_text(encoding="utf-8")
    data = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert list(data["deletion"]["1"]["curves"]) == ["occlusion", "random", "random_known"]
    assert "Sanity checks need weights to shuffle: they were left out." in data["remarks"]


@pytest.mark.parametrize("command", ["map", "search"])
def test_what_needs_vectors_says_so(command: str) -> None:
    more = ["--out", "map.html"] if command == "map" else ["moon"]
    done = run(command, MODEL, "topics.csv", *more)
    assert done.returncode == 1
    assert "need a model whose documents have vectors" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("py:spotting", "say py:module:name"),
        ("py:nowhere:model", "there is no module 'nowhere' here or installed"),
        ("py:spotting:other", "spotting has no 'other'"),
        ("py:spotting:TOPICS", "dict is no model"),
        ("py:spotting:Keywords", "Keywords is no model"),
    ],
)
def test_what_is_no_model(model: str, message: str) -> None:
    done = run("predict", model, "mail.txt")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr


def test_a_method_that_the_module_registers_has_its_options(tmp_path: Path) -> None:
    (tmp_path / "measuring.py").write_text(
        MODULE + "import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent.parent)!r})\n"
        "from toys import LENGTH\n"
        "from whyword.methods.registry import register\n"
        "register(LENGTH)\n"
    )
    (tmp_path / "one.txt").write_text("the moon")
    done = run(
        *("explain", "py:measuring:model", "one.txt", "--method", "length", "--power", 2),
        *("--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["relevance"] == [9.0, 16.0]


def test_errors_of_ones_own_code_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "down.py").write_text(
        "class Model:\n    classes_ = ['a', 'b']\n\n    def predict_proba(self, texts):\n"
        "        raise ValueError('service is down')\n\n\nmodel = Model()\n"
    )
    (tmp_path / "wrong.py").write_text("def (\n")
    (tmp_path / "one.txt").write_text("the moon")
    for name, said in (("down", "ValueError: service is down"), ("wrong", "SyntaxError")):
        done = run("predict", f"py:{name}:model", "one.txt")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert said in done.stderr
