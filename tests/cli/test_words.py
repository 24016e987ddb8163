import json
from pathlib import Path

import pytest
from commands import Write, run


def test_words(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    done = run("words", folder, corpus, "--target", "space", "--top", 9)
    assert done.returncode == 0
    assert "hockey" not in done.stdout
    assert "a, word 2" in done.stdout
    by_class = json.loads(run("words", folder, corpus, "--json", "--rank", "strongest").stdout)
    assert list(by_class) == ["crypto", "hockey", "space"]
    assert by_class["space"][0]["seen"] is True
    every = [entry for entries in by_class.values() for entry in entries]
    assert all(entry["relevance"] > 0 for entry in every)
    assert {entry["word"]: entry["seen"] for entry in every}["zebra"] is False
    shown = run("words", folder, corpus, "--rank", "strongest").stdout
    assert "zebra (unseen)" in shown


def test_phrases(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon orbit\n")
    done = run("words", folder, corpus, "--json", "--units", "phrases", "--rank", "sum")
    by_class = json.loads(done.stdout)
    for entry in (entry for entries in by_class.values() for entry in entries):
        words = {"a": "moon orbit goal", "b": "zebra moon orbit"}[entry["document"]].split()
        said = entry["word"].split()
        assert words[entry["position"] : entry["position"] + len(said)] == said
    assert "moon orbit" in {entry["word"] for entry in by_class["space"]}


def test_words_as_a_page(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    out = corpus.parent / "words.html"
    done = run("words", folder, corpus, "--html", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert 'class="w p20"' in out.read_text()
    assert out.read_text().count('type="radio"') == 4 + 2
    piped = run("words", folder, "-", "--html", out)
    assert (piped.returncode, piped.stderr.count("\n")) == (1, 1)
    assert "stdin can be read once" in piped.stderr


def test_words_of_documents_with_one_name(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\na,goal puck\n")
    by_class = json.loads(run("words", folder, corpus, "--json").stdout)
    documents = {e["word"]: e["document"] for entries in by_class.values() for e in entries}
    assert documents == {"moon": "a", "orbit": "a", "goal": "a (2)", "puck": "a (2)"}
    over = run("words", folder, corpus, "--html", corpus)
    assert (over.returncode, corpus.read_text()[:7]) == (1, "id,text")
    assert "will not be written over" in over.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "spce"], "error: there is no class 'spce'; did you mean space?"),
        (["--rank", "median"], "error: --rank may be 'typical' or 'strongest' or 'mean' or 'sum'"),
        (["--units", "letters"], "error: --units may be 'words' or 'phrases'"),
        (
            ["--units", "phrases", "--method", "occlusion"],
            "--units phrases needs a model whose units",
        ),
        (["--per", "letter"], "error: --per may be 'word' or 'occurrence'"),
        (["--method", "lime"], "error: there is no method 'lime'"),
    ],
)
def test_words_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    done = run("words", folder, write("c.csv", "text\nmoon\n"), *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""
