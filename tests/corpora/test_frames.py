"""Frames and lists of dicts are read as a file with the same content."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from whyword import InputError
from whyword.batch.chunks import SourceReader
from whyword.corpora import load_corpus, open_source
from whyword.corpora.frames import is_in_memory, open_frame
from whyword.corpora.tables import BadRow

Data = dict[str, list[Any]]

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "Grüße, мир", "label": "x", "split": "train", "author": "eve"},
    {"id": "b", "text": "", "label": "y", "split": "test", "author": None},
    {"id": "", "text": "two words", "label": "x", "split": "test", "author": "bob"},
]
DATA = {name: [row[name] for row in ROWS] for name in ROWS[0]}


class Feature:
    """A feature of a dataset: the names of classes, or the feature of a list's items."""

    def __init__(self, *names: str, feature: object = None) -> None:
        self.names = list(names) or None
        self.feature = feature


class Stream:
    """A stand-in for datasets.IterableDataset."""

    def __init__(self, data: Data, features: dict[str, Any] | None = None) -> None:
        self.data, self._features = data, features

    @property
    def features(self) -> dict[str, Any] | None:
        return self._features

    @property
    def column_names(self) -> list[str] | None:
        return None if self._features is None else list(self.data)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in zip(*self.data.values(), strict=True):
            yield dict(zip(self.data, values, strict=True))


class Dataset(Stream):
    """A stand-in for datasets.Dataset, of which a format changes the values."""

    formatted = True

    @property
    def column_names(self) -> list[str]:
        return list(self.data)

    def with_format(self, kind: str | None) -> "Dataset":
        plain = Dataset(self.data, self._features)
        plain.formatted = kind is not None
        return plain

    def select_columns(self, names: list[str]) -> "Dataset":
        chosen = Dataset({name: self.data[name] for name in names}, self._features)
        chosen.formatted = self.formatted
        return chosen

    def __len__(self) -> int:
        return len(next(iter(self.data.values())))

    def __getitem__(self, rows: slice) -> Data:
        assert not self.formatted
        return {name: values[rows] for name, values in self.data.items()}


KINDS: dict[str, Callable[[Data], Any]] = {
    "pandas": lambda data: pd.DataFrame(data, index=[7] * len(data["text"])),
    "pandas, objects": lambda data: pd.DataFrame(data, dtype=object),
    "polars": pl.DataFrame,
    "Arrow table": lambda data: pa.concat_tables(
        [pa.table(data).slice(0, 1), pa.table(data).slice(1)]
    ),
    "Arrow batch": pa.RecordBatch.from_pydict,
    "dataset": Dataset,
    "stream": Stream,
    "dicts": lambda data: pd.DataFrame(data, dtype=object).to_dict("records"),
}
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


