import json
from pathlib import Path

import pytest
from commands import Write, run


def test_words(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    done = run("words", folder, corpus, "--target", "space", "--top", 9)
    assert done.returncode == 0
    assert "hockey" not in done.stdout
    assert "zebra (unseen)" in done.stdout
    assert "a, word 2" in done.stdout
    by_class = json.loads(run("words", folder, corpus, "--json", "--top", 2).stdout)
    assert list(by_class) == ["crypto", "hockey", "space"]
    assert [len(entries) for entries in by_class.values()] == [2, 2, 2]
    assert by_class["space"][0]["seen"] is True


def test_words_as_a_page(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    out = corpus.parent / "words.html"
    done = run("words", folder, corpus, "--html", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert 'class="w p20"' in out.read_text()
    piped = run("words", folder, "-", "--html", out)
    assert (piped.returncode, piped.stderr.count("\n")) == (1, 1)
    assert "stdin can be read once" in piped.stderr


def test_words_of_documents_with_one_name(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\na,goal puck\n")
    by_class = json.loads(run("words", folder, corpus, "--json").stdout)
    documents = {e["word"]: e["document"] for e in by_class["space"]}
    assert documents == {"moon": "a", "orbit": "a", "goal": "a (2)", "puck": "a (2)"}
    over = run("words", folder, corpus, "--html", corpus)
    assert (over.returncode, corpus.read_text()[:7]) == (1, "id,text")
    assert "will not be written over" in over.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "spce"], "error: there is no class 'spce'; did you mean space?"),
        (["--rank", "median"], "error: --rank may be 'strongest', 'mean' or 'sum'"),
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
