"""``whyword words``, ``search`` and ``map``: a corpus seen through a model."""

import json
from pathlib import Path

import pytest
from commands import Write, run


def test_words_of_each_class(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    done = run("words", folder, corpus, "--target", "space", "--top", 9)
    assert done.returncode == 0
    assert "hockey" not in done.stdout
    assert "a, word 2" in done.stdout
    assert "--units phrases lists them" in done.stderr
    by_class = json.loads(run("words", folder, corpus, "--json", "--rank", "strongest").stdout)
    assert list(by_class) == ["crypto", "hockey", "space"]
    assert by_class["space"][0]["seen"] is True
    every = [entry for entries in by_class.values() for entry in entries]
    assert all(entry["relevance"] > 0 for entry in every)
    assert {entry["word"]: entry["seen"] for entry in every}["zebra"] is False
    shown = run("words", folder, corpus, "--rank", "strongest").stdout
    assert "zebra (unseen)" in shown


def test_phrases_of_each_class(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon orbit\n")
    done = run("words", folder, corpus, "--json", "--units", "phrases", "--rank", "sum")
    by_class = json.loads(done.stdout)
    for entry in (entry for entries in by_class.values() for entry in entries):
        words = {"a": "moon orbit goal", "b": "zebra moon orbit"}[entry["document"]].split()
        said = entry["word"].split()
        assert words[entry["position"] : entry["position"] + len(said)] == said
    assert "moon orbit" in {entry["word"] for entry in by_class["space"]}


def test_words_on_a_page(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    out = corpus.parent / "words.html"
    done = run("words", folder, corpus, "--html", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert 'class="w p20"' in out.read_text()
    assert out.read_text().count('type="radio"') == 4 + 2


def test_documents_with_one_name_are_told_apart(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\na,goal puck\n")
    by_class = json.loads(run("words", folder, corpus, "--json").stdout)
    documents = {e["word"]: e["document"] for entries in by_class.values() for e in entries}
    assert documents == {"moon": "a", "orbit": "a", "goal": "a (2)", "puck": "a (2)"}


def test_search_and_its_index(folder: Path, write: Write) -> None:
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
    assert index.read_bytes() == before


def test_a_query_is_no_model(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\norbit\n")
    done = run("search", folder, corpus, "py:nowhere:model moon")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("ending", "start"), [("html", b"<!DOCTYPE html>"), ("png", b"\x89PNG"), ("svg", b"<svg")]
)
def test_a_map(folder: Path, corpus: Path, ending: str, start: bytes) -> None:
    out = corpus.parent / f"map.{ending}"
    done = run("map", folder, corpus, "--out", out, "--limit", 10)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written: " in done.stderr
    assert out.read_bytes().startswith(start)
    assert out.stat().st_size > 2000
