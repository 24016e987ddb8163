import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hub_folders import CLASSES, write_folder

import whyword as ww
from whyword import InputError
from whyword.base.errors import DownloadError
from whyword.models.pytorch.hub import hub_folder

pytestmark = pytest.mark.slow("imports transformers")


@pytest.mark.parametrize(
    "name", ["", "bert", "../x", "a/..", "a/b/c", "a b/c", "a/b\0", "a/b@main", "ä/b", "/a", "a/"]
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(InputError, match="names no model of the hub; say hf:owner/name"):
        hub_folder(f"hf:{name}")


def test_an_unreachable_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(DownloadError) as info:
        ww.load_model("hf:nobody-at-all/nothing")
    said = str(info.value)
    assert said.isprintable()
    assert said.startswith("hf:nobody-at-all/nothing cannot be fetched (")
    assert said.endswith("and name the path")


def test_what_is_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    asked: dict[str, Any] = {}

    def fetch(name: str, **given: object) -> str:
        asked.update(given, name=name)
        return str(write_folder(tmp_path / "snapshot"))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    model = ww.load_model("hf:owner/some-model.v2")
    assert model.classes_.tolist() == CLASSES
    assert asked["name"] == "owner/some-model.v2"
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(asked["allow_patterns"])
    assert not [one for one in asked["allow_patterns"] if one.endswith((".py", ".bin"))]
    asked["tqdm_class"](range(3)).close()  # nothing is drawn where there is no terminal


def test_a_folder_of_such_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Said as a path, it is one, and nobody is asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", None)
    write_folder(tmp_path / "hf:owner" / "name")
    assert ww.load_model("./hf:owner/name").classes_.tolist() == CLASSES
    assert ww.load_model(Path("hf:owner/name")).classes_.tolist() == CLASSES
    with pytest.raises(InputError, match="no such model folder"):
        ww.load_model(Path("hf:owner/other"))
