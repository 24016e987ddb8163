from pathlib import Path

import pytest
from typer.testing import CliRunner

from whyword.cli import base as module
from whyword.cli.main import command_line


@pytest.fixture(autouse=True)
def _cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache" / "minilm-l6"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr("whyword.cli.base.base_folder", lambda _: folder)


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(command_line(), ["base", *map(str, arguments)])
    return done.exit_code, done.stderr


def test_a_folder_of_ones_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", module.__name__):
        assert run("minilm-l6", "--out", tmp_path / "models" / "mini") == (0, "")
    assert (tmp_path / "models" / "mini" / "config.json").read_text() == "{}"
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["mini"]
    assert "Apache-2.0" in caplog.text


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "mini").mkdir()
    assert run("minilm-l6", "--out", tmp_path / "mini") == (0, "")
    assert (tmp_path / "mini" / "config.json").exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "full", "link"):
        code, said = run("minilm-l6", "--out", tmp_path / name)
        assert code == 1
        assert said.endswith("exists and will not be written over\n")
    code, said = run("minilm-l6", "--out", tmp_path / "file" / "x")
    assert (code, said.count("\n")) == (1, 1)
    assert (tmp_path / "file").read_text() == "mine"
