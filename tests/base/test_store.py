"""A result is made once, found again by a hash of its inputs, and never half written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from whyword import InputError
from whyword.base.errors import DownloadError
from whyword.base.store import Entry, Store, content_digest


def read_json(path: Path) -> Any:  # noqa: ANN401 - the stored value
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(value: object, path: Path) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def read_folder(path: Path) -> Any:  # noqa: ANN401 - the stored value
    return read_json(path / "value.json")


def write_folder(value: object, path: Path) -> None:
    path.mkdir()
    write_json(value, path / "value.json")


Read: TypeAlias = Callable[[Path], Any]
Write: TypeAlias = Callable[[object, Path], object]
KINDS = pytest.mark.parametrize(
    ("suffix", "read", "write"),
    [(".json", read_json, write_json), ("", read_folder, write_folder)],
    ids=["file", "folder"],
)


class Counter:
    """A function that makes a value and counts its calls."""

    def __init__(self, value: object = 1) -> None:
        self.value, self.count = value, 0

    def __call__(self) -> object:
        self.count += 1
        return self.value


@KINDS
def test_made_once(tmp_path: Path, suffix: str, read: Read, write: Write) -> None:
    folder, make = tmp_path / "deep" / "store", Counter()
    for _ in range(3):
        entry = Store(folder).entry("a name: of it", {"seed": 1}, suffix, read=read)
        assert entry.get_or_make(make, write) == 1
    assert make.count == 1
    (path,) = folder.iterdir()
    assert path.name == f"a-name-of-it-{content_digest({'seed': 1})[:32]}{suffix}"
    Store(folder).entry("a name: of it", {"seed": 2}, suffix, read=read).get_or_make(make, write)
    assert make.count == 2
    assert len(list(folder.iterdir())) == 2


@KINDS
def test_a_damaged_entry_is_made_again(
    tmp_path: Path, suffix: str, read: Read, write: Write
) -> None:
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)
    entry.get_or_make(Counter("old"), write)
    file = entry.path if suffix else entry.path / "value.json"
    for content in (b"", b"\xff", b'{"a', b""):
        file.write_bytes(content) if content else file.unlink()  # half a folder, or nothing
        assert entry.find() is None
        assert entry.get_or_make(Counter("new"), write) == "new"
        assert entry.find() == "new"
    assert list(tmp_path.iterdir()) == [entry.path]


@KINDS
def test_an_error_leaves_nothing(tmp_path: Path, suffix: str, read: Read, write: Write) -> None:
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)

    def half(value: object, path: Path) -> None:
        write(value, path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        entry.get_or_make(Counter(), half)
    with pytest.raises(ZeroDivisionError):
        entry.get_or_make(lambda: 1 // 0, write)
    assert list(tmp_path.iterdir()) == []


def test_a_result_that_cannot_be_kept_is_returned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def full(value: object, path: Path) -> None:
        write_folder(value, path)
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_text("no folder can be made below this")
    for folder, write in ((tmp_path / "file", write_folder), (tmp_path / "s", full)):
        caplog.clear()
        entry: Entry[Any] = Store(folder).entry("x", 0, read=read_folder)
        assert entry.get_or_make(Counter("made"), write) == "made"
        assert "could not be kept in the cache" in caplog.text
        assert entry.keep("made", write) is False
    assert list((tmp_path / "s").iterdir()) == []


def test_files_that_are_fetched(tmp_path: Path) -> None:
    made = []

    def write(path: Path) -> None:
        made.append(1)
        path.write_text("text")

    def fail(path: Path) -> None:
        raise DownloadError("no network")

    entry = Store(tmp_path).entry("published", suffix=".txt", read=Path.read_text)
    assert [entry.fetch(write) for _ in range(2)] == ["text"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["published.txt"]
    assert len(made) == 1
    nowhere = Store(Path("/proc/nowhere")).entry("published", read=Path.read_text)
    with pytest.raises(InputError, match=r"/proc/nowhere/published cannot be written \(No such"):
        nowhere.fetch(write)
    with pytest.raises(DownloadError, match="no network"):
        Store(tmp_path).entry("other", read=Path.read_text).fetch(fail)


@KINDS
def test_another_process_was_faster(tmp_path: Path, suffix: str, read: Read, write: Write) -> None:
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)

    def make() -> int:
        write(7, entry.path)  # the other process
        return 7

    assert entry.get_or_make(make, write) == 7
    assert entry.find() == 7
    assert list(tmp_path.iterdir()) == [entry.path]


def test_a_digest_depends_on_the_content_alone() -> None:
    value = {"b": [1, 2.5, None, "é"], "a": True}
    assert content_digest(dict(reversed(value.items()))) == content_digest(value)
    assert content_digest([value]) != content_digest(value)
    array = np.arange(6, dtype=np.int32)
    others = (array.astype(np.int64), array.reshape(2, 3), array[::-1], array.tolist(), array[:5])
    assert len({content_digest({"array": one}) for one in (array, *others)}) == 6
    turned = np.asfortranarray(array.reshape(2, 3))
    assert content_digest([turned]) == content_digest([array.reshape(2, 3)])
    assert content_digest([np.int32(3), np.float64(0.5)]) == content_digest([3, 0.5])
    assert content_digest(np.empty((0, 3))) != content_digest(np.empty((0, 4)))
    with pytest.raises(TypeError, match="set is no plain data"):
        content_digest({1, 2})
