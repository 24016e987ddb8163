"""What is in memory is read as a file with the same content would be."""

import json
import math
import subprocess
import sys
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

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "Grüße, мир", "label": "x", "split": "train", "author": "eve"},
    {"id": "b", "text": "", "label": "y", "split": "test", "author": None},
    {"id": "", "text": "two words", "label": "x", "split": "test", "author": "bob"},
]
DATA = {name: [row[name] for row in ROWS] for name in ROWS[0]}


class ClassLabel:
    """Names of classes, as a dataset's features have them."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)


class Stream:
    """What datasets.IterableDataset does that matters here."""

    def __init__(self, data: dict[str, list[Any]], features: dict[str, Any] | None = None) -> None:
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
    """What datasets.Dataset does that matters here; in a format its values are something else."""

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

    def __getitem__(self, rows: slice) -> dict[str, list[Any]]:
        assert not self.formatted
        return {name: values[rows] for name, values in self.data.items()}


class DatasetDict(dict[str, Dataset]):
    """As datasets has it."""


KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas, another index": lambda data: pd.DataFrame(data, index=[7] * len(data["text"])),
    "polars": pl.DataFrame,
    "Arrow table": pa.table,
    "Arrow batch": pa.RecordBatch.from_pydict,
    "Arrow, in chunks": lambda data: pa.concat_tables(
        [pa.table(data).slice(0, 1), pa.table(data).slice(1)]
    ),
    "dataset": Dataset,
    "stream": Stream,
    "dicts": lambda data: pd.DataFrame(data, dtype=object).to_dict("records"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_is_read_as_the_file_is(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(DATA).to_csv(path, index=False)
    frame, groups = KINDS[kind](DATA), ["author"]
    expected = list(open_source(path, groups=groups))
    opened = open_source(frame, groups=groups)
    assert list(opened) == expected
    assert list(opened) == expected  # again and again
    assert [record.groups for record in opened] == [
        {"author": "eve"},
        {"author": ""},
        {"author": "bob"},
    ]
    loaded = load_corpus(frame)
    assert loaded.test.texts == ["", "two words"]
    assert loaded.test.ids == ["b", "3"]
    assert "text column: 'text'" in loaded.notes
    assert loaded.name == type(frame).__name__


@pytest.mark.parametrize("kind", KINDS)
def test_bad_rows_are_named(kind: str) -> None:
    data: dict[str, list[Any]] = {"text": ["a", "b", "c"], "label": ["x", None, "y"]}
    message = r"(?i)\w+, row 2: 'label' is empty; every document needs a label"
    with pytest.raises(InputError, match=message):
        load_corpus(KINDS[kind](data))
    rejected: list[BadRow] = []
    records = open_source(KINDS[kind](data)).read(rejected.append)
    assert [record.id for record in records] == ["1", "3"]
    assert len(rejected) == 1
    assert load_corpus(KINDS[kind](data), labelled=False).labels is None


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT, np.float32("nan")])
def test_missing_values_are_empty(missing: object) -> None:
    frame = pd.DataFrame({"text": ["a", missing], "label": ["x", "y"]}, dtype=object)
    assert [record.text for record in open_source(frame)] == ["a", ""]


def test_values_of_numpy_and_of_other_kinds() -> None:
    frame = pd.DataFrame({"text": ["a", "b"], "label": np.array([1, 2], object)})
    frame["label"] = [np.int64(1), np.bool_(True)]
    frame["label"] = frame["label"].astype(object)
    assert load_corpus(frame, test=0).labels == ["1", "True"]
    numbers = pd.DataFrame({"text": ["a", "b"], "label": [1, 2], "id": [7, 8]})
    assert load_corpus(numbers, test=0).ids == ["7", "8"]
    categories = pl.DataFrame(
        {"text": ["a"], "label": ["x"]}, schema_overrides={"label": pl.Categorical}
    )
    assert load_corpus(categories, test=0).labels == ["x"]
    with pytest.raises(InputError, match="DataFrame, row 2: 'text' is int 5, not text"):
        load_corpus(pd.DataFrame({"text": ["a", 5], "label": ["x", "y"]}, dtype=object))
    with pytest.raises(InputError, match="Table, row 1: 'text' is bytes"):
        load_corpus(pa.table({"text": [b"a"], "label": ["x"]}))


def test_arrow_text_that_is_not_utf_8_is_a_bad_row() -> None:
    buffers = [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    broken = pa.Array.from_buffers(pa.string(), 1, buffers)
    with pytest.raises(InputError, match="Table, row 1: text that is not UTF-8"):
        load_corpus(pa.table({"text": broken, "label": ["x"]}))


def test_a_frame_of_many_rows() -> None:
    count = 3000  # several blocks, the last one not full
    data = {"text": [f"text {n}" for n in range(count)], "label": ["x", "y"] * (count // 2)}
    shares: list[float | None] = []
    for kind in KINDS.values():
        records = open_source(kind(data)).read(on_progress=lambda event: shares.append(event.share))
        assert [record.text for record in records] == data["text"]
    assert 0 < max(share or 0 for share in shares) <= 1


class Sequence:
    """A feature of lists, as datasets has it."""

    def __init__(self, feature: object) -> None:
        self.feature = feature


@pytest.mark.parametrize("listed", [Sequence, lambda feature: [feature]])
def test_a_dataset_knows_the_names_of_several_labels(listed: Callable[[object], object]) -> None:
    features = {"text": None, "label": listed(ClassLabel("neg", "pos"))}
    data: dict[str, list[Any]] = {"text": ["a", "b", "c"], "label": [[1, 0], [], [1]]}
    for kind in (Dataset, Stream):
        labels = load_corpus(kind(data, features), test=0).labels
        assert labels == [("pos", "neg"), (), ("pos",)]


def test_a_dataset_knows_the_names_of_its_classes() -> None:
    features = {"text": None, "label": ClassLabel("neg", "pos")}
    for kind in (Dataset, Stream):
        data: dict[str, list[Any]] = {"text": ["a", "b", "c"], "label": [1, 0, 1]}
        assert load_corpus(kind(data, features), test=0).labels == ["pos", "neg", "pos"]
        data["label"][1] = -1  # there is no label
        with pytest.raises(InputError, match="row 2: 'label' is empty"):
            load_corpus(kind(data, features))
        data["label"][1] = 7
        assert load_corpus(kind(data, features), test=0).labels == ["pos", "7", "pos"]


def test_a_dict_of_frames_is_split_already() -> None:
    train = {"text": ["a", "b"], "label": ["x", "y"]}
    test = {"text": ["c"], "label": ["x"]}
    both = DatasetDict(train=Dataset(train), test=Dataset(test), unsupervised=Dataset(test))
    for source in (both, {"test": pl.DataFrame(test), "train": pl.DataFrame(train)}):
        loaded = load_corpus(source)
        assert loaded.train.texts == ["a", "b"]
        assert loaded.test.texts == ["c"]
        assert loaded.test.labels == ["x"]
    assert load_corpus(both).notes[0] == "left out: unsupervised"
    alone = {"text": ["a", "b"], "label": ["x", "x"]}
    assert len(load_corpus({"train": pd.DataFrame(alone)}, test=0.5).test) == 1
    own = {"text": ["c"], "label": ["x"], "split": ["train"]}  # what the dict says goes
    assert load_corpus(
        {"train": [dict(text="a", label="x", split="?")], "test": Dataset(own)}
    ).test.ids


def test_dicts_of_frames_that_are_none() -> None:
    frame = pd.DataFrame({"text": ["a"], "label": ["x"]})
    with pytest.raises(InputError, match="not a dict with text, label"):
        load_corpus({"text": ["a"], "label": ["x"]})
    with pytest.raises(InputError, match="'test' has no column 'label', which the other has"):
        load_corpus({"train": frame, "test": frame[["text"]]})
    with pytest.raises(InputError, match="not a list of str"):
        load_corpus({"train": frame, "test": ["a"]})
    rows = [{"text": "a", "label": "x"}, {"text": "b"}]
    with pytest.raises(
        InputError, match="dict, 'test', row 2: no 'label', which the first row has"
    ):
        load_corpus({"train": frame, "test": rows})


@pytest.mark.parametrize(
    "source", [[], ["a"], [["a", "x"]], 5, None, {}, {"a": 1}, np.array(["a"]), b"a.csv", set()]
)
def test_what_is_no_source(source: object) -> None:
    with pytest.raises(InputError, match=r"the source is a file, a folder, .*; not a|has no rows"):
        load_corpus(source)


def test_dicts_that_differ() -> None:
    rows: list[Any] = [{"text": "a", "label": "x"}, {"label": "x"}, "c"]
    rejected: list[BadRow] = []
    assert [record.id for record in open_source(rows).read(rejected.append)] == ["1"]
    assert rejected == [
        BadRow("list, row 2", "no 'text', which the first row has"),
        BadRow("list, row 3", "a str, not a dict"),
    ]
    assert [record.id for record in open_source(({"text": "a", "label": 1, 3: 4},))] == ["1"]


def test_columns_of_frames() -> None:
    frame = pd.DataFrame([["a", "x"], ["b", "y"]])  # columns 0 and 1
    assert load_corpus(frame, text="0", label="1", test=0).labels == ["x", "y"]
    with pytest.raises(InputError, match=r"DataFrame: no text column among 0, 1; .*: text=…$"):
        load_corpus(frame)
    twice = pd.DataFrame([["a", "x"]], columns=["text", "text"])
    with pytest.raises(InputError, match="DataFrame: two columns are called 'text'"):
        load_corpus(twice)
    with pytest.raises(InputError, match="no column 'body'; there are text, label"):
        load_corpus(pl.DataFrame({"text": ["a"], "label": ["x"]}), text="body")
    with pytest.raises(InputError, match="DataFrame has no documents"):
        load_corpus(pd.DataFrame({"text": [], "label": []}))
    with pytest.raises(InputError, match="the Stream has no rows"):
        load_corpus(Stream({}))


def test_a_lazy_frame_is_to_be_collected() -> None:
    with pytest.raises(InputError, match=r"a LazyFrame is still to be computed: .* collect\(\)"):
        load_corpus(pl.DataFrame(DATA).lazy())


def test_options_that_are_for_files() -> None:
    with pytest.raises(InputError, match="encoding is for files"):
        load_corpus(ROWS, encoding="utf-8")
    with pytest.raises(InputError, match="the source is the path of files"):
        SourceReader.of(pd.DataFrame(DATA))
    mails = [{"text": "From: a\n\nhello", "label": "x"}]
    assert load_corpus(mails, remove=["headers"], test=0).texts == ["hello"]


def test_paths_are_not_in_memory(tmp_path: Path) -> None:
    assert not is_in_memory("a.csv")
    assert not is_in_memory(tmp_path)
    table, notes = open_frame(ROWS)
    assert (table.path, table.columns, notes) == ("list", tuple(ROWS[0]), [])


@pytest.mark.slow(reason="half a second and more")
def test_no_package_of_frames_is_imported_for_a_list() -> None:
    code = (
        "import sys; from whyword import load_corpus\n"
        f"load_corpus({json.dumps(ROWS[:1])}, test=0)\n".replace("null", "None")
        + "print([name for name in ('pandas', 'polars', 'datasets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
