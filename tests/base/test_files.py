"""Files are whole or not there; folders have one writer at a time."""

import sys
from pathlib import Path

import pytest

from whyword import InputError
from whyword.base.files import (
    atomic_write,
    cache_folder,
    exclusive_folder,
    temporary_folder,
)


class StopError(Exception):
    pass


def fail_half_way(path: Path) -> None:
    with atomic_write(path) as draft:
        draft.write_text("half")
        raise StopError


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.txt"
    with pytest.raises(StopError):
        fail_half_way(path)
    assert not path.exists()
    with atomic_write(path) as draft:
        draft.write_text("old")
    with pytest.raises(StopError):
        fail_half_way(path)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYWORD_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    assert cache_folder().is_dir()
    with temporary_folder() as folder:
        assert folder.parent == cache_folder()
    assert not folder.exists()
    monkeypatch.delenv("WHYWORD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert cache_folder() == tmp_path / "xdg" / "whyword"
    monkeypatch.setenv("WHYWORD_CACHE", "/proc/nowhere")
    with pytest.raises(InputError, match=r"cannot be made .*; set WHYWORD_CACHE to another"):
        cache_folder()


def test_links_pipes_folders_and_modes(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    with atomic_write(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    with atomic_write(Path("/dev/null")) as draft:
        draft.write_text("gone")
    assert Path("/dev/null").is_char_device()
    for path, reason in (
        (tmp_path, "is a folder"),
        (target / "below", "cannot be written"),
        (tmp_path / ("x" * 300), "cannot be written"),
        (Path("/proc/x"), "cannot be written"),
    ):
        with pytest.raises(InputError, match=reason), atomic_write(path):
            pass
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "target"]


def test_one_at_a_time_in_a_folder(tmp_path: Path) -> None:
    with (
        exclusive_folder(tmp_path / "made"),
        pytest.raises(InputError, match=r"another run is at work in .*made"),
        exclusive_folder(tmp_path / "made"),
    ):
        pass
    with exclusive_folder(tmp_path / "made"):
        pass
