"""What the commands work on: a table of mails, texts on three topics, models of them."""

from pathlib import Path

import pytest
from commands import Write, run
from networks import small_cnn, some_vectors, topical


@pytest.fixture
def mails(write: Write) -> Path:
    """Write a table whose texts would colour a terminal that lets them."""
    rows = [f"[bold]Buy now {i}!\x1b[31m,spam" for i in range(5)]
    rows += [f"See you {i},ham" for i in range(5)]
    return write("mails.csv", "\n".join(["body,label", *rows]))


@pytest.fixture(scope="session")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with 90 labelled texts, topics.csv, and word vectors, v.safetensors."""
    folder = tmp_path_factory.mktemp("topics")
    texts, labels = topical(90)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (folder / "topics.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    some_vectors().save(folder / "v.safetensors")
    return folder


@pytest.fixture(scope="session")
def trained(topics: Path) -> Path:
    """Train a network on the topics, by the command line."""
    out = topics / "cnn"
    done = run(
        *("train", topics / "topics.csv", "--vectors", topics / "v.safetensors", "--out", out),
        *("--filters", 30, "--epochs", 300, "--width", "1,2"),
    )
    assert done.returncode == 0, done.stderr
    assert "72 documents, 3 classes" in done.stdout
    assert "of 18 documents" in done.stdout
    assert "Traceback" not in done.stderr
    return out


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a small network that was trained here."""
    path = tmp_path_factory.mktemp("explained") / "model"
    small_cnn().save(path)
    return path
