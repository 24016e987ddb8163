"""Every command takes a Hugging Face folder where it takes a model."""

import json
import logging
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hub_folders import CLASSES, write_folder
from networks import topical
from typer.testing import CliRunner

import whyword as ww
from whyword.cli.main import command_line

pytestmark = pytest.mark.slow("imports transformers")
serve_module = import_module("whyword.cli.serve")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("place")
    write_folder(here / "bert")
    texts, labels = topical(24, seed=1)
    pd.DataFrame({"text": texts, "label": labels}).to_csv(here / "texts.csv", index=False)
    (here / "mail.txt").write_text(texts[0])
    return here


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def run(*arguments: object) -> str:
    done = CliRunner().invoke(command_line(), [*map(str, arguments)])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def test_what_it_is() -> None:
    said = json.loads(run("model", "bert", "--json"))
    assert said["classes"] == CLASSES
    assert said["identity"] == ww.load_model("bert").identity


def test_one_text() -> None:
    assert any(label in run("predict", "bert", "mail.txt") for label in CLASSES)
    row = json.loads(run("explain", "bert", "mail.txt", "--format", "json"))
    assert row["method"] == "lrp"
    assert abs(row["residual"]) < 1e-5


def test_many_texts(tmp_path: Path) -> None:
    run("explain", "bert", "texts.csv", "--out", tmp_path / "why")  # in other processes, too
    assert len(pd.read_parquet(tmp_path / "why")) == 24
    run("predict", "bert", "texts.csv", "--out", tmp_path / "said.csv")
    assert run("words", "bert", "texts.csv")
    run("map", "bert", "texts.csv", "--out", tmp_path / "map.html")
    assert run("search", "bert", "texts.csv", "rocket")


def test_how_good_it_is(tmp_path: Path) -> None:
    few = ("--limit", 4, "--steps", 2, "--runs", 1)
    assert "accuracy" in run("evaluate", "bert", "texts.csv", *few)
    run("tour", "bert", "texts.csv", "--out", tmp_path / "pages", "--limit", 10)
    assert (tmp_path / "pages" / "index.html").is_file()


def test_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []

    class NoSocket:
        """Nothing listens."""

        def getsockname(self) -> tuple[str, int]:
            return "127.0.0.1", 1

        def close(self) -> None:
            """Do nothing."""

    monkeypatch.setattr(serve_module, "bound_socket", lambda *_: NoSocket())
    monkeypatch.setattr(serve_module, "run", lambda *given: served.append(given))
    run("serve", "bert", "texts.csv", "--no-open")
    assert len(served) == 1


def test_a_name_is_a_path_unless_it_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return Path("bert")

    monkeypatch.setattr("whyword.models.pytorch.hub.hub_folder", fetch)
    for name in ("owner/name", "./hf:owner/name"):
        done = CliRunner().invoke(command_line(), ["predict", name, "mail.txt"])
        assert (done.exit_code, asked) == (1, [])
        assert done.stderr.count("\n") == 1
    with caplog.at_level(logging.ERROR):
        run("predict", "hf:owner/name", "mail.txt")
    assert asked == ["hf:owner/name"]
