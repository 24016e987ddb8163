import json
from pathlib import Path

import pytest
from commands import Write, run

pytestmark = pytest.mark.slow(reason="starts commands")


def test_corpus(mails: Path) -> None:
    done = run("corpus", mails)
    assert done.returncode == 0
    assert "spam" in done.stdout
    assert "[bold]Buy now 0!␛[31m" in done.stdout  # shown as it is, and unable to colour anything
    assert "\x1b" not in done.stdout + done.stderr
    assert "text column: 'body'" in done.stderr
    assert "text column" not in done.stdout


def test_corpus_as_json(mails: Path) -> None:
    figures = json.loads(run("corpus", mails, "--json", "--test", 0.4).stdout)
    assert figures["classes"][0] == {"name": "ham", "train": 3, "test": 2, "median_words": 2.0}
    assert figures["train"]["documents"] == 6


def test_few_documents_are_shown_once(write: Write) -> None:
    done = run("corpus", write("a.csv", "text,label\nalpha,x\nbeta,y\n"), "--samples", 3)
    assert done.stdout.count("alpha") == done.stdout.count("beta") == 1


def test_unlabelled_texts(write: Write) -> None:
    path = write("a.csv", "text\nhello there\n")
    assert "or --unlabelled if there is none" in run("corpus", path).stderr
    assert "hello there" in run("corpus", path, "--unlabelled").stdout
