"""What was made once is found again by what it was made of, and never half."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError
from whyword.base.errors import DownloadError
from whyword.base.store import Entry, Store, content_digest


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever was written
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(value: object, path: Path) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def read_folder(path: Path) -> Any:  # noqa: ANN401 - whatever was written
    return read_json(path / "value.json")


def write_folder(value: object, path: Path) -> None:
    path.mkdir()
    write_json(value, path / "value.json")


KINDS = pytest.mark.parametrize(
    ("suffix", "read", "write"),
    [(".json", read_json, write_json), ("", read_folder, write_folder)],
    ids=["file", "folder"],
)


class Counter:
    """Makes something, and counts how often."""

    def __init__(self, value: object = 1) -> None:
        self.value, self.count = value, 0

    def __call__(self) -> object:
        self.count += 1
        return self.value


@KINDS
def test_made_once(
    tmp_path: Path, suffix: str, read: Callable[..., Any], write: Callable[..., Any]
) -> None:
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
def test_a_damaged_one_is_made_again(
    tmp_path: Path, suffix: str, read: Callable[..., Any], write: Callable[..., Any]
) -> None:
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)
    entry.get_or_make(Counter("old"), write)
    file = entry.path if suffix else entry.path / "value.json"
    for content in (b"", b"\xff", b'{"a'):
        file.write_bytes(content)
        assert entry.find() is None
        assert entry.get_or_make(Counter("new"), write) == "new"
        assert entry.find() == "new"
    if not suffix:
        file.unlink()  # half a folder
        assert entry.get_or_make(Counter("newer"), write) == "newer"
        assert entry.find() == "newer"
    assert list(tmp_path.iterdir()) == [entry.path]


@KINDS
def test_making_that_fails_leaves_nothing(
    tmp_path: Path, suffix: str, read: Callable[..., Any], write: Callable[..., Any]
) -> None:
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)

    def half(value: object, path: Path) -> None:
        write(value, path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        entry.get_or_make(Counter(), half)
    with pytest.raises(ZeroDivisionError):
        entry.get_or_make(lambda: 1 // 0, write)
    assert list(tmp_path.iterdir()) == []


@KINDS
def test_what_cannot_be_kept_is_not_lost(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    suffix: str,
    read: Callable[..., Any],
    write: Callable[..., Any],
) -> None:
    def full(value: object, path: Path) -> None:
        write(value, path)
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_text("no folder can be made below this")
    places = (tmp_path / "file", write), (Path("/proc/nowhere"), write), (tmp_path / "s", full)
    for folder, writes in places:
        caplog.clear()
        entry: Entry[Any] = Store(folder).entry("x", 0, suffix, read=read)
        assert entry.get_or_make(Counter("made"), writes) == "made"
        assert "could not be kept in the cache" in caplog.text
        assert entry.keep("made", writes) is False
    assert list((tmp_path / "s").iterdir()) == []


def test_a_file_that_is_needed_as_one(tmp_path: Path) -> None:
    made = []

    def write(path: Path) -> None:
        made.append(1)
        path.write_text("text")

    entry = Store(tmp_path).entry("published", suffix=".txt", read=Path.read_text)
    assert [entry.fetch(write) for _ in range(2)] == ["text"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["published.txt"]
    assert len(made) == 1
    nowhere = Store(Path("/proc/nowhere")).entry("published", read=Path.read_text)
    with pytest.raises(InputError, match=r"/proc/nowhere/published cannot be written \(No such"):
        nowhere.fetch(write)


def test_why_it_could_not_be_fetched_is_said(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        raise DownloadError("no network")

    with pytest.raises(DownloadError, match="no network"):
        Store(tmp_path).entry("published", read=Path.read_text).fetch(fail)


@KINDS
def test_another_process_was_faster(
    tmp_path: Path, suffix: str, read: Callable[..., Any], write: Callable[..., Any]
) -> None:
    """Whole entries of two processes are the same; either may stay."""
    entry: Entry[Any] = Store(tmp_path).entry("x", 0, suffix, read=read)

    def make() -> int:
        write(7, entry.path)  # the other process
        return 7

    assert entry.get_or_make(make, write) == 7
    assert entry.find() == 7
    assert list(tmp_path.iterdir()) == [entry.path]


PROGRAM = """
import sys
from pathlib import Path
from whyword.base.store import Store

def read(path):
    parts = [(path / name).read_text() for name in "abc"]
    if parts != ["x" * 10_000] * 3:
        raise ValueError("half")
    return parts

def write(value, path):
    path.mkdir()
    for name, part in zip("abc", value):
        (path / name).write_text(part)

for number in range(40):
    entry = Store(Path(sys.argv[1])).entry("x", number, read=read)
    entry.get_or_make(lambda: ["x" * 10_000] * 3, write)
    assert entry.find() is not None
"""


def test_processes_at_the_same_entries(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 40


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(PLAIN)
@pytest.mark.slow(reason="half a second and more")
def test_a_digest_depends_on_the_content_alone(value: object) -> None:
    again = json.loads(json.dumps(value))
    assert content_digest(again) == content_digest(value)
    if isinstance(value, dict):
        assert content_digest(dict(reversed(value.items()))) == content_digest(value)
    assert content_digest([value]) != content_digest(value)


def test_arrays_count_by_type_shape_and_bytes() -> None:
    array = np.arange(6, dtype=np.int32)
    others = (array.astype(np.int64), array.reshape(2, 3), array[::-1], array.tolist(), array[:5])
    digests = {content_digest({"array": one}) for one in (array, *others)}
    assert len(digests) == 6
    turned = np.asfortranarray(array.reshape(2, 3))
    assert content_digest([turned]) == content_digest([array.reshape(2, 3)])
    assert content_digest([np.int32(3), np.float64(0.5)]) == content_digest([3, 0.5])
    assert content_digest(np.empty((0, 3))) != content_digest(np.empty((0, 4)))
    with pytest.raises(TypeError, match="set is no plain data"):
        content_digest({1, 2})
