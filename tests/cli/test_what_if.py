import json
from pathlib import Path

import pytest
from commands import Write, run
from networks import topical

import whyword as ww

pytestmark = pytest.mark.slow(reason="commands")


@pytest.fixture
def corpus(write: Write) -> Path:
    rows = [f"{n},{text},{label}" for n, (text, label) in enumerate(zip(*topical(99), strict=True))]
    return write("c.csv", "\n".join(["id,text,label", *rows]))


def test_what_if(folder: Path, corpus: Path) -> None:
    done = run("what-if", folder, corpus, "--without", "orbit", "--without", "/mo+n/")
    assert done.returncode == 0, done.stderr
    texts, labels = topical(99)
    expected = ww.what_if(ww.load_model(folder), ["orbit", "/mo+n/"], texts, labels)
    assert len(expected.documents) > 10
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{len(expected.documents)} of 99 documents have some of it; ")
    assert f"{len(expected.changed)} predictions change" in first
    assert "without them" in done.stdout
    assert "McNemar" in done.stdout


def test_what_changes_is_listed_what_turns_wrong_first(
    folder: Path, corpus: Path, write: Write
) -> None:
    words = sorted({word for text in topical(99)[0] for word in text.split()})
    listed = write("words.txt", "\n".join(words))
    done = run("what-if", folder, corpus, "--without", f"@{listed}")
    assert done.returncode == 0, done.stderr
    assert "right to wrong" in done.stdout.splitlines()[0]
    assert "more: --json has all of them" in done.stdout
    plain = json.loads(run("what-if", folder, corpus, "--without", f"@{listed}", "--json").stdout)
    assert len(plain["changes"]) == plain["changed"] > 10


def test_without_labels_nothing_is_judged(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "\n".join(["text", *topical(99)[0]]))
    done = run("what-if", folder, corpus, "--without", "orbit")
    assert done.returncode == 0, done.stderr
    assert "accuracy" not in done.stdout
    assert "predictions change" in done.stdout


def test_what_stands_nowhere(folder: Path, corpus: Path) -> None:
    done = run("what-if", folder, corpus, "--without", "xylophone")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("none of 99 documents has any of it: nothing changes")


def test_marked_suspects(folder: Path, corpus: Path, write: Write) -> None:
    table = write("suspects.csv", "word,artefact\norbit,yes\ngoal,\n")
    done = run("what-if", folder, corpus, "--without", table, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["words"] == ["orbit"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say what is not read: --without WORD"),
        (["--without", "nowhere.csv"], "no such file or folder"),
        (["--without", "/(/"], "error: --without is no regular expression"),
    ],
)
def test_mistakes_are_one_line(folder: Path, corpus: Path, options: list[str], said: str) -> None:
    done = run("what-if", folder, corpus, *options)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
