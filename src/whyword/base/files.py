"""Files that are whole or not there: the cache folder, atomic writing, checksums."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import platformdirs

from whyword.base.checks import expand_path, file_name
from whyword.base.errors import InputError
from whyword.base.printable import storable


def cache_folder() -> Path:
    """Return the user's cache folder for whyword, made if need be.

    The environment variable ``WHYWORD_CACHE`` names another place.
    """
    folder = expand_path(os.environ.get("WHYWORD_CACHE") or platformdirs.user_cache_dir("whyword"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the cache folder {folder} cannot be made ({error}); set WHYWORD_CACHE to another"
        ) from None
    return folder


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes that name only if the block succeeds.

    What a link points to is replaced, not the link. A pipe or device is written to as it is.
    """
    try:
        path = path.resolve() if path.is_symlink() else path
        is_folder, is_special = path.is_dir(), path.exists() and not path.is_file()
    except OSError as error:
        raise InputError(f"{file_name(path)} cannot be written ({error.strerror})") from None
    if is_folder:
        raise InputError(f"{file_name(path)} is a folder, not a file")
    if is_special:
        yield path
        return
    with _beside(path) as folder:
        draft = folder / path.name
        yield draft
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o7777)
        draft.replace(path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside the path; raise if there can be none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        manager = temporary_folder(path.parent)
        folder = manager.__enter__()
        (folder / path.name).touch()  # is the name too long, is there room?
    except OSError as error:
        raise InputError(f"{file_name(path)} cannot be written ({error.strerror})") from None
    with ExitStack() as stack:
        stack.push(manager)
        yield folder


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a folder in `parent` (by default the cache) that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix=".tmp-", dir=parent or cache_folder()) as name:
        yield Path(name)


@contextmanager
def locked_folder(
    folder: Path, *, exclusive: bool = True, wait: bool = True
) -> Iterator[int | None]:
    """Keep writers out of a folder, and if exclusive, readers too, where the system has locks.

    Yield the file descriptor: a process that inherits it holds the lock, too, if this one is killed
    before the block ends. Raises BlockingIOError if the folder is locked and `wait` is false.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield None
        return
    descriptor, owner = os.open(folder, os.O_RDONLY), os.getpid()
    try:
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # some network file systems have no locks
            pass
        yield descriptor
    finally:
        if os.getpid() == owner:  # a process that was forked in the block has it, too
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


@contextmanager
def exclusive_folder(folder: Path) -> Iterator[int | None]:
    """Make the folder, and raise if another process is at work in it, where the system can tell.

    Yield the lock's file descriptor, if there is one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            descriptor = stack.enter_context(locked_folder(folder, wait=False))
        except BlockingIOError:
            raise InputError(f"another run is at work in {folder}; wait until it is done") from None
        yield descriptor


def arrow_file(path: Path, mode: Literal["rb", "wb"] = "rb") -> Any:  # noqa: ANN401 - Arrow's
    """Return a file as pyarrow takes it: by its name, or open if that is not UTF-8."""
    if storable(str(path)) == str(path):
        return path
    import pyarrow

    return pyarrow.OSFile(os.fsencode(path), mode)


def sha256_of(path: Path) -> str:
    """Return the file's sha256 as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def save_or_return(content: str, path: str | Path | None) -> str:
    """Return the content; given a path, write it there, whole, and return that."""
    if path is None:
        return content
    with atomic_write(expand_path(path)) as draft:
        draft.write_text(content, encoding="utf-8", newline="")
    return str(path)
