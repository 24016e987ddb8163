import json

from commands import Write, run


def test_vectors(write: Write) -> None:
    path = write("v.txt", "orbit 1 0\nmoon 0.9 0.1\npuck 0 1\n")
    corpus = write("c.csv", "text\nmoon moon pluto\n")
    done = run("vectors", path, "--near", "Orbit", "--top", 1, "--coverage", corpus)
    assert done.returncode == 0
    assert "3 words, 2 dimensions" in done.stdout
    assert "moon" in done.stdout
    assert "0.994" in done.stdout
    assert "66.7% of the words" in done.stdout
    assert "pluto (1)" in done.stdout
    result = json.loads(run("vectors", path, "--near", "orbit", "--json").stdout)
    assert result["near"]["orbit"][0]["word"] == "moon"


def test_markup_in_words_and_names_is_shown_as_it_is(write: Write) -> None:
    path = write("v.txt", "[/] 1 0\n[bold]x 0.9 0.1\n:smile: 0 1\n")
    corpus = write("[bold]c].csv", "text\nmoon\n")
    done = run("vectors", path, "--near", "[/]", "--near", ":smile:", "--coverage", corpus)
    assert done.returncode == 0
    for shown in ("near [/]", "[bold]x", "near :smile:", "[bold]c].csv"):
        assert shown in done.stdout
