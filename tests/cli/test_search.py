import json
from pathlib import Path

import pytest
from commands import Write, run


def test_search(folder: Path, write: Write) -> None:
    rows = ["a,moon orbit rocket", "b,puck and goal", "c,cipher key", "d,"]
    corpus = write("c.csv", "\n".join(["id,text", *rows]))
    done = run("search", folder, corpus, "moon orbit rocket", "--top", 9)
    assert done.returncode == 0
    assert done.stdout.index("  a\n") < done.stdout.index("  b\n")
    assert "orbit +" in done.stdout
    index = corpus.parent / "c.index"
    first = run("search", folder, corpus, "moon orbit rocket", "--index", index, "--json")
    assert "written: " in first.stderr
    again = run("search", folder, corpus, "moon orbit rocket", "--index", index, "--json")
    assert "searched: the 4 documents" in again.stderr
    assert again.stdout == first.stdout
    hits = json.loads(again.stdout)
    assert hits[0]["id"] == "a"
    total = sum(word["similarity"] for word in hits[0]["words"])
    assert total == pytest.approx(hits[0]["similarity"], abs=1e-4)


def test_search_says_what_is_wrong(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\n")
    unknown = run("search", folder, corpus, "zebra")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "error: the model knows no word of this query" in unknown.stderr
    broken = run("search", folder, corpus, "moon", "--index", corpus)
    assert broken.returncode == 1
    assert "is damaged or no search index" in broken.stderr


def test_an_index_of_other_documents_is_refused(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\nb,puck goal\n")
    index = corpus.parent / "c.index"
    assert run("search", folder, corpus, "moon", "--index", index).returncode == 0
    before = index.read_bytes()
    for content in ("a,moon orbit", "a,moon orbit\nb,puck ice", "b,puck goal\na,moon orbit"):
        other = write("other.csv", f"id,text\n{content}\n")
        done = run("search", folder, other, "moon", "--index", index)
        assert (done.returncode, done.stdout) == (1, "")
        *_, line = done.stderr.splitlines()
        assert "c.index was made of other documents than those of" in line
        assert "--index" in line
    missing = run("search", folder, corpus.parent / "none.csv", "moon", "--index", index)
    assert missing.returncode == 1
    assert index.read_bytes() == before


def test_a_query_is_no_model(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\norbit\n")
    done = run("search", folder, corpus, "py:nowhere:model moon")
    assert done.returncode == 0, done.stderr
