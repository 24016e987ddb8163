"""Files that are whole or not there: the cache folder, atomic writing, checksums."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from whyword.checks import expanded
from whyword.errors import InputError


def cache_folder() -> Path:
    """Return the user's cache folder for whyword, made if need be.

    The environment variable ``WHYWORD_CACHE`` names another place.
    """
    folder = expanded(os.environ.get("WHYWORD_CACHE") or platformdirs.user_cache_dir("whyword"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the cache folder {folder} cannot be made ({error}); set WHYWORD_CACHE to another"
        ) from None
    return folder


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes that name only if the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(path.parent) as folder:
        draft = folder / path.name
        yield draft
        draft.replace(path)


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a folder in `parent` (by default the cache) that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix=".tmp-", dir=parent or cache_folder()) as name:
        yield Path(name)


def sha256_of(path: Path) -> str:
    """Return the file's sha256 as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