@every_kind
def test_a_frame_is_read_as_the_file_is(make: Callable[[Data], Any], tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(DATA).to_csv(path, index=False)
    frame, groups = make(DATA), ["author"]
    opened, expected = open_source(frame, groups=groups), list(open_source(path, groups=groups))
    assert list(opened) == list(opened) == expected
    assert [record.groups for record in opened] == [{"author": name} for name in ("eve", "", "bob")]
    loaded = load_corpus(frame)
    assert (loaded.test.texts, loaded.test.ids) == (["", "two words"], ["b", "3"])
    assert "text column: 'text'" in loaded.notes
    assert loaded.name == type(frame).__name__


@every_kind
def test_bad_rows(make: Callable[[Data], Any]) -> None:
    data: Data = {"text": ["a", "b", "c"], "label": ["x", None, "y"]}
    message = r"(?i)\w+, row 2: 'label' is empty; every document needs a label"
    with pytest.raises(InputError, match=message):
        load_corpus(make(data))
    rejected: list[BadRow] = []
    records = open_source(make(data)).read(rejected.append)
    assert [record.id for record in records] == ["1", "3"]
    assert len(rejected) == 1
    assert load_corpus(make(data), labelled=False).labels is None


@every_kind
def test_a_frame_of_many_rows(make: Callable[[Data], Any]) -> None:
    count = 3000  # several blocks, the last one not full
    data = {"text": [f"text {n}" for n in range(count)], "label": ["x", "y"] * (count // 2)}
    shares: list[float | None] = []
    frame = make(data)
    records = open_source(frame).read(on_progress=lambda event: shares.append(event.share))
    assert [record.text for record in records] == data["text"]
    known = hasattr(type(frame), "__len__")
    assert shares == ([1024 / count, 2048 / count] if known else [])


def test_values_of_other_types() -> None:
    for missing in (None, math.nan, pd.NA, pd.NaT, np.float32("nan")):
        frame = pd.DataFrame({"text": ["a", missing], "label": ["x", "y"]}, dtype=object)
        assert [record.text for record in open_source(frame)] == ["a", ""]
    frame = pd.DataFrame({"text": ["a", "b"], "label": [np.int64(1), np.bool_(True)]}, dtype=object)
    assert load_corpus(frame, test=0).labels == ["1", "True"]
    numbers = pd.DataFrame({"text": ["a", "b"], "label": [1, 2], "id": [7, 8]})
    assert load_corpus(numbers, test=0).ids == ["7", "8"]
    categories = pl.DataFrame({"text": ["a"], "label": pl.Series(["x"], dtype=pl.Categorical)})
    assert load_corpus(categories, test=0).labels == ["x"]


def test_datasets_have_names_of_classes() -> None:
    labels = Feature("neg", "pos")
    for kind in (Dataset, Stream):
        data: Data = {"text": ["a", "b", "c"], "label": [1, 0, 1]}
        features = {"text": None, "label": labels}
        assert load_corpus(kind(data, features), test=0).labels == ["pos", "neg", "pos"]
        data["label"][1] = -1  # there is no label
        with pytest.raises(InputError, match="row 2: 'label' is empty"):
            load_corpus(kind(data, features))
        for other in (2, 7, -2):  # not a number of a class
            data["label"][1] = other
            assert load_corpus(kind(data, features), test=0).labels == ["pos", str(other), "pos"]
        data["label"] = [[1, 0], [], [1]]
        for listed in (Feature(feature=labels), [labels]):
            several = kind(data, {"text": None, "label": listed})
            assert load_corpus(several, test=0).labels == [("pos", "neg"), (), ("pos",)]


def test_a_dict_of_frames_has_a_split() -> None:
    train, test = {"text": ["a", "b"], "label": ["x", "y"]}, {"text": ["c"], "label": ["x"]}
    both = {"train": Dataset(train), "test": Dataset(test), "unsupervised": Dataset(test)}
    for source in (both, {"test": pl.DataFrame(test), "train": pl.DataFrame(train)}):
        loaded = load_corpus(source)
        assert (loaded.train.texts, loaded.test.texts) == (["a", "b"], ["c"])
        assert loaded.test.labels == ["x"]
    assert load_corpus(both).notes[0] == "left out: unsupervised"
    alone = {"train": pd.DataFrame({"text": ["a", "b"], "label": ["x", "x"]})}
    assert len(load_corpus(alone, test=0.5).test) == 1
    own = {"text": ["c"], "label": ["x"], "split": ["train"]}  # the name in the dict counts
    first = [{"text": "a", "label": "x", "split": "?"}]
    assert load_corpus({"train": first, "test": Dataset(own)}).test.ids == ["2"]
    shares: list[float | None] = []
    many = {"train": [{"text": "a"}] * 1000, "test": [{"text": "a"}] * 1048}
    opened = open_source(many, labelled=False)
    assert len(list(opened.read(on_progress=lambda event: shares.append(event.share)))) == 2048
    assert shares == [0.5, 1]


FRAME = pd.DataFrame({"text": ["a"], "label": ["x"]})
NOT_UTF_8 = pa.array([b"\xff"]).view(pa.string())


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ([], {}, "the list has no rows"),
        (["a"], {}, "the source is a file, a folder, .*; not a list of str$"),
        (5, {}, r"a dict of frames \('train' and 'test'\) or a list of dicts; not a int$"),
        ({"text": ["a"], "label": ["x"]}, {}, "not a dict with text, label"),
        (Stream({}), {}, "the Stream has no rows"),
        (pd.DataFrame({"text": [], "label": []}), {}, "DataFrame has no documents"),
        ({"train": FRAME, "test": FRAME[["text"]]}, {}, "'test' has no column 'label', which the"),
        ({"train": FRAME, "test": ["a"]}, {}, "not a list of str"),
        (
            {"train": FRAME, "test": [{"text": "a", "label": "x"}, {"text": "b"}]},
            {},
            "dict, 'test', row 2: no 'label', which the first row has",
        ),
        (pl.DataFrame(DATA).lazy(), {}, r"a LazyFrame is still to be computed: .* collect\(\)"),
        (ROWS, {"encoding": "utf-8"}, "encoding is for files"),
        (FRAME.assign(text=[5]), {}, "DataFrame, row 1: 'text' is int 5, not text"),
        (pa.table({"text": [b"a"], "label": ["x"]}), {}, "Table, row 1: 'text' is bytes"),
        (pa.table({"text": NOT_UTF_8, "label": ["x"]}), {}, "row 1: text that is not UTF-8"),
        (pd.DataFrame([["a", "x"]]), {}, r"DataFrame: no text column among 0, 1; .*: text=…$"),
        (pd.DataFrame([["a"] * 2], columns=["text"] * 2), {}, "two columns are called 'text'"),
        (FRAME, {"text": "body"}, "no column 'body'; there are text, label"),
    ],
)
def test_wrong_sources(source: object, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_corpus(source, **options)


def test_dicts_that_differ() -> None:
    rows: list[Any] = [{"text": "a", "label": "x"}, {"label": "x"}, "c"]
    rejected: list[BadRow] = []
    assert [record.id for record in open_source(rows).read(rejected.append)] == ["1"]
    assert rejected == [
        BadRow("list, row 2", "no 'text', which the first row has"),
        BadRow("list, row 3", "a str, not a dict"),
    ]
    assert [record.id for record in open_source(({"text": "a", "label": 1, 3: 4},))] == ["1"]
    mails = [{"text": "From: a\n\nhello", "label": "x"}]
    assert load_corpus(mails, remove=["headers"], test=0).texts == ["hello"]
    numbered = pd.DataFrame([["a", "x"], ["b", "y"]])  # columns 0 and 1
    assert load_corpus(numbered, text="0", label="1", test=0).labels == ["x", "y"]


def test_paths_are_not_in_memory(tmp_path: Path) -> None:
    assert not is_in_memory("a.csv")
    assert not is_in_memory(tmp_path)
    table, notes = open_frame(ROWS)
    assert (table.path, table.columns, notes) == ("list", tuple(ROWS[0]), [])
    with pytest.raises(InputError, match="the source is the path of files"):
        SourceReader.of(pd.DataFrame(DATA))
