"""Labels of rows: a class, several in a list, in a text, or in a column each."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import InputError, load_corpus
from whyword.corpora.columns import Columns
from whyword.corpora.corpus import Corpus
from whyword.corpora.labels import (
    NoLabel,
    RowLabels,
    check_label,
    kind_of,
    one_label,
    rarest_labels,
    several_labels,
)
from whyword.corpora.overview import describe
from whyword.corpora.source import open_source
from whyword.models.store import fingerprint_of

TEXTS = ["corn and wheat", "gold", "nothing of the kind", "wheat"]
LABELS = [("corn", "wheat"), ("gold",), (), ("wheat",)]
LISTS = [list(several) for several in LABELS]
ROWS = [{"text": text, "topics": several} for text, several in zip(TEXTS, LISTS, strict=True)]


def read(source: Any, **options: Any) -> Corpus:  # noqa: ANN401
    return load_corpus(source, test=0, **options)


def in_json(folder: Path) -> Path:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def in_parquet(folder: Path) -> Path:
    parquet.write_table(pa.table({"text": TEXTS, "topics": LISTS}), folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize(
    "source",
    [
        in_json,
        in_parquet,
        lambda _: ROWS,
        lambda _: [{**row, "topics": tuple(row["topics"])} for row in ROWS],
        lambda _: pd.DataFrame(ROWS),
        lambda _: pd.DataFrame({"text": TEXTS, "topics": [np.array(one) for one in LISTS]}),
        lambda _: pl.DataFrame({"text": TEXTS, "topics": LISTS}),
        lambda _: pa.table({"text": TEXTS, "topics": LISTS}),
        lambda _: {"train": pd.DataFrame(ROWS)},
    ],
)
def test_a_column_of_lists(source: Any, tmp_path: Path) -> None:  # noqa: ANN401
    corpus = read(source(tmp_path))
    assert corpus.labels == LABELS
    assert corpus.classes == ("corn", "gold", "wheat")
    assert corpus.multilabel
    assert "3 labels, several each" in repr(corpus)


def test_texts_with_something_between(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        'text,topics\ncorn,"corn, wheat,corn, "\ngold,gold\nnothing,\nwheat, wheat\n'
    )
    assert read(tmp_path / "a.csv", label_separator=",").labels == LABELS
    frame = pd.DataFrame({"text": TEXTS, "label": ["corn|wheat", "gold", None, "wheat"]})
    assert read(frame, label_separator="|").labels == LABELS
    assert not read(tmp_path / "a.csv", label="text").multilabel
    assert read(ROWS, label_separator=",").labels == LABELS  # lists are what they are


@pytest.mark.parametrize(
    "flags",
    [
        [[1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 1]],
        [["1", "0", " true"], ["0", "TRUE", "false"], ["0"] * 3, ["0", "0", "1"]],
        [[True, False, True], [False, True, False], [False] * 3, [False, False, True]],
        [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0] * 3, [0.0, 0.0, 1.0]],
    ],
)
def test_a_column_of_each_label(flags: list[list[object]], tmp_path: Path) -> None:
    names = ["corn", "gold", "wheat"]
    frame = pd.DataFrame(flags, columns=names).assign(text=TEXTS)
    assert read(frame, label=names).labels == LABELS
    assert read(frame, label=names[:1]).labels == [("corn",), (), (), ()]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv", label=tuple(names)).labels == LABELS
    frame.to_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", label=names).labels == LABELS


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"text": "a", "label": None}], {}, "'label' is empty; every document needs a label"),
        (
            [{"text": "a", "label": ["x"]}, {"text": "b", "label": "x"}],
            {},
            "row 2: 'label' is one label: str 'x'; before it was a list",
        ),
        (
            [{"text": "a", "label": "x"}, {"text": "b", "label": ["x"]}],
            {},
            r"row 2: 'label' is a list: list \['x'\]; before it was one label",
        ),
        ([{"text": "a", "label": [["x"]]}], {}, r"'label' holds list \['x'\], which is no label"),
        ([{"text": "a", "label": ["x", None]}], {}, "'label' holds null, which is no label"),
        ([{"text": "a", "x": "maybe"}], {"label": ["x"]}, "'x' is str 'maybe'; .* has 0 or 1"),
        ([{"text": "a", "x": None}], {"label": ["x"]}, "'x' is empty; a label's column has 0 or 1"),
        ([{"text": "a", "x": 2}], {"label": ["x"]}, "'x' is int 2; a label's column has 0 or 1"),
        ([{"text": "a", "x": 1}], {"label": ["x", "y"]}, "no column 'y'; there are text, x"),
        ([{"text": "a", "x": 1}], {"label": []}, "label names no columns, or one of them twice"),
        ([{"text": "a", "x": 1}], {"label": ["x", "x"]}, "label names no columns, or one of"),
        ([{"text": "a", "x": 1}], {"label": 7}, "label must be a list of strings, not int"),
        (
            [{"text": "a", "x": 1}],
            {"label_separator": ""},
            "label_separator is what stands between",
        ),
        (
            [{"text": "a", "x": 1}],
            {"label": ["x"], "label_separator": ","},
            "columns that are a label each are 0 or 1: leave label_separator out",
        ),
    ],
)
def test_bad_labels(rows: list[dict[str, object]], options: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        read(rows, **options)


def test_bad_rows_are_set_aside_and_missing_labels_allowed() -> None:
    rows = [{"text": "a", "label": ["x"]}, {"text": "b", "label": "x"}, {"text": "c", "label": 1}]
    bad: list[object] = []
    assert [one.label for one in open_source(rows).read(bad.append)] == [("x",)]
    assert len(bad) == 2
    labels = [one.label for one in open_source(rows, label="label", labelled=False)]
    assert labels == [("x",), None, None]


def test_a_separator_is_for_tables(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_text("one")
    with pytest.raises(InputError, match="label_separator is for tables, not for"):
        read(tmp_path, label_separator=",")


def test_a_part_is_held_out_by_the_rarest_label() -> None:
    assert rarest_labels(LABELS) == ["corn", "gold", "", "wheat"]
    assert rarest_labels(["a", None]) == ["a", None]
    many = [{"text": f"{n}", "label": ["often", *["rare"] * (n % 10 == 0)]} for n in range(100)]
    corpus = load_corpus(many, test=0.2)
    assert sum("rare" in one for one in corpus.test.labels or ()) == 2
    assert "held out, by the rarest label of each" in corpus.notes[-1]


def test_a_corpus_of_labels_in_figures() -> None:
    figures = describe(read(ROWS))
    assert [(one.name, one.train) for one in figures.classes] == [
        ("corn", 1),
        ("gold", 1),
        ("wheat", 2),
    ]
    assert figures.sizes == {0: 1, 1: 2, 2: 1}
    assert describe(read([{"text": "a", "label": "x"}])).sizes == {}


def test_hostile_labels() -> None:
    odd = ["\ud800", "\x00", " ", "same", "same", "<script>", "a\nb", "9" * 500, 1, 2.5, True]
    corpus = read([{"text": "a", "label": odd[:2] + odd[3:]}, {"text": "b", "label": []}])
    labels = corpus.labels or []
    assert labels[0][0] == "\ufffd"
    assert labels[0][-3:] == ("1", "2.5", "True")
    assert len(labels[0]) == len(set(labels[0])) == 9
    with pytest.raises(InputError, match="holds str ' ', which is no label"):
        read([{"text": "a", "label": odd}])
    assert read([{"text": "a", "label": list(range(50_000))}]).classes[0] == "0"


def test_single_values() -> None:
    values: list[object] = ["a", 1, float("nan"), None, "", " ", []]
    assert [one_label(one) for one in values] == [
        "a",
        "1",
        *[None] * 5,
    ]
    assert one_label(np.int64(3)) == "3"
    values = [None, "", [1], np.array([1])]
    assert [kind_of(one) for one in values] == [
        "null",
        "empty",
        "list [1]",
        "ndarray array([1])",
    ]
    assert check_label("a", None) == "a"
    assert check_label(["a"], None) == ("a",)
    assert several_labels([None, ()])
    assert not several_labels([None, "a"])
    assert not several_labels(None)
    assert RowLabels(Columns("text", None, None, None))(("a",)) is None
    assert isinstance(RowLabels(Columns("text", "y", None, None))(("a", {})), NoLabel)


def test_a_fingerprint_of_labels() -> None:
    same = [tuple(reversed(several)) for several in LABELS]
    assert fingerprint_of(TEXTS, LABELS) == fingerprint_of(TEXTS, same)
    assert fingerprint_of(TEXTS, LABELS) != fingerprint_of(TEXTS, [(), *LABELS[1:]])
