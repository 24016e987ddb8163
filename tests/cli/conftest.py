"""Inputs of the commands: tables of texts on three topics, and models of them."""

from collections.abc import Iterator
from pathlib import Path
from socket import socket

import pytest
from commands import Write, run
from networks import small_cnn, some_vectors, topical

from whyword.web.serving import bound_socket


@pytest.fixture
def corpus(write: Write) -> Path:
    """Write a table of 99 labelled texts."""
    rows = [f"{n},{text},{label}" for n, (text, label) in enumerate(zip(*topical(99), strict=True))]
    return write("c.csv", "\n".join(["id,text,label", *rows]))


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
        *("--filters", 8, "--epochs", 20, "--width", "1,2"),
    )
    assert done.returncode == 0, done.stderr
    assert "72 documents, 3 classes" in done.stdout
    assert "of 18 documents" in done.stdout
    return out


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a small network."""
    path = tmp_path_factory.mktemp("explained") / "model"
    small_cnn().save(path)
    return path


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[object, ...]]]:
    """Close what ``whyword serve`` listens at; return what a server would be run with."""
    opened: list[socket] = []
    served: list[tuple[object, ...]] = []

    def bind(*where: object) -> socket:
        opened.append(bound_socket(*where))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr("whyword.cli.serve.bound_socket", bind)
    monkeypatch.setattr("whyword.cli.serve.run", lambda *given: served.append(given))
    yield served
    for one in opened:
        one.close()
