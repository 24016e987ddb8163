"""Class words over a corpus in files are those over its texts."""

import json
from pathlib import Path
from typing import Any

import pytest
from networks import small_cnn
from served import model
from streams import write_corpus

from whyword import CNNClassifier, InputError, class_words
from whyword.analysis import ClassWords
from whyword.base.progress import Progress
from whyword.batch import chunks, class_words_corpus
from whyword.corpora.source import Record, open_source


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "tables", files=2)


@pytest.fixture(scope="module")
def records(source: Path) -> list[Record]:
    return [
        record._replace(id=f"{file.name}:{record.id}")
        for file in sorted(source.iterdir())
        for record in open_source(file, labelled=False).read(lambda _: None)
    ]


@pytest.fixture(scope="module")
def cnn() -> CNNClassifier:
    return small_cnn()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 30)


def check_same(actual: ClassWords, expected: ClassWords) -> None:
    assert (actual.per, actual.rank, actual.units) == (expected.per, expected.rank, expected.units)
    assert actual.n_documents == expected.n_documents
    assert list(actual) == list(expected)
    for label in expected:
        assert [e._replace(relevance=0) for e in actual[label]] == [
            e._replace(relevance=0) for e in expected[label]
        ]
        for ours, theirs in zip(actual[label], expected[label], strict=True):
            assert ours.relevance == pytest.approx(theirs.relevance, rel=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"per": "occurrence", "top": 7},
        {"rank": "sum", "least": 5, "top": 4},
        {"rank": "mean", "target": "space"},
        {"rank": "strongest", "top": 5},
        {"units": "phrases", "top": 9},
    ],
)
def test_the_same_words(
    options: dict[str, Any], cnn: CNNClassifier, source: Path, records: list[Record]
) -> None:
    if "target" in options:
        options = options | {"target": str(cnn.classes_[0])}
    expected = class_words(cnn, [r.text for r in records], ids=[r.id for r in records], **options)
    events: list[Progress] = []
    check_same(class_words_corpus(cnn, source, on_progress=events.append, **options), expected)
    assert (events[-1].n_documents, events[-1].share) == (len(records), 1.0)


def test_a_bag_of_words(source: Path, records: list[Record]) -> None:
    svm = model("svm")
    expected = class_words(svm, [r.text for r in records], ids=[r.id for r in records])
    check_same(class_words_corpus(svm, source, workers=1), expected)


def test_what_makes_no_sense(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="say 'all'"):
        class_words_corpus(cnn, source, "predicted")
    with pytest.raises(InputError, match="there is no class 'nothing'"):
        class_words_corpus(cnn, source, "nothing")
    with pytest.raises(InputError, match="line 2: 'text' is null"):
        class_words_corpus(cnn, source, strict=True)
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": None}))
    with pytest.raises(InputError, match="there are no texts"):
        class_words_corpus(cnn, tmp_path / "a.jsonl")
