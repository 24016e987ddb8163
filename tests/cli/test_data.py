"""``whyword corpus``, ``vectors`` and ``base``: what comes before a model."""

import json
from pathlib import Path

import pytest
from commands import Write, run


def test_a_corpus_is_shown_without_control_characters(write: Write) -> None:
    rows = [f"[bold]Buy now {i}!\x1b[31m,spam" for i in range(5)]
    rows += [f"See you {i},ham" for i in range(5)]
    mails = write("mails.csv", "\n".join(["body,label", *rows]))
    done = run("corpus", mails)
    assert done.returncode == 0
    assert "[bold]Buy now 0!␛[31m" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert "text column: 'body'" in done.stderr
    assert "text column" not in done.stdout
    figures = json.loads(run("corpus", mails, "--json", "--test", 0.4).stdout)
    assert figures["classes"][0] == {"name": "ham", "train": 3, "test": 2, "median_words": 2.0}
    assert figures["train"]["documents"] == 6


def test_a_sample_is_shown_once(write: Write) -> None:
    done = run("corpus", write("a.csv", "text,label\nalpha,x\nbeta,y\n"), "--samples", 3)
    assert done.stdout.count("alpha") == done.stdout.count("beta") == 1


def test_texts_without_labels(write: Write) -> None:
    path = write("a.csv", "text\nhello there\n")
    assert "or --unlabelled if there is none" in run("corpus", path).stderr
    assert "hello there" in run("corpus", path, "--unlabelled").stdout


def test_neighbours_and_coverage_of_vectors(write: Write) -> None:
    path = write("v.txt", "orbit 1 0\nmoon 0.9 0.1\npuck 0 1\n")
    corpus = write("c.csv", "text\nmoon moon pluto\n")
    done = run("vectors", path, "--near", "Orbit", "--top", 1, "--coverage", corpus)
    assert done.returncode == 0
    for said in ("3 words, 2 dimensions", "moon", "0.994", "66.7% of the words", "pluto (1)"):
        assert said in done.stdout
    result = json.loads(run("vectors", path, "--near", "orbit", "--json").stdout)
    assert result["near"]["orbit"][0]["word"] == "moon"
    assert result["near"]["orbit"][0]["similarity"] == pytest.approx(0.9 / 0.82**0.5, abs=1e-6)


def test_a_word_that_a_file_has_twice(write: Write) -> None:
    twice = write("w.txt", "a 1 2\na 1 2\n")
    assert "--duplicates first keeps one" in run("vectors", twice).stderr
    assert run("vectors", twice, "--duplicates", "first").returncode == 0


def test_markup_in_words_and_names_is_shown_as_it_is(write: Write) -> None:
    path = write("v.txt", "[/] 1 0\n[bold]x 0.9 0.1\n:smile: 0 1\n")
    corpus = write("[bold]c].csv", "text\nmoon\n")
    done = run("vectors", path, "--near", "[/]", "--near", ":smile:", "--coverage", corpus)
    assert done.returncode == 0
    for shown in ("near [/]", "[bold]x", "near :smile:", "[bold]c].csv"):
        assert shown in done.stdout


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a folder in the place of a base that is downloaded."""
    folder = tmp_path / "cache" / "minilm-l6"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr("whyword.cli.base.base_folder", lambda _: folder)
    return folder


@pytest.mark.usefixtures("cached")
def test_a_base_is_copied_into_a_new_or_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "models" / "empty").mkdir(parents=True)
    for name in ("mini", "empty"):
        done = run("base", "minilm-l6", "--out", tmp_path / "models" / name)
        assert (done.returncode, done.stdout) == (0, "")
        assert "Apache-2.0" in done.stderr
        assert (tmp_path / "models" / name / "config.json").read_text() == "{}"
    assert {path.name for path in (tmp_path / "models").iterdir()} == {"mini", "empty"}


@pytest.mark.usefixtures("cached")
def test_a_base_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "full", "link"):
        done = run("base", "minilm-l6", "--out", tmp_path / name)
        assert done.returncode == 1
        assert done.stderr.endswith("exists and will not be written over\n")
    done = run("base", "minilm-l6", "--out", tmp_path / "file" / "x")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert (tmp_path / "file").read_text() == "mine"
